"""The meter of API calls: each is counted before its answer goes out, and folded into the ledger every second."""

import asyncio
from collections import Counter
from pathlib import Path

import sqlalchemy as sa
import structlog
from sqlalchemy.dialects.postgresql import insert

from retinue.core.clock import now
from retinue.core.crash import crash_point
from retinue.core.database import Database, DatabaseUnavailable, Tx
from retinue.core.schema import BigInt
from retinue.core.statements import Statement
from retinue.usage.ledger import Use, record
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
_SET_MARK = Statement(_new.on_conflict_do_update(index_elements=["source"], set_={"position": _new.excluded.position}))


class Meter:
    """Counts calls of this process in a file of its own in `folder`."""

    def __init__(self, database: Database, folder: Path) -> None:
        self._database = database
        self._folder = folder
        self._pending: Calls = Counter()
        self._folding = asyncio.Lock()
        self.touched: set[int] = set()
        """Accounts whose usage grew since somebody looked, for the thresholds."""

    async def start(self) -> None:
        """Fold what earlier processes left, and begin a new file."""
        for file in MeterFile.found(self._folder):
            await self._retire(file)
        self._file = MeterFile.new(self._folder)

    async def stop(self) -> None:
        """Fold what is left."""
        await self.fold()
        await self._retire(self._file)

    def count(self, account_id: int, refused: bool) -> None:
        """Count one call of the API. A full disk is logged: it must not fail the call."""
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
            try:
                await self.fold()
            except DatabaseUnavailable as error:
                _log.warning("meter.not_folded", reason=error.message)

    async def fold(self) -> None:
        """Bring what was counted into the ledger; the file's position goes with it, so nothing counts twice."""
        async with self._folding:
            if not self._pending:
                return
            calls, self._pending = self._pending, Counter()
            try:
                await self._write(self._file, calls, self._file.size)
            except BaseException:
                self._pending.update(calls)
                raise
            if self._file.size > _ROTATE_BYTES:
                full, self._file = self._file, MeterFile.new(self._folder)
                await self._retire(full)

    async def _write(self, file: MeterFile, calls: Calls, position: int) -> None:
        async def write(tx: Tx) -> None:
            for account_id, day in {(account_id, day) for account_id, day, _ in calls}:
                refused, fine = calls[account_id, day, True], calls[account_id, day, False]
                await record(tx, account_id, Use("api", count=refused + fine, errors=refused), day)
            await tx.run(_SET_MARK, name=file.source, position=position)

        await self._database.transact(write)
        self.touched |= {account_id for account_id, _, _ in calls}
        crash_point("usage.folded")

    async def _retire(self, file: MeterFile) -> None:
        """Fold the rest of a file that is no longer written, then delete it."""
        mark = await self._database.lookup(_MARK, name=file.source)
        position = mark.position if mark else 0
        if calls := file.calls_from(position):
            await self._write(file, calls, file.size)
        file.remove()
        await self._database.transact(lambda tx: tx.run(_UNMARK, name=file.source))
