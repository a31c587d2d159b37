"""Stores the hour and day windows across restarts. The file survives a process crash, but not a power cut."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from retinue.core.database.sqlite import connect

Slot = tuple[str, int, int, int]
"""Account, slot width in seconds, slot number, and requests in the slot."""

Span = tuple[int, int, int]
"""Slot width in seconds, and the numbers of the first and last slots to keep."""

_TABLE = """
CREATE TABLE IF NOT EXISTS request_slots (
    account TEXT NOT NULL,
    width INTEGER NOT NULL,
    slot INTEGER NOT NULL,
    requests INTEGER NOT NULL CHECK (requests > 0),
    PRIMARY KEY (account, width, slot)
) STRICT, WITHOUT ROWID
"""
_SAVE = """
INSERT INTO request_slots (account, width, slot, requests) VALUES (?, ?, ?, ?)
ON CONFLICT DO UPDATE SET requests = excluded.requests
"""
_LOAD = "SELECT account, width, slot, requests FROM request_slots ORDER BY account, width, slot"
_EXPIRE = "DELETE FROM request_slots WHERE width = ? AND slot NOT BETWEEN ? AND ?"


class WindowStore:
    """Stores slots in a separate SQLite file. Call all methods from the same thread."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._connection: Any = None

    def open(self) -> list[Slot]:
        """Open the file and read all slots. Raises ValueError or a driver error if it is damaged or not writable."""
        self._connection = connect(self._path, synchronous="OFF")
        damage = self._connection.execute("PRAGMA quick_check(1)").fetchone()[0]
        if damage != "ok":
            raise ValueError(f"the file is damaged: {damage}")
        self._connection.execute(_TABLE)
        slots: list[Slot] = self._connection.execute(_LOAD).fetchall()
        return slots

    def open_anew(self) -> list[Slot]:
        """Rename the file and create an empty one."""
        self.close()
        for suffix in ("", "-wal", "-shm"):
            part = self._path.with_name(self._path.name + suffix)
            if part.is_file():
                part.rename(self._path.with_name(f"{self._path.name}.damaged{suffix}"))
        return self.open()

    def save(self, slots: Iterable[Slot], spans: Iterable[Span] = ()) -> None:
        """Delete the slots outside `spans` and upsert `slots`, in one transaction."""
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            self._connection.executemany(_EXPIRE, spans)
            self._connection.executemany(_SAVE, slots)
            self._connection.execute("COMMIT")
        finally:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")

    def close(self) -> None:
        """Close the file, if it is open."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None
