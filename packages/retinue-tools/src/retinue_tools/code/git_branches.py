"""Git over folders of the workspace: branches."""

from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, ExampleCall, Refusal, ToolError, tool
from retinue.sdk.workspace import ToolContext
from retinue_tools.code._git_examples import new_repository, refuse
from retinue_tools.code._programs import Work
from retinue_tools.code._repositories import (
    GIT,
    Repository,
    Revision,
    repository,
)


class Switched(Work):
    """Result of switching branches."""

    branch: Annotated[str, About("Current branch; empty if HEAD is detached")]
    commit: Annotated[str, About("Current commit; empty before the first")]


class MergedBranch(Work):
    """Result of a merge."""

    merged: Annotated[bool, About("False if there are conflicts; then nothing is changed")]
    commit: Annotated[str, About("Commit after the merge")]
    conflicts: Annotated[list[str], About("Files with conflicts")]


class Branch(TypedDict):
    """A branch."""

    name: Annotated[str, About("Name of the branch")]
    commit: Annotated[str, About("Latest commit of the branch")]
    subject: Annotated[str, About("Subject line of that commit")]
    current: Annotated[bool, About("Whether this is the current branch")]


class Branches(TypedDict):
    """The branches of a repository."""

    branches: Annotated[list[Branch], About("Branches by name")]


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
                *new_repository("/proof-git-branches", a_txt="1\n"),
                ExampleCall("git_switch_branch", {"folder": "/proof-git-branches", "branch": "fix", "create": True}),
            ),
        ),
        Refusal({"folder": "/proof-git-no-branches"}, "not a git repository"),
    ),
    reply={
        "branches": "The branches: {branches}",
        "": "There are no branches yet.",
    },
)
async def git_list_branches(context: ToolContext, folder: Repository) -> Branches:
    """List the branches of a repository with the last commit of each, and show which one the folder is on."""
    form = "%(refname:short)%1f%(objectname)%1f%(subject)%1f%(HEAD)"
    async with repository(context, folder) as git:
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
    tags="git branch switch checkout create new change commit detached",
    use_when=(
        "Switch /project to the branch fix-login",
        "Create a branch experiment from main",
        "Check out the commit before the last",
    ),
    tier="pro",
    credits=2,
    pace="long",
    read_only=False,
    destructive=True,
    needs=GIT,
    examples=(
        Example(
            {"folder": "/proof-git-switch", "branch": "experiment", "create": True},
            {"branch": "experiment", "created": [], "changed": []},
            source="by hand",
            before=new_repository("/proof-git-switch", a_txt="1\n"),
        ),
        Example(
            {"folder": "/proof-git-back", "branch": "main"},
            {"branch": "main", "changed": ["/proof-git-back/a.txt"]},
            source="by hand",
            before=(
                *new_repository("/proof-git-back", a_txt="1\n"),
                ExampleCall("git_switch_branch", {"folder": "/proof-git-back", "branch": "other", "create": True}),
                ExampleCall("file_write", {"path": "/proof-git-back/a.txt", "text": "2\n"}),
                ExampleCall("git_commit_changes", {"folder": "/proof-git-back", "message": "Second"}),
            ),
            then=(ExampleCall("file_read", {"path": "/proof-git-back/a.txt"}, {"text": "1\n"}),),
        ),
        refuse("/proof-git-nowhere", branch="nowhere"),
    ),
    reply={
        "args.create": "I created the branch {branch} and switched to it.",
        "branch": "The repository is now on the branch {branch}.",
        "": "The repository is now at commit {commit}.",
    },
)
async def git_switch_branch(
    context: ToolContext,
    folder: Repository,
    branch: Revision,
    create: Annotated[bool, About("Create the branch, from the current commit or from start")] = False,
    start: Revision | None = None,
) -> Switched:
    """Switch a repository to a branch, to a new branch, or to any commit, and bring its files to that state.

    Use it to work beside the main line. Uncommitted changes are carried over, or the switch is refused. Returns the
    changed files.
    """
    async with repository(context, folder) as git:
        if create:
            await git.run("switch", "--quiet", f"--create={branch}", *([start] if start else []))
        elif await git.run("for-each-ref", f"refs/heads/{branch}"):
            await git.run("switch", "--quiet", branch)
        else:
            await git.run("switch", "--quiet", "--detach", branch)
        name, commit = await git.head()
        work = await git.keep()
    return {"branch": name, "commit": commit, **work}


@tool(
    tags="git merge branch join combine integrate conflicts fast-forward",
    use_when=(
        "Merge the branch fix-login into the one I am on",
        "Bring the changes of experiment into main",
        "Would merging this branch give conflicts?",
    ),
    tier="pro",
    credits=2,
    pace="long",
    read_only=False,
    destructive=True,
    needs=GIT,
    examples=(
        Example(
            {"folder": "/proof-git-merge", "branch": "other"},
            {"merged": True, "conflicts": [], "changed": ["/proof-git-merge/a.txt"]},
            source="by hand",
            before=(
                *new_repository("/proof-git-merge", a_txt="1\n"),
                ExampleCall("git_switch_branch", {"folder": "/proof-git-merge", "branch": "other", "create": True}),
                ExampleCall("file_write", {"path": "/proof-git-merge/a.txt", "text": "2\n"}),
                ExampleCall("git_commit_changes", {"folder": "/proof-git-merge", "message": "Other"}),
                ExampleCall("git_switch_branch", {"folder": "/proof-git-merge", "branch": "main"}),
            ),
        ),
        Example(
            {"folder": "/proof-git-clash", "branch": "other", "message": "Join"},
            {"merged": False, "conflicts": ["a.txt"], "changed": []},
            source="by hand: both sides change the one line",
            before=(
                *new_repository("/proof-git-clash", a_txt="1\n"),
                ExampleCall("git_switch_branch", {"folder": "/proof-git-clash", "branch": "other", "create": True}),
                ExampleCall("file_write", {"path": "/proof-git-clash/a.txt", "text": "2\n"}),
                ExampleCall("git_commit_changes", {"folder": "/proof-git-clash", "message": "Other"}),
                ExampleCall("git_switch_branch", {"folder": "/proof-git-clash", "branch": "main"}),
                ExampleCall("file_write", {"path": "/proof-git-clash/a.txt", "text": "3\n"}),
                ExampleCall("git_commit_changes", {"folder": "/proof-git-clash", "message": "Main"}),
            ),
        ),
        refuse("/proof-git-merge-none", branch="nowhere"),
    ),
    reply={
        "merged, changed": "I merged {args.branch}, which changed {changed}.",
        "merged": "I merged {args.branch}.",
        "conflicts": "I could not merge {args.branch}, as both changed {conflicts}; nothing was changed.",
        "": "I could not merge {args.branch}; nothing was changed.",
    },
)
async def git_merge_branch(
    context: ToolContext,
    folder: Repository,
    branch: Revision,
    message: Annotated[
        str, About("Message of the merge; default: that of git", "Merge fix-login", max_length=20_000)
    ] = "",
) -> MergedBranch:
    """Merge a branch into the current one. If both changed the same place, nothing is changed, and those files are
    listed.

    Use it to bring work together. Returns whether it was merged, the commit, and the files that conflict or changed.
    """
    async with repository(context, folder) as git:
        before = (await git.head())[1]
        try:
            await git.run("merge", "--quiet", "--no-edit", *([f"--message={message}"] if message else []), branch)
        except ToolError:
            clashing = (await git.run("diff", "--name-only", "--diff-filter=U", "-z")).strip("\0")
            if not clashing:
                raise
            return {
                "merged": False, "commit": before, "conflicts": clashing.split("\0"),
                "created": [], "changed": [], "deleted": [], "left_out": [],
            }  # fmt: skip
        commit = (await git.head())[1]
        return {"merged": True, "commit": commit, "conflicts": [], **await git.keep()}
