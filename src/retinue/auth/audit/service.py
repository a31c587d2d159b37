"""The audit log of one caller's user."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from retinue.auth.audit import statements as sql
from retinue.auth.audit.schemas import AuditQuery
from retinue.auth.caller import Caller
from retinue.core.database import Database, Tx
from retinue.core.envelope import read_page
from retinue.core.expiry import BATCH
from retinue.core.statements import Row

_FIRST = datetime(1970, 1, 1, tzinfo=UTC)
_LAST = datetime(9999, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class AuditLog:
    """Reads entries. A test key reads those of the sandbox alone."""

    caller: Caller
    database: Database

    async def page(self, query: AuditQuery) -> tuple[list[Row], int]:
        """One page, newest first, and how many there are in all."""
        wanted: dict[str, Any] = {
            "user": self.caller.user_id,
            "sandbox": self.caller.sandbox,
            "wanted_action": query.action,
            "wanted_credential": query.credential,
            "since": query.since or _FIRST,
            "until": query.until or _LAST,
        }
        rows = await read_page(self.database, sql.LIST, query, **wanted)
        count = await self.database.lookup(sql.COUNT, **wanted)
        return list(rows), count.entries if count else 0


async def remove_entries(tx: Tx, before: datetime, after: Any) -> Any:
    """Remove old entries, oldest first, by their ids, which are in the order of time. See `Expiring`."""
    old = [row for row in await tx.all(sql.OLDEST, after=after or 0) if row.created_at < before]
    if old:
        await tx.run(sql.REMOVE_UNTIL, last=old[-1].id)
    return old[-1].id if len(old) == BATCH else None
