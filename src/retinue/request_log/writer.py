"""Writes the request log in the background, every second, with many rows per transaction."""

import asyncio
from collections.abc import Sequence
from functools import partial

import structlog

from retinue.auth.owners import KNOWN_ACCOUNTS
from retinue.core.database.interface import Database, DatabaseUnavailable, Tx, outcome
from retinue.core.work.notifier import Notifier
from retinue.request_log import statements as sql
from retinue.request_log.entries import RequestLogEntry

_log = structlog.get_logger()
_WRITE_S = 1.0
_AT_ONCE = 100
"""Rows per transaction, which take about a millisecond of the event loop on SQLite."""

_MOST_PENDING = 20_000
_MOST_PENDING_OF_ONE = 5_000
"""Maximum number of buffered requests, in total and per account. Further requests are not logged."""


def requests_topic(account_id: int) -> str:
    """Return the topic that is woken after an account's requests are written."""
    return f"requests:{account_id}"


class RequestWriter:
    """Buffers requests and writes them every second. A crash loses the requests of the last second.

    `rows` is the maximum size of an account's log; 0 disables the log.
    """

    def __init__(self, database: Database, notifier: Notifier, rows: int) -> None:
        self._database = database
        self._notifier = notifier
        self._rows = rows
        self._pending: dict[int, list[RequestLogEntry]] = {}
        self._count = 0
        self._lost = 0
        self._untrimmed: dict[int, int] = {}
        """Rows added to each account's log since this process last trimmed it."""
        self._writing = asyncio.Lock()

    def add(self, entry: RequestLogEntry) -> None:
        """Buffer one request. Never raises or blocks."""
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
        """Write the buffer, even if the caller is cancelled. Entries that cannot be written are lost."""
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

    async def _write(self, account_id: int, entries: Sequence[RequestLogEntry]) -> None:
        for first in range(0, len(entries), _AT_ONCE):
            rows = [entry.row() for entry in entries[first : first + _AT_ONCE]]
            await self._database.transact(partial(_insert, account_id, rows))
        self._notifier.wake(requests_topic(account_id))
        untrimmed = self._untrimmed.get(account_id, self._rows) + len(entries)
        if untrimmed > self._rows // 10:
            await self._trim(account_id)
            untrimmed = 0
        self._untrimmed[account_id] = untrimmed

    async def _trim(self, account_id: int) -> None:
        """Delete the oldest rows of a full log. Between two trims it grows by at most a tenth."""
        values = {"account": account_id, "others": self._rows - 1}
        while await self._database.transact(lambda tx: tx.run(sql.TRIM, **values)) >= sql.TRIMMED_AT_ONCE:
            pass


async def _insert(account_id: int, rows: Sequence[dict[str, object]], tx: Tx) -> None:
    """Insert the rows, unless the account has been deleted."""
    if await tx.one(KNOWN_ACCOUNTS, ids=[account_id]):
        for row in rows:
            await tx.run(sql.INSERT, account_id=account_id, **row)
