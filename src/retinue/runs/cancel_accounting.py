"""Records the usage of cancelled runs, because a process that loses its claim records nothing."""

from collections import Counter
from collections.abc import Iterable

from retinue.core.database.interface import Tx
from retinue.core.database.statements import Row
from retinue.usage.ledger import Resource, Spenders, Use, record


async def count_cancelled(tx: Tx, rows: Iterable[Row]) -> None:
    """Record the usage in the runs' journals, in the transaction that cancels them. Sandbox runs are free.

    Runs with the same spenders are recorded as one, so that thousands of runs take few statements.
    """
    runs: Counter[tuple[int, Resource, Spenders]] = Counter()
    tokens: Counter[tuple[int, Resource, Spenders]] = Counter()
    for row in rows:
        if row.started_at is not None and not row.options.get("sandbox"):
            kind: Resource = "chat" if row.agent_id is None else "agents"
            key = row.account_id, kind, Spenders(row.agent_id, row.options.get("key_id"))
            runs[key] += 1
            tokens[key] += row.tokens_used
    for (account, resource, spenders), count in runs.items():
        await record(tx, account, Use(resource, count, tokens=tokens[account, resource, spenders]), spenders=spenders)
