"""Recomputes the due times of schedules and reports differences, for `retinue check`."""

from collections.abc import Iterator
from datetime import timedelta

import sqlalchemy as sa

from retinue.core.database.interface import Database
from retinue.core.database.schema import BigInt
from retinue.core.database.statements import Statement
from retinue.schedules.due_times import due_after, lease_until
from retinue.schedules.tables import NEVER, ScheduleRow, schedules

_PAGE = 1000
_ALL: Statement[ScheduleRow] = Statement(
    sa.select(schedules)
    .where(schedules.c.id > sa.bindparam("after", type_=BigInt))
    .order_by(schedules.c.id)
    .limit(_PAGE)
)


async def find_wrong_times(database: Database) -> list[str]:
    """Return a sentence for each schedule whose times do not match its cron expression or date."""
    faults: list[str] = []
    after = 0
    while rows := await database.query(_ALL, after=after):
        faults += [f"the schedule {row.id} {fault}" for row in rows for fault in _faults(row)]
        after = rows[-1].id
    return faults


def _faults(row: ScheduleRow) -> Iterator[str]:
    if row.next_at is None:
        expected = NEVER
    elif not row.enabled:
        yield "is paused and has a next due time"
        return
    elif due_after(row, row.next_at - timedelta(seconds=1)) != row.next_at:
        yield f"is not due at {row.next_at}"
        return
    else:
        expected = lease_until(row, row.next_at)
    # A woken schedule has 0, and a claimed one has the lease of its worker.
    if row.lease_owner is None and row.lease_until and abs(row.lease_until - expected) > 1e-3:
        yield f"is looked at {row.lease_until}, not {expected}"
