"""A file in the making: hashed as it grows, and given its name only when its hash is right."""

import hashlib
import os
from collections.abc import Callable
from pathlib import Path

from retinue.models.known_weights import Weights

Progress = Callable[[int, int], None]
"""Called with the bytes that are there and the bytes there will be."""

BLOCK = 4 * 1024 * 1024
"""Bytes that are read and hashed at a time."""


class WrongBytes(Exception):
    """What was fetched is not the file that was asked for."""


class PartFile:
    """`<file>.part` beside the file it becomes. All methods block: call them in a thread."""

    def __init__(self, weights: Weights, folder: Path) -> None:
        self.size = 0
        self._weights = weights
        self._target = folder / weights.file_name
        self._path = self._target.with_suffix(".part")
        self._hash = hashlib.sha256()
        self._file = self._path.open("a+b")

    @property
    def total(self) -> int:
        """Bytes there will be."""
        return self._weights.size

    def resume(self) -> None:
        """Go on from what an earlier, broken fetch left."""
        self._forget()
        self._file.seek(0)
        while block := self._file.read(BLOCK):
            self._hash.update(block)
            self.size += len(block)

    def restart(self) -> None:
        """Begin again with nothing."""
        self._forget()
        self._file.truncate(0)

    def write(self, block: bytes) -> None:
        """Append. Raises `WrongBytes` as soon as there are too many."""
        self._file.write(block)
        self._hash.update(block)
        self.size += len(block)
        if self._weights.size and self.size > self._weights.size:
            self._reject(f"there are more than {self._weights.size} bytes")

    def finish(self) -> None:
        """Check size and hash, make it durable, and give it its name. Raises `WrongBytes`."""
        if self._weights.size and self.size != self._weights.size:
            raise WrongBytes(f"it has {self.size} bytes instead of {self._weights.size}")
        if self._weights.sha256 and self._hash.hexdigest() != self._weights.sha256:
            self._reject(f"its SHA-256 is {self._hash.hexdigest()} instead of {self._weights.sha256}")
        self._file.flush()
        os.fsync(self._file.fileno())
        self._path.replace(self._target)
        folder = os.open(self._target.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)

    def close(self) -> None:
        """Let go of the file; what is not finished stays, for the next attempt to go on from."""
        self._file.close()

    def _forget(self) -> None:
        self._hash, self.size = hashlib.sha256(), 0

    def _reject(self, reason: str) -> None:
        """Wrong bytes are never gone on from."""
        self.restart()
        raise WrongBytes(reason)
