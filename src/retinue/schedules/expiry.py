"""Deletes old due times of schedules, oldest first by id, because ids are in order of time."""

from collections import Counter
from datetime import datetime

import sqlalchemy as sa

from retinue.core.database.interface import Tx
from retinue.core.database.portable_sql import among
from retinue.core.database.schema import BigInt
from retinue.core.database.statements import Statement
from retinue.core.work.retention import BATCH
from retinue.schedules import statements as sql
from retinue.schedules.tables import schedule_runs

_OLDEST = Statement(
    sa.select(
        schedule_runs.c.id,
        schedule_runs.c.schedule_id,
        schedule_runs.c.created_at,
        sa.or_(schedule_runs.c.status == "waiting", sql.GOES_ON).label("open"),
    )
    .where(schedule_runs.c.id > sa.bindparam("after", type_=BigInt))
    .order_by(schedule_runs.c.id)
    .limit(BATCH)
)
_DELETE = Statement(sa.delete(schedule_runs).where(among(schedule_runs.c.id, "ids")))


async def remove_schedule_runs(tx: Tx, before: datetime, after: object) -> object:
    """Delete one batch of due times created before `before`, unless they wait or their run is open."""
    rows = await tx.all(_OLDEST, after=after or 0)
    old = [row for row in rows if row.created_at < before]
    deletable = [row for row in old if not row.open]
    for schedule, count in sorted(Counter(row.schedule_id for row in deletable).items()):
        await tx.run(sql.COUNT_RUNS, schedule=schedule, more=-count)
    if deletable:
        await tx.run(_DELETE, ids=[row.id for row in deletable])
    return old[-1].id if len(old) == BATCH else None
