"""Shared by the tools that run programs: arguments, results, and a sandbox around a workspace folder."""

import os
import stat
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, ToolUnavailable
from retinue.sdk.programs import FolderChanges, ProgramResult, ResourceLimits, Sandbox, StopReason, WorkingCopy
from retinue.sdk.workspace import ToolContext

BWRAP = ("bwrap",)
_MOST_NAMED = 200

WorkFolder = Annotated[
    str, About("Folder of the workspace to work in; / is the whole workspace", "/project", min_length=1, max_length=512)
]
Stdin = Annotated[str, About("Standard input of the program", "3\n4\n", max_length=500_000)]
Seconds = Annotated[int, About("Seconds after which the program is stopped", 20, minimum=1, maximum=35)]
EndedBy = Literal["itself", "time limit", "memory limit", "disk limit"]
_ENDINGS: Mapping[StopReason, EndedBy] = {
    "": "itself", "time": "time limit", "memory": "memory limit", "disk": "disk limit",
}  # fmt: skip
Paths = Annotated[list[str], About("Paths in the workspace, the first 200")]


class Work(TypedDict):
    """Effects of a program on a folder."""

    created: Paths
    changed: Paths
    deleted: Paths
    left_out: Annotated[list[str], About("Files that the workspace cannot store: links, devices, unsupported names")]


class Run(Work):
    """Outcome of a program run."""

    ended_by: Annotated[
        EndedBy, About("itself, or the limit that stopped it; in that case nothing in the folder is changed")
    ]
    exit_code: Annotated[
        int | None, About("Exit status, 128 or more for a signal; null if a limit stopped the program")
    ]
    stdout: Annotated[str, About("Standard output; only the beginning and the end if it exceeds 64 KiB")]
    stderr: Annotated[str, About("Standard error; only the beginning and the end if it exceeds 64 KiB")]
    cut_bytes: Annotated[int, About("Number of bytes omitted from both")]
    duration_ms: Annotated[int, About("Run time of the program")]


@asynccontextmanager
async def working(context: ToolContext, folder: str | None) -> AsyncIterator[tuple[Sandbox, WorkingCopy | None]]:
    """Create a sandbox whose working folder contains a copy of a workspace folder, or is empty."""
    async with context.sandboxes.sandbox() as sandbox:
        yield sandbox, await WorkingCopy.of(context.tree, folder, sandbox.folder) if folder else None


async def run_outcome(ended: ProgramResult, copy: WorkingCopy | None) -> Run:
    """Copy the changes of a program back to the workspace if it ended by itself, and describe how it ended."""
    changes = await keep_changes(ended, copy) if copy else FolderChanges()
    return {
        "ended_by": _ENDINGS[ended.stopped],
        "exit_code": None if ended.stopped else ended.exit_code,
        "stdout": ended.stdout.text,
        "stderr": ended.stderr.text,
        "cut_bytes": ended.stdout.cut_bytes + ended.stderr.cut_bytes,
        "duration_ms": round(ended.duration_s * 1000),
        **work_of(changes),
    }


async def keep_changes(ended: ProgramResult, copy: WorkingCopy) -> FolderChanges:
    """Copy the changes of a program back to the workspace if it ended by itself."""
    return FolderChanges() if ended.stopped else await copy.store_changes()


def work_of(changes: FolderChanges) -> Work:
    """Describe changes for a result."""
    return {
        "created": changes.created[:_MOST_NAMED],
        "changed": changes.changed[:_MOST_NAMED],
        "deleted": changes.deleted[:_MOST_NAMED],
        "left_out": changes.left_out[:_MOST_NAMED],
    }


def limits(seconds: int) -> ResourceLimits:
    """Return the default limits with another time limit."""
    return ResourceLimits(seconds=float(seconds))


def libraries(sandbox: Sandbox) -> Path:
    """Return the environment of Python and its libraries. Raises `ToolUnavailable` while it is not installed."""
    if sandbox.bwrap_args.libraries is None:
        raise ToolUnavailable(
            "Python's libraries are still being installed on this server. Try again in a minute; GET /readyz shows "
            "the progress."
        )
    return sandbox.bwrap_args.libraries


def temporary(sandbox: Sandbox, name: str) -> Path:
    """Create a file with this name in /tmp of the sandbox."""
    return sandbox.place.root / "tmp" / name


def read_output(sandbox: Sandbox, name: str, most: int) -> bytes | None:
    """Return the first bytes of a file that a program left in /tmp, or None if there is none. Does not follow links."""
    try:
        handle = os.open(temporary(sandbox, name), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        return None
    with os.fdopen(handle, "rb") as file:
        return file.read(most)
