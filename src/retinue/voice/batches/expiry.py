"""Deletes old batches with their recipients."""

from datetime import datetime

import sqlalchemy as sa

from retinue.core.database.interface import Tx
from retinue.core.database.portable_sql import among
from retinue.core.database.schema import BigInt
from retinue.core.database.statements import Statement
from retinue.voice.batches.tables import batches

_BATCH = 20
_OLDEST = Statement(
    sa.select(batches.c.id, batches.c.created_at, batches.c.ended_at)
    .where(batches.c.id > sa.bindparam("after", type_=BigInt))
    .order_by(batches.c.id)
    .limit(_BATCH)
)
_DELETE = Statement(sa.delete(batches).where(among(batches.c.id, "ids")))


async def remove_batches(tx: Tx, before: datetime, after: object) -> object:
    """Delete some batches that ended before `before`."""
    rows = await tx.all(_OLDEST, after=after or 0)
    if gone := [row.id for row in rows if row.ended_at is not None and row.ended_at < before]:
        await tx.run(_DELETE, ids=gone)
    return rows[-1].id if len(rows) == _BATCH and rows[-1].created_at < before else None
