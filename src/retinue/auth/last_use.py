"""Record when a credential was last used.

Each credential is written at most every five minutes, and many share one transaction.
"""

import asyncio
from datetime import datetime, timedelta

import sqlalchemy as sa
import structlog

from retinue.auth.tables import api_keys, sessions
from retinue.core.database.interface import Database, DatabaseUnavailable, Tx
from retinue.core.database.schema import BigInt, Instant
from retinue.core.database.statements import Statement
from retinue.core.runtime.clock import now

_log = structlog.get_logger()
_APART = timedelta(minutes=5)
_WRITE_S = 1.0


def _statement(table: sa.Table) -> Statement:
    """Build a statement that only moves `last_used_at` forward: another node may have written a later time."""
    used = sa.bindparam("used", type_=Instant)
    earlier = table.c.last_used_at.is_(None) | (table.c.last_used_at < used)
    this = table.c.id == sa.bindparam("credential", type_=BigInt)
    return Statement(sa.update(table).where(this, earlier).values(last_used_at=used))


_USED = {"key": _statement(api_keys), "session": _statement(sessions)}


class LastUse:
    """Collects uses in memory and writes them every second. A crash loses those since the last write."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._uses: dict[tuple[str, int], datetime] = {}

    def note(self, kind: str, credential_id: int, last_used: datetime | None) -> None:
        """Note that a credential is in use now. `last_used` is its `last_used_at` in the database."""
        moment = now()
        if last_used is None or moment - last_used >= _APART:
            self._uses[kind, credential_id] = moment

    async def run(self) -> None:
        """Write collected uses until cancelled."""
        while True:
            await asyncio.sleep(_WRITE_S)
            try:
                await self.write()
            except DatabaseUnavailable as error:
                _log.warning("last_use.not_written", reason=error.message)

    async def write(self) -> None:
        """Write the collected uses. If the write fails, the next use of each credential is noted again."""
        uses, self._uses = self._uses, {}

        async def update(tx: Tx) -> None:
            for (kind, credential_id), moment in sorted(uses.items()):
                await tx.run(_USED[kind], credential=credential_id, used=moment)

        if uses:
            await self._database.transact(update)
