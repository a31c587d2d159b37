"""The rules of schedules."""

from collections.abc import Mapping

import sqlalchemy as sa

from retinue.check.statements import EXPIRED, children_of, count_of
from retinue.core.database.portable_sql import json_integer
from retinue.core.database.schema import Instant
from retinue.core.database.statements import Statement
from retinue.core.work.events import events
from retinue.runs.tables import runs
from retinue.schedules.tables import schedule_runs, schedules

_FIRINGS = sa.union_all(
    sa.select(
        json_integer(events.c.data, "schedule_run_id").label("schedule_run_id"),
        sa.literal_column("1").label("told"),
        sa.literal_column("0").label("fired"),
        sa.cast(sa.null(), Instant).label("fired_at"),
    ).where(events.c.name == "schedule.fired"),
    sa.select(schedule_runs.c.id, sa.literal_column("0"), sa.literal_column("1"), schedule_runs.c.fired_at).where(
        schedule_runs.c.status == "fired"
    ),
).subquery()
"""The `schedule.fired` events and the fired due times. Events of deleted schedules remain."""

_TOLD, _FIRED = sa.func.sum(_FIRINGS.c.told), sa.func.sum(_FIRINGS.c.fired)
_TOLD_LONG_AGO = sa.func.coalesce(sa.func.max(_FIRINGS.c.fired_at) < EXPIRED, sa.false())
_BEGAN = schedule_runs.c.run_id.is_not(None) | schedule_runs.c.deployment_id.is_not(None)
_WAITS = (
    sa.select(sa.func.max(schedule_runs.c.id))
    .where(schedule_runs.c.schedule_id == schedules.c.id, schedule_runs.c.status == "waiting")
    .scalar_subquery()
)

RULES: Mapping[str, Statement] = {
    "the counter of schedules is wrong": count_of(schedules, "schedules"),
    "a schedule's count of runs is wrong": children_of(
        schedules, schedules.c.runs_count, schedule_runs, schedule_runs.c.schedule_id
    ),
    "a due time was fired and began nothing, or the reverse": Statement(
        sa.select(schedule_runs.c.id).where((schedule_runs.c.status == "fired") != _BEGAN)
    ),
    "a schedule does not refer to its waiting due time": Statement(
        sa.select(schedules.c.id, schedules.c.waiting_id, _WAITS.label("true")).where(
            sa.func.coalesce(schedules.c.waiting_id, 0) != sa.func.coalesce(_WAITS, 0)
        )
    ),
    "a due time is settled and its run goes on": Statement(
        sa.select(schedule_runs.c.id, schedule_runs.c.run_id)
        .join(runs, runs.c.id == schedule_runs.c.run_id)
        .where(schedule_runs.c.settled_at.is_not(None), runs.c.ended_at.is_(None))
    ),
    "a due time's run is not of its schedule's account": Statement(
        sa.select(schedule_runs.c.id, schedule_runs.c.run_id)
        .join(runs, runs.c.id == schedule_runs.c.run_id)
        .where(schedule_runs.c.account_id != runs.c.account_id)
    ),
    "the firing of a schedule was not reported exactly once": Statement(
        sa.select(_FIRINGS.c.schedule_run_id, _TOLD.label("told"))
        .group_by(_FIRINGS.c.schedule_run_id)
        .having((_TOLD > 1) | ((_TOLD < _FIRED) & ~_TOLD_LONG_AGO))
    ),
}
