"""Runs that are ended from outside: whoever works on them finds the claim gone, and counts nothing."""

from collections.abc import Iterable

from retinue.core.database import Tx
from retinue.core.statements import Row
from retinue.usage.ledger import Resource, Spenders, Use, record


async def count_cancelled(tx: Tx, rows: Iterable[Row]) -> None:
    """Count what runs had used by their journals, in the transaction that cancels them. The sandbox costs nothing."""
    for row in rows:
        if row.started_at is not None and not row.options.get("sandbox"):
            kind: Resource = "chat" if row.agent_id is None else "agents"
            spenders = Spenders(row.agent_id, row.options.get("key_id"))
            await record(tx, row.account_id, Use(kind, tokens=row.tokens_used), spenders=spenders)
