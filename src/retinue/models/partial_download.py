"""A partial download: hashes the file as it grows, and renames it only after the hash matches."""

import hashlib
import os
from collections.abc import Callable
from pathlib import Path

from retinue.models.known_weights import Weights

Progress = Callable[[int, int], None]
"""A callback with the bytes written so far and the total bytes."""

BLOCK = 4 * 1024 * 1024
"""Bytes to read and hash at a time."""


class WrongBytes(Exception):
    """The downloaded bytes do not have the expected size or hash."""


class PartFile:
    """The file `<file>.part` next to the final file. All methods block: call them in a thread."""

    def __init__(self, weights: Weights, folder: Path) -> None:
        self.size = 0
        self._weights = weights
        self._target = folder / weights.file_name
        self._path = self._target.with_suffix(".part")
        self._hash = hashlib.sha256()
        self._file = self._path.open("a+b")

    @property
    def total(self) -> int:
        """The expected size in bytes; 0 if unknown."""
        return self._weights.size

    def resume(self) -> None:
        """Continue after the bytes of an earlier, interrupted download."""
        self._forget()
        self._file.seek(0)
        while block := self._file.read(BLOCK):
            self._hash.update(block)
            self.size += len(block)

    def restart(self) -> None:
        """Discard all bytes and start again."""
        self._forget()
        self._file.truncate(0)

    def write(self, block: bytes) -> None:
        """Append `block`. Raises `WrongBytes` if the file exceeds its expected size."""
        self._file.write(block)
        self._hash.update(block)
        self.size += len(block)
        if self._weights.size and self.size > self._weights.size:
            self._reject(f"there are more than {self._weights.size} bytes")

    def finish(self) -> None:
        """Check size and hash, sync to disk, and rename to the final name. Raises `WrongBytes`."""
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
        """Close the file. An unfinished file stays, so that the next attempt can resume it."""
        self._file.close()

    def _forget(self) -> None:
        self._hash, self.size = hashlib.sha256(), 0

    def _reject(self, reason: str) -> None:
        """Discard the bytes, so that no later attempt resumes them, and raise `WrongBytes`."""
        self.restart()
        raise WrongBytes(reason)
