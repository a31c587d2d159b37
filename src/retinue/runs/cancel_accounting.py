"""Records the usage of cancelled runs, because a process that loses its claim records nothing."""

from collections.abc import Iterable

from retinue.core.database.interface import Tx
from retinue.core.database.statements import Row
from retinue.usage.ledger import Resource, Spenders, Use, record


async def count_cancelled(tx: Tx, rows: Iterable[Row]) -> None:
    """Record the usage in the runs' journals, in the transaction that cancels them. Sandbox runs are free."""
    for row in rows:
        if row.started_at is not None and not row.options.get("sandbox"):
            kind: Resource = "chat" if row.agent_id is None else "agents"
            spenders = Spenders(row.agent_id, row.options.get("key_id"))
            await record(tx, row.account_id, Use(kind, tokens=row.tokens_used), spenders=spenders)
