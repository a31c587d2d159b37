"""Counts each API call in a file before its response is sent, and adds the counts to the ledger every second."""

import asyncio
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import sqlalchemy as sa
import structlog
from sqlalchemy.dialects.postgresql import insert

from retinue.auth.owners import KNOWN_ACCOUNTS
from retinue.core.database.interface import Database, DatabaseUnavailable, Tx, outcome
from retinue.core.database.schema import BigInt
from retinue.core.database.statements import Statement
from retinue.core.runtime.clock import now
from retinue.core.runtime.failpoints import crash_point
from retinue.usage.ledger import UsageEntry, record
from retinue.usage.meter_file import Calls, MeterFile
from retinue.usage.tables import usage_marks

_log = structlog.get_logger()
_FOLD_S = 1.0
_ROTATE_BYTES = 1 << 24

_SOURCE = usage_marks.c.source == sa.bindparam("name", type_=sa.String)
_MARK = Statement(sa.select(usage_marks.c.position).where(_SOURCE))
_UNMARK = Statement(sa.delete(usage_marks).where(_SOURCE))
_new = insert(usage_marks).values(
    source=sa.bindparam("name", type_=sa.String), position=sa.bindparam("position", type_=BigInt)
)
_ADVANCE = Statement(
    _new.on_conflict_do_update(
        index_elements=["source"],
        set_={"position": _new.excluded.position},
        where=usage_marks.c.position <= sa.bindparam("begin", type_=BigInt),
    )
)
"""Advances the mark from `begin`. Changes no row if that was done before; locks it on databases with row locks."""


@dataclass(frozen=True, slots=True)
class _Batch:
    """The calls in a file between the byte positions `begin` and `end`."""

    file: MeterFile
    calls: Calls
    begin: int
    end: int


class Meter:
    """Counts the calls of this process in its own file in `folder`."""

    def __init__(self, database: Database, folder: Path) -> None:
        self._database = database
        self._folder = folder
        self._pending: Calls = Counter()
        self._batch: _Batch | None = None
        """The batch being written, until it is known to be in the ledger."""
        self._batched_bytes = 0
        """The number of bytes of the file that were taken into batches."""
        self._folding = asyncio.Lock()
        self.touched: set[int] = set()
        """Ids of accounts whose usage grew since the last threshold check."""

    async def start(self) -> None:
        """Fold the files of earlier processes, and start a new file."""
        for file in MeterFile.all_in(self._folder):
            await self._retire(file)
        self._file = MeterFile.new(self._folder)

    async def stop(self) -> None:
        """Fold the remaining counts."""
        await self.fold()
        await self._retire(self._file)

    def count(self, account_id: int, refused: bool) -> None:
        """Count one API call. A full disk is only logged, because it must not fail the call."""
        call = (account_id, now().date(), refused)
        try:
            self._file.add(*call)
        except OSError as error:
            _log.error("meter.not_written", reason=error.strerror)
        self._pending[call] += 1

    async def run(self) -> None:
        """Fold every second until cancelled."""
        while True:
            await asyncio.sleep(_FOLD_S)
            await self.try_fold()

    async def try_fold(self) -> None:
        """Fold if the database can be written. Otherwise a later fold adds the counts, and reads still work."""
        try:
            await self.fold()
        except DatabaseUnavailable as error:
            _log.debug("meter.not_folded", reason=error.message)

    async def fold(self) -> None:
        """Write the counts to the ledger, together with the file's position, so that nothing counts twice.

        Folds run one at a time and always finish, even if the caller is cancelled. A late transaction would count
        again if another fold had finished the file and removed its mark meanwhile.
        """
        await outcome(asyncio.ensure_future(self._fold()))

    async def _fold(self) -> None:
        async with self._folding:
            await self._write_batch()
            if self._pending:
                self._take_batch()
                await self._write_batch()

    def _take_batch(self) -> None:
        """Take the counts since the last batch, and start a new file if this one is too large."""
        file = self._file
        self._batch = _Batch(file, self._pending, self._batched_bytes, file.size)
        self._pending, self._batched_bytes = Counter(), file.size
        if file.size > _ROTATE_BYTES:
            with suppress(OSError):
                self._file, self._batched_bytes = MeterFile.new(self._folder), 0

    async def _write_batch(self) -> None:
        """Write the batch, if there is one. It may be left over from a write with an unknown outcome."""
        if batch := self._batch:
            await self._write(batch)
            self._batch = None
            if batch.file is not self._file:
                await self._retire(batch.file)

    async def _write(self, batch: _Batch) -> None:
        calls = batch.calls

        async def write(tx: Tx) -> None:
            if not await tx.run(_ADVANCE, name=batch.file.source, begin=batch.begin, position=batch.end):
                return
            known = {row.id for row in await tx.all(KNOWN_ACCOUNTS, ids=[account_id for account_id, _, _ in calls])}
            # All nodes lock the rows in this order: another one would deadlock.
            for account_id, day in sorted({(account_id, day) for account_id, day, _ in calls if account_id in known}):
                refused, fine = calls[account_id, day, True], calls[account_id, day, False]
                await record(tx, account_id, UsageEntry("api", count=refused + fine, errors=refused), day)

        await self._database.transact(write)
        self.touched |= {account_id for account_id, _, _ in calls}
        crash_point("usage.folded")

    async def _retire(self, file: MeterFile) -> None:
        """Fold the rest of a file that is no longer written to, then delete it."""
        while calls := file.calls_from(position := await self._position(file)):
            await self._write(_Batch(file, calls, position, file.size))
        file.remove()
        await self._database.transact(lambda tx: tx.run(_UNMARK, name=file.source))

    async def _position(self, file: MeterFile) -> int:
        """Return the number of bytes of a file that are in the ledger."""
        mark = await self._database.lookup(_MARK, name=file.source)
        return mark.position if mark else 0
