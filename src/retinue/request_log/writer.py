"""Writing the request log: off the way of requests, every second, many rows in a transaction."""

import asyncio
from collections.abc import Sequence
from functools import partial
from typing import Any

import structlog

from retinue.auth.owners import KNOWN_ACCOUNTS
from retinue.core.database import Database, DatabaseUnavailable, Tx, outcome
from retinue.core.notifier import Wakeups
from retinue.request_log import statements as sql
from retinue.request_log.entries import Entry

_log = structlog.get_logger()
_WRITE_S = 1.0
_AT_ONCE = 100
"""Rows of one transaction: about a millisecond of the event loop on SQLite."""

_MOST_PENDING = 20_000
_MOST_PENDING_OF_ONE = 5_000
"""Requests that wait for the next write, in all and of one account. Further ones are not logged."""


def requests_topic(account_id: int) -> str:
    """What is woken when requests of an account were written."""
    return f"requests:{account_id}"


class RequestWriter:
    """Collects requests in memory and writes them every second. A crash loses those of the last one.

    `rows` is how many an account's log holds; 0 switches the log off.
    """

    def __init__(self, database: Database, wakeups: Wakeups, rows: int) -> None:
        self._database = database
        self._wakeups = wakeups
        self._rows = rows
        self._pending: dict[int, list[Entry]] = {}
        self._count = 0
        self._lost = 0
        self._untrimmed: dict[int, int] = {}
        """How many rows were added to each account's log since it was last trimmed by this process."""
        self._writing = asyncio.Lock()

    def add(self, entry: Entry) -> None:
        """Log one request. Never fails, never waits."""
        if not self._rows:
            return
        account_id = entry.caller.account_id
        waiting = self._pending.get(account_id)
        if waiting is None:
            waiting = self._pending[account_id] = []
        if self._count >= _MOST_PENDING or len(waiting) >= _MOST_PENDING_OF_ONE:
            self._lost += 1
            return
        waiting.append(entry)
        self._count += 1

    async def run(self) -> None:
        """Write every second until cancelled."""
        while True:
            await asyncio.sleep(_WRITE_S)
            await self.flush()

    async def flush(self) -> None:
        """Write what was collected, to its end even where the caller goes away. What cannot be written is lost."""
        await outcome(asyncio.ensure_future(self._flush()))

    async def _flush(self) -> None:
        async with self._writing:
            pending, self._pending, self._count = self._pending, {}, 0
            for account_id, entries in pending.items():
                try:
                    await self._write(account_id, entries)
                except DatabaseUnavailable as error:
                    self._lost += len(entries)
                    _log.warning("request_log.not_written", reason=error.message)
            if self._lost:
                _log.warning("request_log.requests_lost", requests=self._lost)
                self._lost = 0

    async def _write(self, account_id: int, entries: Sequence[Entry]) -> None:
        for first in range(0, len(entries), _AT_ONCE):
            rows = [entry.row() for entry in entries[first : first + _AT_ONCE]]
            await self._database.transact(partial(_insert, account_id, rows))
        self._wakeups.wake(requests_topic(account_id))
        untrimmed = self._untrimmed.get(account_id, self._rows) + len(entries)
        if untrimmed > self._rows // 10:
            await self._trim(account_id)
            untrimmed = 0
        self._untrimmed[account_id] = untrimmed

    async def _trim(self, account_id: int) -> None:
        """Remove the oldest rows of a full log. Between two times it grows by a tenth at most."""
        values = {"account": account_id, "others": self._rows - 1}
        while await self._database.transact(lambda tx: tx.run(sql.TRIM, **values)) >= sql.TRIMMED_AT_ONCE:
            pass


async def _insert(account_id: int, rows: Sequence[dict[str, Any]], tx: Tx) -> None:
    """Nothing is written for an account that has been deleted meanwhile."""
    if await tx.one(KNOWN_ACCOUNTS, ids=[account_id]):
        for row in rows:
            await tx.run(sql.INSERT, account_id=account_id, **row)
