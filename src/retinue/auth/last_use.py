"""When a credential was last used, written sparingly.

Each is written every five minutes at most, and many in one transaction.
"""

import asyncio
from datetime import datetime, timedelta

import sqlalchemy as sa
import structlog

from retinue.auth.tables import api_keys, sessions
from retinue.core.clock import now
from retinue.core.database import Database, DatabaseUnavailable, Tx
from retinue.core.schema import BigInt, Instant
from retinue.core.statements import Statement

_log = structlog.get_logger()
_APART = timedelta(minutes=5)
_WRITE_S = 10.0


def _statement(table: sa.Table) -> Statement:
    """Move the last use of a row forward, never back: another node may have seen a later one."""
    used = sa.bindparam("used", type_=Instant)
    earlier = table.c.last_used_at.is_(None) | (table.c.last_used_at < used)
    this = table.c.id == sa.bindparam("credential", type_=BigInt)
    return Statement(sa.update(table).where(this, earlier).values(last_used_at=used))


_USED = {"key": _statement(api_keys), "session": _statement(sessions)}


class LastUse:
    """Collects uses in memory and writes them from time to time. A crash loses those of the last seconds."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._uses: dict[tuple[str, int], datetime] = {}

    def note(self, kind: str, credential_id: int, written: datetime | None) -> None:
        """Note that a key or a session is used now; `written` is what the database says of its last use."""
        moment = now()
        if written is None or moment - written >= _APART:
            self._uses[kind, credential_id] = moment

    async def run(self) -> None:
        """Write until cancelled."""
        while True:
            await asyncio.sleep(_WRITE_S)
            try:
                await self.write()
            except DatabaseUnavailable as error:
                _log.warning("last_use.not_written", reason=error.message)

    async def write(self) -> None:
        """Write what was noted. What cannot be written is noted again with the next use."""
        uses, self._uses = self._uses, {}

        async def update(tx: Tx) -> None:
            for (kind, credential_id), moment in sorted(uses.items()):
                await tx.run(_USED[kind], credential=credential_id, used=moment)

        if uses:
            await self._database.transact(update)
