"""Save a tool's output files: each becomes a file of the caller, and its name in the result becomes the file's id.

class Merged(TypedDict):
    file: MadeFile

return {"file": save("merged.pdf", content)}
"""

from pathlib import Path

OUTPUT_FOLDER = "made"
"""The folder below the working folder where output files lie until the platform has stored them."""

_MOST_BYTES = 200
"""Maximum bytes of a name: file systems allow 255, and a number may be added."""


def output_path(name: str) -> Path:
    """Return the path for an output file of that name, for libraries that need a path; a name that is taken gets a
    number.
    """
    folder = Path(OUTPUT_FOLDER)
    folder.mkdir(exist_ok=True)
    last = Path(name.replace("\\", "/").replace("\0", "")).name
    plain = last.encode("utf-8", "replace")[-_MOST_BYTES:].decode("utf-8", "ignore") or "file"
    path, number = folder / plain, 2
    while path.exists():
        path = folder / f"{Path(plain).stem}-{number}{Path(plain).suffix}"
        number += 1
    return path


def save(name: str, content: bytes) -> str:
    """Save a file for the caller. Returns the value for a result field of the type `OutputFile`."""
    path = output_path(name)
    path.write_bytes(content)
    return path.name
