"""The content of an upload, from memory, a path or an open file. Each attempt reads it again."""

import os
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

Uploadable = bytes | str | os.PathLike[str] | BinaryIO
"""Bytes, the path of a file, or a seekable file that is open for reading in binary mode."""

_CHUNK = 1 << 16


@dataclass(frozen=True)
class Content:
    """Bytes to send. `size` is their number, counted from the current position of an open file."""

    source: bytes | Path | BinaryIO
    name: str
    size: int
    start: int = 0

    @classmethod
    def of(cls, file: Uploadable, name: str | None = None) -> "Content":
        """Return the content for a caller's argument. `name` is required for bytes and for files without a name."""
        if isinstance(file, bytes):
            return cls(file, name or "file", len(file))
        if isinstance(file, str | os.PathLike):
            path = Path(file)
            return cls(path, name or path.name, path.stat().st_size)
        start = file.tell()
        size = file.seek(0, os.SEEK_END) - start
        return cls(file, name or Path(str(getattr(file, "name", "file"))).name, size, start)

    def __iter__(self) -> Iterator[bytes]:
        if isinstance(self.source, bytes):
            yield self.source
        elif isinstance(self.source, Path):
            with self.source.open("rb") as file:
                yield from _chunks(file)
        else:
            self.source.seek(self.start)
            yield from _chunks(self.source)

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for chunk in self:
            yield chunk


def _chunks(file: BinaryIO) -> Iterator[bytes]:
    return iter(lambda: file.read(_CHUNK), b"")
