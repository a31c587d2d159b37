"""Git over folders of the workspace: status, restore and blame."""

import re
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, ExampleCall, Refusal, tool
from retinue.sdk.workspace import ToolContext, run_on_compute_thread
from retinue_tools.code._git_examples import grown_repository, new_repository, refuse
from retinue_tools.code._programs import Work
from retinue_tools.code._repositories import (
    GIT,
    FilePath,
    Repository,
    Revision,
    paths_after,
    repository,
)

_STATES = {
    " ": "", ".": "", "M": "modified", "T": "type changed", "A": "added", "D": "deleted", "R": "renamed", "C": "copied",
    "U": "in conflict", "?": "untracked",
}  # fmt: skip
_BLAMED = re.compile(r"^[0-9a-f]{40,64} \d+ (\d+)")


class FileState(TypedDict):
    """A file that differs from the last commit."""

    path: Annotated[str, About("Path within the repository")]
    staged: Annotated[str, About("Staged change: modified, added, deleted, renamed; empty if none")]
    unstaged: Annotated[str, About("Unstaged change: modified, deleted, untracked, in conflict; empty if none")]


class Status(TypedDict):
    """The state of a repository."""

    branch: Annotated[str, About("Current branch; empty if HEAD is detached")]
    commit: Annotated[str, About("Latest commit; empty before the first")]
    clean: Annotated[bool, About("Whether nothing differs from the last commit")]
    changes: Annotated[list[FileState], About("Files that differ, the first 500")]


class Restored(Work):
    """Result of restoring files."""


class BlamedLine(TypedDict):
    """A line with its last change."""

    line: Annotated[int, About("Line number, from 1")]
    commit: Annotated[str, About("Commit that last changed the line; zeros if the change is not committed")]
    author: Annotated[str, About("Author of that commit")]
    summary: Annotated[str, About("Subject line of that commit")]
    text: Annotated[str, About("Text of the line")]


class Blame(TypedDict):
    """Lines of a file with their last changes."""

    lines: list[BlamedLine]


@tool(
    tags="git status changes uncommitted modified untracked staged clean branch",
    use_when=(
        "What have I changed since the last commit in /project?",
        "Is my repository clean?",
        "Which branch is /project on?",
    ),
    tier="pro",
    credits=2,
    pace="long",
    needs=GIT,
    examples=(
        Example(
            {"folder": "/proof-git-status"},
            {
                "branch": "main",
                "clean": False,
                "changes": [
                    {"path": "a.txt", "staged": "", "unstaged": "modified"},
                    {"path": "new folder/b.txt", "staged": "", "unstaged": "untracked"},
                ],
            },
            source="by hand",
            before=(
                *new_repository("/proof-git-status", a_txt="1\n"),
                ExampleCall("file_write", {"path": "/proof-git-status/a.txt", "text": "2\n"}),
                ExampleCall("file_write", {"path": "/proof-git-status/new folder/b.txt", "text": "b"}),
            ),
        ),
        Refusal({"folder": "/proof-git-no-status"}, "not a git repository"),
    ),
    reply={
        "clean, branch": "Nothing has changed since the last commit on {branch}.",
        "clean": "Nothing has changed since the last commit.",
        "branch, changes": "These files on {branch} have changed: {changes}",
        "changes": "These files have changed: {changes}",
        "": "There are changes since the last commit.",
    },
)
async def git_show_status(context: ToolContext, folder: Repository) -> Status:
    """Show which files of a repository differ from its last commit, and which branch it is on.

    Use it before committing. Returns the status of each file.
    """
    async with repository(context, folder) as git:
        branch, commit = await git.head()
        printed = await git.run("status", "--porcelain=v1", "-z", "--untracked-files=all", "--no-renames")
    changes: list[FileState] = [
        {"path": entry[3:], "staged": _STATES.get(entry[0].strip("?!"), ""), "unstaged": _STATES.get(entry[1], "")}
        for entry in printed.split("\0")
        if len(entry) > 3
    ]
    return {"branch": branch, "commit": commit, "clean": not changes, "changes": changes[:500]}


@tool(
    tags="git restore checkout undo discard revert file changes previous version",
    use_when=(
        "Undo my changes to src/main.py",
        "Bring back the version of notes.md from two commits ago",
        "Discard all uncommitted changes in /project",
    ),
    tier="pro",
    credits=2,
    pace="long",
    read_only=False,
    destructive=True,
    needs=GIT,
    examples=(
        Example(
            {"folder": "/proof-git-restore", "paths": ["a.txt"]},
            {"changed": ["/proof-git-restore/a.txt"]},
            source="by hand",
            before=(
                *new_repository("/proof-git-restore", a_txt="1\n"),
                ExampleCall("file_write", {"path": "/proof-git-restore/a.txt", "text": "2\n"}),
            ),
            then=(ExampleCall("file_read", {"path": "/proof-git-restore/a.txt"}, {"text": "1\n"}),),
        ),
        Example(
            {"folder": "/proof-git-older", "paths": ["."], "revision": "HEAD~1"},
            {"changed": ["/proof-git-older/a.txt"]},
            source="by hand",
            before=(
                *new_repository("/proof-git-older", a_txt="1\n"),
                ExampleCall("file_write", {"path": "/proof-git-older/a.txt", "text": "2\n"}),
                ExampleCall("git_commit_changes", {"folder": "/proof-git-older", "message": "Second"}),
            ),
        ),
        refuse("/proof-git-no-file", paths=["nothing.txt"]),
    ),
    reply={
        "changed, created": "I restored {changed} and brought back {created}.",
        "changed": "I restored {changed}.",
        "created": "I brought back {created}.",
        "deleted": "I removed {deleted}.",
        "": "There was nothing to restore.",
    },
)
async def git_restore_files(
    context: ToolContext,
    folder: Repository,
    paths: Annotated[
        list[FilePath],
        About("Files and folders to restore; . restores all", ["src/main.py"], min_items=1, max_items=200),
    ],
    revision: Revision = "HEAD",
) -> Restored:
    """Restore files of a repository to their state in a commit, by default the last; changes to them are lost.

    Use it to undo, or to fetch an older version. Returns the changed files.
    """
    async with repository(context, folder) as git:
        await git.run("restore", f"--source={revision}", "--staged", "--worktree", *paths_after(paths))
        return {**await git.keep()}


@tool(
    tags="git blame annotate line author who wrote origin",
    use_when=(
        "Who wrote line 12 of src/main.py?",
        "Which commit last changed each line of this file?",
        "Blame the lines 1 to 20 of README.md in /project",
    ),
    tier="pro",
    credits=2,
    pace="long",
    needs=GIT,
    examples=(
        Example(
            {"folder": "/proof-git-blame", "path": "a.txt"},
            {
                "lines": [
                    {"line": 1, "author": "Retinue", "summary": "First", "text": "one"},
                    {"line": 2, "author": "Ada", "summary": "Second", "text": "two"},
                ]
            },
            source="by hand",
            before=grown_repository("/proof-git-blame"),
        ),
        Example(
            {"folder": "/proof-git-blame-part", "path": "a.txt", "first_line": 2, "revision": "HEAD"},
            {"lines": [{"line": 2, "author": "Ada"}]},
            source="by hand",
            before=grown_repository("/proof-git-blame-part"),
        ),
        refuse("/proof-git-blame-bad", path="b.txt"),
    ),
    reply={
        "lines": "Who last changed each line of {args.path}: {lines}",
        "": "{args.path} has no such lines.",
    },
)
async def git_blame_file(
    context: ToolContext,
    folder: Repository,
    path: FilePath,
    first_line: Annotated[int, About("First line to return", minimum=1, maximum=10_000_000)] = 1,
    revision: Revision | None = None,
) -> Blame:
    """Show for each line of a file which commit last changed it and who made that commit, 500 lines at a time."""
    async with repository(context, folder) as git:
        at = [revision] if revision else []
        printed = await git.run("blame", "--line-porcelain", f"-L{first_line},+500", *at, "--", path)
    return {"lines": await run_on_compute_thread(_blame, printed)}


def _blame(printed: str) -> list[BlamedLine]:
    """Parse the porcelain format of git-blame(1): a header, fields, and the text after a tab."""
    lines: list[BlamedLine] = []
    fields: dict[str, str] = {}
    number, commit = 0, ""
    for row in printed.split("\n"):
        if row.startswith("\t"):
            lines.append(
                {
                    "line": number,
                    "commit": commit,
                    "author": fields.get("author", ""),
                    "summary": fields.get("summary", ""),
                    "text": row[1:],
                }
            )
            fields = {}
        elif head := _BLAMED.match(row):
            number, commit = int(head[1]), row.partition(" ")[0]
        else:
            name, _, value = row.partition(" ")
            fields[name] = value
    return lines
