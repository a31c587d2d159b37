"""Ends a batch, with its event, once nobody waits for a call and no call goes on."""

from typing import Literal

from retinue.core.database.interface import Tx
from retinue.core.runtime.clock import now
from retinue.core.work.events import emit
from retinue.voice.batches import statements as sql
from retinue.voice.batches.events import VoiceBatchEnded


async def end_if_over(tx: Tx, batch_id: int, outcome: Literal["completed", "cancelled"]) -> bool:
    """End a batch whose row the transaction has locked, as `completed` or `cancelled`, if nothing is left to do."""
    (counted,) = await tx.all(sql.COUNT_OPEN, batch=batch_id)
    if counted.held or not (row := await tx.one(sql.FINISH, batch=batch_id, outcome=outcome, moment=now())):
        return False
    counts = {one.status: one.held for one in await tx.all(sql.COUNTS, ids=[batch_id])}
    ended = VoiceBatchEnded(
        batch_id=row.id, name=row.name, agent_id=row.agent_id, status=outcome, counts=dict(sorted(counts.items()))
    )
    await emit(tx, row.account_id, ended)
    return True
