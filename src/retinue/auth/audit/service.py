"""Read and export the audit log of the caller's user."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial

from retinue.auth.audit import statements as sql
from retinue.auth.audit.schemas import AuditEntryView, AuditQuery
from retinue.auth.caller import Caller
from retinue.core.database.interface import Database
from retinue.core.database.statements import Row
from retinue.core.http.csv_cells import csv_lines
from retinue.core.http.envelope import read_page
from retinue.core.work.retention import remove_in_order

_FIRST = datetime(1970, 1, 1, tzinfo=UTC)
_LAST = datetime(9999, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class AuditLog:
    """Reads audit entries. A test key sees only entries of the sandbox."""

    caller: Caller
    database: Database

    async def page(self, query: AuditQuery) -> tuple[list[Row], int]:
        """Return one page, newest first, and the total number of entries."""
        filters = self._parameters(query)
        rows = await read_page(self.database, sql.LIST, query, **filters)
        count = await self.database.lookup(sql.COUNT, **filters)
        return list(rows), count.entries if count else 0

    async def as_csv(self, query: AuditQuery) -> AsyncGenerator[bytes]:
        """Yield all matching entries as CSV, newest first, in batches of `EXPORTED_AT_ONCE`."""
        names = list(AuditEntryView.model_fields)
        yield csv_lines([names]).encode()
        filters, before = self._parameters(query), 2**63 - 1
        while rows := await self.database.query(sql.EXPORT, **filters, before=before):
            entries = [AuditEntryView.model_validate(row).model_dump(mode="json") for row in rows]
            lines = csv_lines([entry[name] for name in names] for entry in entries)
            yield lines.encode()
            before = rows[-1].id

    def _parameters(self, query: AuditQuery) -> dict[str, object]:
        return {
            "user": self.caller.user_id,
            "sandbox": self.caller.sandbox,
            "wanted_action": query.action,
            "wanted_credential": query.credential,
            "since": query.since or _FIRST,
            "until": query.until or _LAST,
        }


remove_entries = partial(remove_in_order, sql.OLDEST, sql.REMOVE_UNTIL)
"""Removes old entries. See `RetentionRule`."""
