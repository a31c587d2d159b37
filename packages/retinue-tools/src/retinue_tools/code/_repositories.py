"""Shared by the git tools: run git in a sandbox on a workspace folder, and parse its commits."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, ToolError
from retinue.sdk.programs import ResourceLimits, Sandbox, WorkingCopy
from retinue.sdk.workspace import ToolContext, Unavailable
from retinue_tools.code._programs import Work, work_of, working

GIT = ("bwrap", "git")

_SECONDS = 20.0
_OUTPUT_BYTES = 4 << 20
_SETTINGS = {
    "advice.detachedHead": "false",
    "core.fileMode": "false",
    "core.symlinks": "false",
    "core.quotePath": "false",
    "gc.auto": "0",
    "init.defaultBranch": "main",
    "maintenance.auto": "false",
    "safe.directory": "*",
}
"""The workspace stores neither file modes nor links. Git must not touch files that have not changed."""

_FIELDS = ("%H", "%an", "%ae", "%aI", "%s", "%b")
FORMAT = "%x1f".join(_FIELDS) + "%x1e"
"""Format of commits for `commits_in`: fields separated by the unit separator, commits by the record separator
(ASCII).
"""

Repository = Annotated[
    str, About("Folder of the workspace that contains the repository", "/project", min_length=1, max_length=512)
]
Revision = Annotated[
    str,
    About("Commit, branch or tag in any form that git accepts", "main~1", pattern=r"^[^\s\-][^\s]*$", max_length=200),
]
BranchName = Annotated[str, About("Name of a branch", "fix-login", pattern=r"^[^\s\-][^\s]*$", max_length=200)]
FilePath = Annotated[
    str, About("Path within the repository", "src/main.py", min_length=1, max_length=512, pattern="^[^-:/]")
]
DiffText = Annotated[str, About("Changes as a unified diff; only the beginning and the end if it exceeds 200 KiB")]


class CommitTold(TypedDict):
    """A commit."""

    commit: Annotated[str, About("Full commit ID")]
    author: Annotated[str, About("Name of the author")]
    email: Annotated[str, About("E-mail address of the author")]
    date: Annotated[str, About("Time of the commit, ISO 8601")]
    subject: Annotated[str, About("Subject line of the message")]
    body: Annotated[str, About("Rest of the message")]


@dataclass(frozen=True, slots=True)
class Git:
    """Runs git in a copy of a folder."""

    sandbox: Sandbox
    copy: WorkingCopy

    async def run(self, *arguments: str, keep: int = _OUTPUT_BYTES, identity: tuple[str, str] | None = None) -> str:
        """Return the output of git. Raises `ToolError` with git's error message if it fails."""
        limits = ResourceLimits(seconds=_SECONDS, output_bytes=keep)
        ended = await self.sandbox.run(["git", *arguments], environment=_environment(identity), limits=limits)
        if ended.stopped:
            raise Unavailable(
                f"git did not finish in time (git {arguments[0]}). Use a smaller folder, or request less."
            )
        if ended.exit_code:
            raise ToolError(_phrase(ended.stderr.text or ended.stdout.text))
        return ended.stdout.text

    async def head(self) -> tuple[str, str]:
        """Return the branch, empty if HEAD is detached, and the commit, empty before the first commit."""
        printed = await self.run("status", "--porcelain=v2", "--branch", "--untracked-files=no")
        branch_lines = dict(line[2:].split(" ", 1) for line in printed.splitlines() if line.startswith("# "))
        commit, branch = branch_lines["branch.oid"], branch_lines["branch.head"]
        return "" if branch == "(detached)" else branch, "" if commit == "(initial)" else commit

    async def keep(self) -> Work:
        """Copy git's changes back to the workspace. Changes below .git are not reported."""
        work = work_of(await self.copy.store_changes())
        for paths in (work["created"], work["changed"], work["deleted"], work["left_out"]):
            paths[:] = [path for path in paths if "/.git/" not in path]
        return work


@asynccontextmanager
async def repository(context: ToolContext, folder: str, *, new: bool = False) -> AsyncIterator[Git]:
    """Open a repository in a workspace folder. Raises `ToolError` if there is none, unless `new` is set."""
    async with working(context, folder) as (sandbox, copy):
        if copy is None or (not new and f"{copy.folder}/.git/HEAD" not in copy.held):
            raise ToolError(
                f"{folder} is not a git repository. Create one with git_init_repository, or specify its folder."
            )
        yield Git(sandbox, copy)


def commits_in(printed: str) -> list[CommitTold]:
    """Parse commits that git printed in `FORMAT`."""
    found: list[CommitTold] = []
    for record in printed.split("\x1e"):
        fields = record.lstrip("\n").split("\x1f")
        if len(fields) == len(_FIELDS):
            commit, author, email, date, subject, body = fields
            found.append(
                {
                    "commit": commit,
                    "author": author,
                    "email": email,
                    "date": date,
                    "subject": subject,
                    "body": body.strip(),
                }
            )
    return found


def count(numstat: str) -> tuple[int, int, int]:
    """Count files, added lines and deleted lines in the output of --numstat. Binary files have no lines."""
    rows = [line.split("\t") for line in numstat.splitlines() if line.count("\t") >= 2]
    added, deleted = (sum(int(row[column]) for row in rows if row[column].isdigit()) for column in (0, 1))
    return len(rows), added, deleted


def paths_after(paths: Sequence[str] | None) -> list[str]:
    """Return paths as the end of a command line, taken literally and not as patterns."""
    return ["--", *(f":(literal){path}" for path in paths or ())]


def _environment(identity: tuple[str, str] | None) -> dict[str, str]:
    name, email = identity or ("Retinue", "retinue@localhost")
    settings = {
        f"GIT_CONFIG_{part}_{number}": text
        for number, setting in enumerate(_SETTINGS.items())
        for part, text in zip(("KEY", "VALUE"), setting, strict=True)
    }
    return {
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_CONFIG_COUNT": str(len(_SETTINGS)),
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_PAGER": "cat",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_AUTHOR_NAME": name,
        "GIT_AUTHOR_EMAIL": email,
        "GIT_COMMITTER_NAME": name,
        "GIT_COMMITTER_EMAIL": email,
        **settings,
    }


def _phrase(text: str) -> str:
    """Return the line of git's error output that explains the problem."""
    lines = [line for line in text.strip().splitlines() if line.strip()]
    telling = next(
        (line for line in lines if line.startswith(("fatal:", "error:"))), lines[-1] if lines else "no reason"
    )
    return f"git says: {telling.partition(': ')[2] or telling}"[:500]
