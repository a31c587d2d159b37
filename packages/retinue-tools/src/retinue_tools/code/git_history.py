"""Git over folders of the workspace: history and differences."""

from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, ExampleCall, ToolError, tool
from retinue.sdk.workspace import ToolContext
from retinue_tools.code._git_examples import grown_repository, new_repository, refuse
from retinue_tools.code._repositories import (
    FORMAT,
    GIT,
    CommitTold,
    DiffText,
    FilePath,
    Git,
    Repository,
    Revision,
    commits_in,
    count,
    paths_after,
    repository,
)

_DIFF_BYTES = 200 << 10


class History(TypedDict):
    """A list of commits."""

    commits: Annotated[list[CommitTold], About("Newest first")]


class Difference(TypedDict):
    """Differences between two versions."""

    diff: DiffText
    files: Annotated[int, About("Number of files that differ")]
    insertions: Annotated[int, About("Added lines")]
    deletions: Annotated[int, About("Number of deleted lines")]


class CommitShown(CommitTold, Difference):
    """A commit with its changes."""


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
            before=grown_repository("/proof-git-log"),
        ),
        Example(
            {"folder": "/proof-git-log-path", "path": "b.txt", "revision": "main", "limit": 5},
            {"commits": []},
            source="by hand: no commit has that file",
            before=new_repository("/proof-git-log-path", a_txt="1\n"),
        ),
        refuse("/proof-git-log-bad", revision="nowhere"),
    ),
    reply={
        "commits": "The commits, newest first: {commits}",
        "": "There are no such commits.",
    },
)
async def git_list_commits(
    context: ToolContext,
    folder: Repository,
    revision: Revision = "HEAD",
    path: FilePath | None = None,
    limit: Annotated[int, About("Maximum number of commits", 20, minimum=1, maximum=200)] = 20,
    skip: Annotated[int, About("Number of commits to skip, for the next page", minimum=0, maximum=100_000)] = 0,
) -> History:
    """List the commits of a repository, newest first, from a branch or commit on, optionally of one path only.

    Use it to review the history. Returns author, date and message of each.
    """
    async with repository(context, folder) as git:
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
                *new_repository("/proof-git-diff", a_txt="1\n2\n"),
                ExampleCall("file_write", {"path": "/proof-git-diff/a.txt", "text": "1\n3\n"}),
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
            before=grown_repository("/proof-git-diff-two"),
        ),
        refuse("/proof-git-diff-bad", old="nowhere"),
    ),
    reply={
        "diff": "There are differences in {files|file}, with {insertions|line} added and {deletions} deleted: {diff}",
        "files": "There are differences in {files|file}, with {insertions|line} added and {deletions} deleted.",
        "": "There are no differences.",
    },
)
async def git_show_diff(
    context: ToolContext,
    folder: Repository,
    old: Revision = "HEAD",
    new: Revision | None = None,
    path: FilePath | None = None,
) -> Difference:
    """Show the differences between two commits, or between a commit, by default the last, and the current files.

    Use it to review changes; untracked files are listed by git_show_status. Returns a unified diff.
    """
    async with repository(context, folder) as git:
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
            before=grown_repository("/proof-git-show"),
        ),
        Example(
            {"folder": "/proof-git-show-first", "revision": "HEAD~1"},
            {"subject": "First", "insertions": 1},
            source="by hand",
            before=grown_repository("/proof-git-show-first"),
        ),
        refuse("/proof-git-show-bad", revision="HEAD~5"),
    ),
    reply={
        "diff": (
            "\u201c{subject}\u201d by {author}, {files|file} with {insertions|line} added and "
            "{deletions} deleted: {diff}"
        ),
        "": (
            "\u201c{subject}\u201d by {author} changed {files|file}, with {insertions|line} added and "
            "{deletions} deleted."
        ),
    },
)
async def git_show_commit(context: ToolContext, folder: Repository, revision: Revision = "HEAD") -> CommitShown:
    """Show one commit of a repository: its author, date and message, and its changes as a unified diff."""
    async with repository(context, folder) as git:
        commits = commits_in(await git.run("show", "--no-patch", f"--format={FORMAT}", f"{revision}^{{commit}}", "--"))
        if not commits:
            raise ToolError(f"{revision} is not a commit.")
        return {**commits[0], **await _difference(git, ["show", "--format=", revision], None)}


async def _difference(git: Git, command: list[str], path: str | None) -> Difference:
    """Run a git command that prints differences, and parse its output. No program from the repository's settings is
    run.
    """
    plain = ("--no-ext-diff", "--no-textconv", "--no-color", "--no-renames")
    rest = paths_after([path] if path else None)
    files, insertions, deletions = count(await git.run(command[0], "--numstat", *plain, *command[1:], *rest))
    diff = await git.run(command[0], *plain, *command[1:], *rest, keep=_DIFF_BYTES)
    return {"diff": diff, "files": files, "insertions": insertions, "deletions": deletions}
