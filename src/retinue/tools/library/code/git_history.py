"""Git over folders of the workspace: what reads a repository."""

import asyncio
import re
from typing import Annotated

from typing_extensions import TypedDict

from retinue.tools.declare import About, Call, Example, Refusal, ToolError, tool
from retinue.tools.library.code.git_changes import begun
from retinue.tools.library.code.repositories import (
    FORMAT,
    GIT,
    CommitTold,
    DiffText,
    FilePath,
    Git,
    Repository,
    Revision,
    commits_in,
    counted,
    paths_after,
    repository,
)
from retinue.workspace.desk import Desk

_DIFF_BYTES = 200 << 10
_STATES = {
    " ": "", ".": "", "M": "modified", "T": "type changed", "A": "added", "D": "deleted", "R": "renamed", "C": "copied",
    "U": "in conflict", "?": "untracked",
}  # fmt: skip
_BLAMED = re.compile(r"^[0-9a-f]{40,64} \d+ (\d+)")


class FileState(TypedDict):
    """A file that differs."""

    path: Annotated[str, About("Path within the repository")]
    staged: Annotated[str, About("How the next commit changes it: modified, added, deleted, renamed; empty for not")]
    unstaged: Annotated[str, About("How the folder differs from that: modified, deleted, untracked, in conflict")]


class Status(TypedDict):
    """The state of a repository."""

    branch: Annotated[str, About("The branch; empty for none")]
    commit: Annotated[str, About("The last commit; empty before the first")]
    clean: Annotated[bool, About("Whether nothing differs from the last commit")]
    changes: Annotated[list[FileState], About("Files that differ, the first 500")]


class History(TypedDict):
    """Commits."""

    commits: Annotated[list[CommitTold], About("Newest first")]


class Difference(TypedDict):
    """What differs."""

    diff: DiffText
    files: Annotated[int, About("How many files differ")]
    insertions: Annotated[int, About("Lines that were added")]
    deletions: Annotated[int, About("Lines that were deleted")]


class CommitShown(CommitTold, Difference):
    """A commit with what it changes."""


class Branch(TypedDict):
    """A branch."""

    name: Annotated[str, About("Its name")]
    commit: Annotated[str, About("Its last commit")]
    subject: Annotated[str, About("First line of that commit's message")]
    current: Annotated[bool, About("Whether the folder is on it")]


class Branches(TypedDict):
    """The branches of a repository."""

    branches: Annotated[list[Branch], About("By name")]


class BlamedLine(TypedDict):
    """A line and where it is from."""

    line: Annotated[int, About("Number of the line, from 1")]
    commit: Annotated[str, About("The commit that last changed it; zeros where it is not committed")]
    author: Annotated[str, About("Who made that commit")]
    summary: Annotated[str, About("First line of that commit's message")]
    text: Annotated[str, About("The line")]


class Blame(TypedDict):
    """The lines of a file."""

    lines: list[BlamedLine]


def _two(folder: str) -> tuple[Call, ...]:
    """Calls that make a repository with two commits."""
    return (
        *begun(folder, a_txt="one\n"),
        Call("file_write", {"path": f"{folder}/a.txt", "text": "one\ntwo\n"}),
        Call("git_commit_changes", {"folder": folder, "message": "Second\n\nWith a body.", "author_name": "Ada"}),
    )


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
                *begun("/proof-git-status", a_txt="1\n"),
                Call("file_write", {"path": "/proof-git-status/a.txt", "text": "2\n"}),
                Call("file_write", {"path": "/proof-git-status/new folder/b.txt", "text": "b"}),
            ),
        ),
        Refusal({"folder": "/proof-git-no-status"}, "no git repository"),
    ),
)
async def git_show_status(desk: Desk, folder: Repository) -> Status:
    """Tell which files of a repository differ from its last commit, and on which branch it is.

    Use it before committing. Returns for each file how it differs.
    """
    async with repository(desk, folder) as git:
        branch, commit = await git.head()
        printed = await git.run("status", "--porcelain=v1", "-z", "--untracked-files=all", "--no-renames")
    changes: list[FileState] = [
        {"path": entry[3:], "staged": _STATES.get(entry[0].strip("?!"), ""), "unstaged": _STATES.get(entry[1], "")}
        for entry in printed.split("\0")
        if len(entry) > 3
    ]
    return {"branch": branch, "commit": commit, "clean": not changes, "changes": changes[:500]}


@tool(
    tags="git log history commits list who when past versions",
    use_when=(
        "Show the last commits of /project",
        "Who changed src/main.py, and when?",
        "List the history of the branch fix-login",
    ),
    tier="pro",
    credits=2,
    pace="long",
    needs=GIT,
    examples=(
        Example(
            {"folder": "/proof-git-log"},
            {
                "commits": [
                    {"subject": "Second", "body": "With a body.", "author": "Ada"},
                    {"subject": "First", "body": "", "author": "Retinue"},
                ]
            },
            source="by hand",
            before=_two("/proof-git-log"),
        ),
        Example(
            {"folder": "/proof-git-log-path", "path": "b.txt", "revision": "main", "limit": 5},
            {"commits": []},
            source="by hand: no commit has that file",
            before=begun("/proof-git-log-path", a_txt="1\n"),
        ),
        Refusal(
            {"folder": "/proof-git-log-bad", "revision": "nowhere"},
            "git says",
            before=begun("/proof-git-log-bad", a_txt="1\n"),
        ),
    ),
)
async def git_list_commits(
    desk: Desk,
    folder: Repository,
    revision: Revision = "HEAD",
    path: FilePath | None = None,
    limit: Annotated[int, About("How many commits at most", 20, minimum=1, maximum=200)] = 20,
    skip: Annotated[int, About("How many to leave out first, for the next page", minimum=0, maximum=100_000)] = 0,
) -> History:
    """List the commits of a repository, newest first, from a branch or commit on, all or those that touch a path.

    Use it to see what was done. Returns author, date and message of each.
    """
    async with repository(desk, folder) as git:
        if not (await git.head())[1]:
            return {"commits": []}
        page = (f"--max-count={limit}", f"--skip={skip}")
        printed = await git.run("log", *page, f"--format={FORMAT}", revision, *paths_after([path] if path else None))
    return {"commits": commits_in(printed)}


@tool(
    tags="git diff compare changes difference commits branches uncommitted staged",
    use_when=(
        "What exactly did I change since the last commit?",
        "Compare main with fix-login in /project",
        "Show the difference of src/main.py between two commits",
    ),
    tier="pro",
    credits=2,
    pace="long",
    needs=GIT,
    examples=(
        Example(
            {"folder": "/proof-git-diff"},
            {"files": 1, "insertions": 1, "deletions": 1},
            source="by hand: one line is replaced",
            before=(
                *begun("/proof-git-diff", a_txt="1\n2\n"),
                Call("file_write", {"path": "/proof-git-diff/a.txt", "text": "1\n3\n"}),
            ),
        ),
        Example(
            {"folder": "/proof-git-diff-two", "old": "HEAD~1", "new": "HEAD", "path": "a.txt"},
            {
                "diff": "diff --git a/a.txt b/a.txt\nindex 5626abf..814f4a4 100644\n--- a/a.txt\n+++ b/a.txt\n"
                "@@ -1 +1,2 @@\n one\n+two\n",
                "insertions": 1,
                "deletions": 0,
            },
            source="git's format of diffs; the ids are the SHA-1 of 'blob 4\\0one\\n' and 'blob 8\\0one\\ntwo\\n'",
            before=_two("/proof-git-diff-two"),
        ),
        Refusal(
            {"folder": "/proof-git-diff-bad", "old": "nowhere"},
            "git says",
            before=begun("/proof-git-diff-bad", a_txt="1\n"),
        ),
    ),
)
async def git_show_diff(
    desk: Desk,
    folder: Repository,
    old: Revision = "HEAD",
    new: Revision | None = None,
    path: FilePath | None = None,
) -> Difference:
    """Show what differs between two commits, or between a commit, by default the last, and the files as they are.

    Use it to review changes; files that git does not know yet are in git_show_status. Returns a unified diff.
    """
    async with repository(desk, folder) as git:
        return await _difference(git, ["diff", old, *([new] if new else [])], path)


@tool(
    tags="git show commit details message changes patch",
    use_when=(
        "What did the last commit change?",
        "Show me commit main~2 of /project",
        "Which lines did that commit add?",
    ),
    tier="pro",
    credits=2,
    pace="long",
    needs=GIT,
    examples=(
        Example(
            {"folder": "/proof-git-show"},
            {"subject": "Second", "author": "Ada", "files": 1, "insertions": 1, "deletions": 0},
            source="by hand",
            before=_two("/proof-git-show"),
        ),
        Example(
            {"folder": "/proof-git-show-first", "revision": "HEAD~1"},
            {"subject": "First", "insertions": 1},
            source="by hand",
            before=_two("/proof-git-show-first"),
        ),
        Refusal(
            {"folder": "/proof-git-show-bad", "revision": "HEAD~5"},
            "git says",
            before=begun("/proof-git-show-bad", a_txt="1\n"),
        ),
    ),
)
async def git_show_commit(desk: Desk, folder: Repository, revision: Revision = "HEAD") -> CommitShown:
    """Show one commit of a repository: its author, date and message, and what it changes as a unified diff."""
    async with repository(desk, folder) as git:
        commits = commits_in(await git.run("show", "--no-patch", f"--format={FORMAT}", f"{revision}^{{commit}}", "--"))
        if not commits:
            raise ToolError(f"{revision} is no commit.")
        return {**commits[0], **await _difference(git, ["show", "--format=", revision], None)}


@tool(
    tags="git branches list heads current",
    use_when=("Which branches are there in /project?", "List the branches with their last commits"),
    tier="pro",
    credits=2,
    pace="long",
    needs=GIT,
    examples=(
        Example(
            {"folder": "/proof-git-branches"},
            {
                "branches": [
                    {"name": "fix", "subject": "First", "current": True},
                    {"name": "main", "subject": "First", "current": False},
                ]
            },
            source="by hand",
            before=(
                *begun("/proof-git-branches", a_txt="1\n"),
                Call("git_switch_branch", {"folder": "/proof-git-branches", "branch": "fix", "create": True}),
            ),
        ),
        Refusal({"folder": "/proof-git-no-branches"}, "no git repository"),
    ),
)
async def git_list_branches(desk: Desk, folder: Repository) -> Branches:
    """List the branches of a repository with the last commit of each, and tell which the folder is on."""
    form = "%(refname:short)%1f%(objectname)%1f%(subject)%1f%(HEAD)"
    async with repository(desk, folder) as git:
        rows = [
            line.split("\x1f")
            for line in (await git.run("for-each-ref", f"--format={form}", "refs/heads")).splitlines()
        ]
    return {
        "branches": [
            {"name": row[0], "commit": row[1], "subject": row[2], "current": row[3] == "*"}
            for row in rows
            if len(row) == 4
        ]
    }


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
            before=_two("/proof-git-blame"),
        ),
        Example(
            {"folder": "/proof-git-blame-part", "path": "a.txt", "first_line": 2, "revision": "HEAD"},
            {"lines": [{"line": 2, "author": "Ada"}]},
            source="by hand",
            before=_two("/proof-git-blame-part"),
        ),
        Refusal(
            {"folder": "/proof-git-blame-bad", "path": "b.txt"},
            "git says",
            before=begun("/proof-git-blame-bad", a_txt="1\n"),
        ),
    ),
)
async def git_blame_file(
    desk: Desk,
    folder: Repository,
    path: FilePath,
    first_line: Annotated[int, About("First line to tell of", minimum=1, maximum=10_000_000)] = 1,
    revision: Revision | None = None,
) -> Blame:
    """Tell for each line of a file which commit last changed it and who made that commit, 500 lines at a time."""
    async with repository(desk, folder) as git:
        at = [revision] if revision else []
        printed = await git.run("blame", "--line-porcelain", f"-L{first_line},+500", *at, "--", path)
    return {"lines": await asyncio.to_thread(_blamed, printed)}


async def _difference(git: Git, command: list[str], path: str | None) -> Difference:
    """What a command of git that prints differences finds. Nothing of the repository's settings runs a program."""
    plain = ("--no-ext-diff", "--no-textconv", "--no-color", "--no-renames")
    rest = paths_after([path] if path else None)
    files, insertions, deletions = counted(await git.run(command[0], "--numstat", *plain, *command[1:], *rest))
    diff = await git.run(command[0], *plain, *command[1:], *rest, keep=_DIFF_BYTES)
    return {"diff": diff, "files": files, "insertions": insertions, "deletions": deletions}


def _blamed(printed: str) -> list[BlamedLine]:
    """Lines in the porcelain format of git-blame(1): a header, fields, and the text after a tab."""
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
