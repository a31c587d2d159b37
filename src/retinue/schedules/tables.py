"""The tables of schedules and of their handled due times."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

import sqlalchemy as sa

from retinue.core.database.owned import Owned
from retinue.core.database.schema import BigInt, Instant, Json, id_column, table
from retinue.core.database.statements import Record
from retinue.core.work.leases import lease_columns

NEVER = 1e12
"""`lease_until` of schedules without a due time, in seconds since 1970."""

schedules = table(
    "schedules",
    id_column(),
    sa.Column("account_id", BigInt, nullable=False),
    sa.Column("name", sa.String(100), nullable=False),
    sa.Column("cron", sa.String(200)),
    sa.Column("at", Instant),
    sa.Column("timezone", sa.String(64), nullable=False),
    sa.Column("agent_id", BigInt),
    sa.Column("fleet_id", BigInt),
    sa.Column("message", sa.Text),
    sa.Column("task", sa.String(2000)),
    sa.Column("overlap", sa.String(16), nullable=False),
    sa.Column("missed", sa.String(16), nullable=False),
    sa.Column("jitter_s", sa.Integer, nullable=False),
    sa.Column("enabled", sa.Boolean, nullable=False),
    sa.Column("disabled_reason", sa.Text),
    sa.Column("scopes", Json, nullable=False),
    sa.Column("key_id", BigInt),
    sa.Column("next_at", Instant),
    sa.Column("waiting_id", BigInt),
    sa.Column("runs_count", BigInt, nullable=False, server_default="0"),
    sa.Column("created_at", Instant, nullable=False),
    sa.Column("updated_at", Instant, nullable=False),
    *lease_columns(),
    sa.Index(None, "account_id", "id"),
)
"""`scopes` are those of the credential that created or last changed the schedule; `key_id` is its id if it is an API
key. `next_at` is the next due time, null while the schedule is paused or has none. `waiting_id` is the due time that
waits for the previous run to end.

The lease of an unclaimed schedule ends when the schedule must be handled next: at the due time plus the jitter.
"""

OPEN = schedules.c.lease_until < sa.literal_column("1e12")
"""Schedules with a due time. The partial indexes below contain only these."""

WAITING = schedules.c.waiting_id.is_not(None)

sa.Index("ix_schedules_open_lease", schedules.c.lease_until, sqlite_where=OPEN, postgresql_where=OPEN)
sa.Index(
    "ix_schedules_open_due",
    schedules.c.account_id,
    schedules.c.lease_until,
    schedules.c.id,
    sqlite_where=OPEN,
    postgresql_where=OPEN,
)
sa.Index("ix_schedules_open_waiting", schedules.c.id, sqlite_where=WAITING, postgresql_where=WAITING)

schedule_runs = table(
    "schedule_runs",
    id_column(),
    sa.Column("schedule_id", BigInt, sa.ForeignKey("schedules.id", ondelete="CASCADE"), nullable=False),
    sa.Column("account_id", BigInt, nullable=False),
    sa.Column("due_at", Instant, nullable=False),
    sa.Column("manual", sa.Boolean, nullable=False),
    sa.Column("missed_since", Instant),
    sa.Column("status", sa.String(16), nullable=False),
    sa.Column("reason", sa.Text),
    sa.Column("run_id", BigInt),
    sa.Column("deployment_id", BigInt),
    sa.Column("created_at", Instant, nullable=False),
    sa.Column("fired_at", Instant),
    sa.Column("settled_at", Instant),
    sa.UniqueConstraint("schedule_id", "due_at"),
    sa.Index(None, "schedule_id", "id"),
)
"""One row per handled due time. `status` is waiting, fired, skipped or failed. The unique constraint ensures that a
due time counts once. `settled_at` is set once the run or deployment is known to have ended.
"""

UNSETTLED = schedule_runs.c.settled_at.is_(None)
sa.Index("ix_schedule_runs_open", schedule_runs.c.schedule_id, sqlite_where=UNSETTLED, postgresql_where=UNSETTLED)

schedule_watch = table(
    "schedule_watch",
    sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("beat", sa.Double, nullable=False),
    sa.Column("up_since", sa.Double, nullable=False),
)
"""One row: the last heartbeat, and the start of the current period without an outage. In seconds since 1970."""

_SCHEDULES = Owned(schedules.c.account_id, hidden=("scopes",))
OWNED = (Owned(schedule_runs.c.schedule_id, _SCHEDULES), _SCHEDULES)


class ScheduleTiming(Protocol):
    """The columns that decide when a schedule is due."""

    id: int
    cron: str | None
    at: datetime | None
    timezone: str
    jitter_s: int
    missed: str
    next_at: datetime | None


class ScheduleRow(ScheduleTiming, Record, Protocol):
    """A schedule."""

    account_id: int
    name: str
    agent_id: int | None
    fleet_id: int | None
    message: str | None
    task: str | None
    overlap: str
    enabled: bool
    disabled_reason: str | None
    scopes: Sequence[str]
    key_id: int | None
    waiting_id: int | None
    runs_count: int
    created_at: datetime
    updated_at: datetime
    epoch: int
    attempts: int
    lease_owner: str | None
    lease_until: float


class ScheduleRunRow(Record, Protocol):
    """A due time and what became of it."""

    id: int
    schedule_id: int
    account_id: int
    due_at: datetime
    manual: bool
    missed_since: datetime | None
    status: str
    reason: str | None
    run_id: int | None
    deployment_id: int | None
    created_at: datetime
    fired_at: datetime | None
    settled_at: datetime | None


class EndedScheduleRun(ScheduleRunRow, Protocol):
    """A due time with the outcome of its run or deployment."""

    outcome: str | None


class StandingRow(Record, Protocol):
    """A run or a deployment of a schedule in progress. `taken` says that the due time has a row already."""

    taken: bool
    going: int | None
    run_id: int | None
    deployment_id: int | None
