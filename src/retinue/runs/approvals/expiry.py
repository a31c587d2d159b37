"""Deletes old approvals of ended runs, oldest first."""

from datetime import datetime

import sqlalchemy as sa

from retinue.core.database.interface import Tx
from retinue.core.database.portable_sql import among
from retinue.core.database.schema import BigInt
from retinue.core.database.statements import Statement
from retinue.core.work.retention import BATCH
from retinue.runs.tables import approvals, runs

_OLDEST = Statement(
    sa.select(approvals.c.id, approvals.c.created_at, runs.c.ended_at)
    .join(runs, runs.c.id == approvals.c.run_id)
    .where(approvals.c.id > sa.bindparam("after", type_=BigInt))
    .order_by(approvals.c.id)
    .limit(BATCH)
)
_DELETE = Statement(sa.delete(approvals).where(among(approvals.c.id, "ids")))


async def remove_approvals(tx: Tx, before: datetime, after: object) -> object:
    """Delete one batch of approvals created before `before` whose runs have ended. Pending approvals stay."""
    rows = await tx.all(_OLDEST, after=after or 0)
    old = [row for row in rows if row.created_at < before]
    if ended_ids := [row.id for row in old if row.ended_at]:
        await tx.run(_DELETE, ids=ended_ids)
    return old[-1].id if len(old) == BATCH else None
