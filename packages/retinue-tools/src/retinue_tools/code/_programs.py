"""What the tools that run programs share: arguments, results, and a bubble around a folder of the workspace."""

import os
import stat
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, ToolUnavailable
from retinue.sdk.programs import Bubble, Changes, Ended, Limits, Stopped, WorkingCopy
from retinue.sdk.workspace import Desk

BWRAP = ("bwrap",)
_MOST_NAMED = 200

WorkFolder = Annotated[
    str, About("Folder of the workspace to work in; / is all of it", "/project", min_length=1, max_length=512)
]
Stdin = Annotated[str, About("Text that the program reads from its standard input", "3\n4\n", max_length=500_000)]
Seconds = Annotated[int, About("Seconds after which the program is ended", 20, minimum=1, maximum=35)]
EndedBy = Literal["itself", "time limit", "memory limit", "disk limit"]
_ENDINGS: Mapping[Stopped, EndedBy] = {
    "": "itself", "time": "time limit", "memory": "memory limit", "disk": "disk limit",
}  # fmt: skip
Paths = Annotated[list[str], About("Paths in the workspace, the first 200")]


class Work(TypedDict):
    """What a program did in a folder."""

    created: Paths
    changed: Paths
    deleted: Paths
    left_out: Annotated[list[str], About("What cannot be kept in the workspace: links, devices, odd names")]


class Run(Work):
    """How a program ended."""

    ended_by: Annotated[EndedBy, About("itself, or the limit that ended it; then nothing in the folder is changed")]
    exit_code: Annotated[int | None, About("Exit status, 128 and more for a signal; null where a limit ended it")]
    stdout: Annotated[str, About("Standard output; of more than 64 KiB the beginning and the end")]
    stderr: Annotated[str, About("Standard error; of more than 64 KiB the beginning and the end")]
    cut_bytes: Annotated[int, About("How many bytes of both were left out")]
    duration_ms: Annotated[int, About("How long it ran")]


@asynccontextmanager
async def working(desk: Desk, folder: str | None) -> AsyncIterator[tuple[Bubble, WorkingCopy | None]]:
    """A bubble whose working folder holds a copy of a folder of the workspace, or is empty."""
    async with desk.bubbles.bubble() as bubble:
        yield bubble, await WorkingCopy.of(desk.tree, folder, bubble.folder) if folder else None


async def run_outcome(ended: Ended, copy: WorkingCopy | None) -> Run:
    """Bring back what a program changed, if it ended by itself, and tell how it ended."""
    changes = await keep_changes(ended, copy) if copy else Changes()
    return {
        "ended_by": _ENDINGS[ended.stopped],
        "exit_code": None if ended.stopped else ended.exit_code,
        "stdout": ended.stdout.text,
        "stderr": ended.stderr.text,
        "cut_bytes": ended.stdout.cut_bytes + ended.stderr.cut_bytes,
        "duration_ms": round(ended.duration_s * 1000),
        **work_of(changes),
    }


async def keep_changes(ended: Ended, copy: WorkingCopy) -> Changes:
    """Bring back what a program changed, if it ended by itself."""
    return Changes() if ended.stopped else await copy.bring_back()


def work_of(changes: Changes) -> Work:
    """What a result tells of changes."""
    return {
        "created": changes.created[:_MOST_NAMED],
        "changed": changes.changed[:_MOST_NAMED],
        "deleted": changes.deleted[:_MOST_NAMED],
        "left_out": changes.left_out[:_MOST_NAMED],
    }


def limits(seconds: int) -> Limits:
    """The usual limits, with another time."""
    return Limits(seconds=float(seconds))


def libraries(bubble: Bubble) -> Path:
    """The environment of Python and its libraries, or `ToolUnavailable` as long as it is not installed."""
    if bubble.walls.libraries is None:
        raise ToolUnavailable(
            "Python's libraries are not on this server yet: it installs them as it runs. Try again in a minute; "
            "GET /readyz tells how far it is."
        )
    return bubble.walls.libraries


def temporary(bubble: Bubble, name: str) -> Path:
    """A file that programs find in /tmp under that name."""
    return bubble.place.root / "tmp" / name


def read_output(bubble: Bubble, name: str, most: int) -> bytes | None:
    """The first bytes of a file that a program left in /tmp, or None where it left none; no link is followed."""
    try:
        handle = os.open(temporary(bubble, name), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        return None
    with os.fdopen(handle, "rb") as file:
        return file.read(most)
