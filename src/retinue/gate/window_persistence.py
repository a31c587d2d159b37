"""The file that keeps the hour and day windows over a restart. It survives a crash of the process, not a power cut."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from retinue.core.sqlite import connect

Slot = tuple[str, int, int, int]
"""Account, width of the slot in seconds, number of the slot, requests in it."""

Span = tuple[int, int, int]
"""Width of slots in seconds, number of the first and of the last one worth keeping."""

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
    """Rows of slots in a SQLite file of its own. Every method belongs on one thread."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._connection: Any = None

    def open(self) -> list[Slot]:
        """Open the file and read it all. Raises the driver's errors when it is damaged or cannot be written."""
        self._connection = connect(self._path, synchronous="OFF")
        damage = self._connection.execute("PRAGMA quick_check(1)").fetchone()[0]
        if damage != "ok":
            raise ValueError(f"the file is damaged: {damage}")
        self._connection.execute(_TABLE)
        slots: list[Slot] = self._connection.execute(_LOAD).fetchall()
        return slots

    def open_anew(self) -> list[Slot]:
        """Set the file aside under another name and begin an empty one."""
        self.close()
        for suffix in ("", "-wal", "-shm"):
            part = self._path.with_name(self._path.name + suffix)
            if part.is_file():
                part.rename(self._path.with_name(f"{self._path.name}.damaged{suffix}"))
        return self.open()

    def save(self, slots: Iterable[Slot], spans: Iterable[Span] = ()) -> None:
        """Delete what lies outside `spans`, then write the slots over older values of the same ones: all or nothing."""
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
