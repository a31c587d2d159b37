"""Git over folders of the workspace: what changes a repository."""

from typing import Annotated

from typing_extensions import TypedDict

from retinue.tools.declare import About, Call, Example, Refusal, ToolError, tool
from retinue.tools.library.code.programs import Work
from retinue.tools.library.code.repositories import (
    GIT,
    BranchName,
    FilePath,
    Repository,
    Revision,
    counted,
    paths_after,
    repository,
)
from retinue.workspace.desk import Desk

_FIRST = "def add(a, b):\n    return a + b\n"


class NewRepository(TypedDict):
    """A repository that was begun."""

    folder: Annotated[str, About("Where it is")]
    branch: Annotated[str, About("Its branch, which has no commit yet")]


class Committed(TypedDict):
    """A commit that was made."""

    commit: Annotated[str, About("Its full id")]
    branch: Annotated[str, About("The branch that it is on; empty for none")]
    files: Annotated[int, About("How many files it changes")]
    insertions: Annotated[int, About("Lines that it adds")]
    deletions: Annotated[int, About("Lines that it deletes")]


class Switched(Work):
    """Where the folder is now."""

    branch: Annotated[str, About("The branch; empty for none")]
    commit: Annotated[str, About("The commit; empty before the first")]


class Restored(Work):
    """What was put back."""


class MergedBranch(Work):
    """What came of a merge."""

    merged: Annotated[bool, About("False where there are conflicts; nothing is changed then")]
    commit: Annotated[str, About("The commit after it")]
    conflicts: Annotated[list[str], About("Files that both sides changed in the same place")]


def begun(folder: str, **files: str) -> tuple[Call, ...]:
    """Calls before an example: a repository with one commit of these files, whose names have _ for the dot."""
    writes = (
        Call("file_write", {"path": f"{folder}/{name.replace('_', '.')}", "text": text}) for name, text in files.items()
    )
    return (
        Call("git_init_repository", {"folder": folder}),
        *writes,
        Call("git_commit_changes", {"folder": folder, "message": "First"}),
    )


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
                Call("git_show_status", {"folder": "/proof-git-init-branch"}, {"branch": "trunk", "commit": ""}),
                Call("file_read", {"path": "/proof-git-init-branch/.git/HEAD"}, {"text": "ref: refs/heads/trunk\n"}),
            ),
        ),
        Refusal({"folder": "/proof-git-init-bad", "branch": "a..b"}, "git says"),
        Refusal(
            {"folder": "/proof-git-twice"},
            "already",
            before=(Call("git_init_repository", {"folder": "/proof-git-twice"}),),
        ),
    ),
)
async def git_init_repository(desk: Desk, folder: Repository, branch: BranchName = "main") -> NewRepository:
    """Begin a git repository in a folder of the workspace, which may hold files already or be empty.

    Use it before git_commit_changes. The repository is kept as files in the folder's .git.
    """
    async with repository(desk, folder, new=True) as git:
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
                Call("git_init_repository", {"folder": "/proof-git-commit"}),
                Call("file_write", {"path": "/proof-git-commit/sums.py", "text": _FIRST}),
            ),
            then=(
                Call("git_list_commits", {"folder": "/proof-git-commit"}, {"commits": [{"subject": "Add sums"}]}),
                Call("git_show_status", {"folder": "/proof-git-commit"}, {"clean": True}),
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
                *begun("/proof-git-part", a_txt="1\n", b_txt="1\n"),
                Call("file_write", {"path": "/proof-git-part/a.txt", "text": "2\n"}),
                Call("file_write", {"path": "/proof-git-part/b.txt", "text": "2\n"}),
            ),
            then=(
                Call(
                    "git_show_status",
                    {"folder": "/proof-git-part"},
                    {"changes": [{"path": "b.txt", "staged": "", "unstaged": "modified"}]},
                ),
            ),
        ),
        Refusal(
            {"folder": "/proof-git-nothing", "message": "Again"},
            "nothing to commit",
            before=begun("/proof-git-nothing", a_txt="1\n"),
        ),
        Refusal({"folder": "/proof-git-none", "message": "x"}, "no git repository"),
    ),
)
async def git_commit_changes(
    desk: Desk,
    folder: Repository,
    message: Annotated[
        str, About("The message: a subject, and more after an empty line", "Fix login", min_length=1, max_length=20_000)
    ],
    paths: Annotated[
        list[FilePath], About("Only these files and folders; all changes without it", ["src"], max_items=200)
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

    Use it to record a version that can be returned to. Returns the commit, and how much it changes.
    """
    async with repository(desk, folder) as git:
        await git.run("add", "--all", *paths_after(paths))
        staged = await git.run("diff", "--cached", "--numstat", "--no-ext-diff", "--no-textconv", "--no-renames")
        if not staged:
            raise ToolError("There is nothing to commit: no file differs from the last commit.")
        identity = author_name, author_email
        await git.run("commit", "--quiet", "--no-verify", "--cleanup=strip", f"--message={message}", identity=identity)
        files, insertions, deletions = counted(staged)
        branch, commit = await git.head()
        await git.keep()
    return {"commit": commit, "branch": branch, "files": files, "insertions": insertions, "deletions": deletions}


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
            before=begun("/proof-git-switch", a_txt="1\n"),
        ),
        Example(
            {"folder": "/proof-git-back", "branch": "main"},
            {"branch": "main", "changed": ["/proof-git-back/a.txt"]},
            source="by hand",
            before=(
                *begun("/proof-git-back", a_txt="1\n"),
                Call("git_switch_branch", {"folder": "/proof-git-back", "branch": "other", "create": True}),
                Call("file_write", {"path": "/proof-git-back/a.txt", "text": "2\n"}),
                Call("git_commit_changes", {"folder": "/proof-git-back", "message": "Second"}),
            ),
            then=(Call("file_read", {"path": "/proof-git-back/a.txt"}, {"text": "1\n"}),),
        ),
        Refusal(
            {"folder": "/proof-git-nowhere", "branch": "nowhere"},
            "git says",
            before=begun("/proof-git-nowhere", a_txt="1\n"),
        ),
    ),
)
async def git_switch_branch(
    desk: Desk,
    folder: Repository,
    branch: Revision,
    create: Annotated[bool, About("Make it, from where the folder is or from start")] = False,
    start: Revision | None = None,
) -> Switched:
    """Switch a repository to a branch, to a new branch, or to any commit, and bring its files to that state.

    Use it to work beside the main line. What is not committed is carried over, or the switch is refused. Returns which
    files were changed.
    """
    async with repository(desk, folder) as git:
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
                *begun("/proof-git-restore", a_txt="1\n"),
                Call("file_write", {"path": "/proof-git-restore/a.txt", "text": "2\n"}),
            ),
            then=(Call("file_read", {"path": "/proof-git-restore/a.txt"}, {"text": "1\n"}),),
        ),
        Example(
            {"folder": "/proof-git-older", "paths": ["."], "revision": "HEAD~1"},
            {"changed": ["/proof-git-older/a.txt"]},
            source="by hand",
            before=(
                *begun("/proof-git-older", a_txt="1\n"),
                Call("file_write", {"path": "/proof-git-older/a.txt", "text": "2\n"}),
                Call("git_commit_changes", {"folder": "/proof-git-older", "message": "Second"}),
            ),
        ),
        Refusal(
            {"folder": "/proof-git-no-file", "paths": ["nothing.txt"]},
            "git says",
            before=begun("/proof-git-no-file", a_txt="1\n"),
        ),
    ),
)
async def git_restore_files(
    desk: Desk,
    folder: Repository,
    paths: Annotated[
        list[FilePath], About("Files and folders to restore; . is all", ["src/main.py"], min_items=1, max_items=200)
    ],
    revision: Revision = "HEAD",
) -> Restored:
    """Put files of a repository back to how they were in a commit, by default the last; changes to them are lost.

    Use it to undo, or to fetch an older version. Returns which files were changed.
    """
    async with repository(desk, folder) as git:
        await git.run("restore", f"--source={revision}", "--staged", "--worktree", *paths_after(paths))
        return {**await git.keep()}


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
                *begun("/proof-git-merge", a_txt="1\n"),
                Call("git_switch_branch", {"folder": "/proof-git-merge", "branch": "other", "create": True}),
                Call("file_write", {"path": "/proof-git-merge/a.txt", "text": "2\n"}),
                Call("git_commit_changes", {"folder": "/proof-git-merge", "message": "Other"}),
                Call("git_switch_branch", {"folder": "/proof-git-merge", "branch": "main"}),
            ),
        ),
        Example(
            {"folder": "/proof-git-clash", "branch": "other", "message": "Join"},
            {"merged": False, "conflicts": ["a.txt"], "changed": []},
            source="by hand: both sides change the one line",
            before=(
                *begun("/proof-git-clash", a_txt="1\n"),
                Call("git_switch_branch", {"folder": "/proof-git-clash", "branch": "other", "create": True}),
                Call("file_write", {"path": "/proof-git-clash/a.txt", "text": "2\n"}),
                Call("git_commit_changes", {"folder": "/proof-git-clash", "message": "Other"}),
                Call("git_switch_branch", {"folder": "/proof-git-clash", "branch": "main"}),
                Call("file_write", {"path": "/proof-git-clash/a.txt", "text": "3\n"}),
                Call("git_commit_changes", {"folder": "/proof-git-clash", "message": "Main"}),
            ),
        ),
        Refusal(
            {"folder": "/proof-git-merge-none", "branch": "nowhere"},
            "git says",
            before=begun("/proof-git-merge-none", a_txt="1\n"),
        ),
    ),
)
async def git_merge_branch(
    desk: Desk,
    folder: Repository,
    branch: Revision,
    message: Annotated[
        str, About("Message of the merge; git's own without it", "Merge fix-login", max_length=20_000)
    ] = "",
) -> MergedBranch:
    """Merge a branch into the current one. Where both changed the same place, nothing is changed, and those files told.

    Use it to bring work together. Returns whether it was merged, the commit, and the files that conflict or changed.
    """
    async with repository(desk, folder) as git:
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
