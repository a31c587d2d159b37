"""Git over folders of the workspace: a repository and its commits."""

from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, ExampleCall, Refusal, ToolError, tool
from retinue.sdk.workspace import ToolContext
from retinue_tools.code._git_examples import new_repository
from retinue_tools.code._repositories import (
    GIT,
    BranchName,
    FilePath,
    Repository,
    count,
    paths_after,
    repository,
)

_FIRST = "def add(a, b):\n    return a + b\n"


class NewRepository(TypedDict):
    """A new repository."""

    folder: Annotated[str, About("Folder of the repository")]
    branch: Annotated[str, About("Initial branch, without commits yet")]


class Committed(TypedDict):
    """A new commit."""

    commit: Annotated[str, About("Full commit ID")]
    branch: Annotated[str, About("Branch of the commit; empty if HEAD is detached")]
    files: Annotated[int, About("Number of changed files")]
    insertions: Annotated[int, About("Added lines")]
    deletions: Annotated[int, About("Deleted lines")]


@tool(
    tags="git init repository version control new start begin",
    use_when=(
        "Put my folder /project under version control",
        "Start a git repository in /notes",
        "Make this folder a repository with the branch trunk",
    ),
    tier="pro",
    credits=2,
    pace="long",
    read_only=False,
    needs=GIT,
    examples=(
        Example({"folder": "/proof-git-init"}, {"folder": "/proof-git-init", "branch": "main"}, source="by hand"),
        Example(
            {"folder": "/proof-git-init-branch", "branch": "trunk"},
            {"branch": "trunk"},
            source="by hand",
            then=(
                ExampleCall("git_show_status", {"folder": "/proof-git-init-branch"}, {"branch": "trunk", "commit": ""}),
                ExampleCall(
                    "file_read", {"path": "/proof-git-init-branch/.git/HEAD"}, {"text": "ref: refs/heads/trunk\n"}
                ),
            ),
        ),
        Refusal({"folder": "/proof-git-init-bad", "branch": "a..b"}, "git says"),
        Refusal(
            {"folder": "/proof-git-twice"},
            "already",
            before=(ExampleCall("git_init_repository", {"folder": "/proof-git-twice"}),),
        ),
    ),
    reply="{args.folder} is now a git repository with the branch {branch}.",
)
async def git_init_repository(context: ToolContext, folder: Repository, branch: BranchName = "main") -> NewRepository:
    """Begin a new git repository in a folder of the workspace, which may contain files already or be empty.

    Use it before git_commit_changes. The repository is kept as files in the folder's .git.
    """
    async with repository(context, folder, new=True) as git:
        if f"{git.copy.folder}/.git/HEAD" in git.copy.held:
            raise ToolError(f"{folder} is a git repository already.")
        await git.run("init", "--quiet", "--template=", f"--initial-branch={branch}")
        await git.keep()
        return {"folder": git.copy.folder or "/", "branch": branch}


@tool(
    tags="git commit add stage save snapshot version record changes message",
    use_when=(
        "Commit everything in /project with the message Fix login",
        "Record the changes of src/main.py only",
        "Save a version of my folder",
    ),
    tier="pro",
    credits=2,
    pace="long",
    read_only=False,
    idempotent=False,
    needs=GIT,
    examples=(
        Example(
            {"folder": "/proof-git-commit", "message": "Add sums"},
            {"branch": "main", "files": 1, "insertions": 2, "deletions": 0},
            source="by hand: the file has two lines",
            before=(
                ExampleCall("git_init_repository", {"folder": "/proof-git-commit"}),
                ExampleCall("file_write", {"path": "/proof-git-commit/sums.py", "text": _FIRST}),
            ),
            then=(
                ExampleCall(
                    "git_list_commits", {"folder": "/proof-git-commit"}, {"commits": [{"subject": "Add sums"}]}
                ),
                ExampleCall("git_show_status", {"folder": "/proof-git-commit"}, {"clean": True}),
            ),
        ),
        Example(
            {
                "folder": "/proof-git-part",
                "message": "Only a",
                "paths": ["a.txt"],
                "author_name": "Ada Lovelace",
                "author_email": "ada@example.com",
            },
            {"files": 1, "insertions": 1, "deletions": 1},
            source="by hand",
            before=(
                *new_repository("/proof-git-part", a_txt="1\n", b_txt="1\n"),
                ExampleCall("file_write", {"path": "/proof-git-part/a.txt", "text": "2\n"}),
                ExampleCall("file_write", {"path": "/proof-git-part/b.txt", "text": "2\n"}),
            ),
            then=(
                ExampleCall(
                    "git_show_status",
                    {"folder": "/proof-git-part"},
                    {"changes": [{"path": "b.txt", "staged": "", "unstaged": "modified"}]},
                ),
            ),
        ),
        Refusal(
            {"folder": "/proof-git-nothing", "message": "Again"},
            "nothing to commit",
            before=new_repository("/proof-git-nothing", a_txt="1\n"),
        ),
        Refusal({"folder": "/proof-git-none", "message": "x"}, "not a git repository"),
    ),
    reply={
        "branch": "I committed {files|file} to {branch}, with {insertions|line} added and {deletions} deleted.",
        "": "I committed {files|file}, with {insertions|line} added and {deletions} deleted.",
    },
)
async def git_commit_changes(
    context: ToolContext,
    folder: Repository,
    message: Annotated[
        str,
        About(
            "Message: a subject, optionally followed by an empty line and a body",
            "Fix login",
            min_length=1,
            max_length=20_000,
        ),
    ],
    paths: Annotated[
        list[FilePath], About("Only these files and folders; default: all changes", ["src"], max_items=200)
    ]
    | None = None,
    author_name: Annotated[
        str, About("Name of the author", "Ada Lovelace", pattern=r"^[^<>\n\x00]+$", max_length=200)
    ] = "Retinue",
    author_email: Annotated[
        str, About("E-mail address of the author", "ada@example.com", pattern=r"^[^<>\s]+$", max_length=200)
    ] = "retinue@localhost",
) -> Committed:
    """Commit the changes in a repository of the workspace: new, changed and deleted files, all or those named.

    Use it to record a version that can be restored later. Returns the commit and the size of its changes.
    """
    async with repository(context, folder) as git:
        await git.run("add", "--all", *paths_after(paths))
        staged = await git.run("diff", "--cached", "--numstat", "--no-ext-diff", "--no-textconv", "--no-renames")
        if not staged:
            raise ToolError("There is nothing to commit: no file differs from the last commit.")
        identity = author_name, author_email
        await git.run("commit", "--quiet", "--no-verify", "--cleanup=strip", f"--message={message}", identity=identity)
        files, insertions, deletions = count(staged)
        branch, commit = await git.head()
        await git.keep()
    return {"commit": commit, "branch": branch, "files": files, "insertions": insertions, "deletions": deletions}
