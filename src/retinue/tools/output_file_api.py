"""Files that a tool makes: what it saves becomes a file of the caller, and the name in its result that file's id.

class Merged(TypedDict):
    file: MadeFile

return {"file": save("merged.pdf", content)}
"""

from pathlib import Path

FOLDER = "made"
"""Where in the working folder such files lie until the platform has taken them."""

_MOST_BYTES = 200
"""Of a name: file systems take 255 bytes, and a number may be put in."""


def place(name: str) -> Path:
    """Where to write a file of that name, for libraries that want a path; a name that is taken gets a number."""
    folder = Path(FOLDER)
    folder.mkdir(exist_ok=True)
    last = Path(name.replace("\\", "/").replace("\0", "")).name
    plain = last.encode("utf-8", "replace")[-_MOST_BYTES:].decode("utf-8", "ignore") or "file"
    path, number = folder / plain, 2
    while path.exists():
        path = folder / f"{Path(plain).stem}-{number}{Path(plain).suffix}"
        number += 1
    return path


def save(name: str, content: bytes) -> str:
    """Keep a file for the caller. Returns what the result is to say in a field of the type `MadeFile`."""
    path = place(name)
    path.write_bytes(content)
    return path.name
