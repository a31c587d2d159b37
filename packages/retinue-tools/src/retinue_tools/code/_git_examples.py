"""Example repositories for the git tools."""

from retinue.sdk import ExampleCall, Refusal


def new_repository(folder: str, **files: str) -> tuple[ExampleCall, ...]:
    """Return the calls that set up a repository with one commit of these files, in whose names _ stands for the dot."""
    writes = (
        ExampleCall("file_write", {"path": f"{folder}/{name.replace('_', '.')}", "text": text})
        for name, text in files.items()
    )
    return (
        ExampleCall("git_init_repository", {"folder": folder}),
        *writes,
        ExampleCall("git_commit_changes", {"folder": folder, "message": "First"}),
    )


def grown_repository(folder: str) -> tuple[ExampleCall, ...]:
    """Return the calls that create a repository with two commits."""
    return (
        *new_repository(folder, a_txt="one\n"),
        ExampleCall("file_write", {"path": f"{folder}/a.txt", "text": "one\ntwo\n"}),
        ExampleCall(
            "git_commit_changes", {"folder": folder, "message": "Second\n\nWith a body.", "author_name": "Ada"}
        ),
    )


def refuse(folder: str, **arguments: object) -> Refusal:
    """Return an example whose arguments git rejects, in a repository with one commit of a.txt."""
    return Refusal({"folder": folder, **arguments}, "git says", before=new_repository(folder, a_txt="1\n"))
