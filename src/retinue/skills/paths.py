"""Check the paths of a skill's files."""

_MOST_BYTES, _MOST_PARTS = 200, 10

INSTRUCTIONS = "SKILL.md"
"""The file that every skill has."""


def check_path(path: str) -> str:
    """Return a path below the folder of a skill. Raises `ValueError` with the reason if it could leave the folder."""
    excerpt = path[:100]
    parts = path.split("/")
    if len(path.encode(errors="replace")) > _MOST_BYTES or len(parts) > _MOST_PARTS:
        raise ValueError(
            f"The path {excerpt}… is too long: paths have at most {_MOST_BYTES} bytes and {_MOST_PARTS} levels."
        )
    if path.startswith("/") or ":" in parts[0] or any(part in ("", ".", "..") for part in parts):
        raise ValueError(f"The path {excerpt!r} leads out of the skill. Use paths below its folder, without . and ..")
    if not path.isprintable():
        raise ValueError(f"The path {excerpt!r} contains control characters. Rename the file.")
    return path


def is_script(path: str) -> bool:
    """Return whether a file of a skill is a program for agents to run."""
    return path.startswith("scripts/") or path.endswith((".py", ".sh", ".bash"))
