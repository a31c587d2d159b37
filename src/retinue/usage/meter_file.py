"""Stores API call counts that survive a crash: 16-byte records, appended before the response is sent.

A write to the page cache survives kill -9 and costs two microseconds; only a power failure can lose it.
"""

import os
import secrets
import struct
from collections import Counter
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path

_RECORD = struct.Struct("<QII")
_EPOCH = date(1970, 1, 1)
_BLOCK = _RECORD.size * 4096

Calls = Counter[tuple[int, date, bool]]
"""Number of calls by account id, day, and whether the call was refused."""


class MeterFile:
    """One file of records with a random name. `usage_marks` stores how much of it is in the ledger."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.source = path.stem.removeprefix("meter-")
        self._handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        self.size = os.fstat(self._handle).st_size

    @classmethod
    def new(cls, folder: Path) -> "MeterFile":
        """Create an empty file."""
        return cls(folder / f"meter-{secrets.token_hex(8)}.log")

    @classmethod
    def all_in(cls, folder: Path) -> list["MeterFile"]:
        """Open the files that earlier processes left."""
        return [cls(path) for path in sorted(folder.glob("meter-*.log"))]

    def add(self, account_id: int, day: date, refused: bool) -> None:
        """Append one call. Raises `OSError` if the disk is full."""
        self.size += os.write(self._handle, _RECORD.pack(account_id, (day - _EPOCH).days, refused))

    def calls_from(self, position: int) -> Calls:
        """Read the counts from the byte `position` on. Skips an incomplete last record after a power failure."""
        return Counter(self._records(position))

    def _records(self, position: int) -> Iterator[tuple[int, date, bool]]:
        while block := os.pread(self._handle, _BLOCK, position):
            size = len(block) - len(block) % _RECORD.size
            if not size:
                return
            for account_id, days, refused in _RECORD.iter_unpack(block[:size]):
                yield account_id, _EPOCH + timedelta(days), bool(refused)
            position += size

    def remove(self) -> None:
        """Close and delete the file. All of it must be in the ledger."""
        os.close(self._handle)
        self.path.unlink(missing_ok=True)
