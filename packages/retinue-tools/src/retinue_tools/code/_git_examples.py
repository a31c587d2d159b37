"""Repositories that the examples of the git tools begin with."""

from retinue.sdk import Call, Refusal


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


def grown(folder: str) -> tuple[Call, ...]:
    """Calls that make a repository with two commits."""
    return (
        *begun(folder, a_txt="one\n"),
        Call("file_write", {"path": f"{folder}/a.txt", "text": "one\ntwo\n"}),
        Call("git_commit_changes", {"folder": folder, "message": "Second\n\nWith a body.", "author_name": "Ada"}),
    )


def refused(folder: str, **arguments: object) -> Refusal:
    """An example whose arguments git refuses in a repository with one commit of a.txt."""
    return Refusal({"folder": folder, **arguments}, "git says", before=begun(folder, a_txt="1\n"))
