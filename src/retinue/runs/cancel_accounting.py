"""Records the usage and the event of cancelled runs, because a process that loses its claim records nothing."""

from collections.abc import Iterable, Sequence

from retinue.core.database.interface import Tx
from retinue.core.work.events import emit
from retinue.runs.events import AgentCancelled
from retinue.runs.model_answer import Spending
from retinue.runs.tables import EndedRun
from retinue.usage.ledger import BudgetOwners, Resource, UsageEntry, UsageOrigin, record


async def record_cancelled(tx: Tx, rows: Sequence[EndedRun]) -> None:
    """Record the usage and emit the events of runs, in the transaction that cancels them."""
    await count_cancelled(tx, rows)
    for row in rows:
        if row.agent_id is not None:
            name = str(row.options.get("agent_name") or "")
            event = AgentCancelled(agent_id=row.agent_id, agent_name=name, run_id=row.id, user=row.person)
            await emit(tx, row.account_id, event)


async def count_cancelled(tx: Tx, rows: Iterable[EndedRun]) -> None:
    """Record the usage in the runs' records, in the transaction that cancels them. Sandbox runs are free.

    Runs with the same spenders and origin are recorded as one, so that thousands of runs take few statements.
    """
    uses: dict[tuple[int, Resource, BudgetOwners, UsageOrigin], UsageEntry] = {}
    for row in rows:
        if row.started_at is not None and not row.options.get("sandbox"):
            kind: Resource = "chat" if row.agent_id is None else "agents"
            key = row.account_id, kind, BudgetOwners(row.agent_id, row.key_id), UsageOrigin(row.model, row.person)
            spent = Spending()
            spent.add_row({"usage": row.usage or {}, "cost_usd": row.cost_usd}, row.tokens_used)
            use = spent.use(kind, row.tokens_used)
            uses[key] = uses[key] + use if key in uses else use
    for (account, _, spenders, origin), use in uses.items():
        await record(tx, account, use, spenders=spenders, origin=origin)
