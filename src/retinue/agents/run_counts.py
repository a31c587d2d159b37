"""Counts the runs of agents."""

from collections import Counter
from collections.abc import Sequence

from retinue.agents import statements as sql
from retinue.core.database.interface import Tx
from retinue.core.database.statements import Row


async def uncount_runs(tx: Tx, deleted: Sequence[Row]) -> None:
    """Subtract deleted runs from the counts of their agents. The rows have an `agent_id`."""
    for agent, count in sorted(Counter(row.agent_id for row in deleted if row.agent_id).items()):
        await tx.run(sql.UNCOUNT_RUNS, agent=agent, gone=count)
