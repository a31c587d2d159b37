"""SQL statements for schedules. Each one filters by the owning account or by the schedule that a worker claimed."""

import sqlalchemy as sa

from retinue.core.database.newest_first import newest_first
from retinue.core.database.portable_sql import among, unix_now
from retinue.core.database.schema import BigInt
from retinue.core.database.statements import Statement
from retinue.fleets.tables import deployments
from retinue.runs.tables import runs
from retinue.schedules.tables import (
    OPEN,
    UNSETTLED,
    WAITING,
    EndedScheduleRun,
    ScheduleRow,
    ScheduleRunRow,
    StandingRow,
    schedule_runs,
    schedule_watch,
    schedules,
)

_ID = sa.bindparam("schedule", type_=BigInt)
_OURS = schedules.c.account_id == sa.bindparam("account", type_=BigInt)
_THIS = (schedules.c.id == _ID, _OURS)
_OF_SCHEDULE = schedule_runs.c.schedule_id == _ID

FIELDS = (
    "name", "cron", "at", "timezone", "agent_id", "fleet_id", "message", "task", "overlap", "missed", "jitter_s",
    "enabled",
)  # fmt: skip
"""The columns that callers set."""

_STATE = ("disabled_reason", "scopes", "key_id", "next_at", "lease_until")


def _binds(table: sa.Table, names: tuple[str, ...]) -> dict[str, object]:
    return {name: sa.bindparam(name, type_=table.c[name].type) for name in names}


CLOCK = Statement(sa.select(unix_now().label("seconds")))
"""The time by the database's clock."""

OUTAGE_S = 60.0
"""If no server has sent a heartbeat for this long, the due times in between count as missed."""

BEAT = Statement(
    sa.update(schedule_watch)
    .where(schedule_watch.c.id == sa.literal_column("1"))
    .values(
        beat=unix_now(),
        up_since=sa.case((schedule_watch.c.beat < unix_now() - OUTAGE_S, unix_now()), else_=schedule_watch.c.up_since),
    )
)
"""Records a heartbeat of a server that fires schedules."""

UP_SINCE = Statement(sa.select(schedule_watch.c.up_since).where(schedule_watch.c.id == sa.literal_column("1")))

INSERT: Statement[ScheduleRow] = Statement(
    sa.insert(schedules).returning(schedules), ["account_id", *FIELDS, *_STATE, "created_at", "updated_at"]
)

_OUTCOME = sa.func.coalesce(
    sa.select(runs.c.status).where(runs.c.id == schedule_runs.c.run_id).scalar_subquery(),
    sa.select(deployments.c.status).where(deployments.c.id == schedule_runs.c.deployment_id).scalar_subquery(),
).label("outcome")
"""The status of the run or deployment that a due time started."""

_ENTRY = (*schedule_runs.c, _OUTCOME)
_NEWEST = schedule_runs.alias("newest")
_LAST_ID = sa.select(sa.func.max(_NEWEST.c.id)).where(_NEWEST.c.schedule_id == schedules.c.id).scalar_subquery()
LAST = "last_"
"""Prefix of the columns of the last due time."""

_RECORD = sa.select(*schedules.c, *(column.label(LAST + column.name) for column in _ENTRY)).select_from(
    schedules.join(schedule_runs, schedule_runs.c.id == _LAST_ID, isouter=True)
)

GET = Statement(_RECORD.where(*_THIS))

LIST = newest_first(_RECORD, schedules.c.id, _OURS)

LOCK: Statement[ScheduleRow] = Statement(sa.select(schedules).where(*_THIS).with_for_update())

UPDATE = Statement(
    sa.update(schedules)
    .where(*_THIS)
    .values(
        **_binds(schedules, (*FIELDS, *_STATE, "waiting_id")),
        updated_at=sa.bindparam("moment", type_=schedules.c.updated_at.type),
        epoch=schedules.c.epoch + 1,
        attempts=0,
        lease_owner=None,
    )
)
"""Updates a schedule. A worker that has claimed it loses the claim."""

DELETE = Statement(sa.delete(schedules).where(*_THIS))

HOLD: Statement[ScheduleRow] = Statement(
    sa.update(schedules)
    .where(schedules.c.id == _ID, schedules.c.epoch == sa.bindparam("under", type_=BigInt))
    .values(attempts=schedules.c.attempts)
    .returning(schedules)
)
"""Reads a claimed schedule. If no row matches, the claim is lost. Locks the row on databases with row locks."""

RELEASE = Statement(
    sa.update(schedules)
    .where(schedules.c.id == _ID)
    .values(
        **_binds(schedules, ("enabled", "disabled_reason", "next_at", "waiting_id", "lease_until")),
        runs_count=schedules.c.runs_count + sa.bindparam("more", type_=BigInt),
        attempts=0,
        lease_owner=None,
    )
)
"""Releases a schedule until it is due again, and adds the number of new due times to its count."""

COUNT_RUNS = Statement(
    sa.update(schedules)
    .where(schedules.c.id == _ID)
    .values(runs_count=schedules.c.runs_count + sa.bindparam("more", type_=BigInt))
)

SOONEST = Statement(
    sa.select((schedules.c.lease_until - unix_now()).label("seconds"))
    .where(OPEN)
    .order_by(schedules.c.lease_until)
    .limit(1)
)
"""The number of seconds until the next schedule is due."""

GOES_ON = sa.or_(
    sa.exists().where(runs.c.id == schedule_runs.c.run_id, runs.c.ended_at.is_(None)),
    sa.exists().where(deployments.c.id == schedule_runs.c.deployment_id, deployments.c.ended_at.is_(None)),
)

SETTLE = Statement(
    sa.update(schedule_runs)
    .where(among(schedule_runs.c.schedule_id, "ids"), UNSETTLED, schedule_runs.c.status == "fired", ~GOES_ON)
    .values(settled_at=sa.bindparam("moment", type_=schedule_runs.c.settled_at.type))
)
"""Marks the due times whose run or deployment has ended."""


def _oldest_open(found: sa.Column[int], of_schedule: sa.ColumnElement[bool]) -> sa.ScalarSelect[int]:
    """Return a column of the oldest due time whose run or deployment is open."""
    going = (of_schedule, UNSETTLED, schedule_runs.c.status == "fired", GOES_ON)
    return sa.select(found).where(*going).order_by(schedule_runs.c.id).limit(1).scalar_subquery()


_AT = (_OF_SCHEDULE, schedule_runs.c.due_at == sa.bindparam("due", type_=schedule_runs.c.due_at.type))
_EXISTS = sa.exists().where(*_AT)

TAKEN = Statement(sa.select(schedule_runs.c.id).where(*_AT))
"""The row of a due time that was handled before."""

STANDING: Statement[StandingRow] = Statement(
    sa.select(
        _EXISTS.label("taken"),
        _oldest_open(schedule_runs.c.id, _OF_SCHEDULE).label("going"),
        _oldest_open(schedule_runs.c.run_id, _OF_SCHEDULE).label("run_id"),
        _oldest_open(schedule_runs.c.deployment_id, _OF_SCHEDULE).label("deployment_id"),
    )
)
"""Whether a due time was handled before, and the schedule's open run or deployment; `going` is null without one."""

READY = Statement(
    sa.select(schedules.c.id)
    .where(
        WAITING,
        schedules.c.lease_until > unix_now(),
        schedules.c.lease_owner.is_(None),
        _oldest_open(schedule_runs.c.id, schedule_runs.c.schedule_id == schedules.c.id).is_(None),
    )
    .limit(100)
)
"""Schedules whose waiting due time may start."""

WAKE = Statement(
    sa.update(schedules)
    .where(among(schedules.c.id, "ids"), WAITING, schedules.c.lease_owner.is_(None))
    .values(lease_until=0.0)
)

_RUN_COLUMNS = (
    "schedule_id", "account_id", "due_at", "manual", "missed_since", "status", "reason", "run_id", "deployment_id",
    "created_at", "fired_at", "settled_at",
)  # fmt: skip
ADD_RUN: Statement[ScheduleRunRow] = Statement(sa.insert(schedule_runs).returning(schedule_runs), list(_RUN_COLUMNS))

END_WAITING: Statement[ScheduleRunRow] = Statement(
    sa.update(schedule_runs)
    .where(schedule_runs.c.id == sa.bindparam("entry", type_=BigInt), schedule_runs.c.status == "waiting")
    .values(
        status=sa.bindparam("outcome", type_=sa.String),
        **_binds(schedule_runs, ("reason", "run_id", "deployment_id", "fired_at", "settled_at")),
    )
    .returning(schedule_runs)
)

RUN: Statement[EndedScheduleRun] = Statement(
    sa.select(*_ENTRY).where(
        schedule_runs.c.id == sa.bindparam("entry", type_=BigInt),
        schedule_runs.c.account_id == sa.bindparam("account", type_=BigInt),
    )
)

RUNS: Statement[EndedScheduleRun] = Statement(
    sa.select(*_ENTRY)
    .where(_OF_SCHEDULE, schedule_runs.c.account_id == sa.bindparam("account", type_=BigInt))
    .order_by(schedule_runs.c.id.desc())
    .limit(sa.bindparam("per_page", type_=sa.Integer))
    .offset(sa.bindparam("offset", type_=BigInt))
)
