"""The request log of one caller."""

from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial

from retinue.auth.caller import Caller
from retinue.auth.owners import account_of
from retinue.core.database.interface import Database
from retinue.core.database.statements import Row
from retinue.core.errors import InsufficientScope, NotFound
from retinue.core.runtime.whole_numbers import MAX_ID
from retinue.core.work.retention import remove_in_order
from retinue.request_log import statements as sql
from retinue.request_log.schemas import Mode, RequestQuery
from retinue.request_log.writer import RequestWriter

_FIRST = datetime(1970, 1, 1, tzinfo=UTC)
_LAST = datetime(9999, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Requests:
    """Reads the log. With `mode=test`, a live credential reads the requests of its user's test keys."""

    caller: Caller
    database: Database
    writer: RequestWriter

    async def page(self, query: RequestQuery, *, portal_too: bool = True) -> tuple[list[Row], int]:
        """Return one page, newest first, and the total count, including the latest requests to this process.

        Without `portal_too`, requests with sessions are left out.
        """
        await self.writer.flush()
        filters = {**_filters(query), "account": await self.account_id(query.mode), "portal_too": portal_too}
        rows = await self.database.query(sql.LIST, **filters, per_page=query.per_page, offset=query.offset)
        (count,) = await self.database.query(sql.COUNT, **filters)
        return rows, count.requests

    async def get(self, request_id: str, mode: Mode | None = None) -> Row:
        """Return the newest request with this `X-Request-ID`. Raises `NotFound`."""
        await self.writer.flush()
        rows = await self.database.query(sql.LATEST, account=await self.account_id(mode), request=request_id)
        if not rows:
            raise NotFound(f"There is no request {request_id[:128]} in your log. Old requests are deleted.")
        return rows[0]

    async def account_id(self, mode: Mode | None) -> int:
        """Return the id of the account to read. Raises `InsufficientScope` if a test key asks for live requests."""
        sandbox = mode == "test" if mode else self.caller.sandbox
        if sandbox == self.caller.sandbox:
            return self.caller.account_id
        if self.caller.sandbox:
            raise InsufficientScope("A test key can only read requests by test keys. Use a live key for mode=live.")
        return await account_of(self.database, self.caller.user_id, sandbox=True)


def _filters(query: RequestQuery) -> dict[str, object]:
    lowest, highest = 0, 599
    if query.status:
        lowest, highest = int(query.status.replace("xx", "00")), int(query.status.replace("xx", "99"))
    return {
        "lowest": lowest,
        "highest": highest,
        "wanted_method": query.method,
        "wanted_path": query.path,
        "wanted_credential": query.credential,
        "wanted_request_id": query.request_id,
        "since": query.since or _FIRST,
        "until": query.until or _LAST,
        "before": query.before or MAX_ID,
    }


remove_requests = partial(remove_in_order, sql.OLDEST, sql.REMOVE_UNTIL)
"""Delete a batch of old requests. See `RetentionRule`."""
