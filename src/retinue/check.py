"""Implements `retinue check`: recomputes all derived data and compares it with the stored values."""

import asyncio
from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from retinue.agents.tables import agents
from retinue.chat.tables import conversations
from retinue.connections.tables import connections
from retinue.core.database.counters import counters
from retinue.core.database.interface import Database
from retinue.core.database.portable_sql import json_integer
from retinue.core.database.schema import BigInt, Instant
from retinue.core.database.statements import Row, Statement
from retinue.core.work.events import events
from retinue.core.work.retention import expiries
from retinue.files.store import FileStore
from retinue.files.tables import files
from retinue.fleets.tables import deployments, fleets, parts
from retinue.runs.tables import messages, runs
from retinue.schedules.consistency import find_wrong_times
from retinue.schedules.tables import schedule_runs, schedules
from retinue.tools.imports.tables import imported_tools, sources
from retinue.usage.tables import AMOUNTS, budget_uses, ledger, usage_days
from retinue.voice.calls.tables import call_turns, calls
from retinue.voice.rooms.consistency import find_wrong_seconds
from retinue.voice.rooms.tables import room_events, room_participants, rooms
from retinue.webhooks.tables import deliveries, endpoints
from retinue.workspace.tables import records, vectors, words


def _of_account(table: sa.Table, amount: sa.ColumnElement[int]) -> sa.ScalarSelect[int]:
    """Compute an amount over the rows of `table` that belong to the counter's account."""
    return sa.select(amount).select_from(table).where(table.c.account_id == counters.c.account_id).scalar_subquery()


def _sizes(table: sa.Table) -> sa.ScalarSelect[int]:
    """Compute the total size of an account's rows in bytes."""
    return _of_account(table, sa.func.coalesce(sa.cast(sa.func.sum(table.c.size), BigInt), 0))


def _count_of(table: sa.Table, name: str) -> Statement:
    """Find accounts whose counter `name` differs from the number of their rows in `table`."""
    return _counter(name, _of_account(table, sa.func.count()))


def _counter(name: str, counted: sa.ColumnElement[int]) -> Statement:
    """Find accounts whose counter `name` differs from `counted`."""
    return Statement(
        sa.select(counters.c.account_id.label("id"), counters.c.value.label("kept"), counted.label("true")).where(
            counters.c.name == name, counters.c.value != counted
        )
    )


def _children_of(parent: sa.Table, kept: sa.Column[int], child: sa.Table, key: sa.Column[int]) -> Statement:
    """Find rows of `parent` whose stored count differs from the number of their children."""
    counted = sa.select(sa.func.count()).select_from(child).where(key == parent.c.id).scalar_subquery()
    return Statement(sa.select(parent.c.id, kept.label("kept"), counted.label("true")).where(kept != counted))


def _misplaced_items(table: sa.Table) -> Statement:
    """Find rows whose account or kind differs from that of their record."""
    record = records.c.id == table.c.record_id
    same = (records.c.account_id == table.c.account_id) & (records.c.kind == table.c.kind)
    return Statement(
        sa.select(table.c.record_id).join(records, record & same, isouter=True).where(records.c.id.is_(None))
    )


_above = records.alias("above")
_STATUS = runs.c.status
_LEDGER_DAYS = sa.select(
    ledger.c.account_id,
    ledger.c.day,
    ledger.c.resource,
    *(sa.func.sum(ledger.c[name]).label(name) for name in AMOUNTS),
).group_by(ledger.c.account_id, ledger.c.day, ledger.c.resource)
_KEPT_DAYS = sa.select(*(usage_days.c[name] for name in ("account_id", "day", "resource", *AMOUNTS)))


def _spent_by(kind: str, spender: sa.Column[int]) -> sa.Select[Any]:
    """Sum the ledger's tokens and credits by spender and month."""
    month = sa.func.substr(ledger.c.day, 1, 7)
    return (
        sa.select(
            ledger.c.account_id,
            sa.literal_column(f"'{kind}'", sa.String).label("spender"),
            spender.label("spender_id"),
            month.label("period"),
            sa.func.sum(ledger.c.tokens).label("tokens"),
            sa.func.sum(ledger.c.credits).label("credits"),
        )
        .where(spender.is_not(None), (ledger.c.tokens > 0) | (ledger.c.credits > 0))
        .group_by(ledger.c.account_id, spender, month)
    )


_SPENT = sa.union_all(_spent_by("agent", ledger.c.agent_id), _spent_by("key", ledger.c.key_id)).subquery()
_LEDGER_SPENT = sa.select(*_SPENT.c)
_KEPT_SPENT = sa.select(*budget_uses.c)

_COMPLETED_PARTS = (
    sa.select(sa.func.count())
    .select_from(parts.join(deployments, deployments.c.id == parts.c.deployment_id))
    .where(deployments.c.fleet_id == fleets.c.id, parts.c.status == "completed")
    .scalar_subquery()
)

_ENDINGS = sa.union_all(
    sa.select(
        json_integer(events.c.data, "run_id").label("run_id"),
        events.c.name,
        sa.literal_column("1").label("told"),
        sa.cast(sa.null(), Instant).label("ended_at"),
    ).where((events.c.name == "agent.completed") | (events.c.name == "agent.error")),
    sa.select(
        runs.c.id,
        sa.case((_STATUS == "completed", "agent.completed"), else_="agent.error"),
        sa.literal_column("-1"),
        runs.c.ended_at,
    ).where(runs.c.agent_id.is_not(None), (_STATUS == "completed") | (_STATUS == "failed")),
).subquery()
"""The end events of runs (+1) and the events that ended runs should have (-1)."""

_SURPLUS = sa.func.sum(_ENDINGS.c.told)
_EXPIRED = sa.select(expiries.c.expired_until).where(expiries.c.name == "events").scalar_subquery()
_MAY_BE_GONE = sa.func.coalesce(sa.func.max(_ENDINGS.c.ended_at) < _EXPIRED, sa.false())
"""True if retention may have removed the event."""

_STEP_TOKENS = (
    sa.select(sa.cast(sa.func.coalesce(sa.func.sum(messages.c.tokens), 0), BigInt))
    .where(messages.c.run_id == runs.c.id)
    .scalar_subquery()
)
_REPLIED = (_STATUS == "completed") & (runs.c.reply != "")
"""Only in these runs did each model call leave a step. The last call of a failed or silent run leaves none."""
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
_TOLD_LONG_AGO = sa.func.coalesce(sa.func.max(_FIRINGS.c.fired_at) < _EXPIRED, sa.false())
_BEGAN = schedule_runs.c.run_id.is_not(None) | schedule_runs.c.deployment_id.is_not(None)
_WAITS = (
    sa.select(sa.func.max(schedule_runs.c.id))
    .where(schedule_runs.c.schedule_id == schedules.c.id, schedule_runs.c.status == "waiting")
    .scalar_subquery()
)

_FINAL = (_STATUS == "completed") | (_STATUS == "failed") | (_STATUS == "cancelled")

_RULES: dict[str, Statement] = {
    "a day's usage does not match the ledger": Statement(_KEPT_DAYS.except_(_LEDGER_DAYS)),
    "the ledger has usage that is missing from the daily usage": Statement(_LEDGER_DAYS.except_(_KEPT_DAYS)),
    "a budget's count does not match the ledger": Statement(_KEPT_SPENT.except_(_LEDGER_SPENT)),
    "the ledger has usage that no budget counts": Statement(_LEDGER_SPENT.except_(_KEPT_SPENT)),
    "the counter of agents is wrong": _count_of(agents, "agents"),
    "the counter of fleets is wrong": _count_of(fleets, "fleets"),
    "the counter of conversations is wrong": _count_of(conversations, "conversations"),
    "the counter of files is wrong": _count_of(files, "files"),
    "the counter of stored bytes is wrong": _counter("stored_bytes", _sizes(files) + _sizes(records) + _sizes(sources)),
    "the counter of workspace records is wrong": _count_of(records, "workspace_records"),
    "a word is found in a record of another account or kind": _misplaced_items(words),
    "a vector is of a record of another account or kind": _misplaced_items(vectors),
    "a record's parent does not exist": Statement(
        sa.select(records.c.id, records.c.parent)
        .join(_above, (_above.c.id == records.c.parent) & (_above.c.account_id == records.c.account_id), isouter=True)
        .where(records.c.parent != 0, _above.c.id.is_(None))
    ),
    "a fleet's count of agents is wrong": _children_of(fleets, fleets.c.agent_count, agents, agents.c.fleet_id),
    "a fleet's count of deployments is wrong": _children_of(
        fleets, fleets.c.deployments_count, deployments, deployments.c.fleet_id
    ),
    "a fleet's count of completed tasks is wrong": Statement(
        sa.select(fleets.c.id, fleets.c.tasks_completed.label("kept"), _COMPLETED_PARTS.label("true")).where(
            fleets.c.tasks_completed != _COMPLETED_PARTS
        )
    ),
    "an agent belongs to a fleet of another account": Statement(
        sa.select(agents.c.id, agents.c.fleet_id)
        .join(fleets, (fleets.c.id == agents.c.fleet_id) & (fleets.c.account_id == agents.c.account_id), isouter=True)
        .where(agents.c.fleet_id.is_not(None), fleets.c.id.is_(None))
    ),
    "a deployment has ended without a result, or the reverse": Statement(
        sa.select(deployments.c.id).where(
            (deployments.c.ended_at.is_not(None) != (deployments.c.status != "running"))
            | (deployments.c.ended_at.is_not(None) != deployments.c.result.is_not(None))
        )
    ),
    "a deployment that has ended is still leased": Statement(
        sa.select(deployments.c.id).where(deployments.c.ended_at.is_not(None), deployments.c.lease_owner.is_not(None))
    ),
    "a deployment that has ended has an open part": Statement(
        sa.select(deployments.c.id, parts.c.number)
        .join(parts, parts.c.deployment_id == deployments.c.id)
        .where(deployments.c.ended_at.is_not(None), parts.c.ended_at.is_(None))
    ),
    "a part's status does not match its run": Statement(
        sa.select(parts.c.deployment_id, parts.c.number, parts.c.status, runs.c.status.label("run_status"))
        .join(runs, runs.c.id == parts.c.run_id)
        .where(parts.c.ended_at.is_not(None), parts.c.status != runs.c.status)
    ),
    "an agent's count of runs is wrong": _children_of(agents, agents.c.runs_count, runs, runs.c.agent_id),
    "a conversation's count of messages is wrong": _children_of(
        conversations, conversations.c.message_count, messages, messages.c.conversation_id
    ),
    "a run has ended without a final status, or the reverse": Statement(
        sa.select(runs.c.id).where(runs.c.ended_at.is_not(None) != _FINAL)
    ),
    "a run that has ended is still leased": Statement(
        sa.select(runs.c.id).where(runs.c.ended_at.is_not(None), runs.c.lease_owner.is_not(None))
    ),
    "a run's tokens do not match its steps": Statement(
        sa.select(runs.c.id, runs.c.tokens_used, _STEP_TOKENS.label("true")).where(
            runs.c.ended_at.is_not(None),
            (runs.c.tokens_used < _STEP_TOKENS) | (_REPLIED & (runs.c.tokens_used > _STEP_TOKENS)),
        )
    ),
    "a completed run has no reply": Statement(
        sa.select(runs.c.id).where(runs.c.status == "completed", runs.c.reply.is_(None))
    ),
    "an endpoint's count of deliveries is wrong": _children_of(
        endpoints, endpoints.c.deliveries_count, deliveries, deliveries.c.endpoint_id
    ),
    "a delivery has ended and is pending, or the reverse": Statement(
        sa.select(deliveries.c.id).where(deliveries.c.ended_at.is_(None) != (deliveries.c.status == "pending"))
    ),
    "a delivery that has ended is still leased": Statement(
        sa.select(deliveries.c.id).where(deliveries.c.ended_at.is_not(None), deliveries.c.lease_owner.is_not(None))
    ),
    "the counter of schedules is wrong": _count_of(schedules, "schedules"),
    "a schedule's count of runs is wrong": _children_of(
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
    "the counter of calls is wrong": _count_of(calls, "calls"),
    "a call's count of turns is wrong": _children_of(calls, calls.c.turns_count, call_turns, call_turns.c.call_id),
    "a call has ended without a final status, or the reverse": Statement(
        sa.select(calls.c.id).where(
            calls.c.ended_at.is_(None)
            != ((calls.c.status == "queued") | (calls.c.status == "ringing") | (calls.c.status == "in_progress"))
        )
    ),
    "a call that has ended is still leased": Statement(
        sa.select(calls.c.id).where(calls.c.ended_at.is_not(None), calls.c.lease_owner.is_not(None))
    ),
    "a room is closed and has no end, or the reverse": Statement(
        sa.select(rooms.c.id).where((rooms.c.status == "closed") != rooms.c.ended_at.is_not(None))
    ),
    "a room's count of events is wrong": _children_of(rooms, rooms.c.events_count, room_events, room_events.c.room_id),
    "a participant belongs to another account than the room": Statement(
        sa.select(room_participants.c.id)
        .join(rooms, rooms.c.id == room_participants.c.room_id)
        .where(room_participants.c.account_id != rooms.c.account_id)
    ),
    "a participant has seconds but has not left the room": Statement(
        sa.select(room_participants.c.id).where(room_participants.c.left_at.is_(None), room_participants.c.seconds != 0)
    ),
    "a source's count of tools is wrong": _children_of(
        sources, sources.c.tools, imported_tools, imported_tools.c.source_id
    ),
    "a source uses a connection of another account": Statement(
        sa.select(sources.c.id)
        .join(connections, connections.c.id == sources.c.connection_id)
        .where(sources.c.account_id != connections.c.account_id)
    ),
    "an imported tool belongs to another account than its source": Statement(
        sa.select(imported_tools.c.id)
        .join(sources, sources.c.id == imported_tools.c.source_id)
        .where(sources.c.account_id != imported_tools.c.account_id)
    ),
    "the end of a run was not reported exactly once": Statement(
        sa.select(_ENDINGS.c.run_id, _ENDINGS.c.name, _SURPLUS.label("surplus"))
        .group_by(_ENDINGS.c.run_id, _ENDINGS.c.name)
        .having((_SURPLUS > 0) | ((_SURPLUS < 0) & ~_MAY_BE_GONE))
    ),
    "a failed run has no reason": Statement(
        sa.select(runs.c.id).where(runs.c.status == "failed", runs.c.error.is_(None))
    ),
}

_SHOWN = 20

_PAGE = 1000
_FILES_AT_ONCE = 32
"""Files whose size is read at the same time: a bucket takes tens of milliseconds for each."""
_STORED = Statement(
    sa.select(files.c.id, files.c.public_id, files.c.size)
    .where(files.c.id > sa.bindparam("after", type_=BigInt))
    .order_by(files.c.id)
    .limit(_PAGE)
)


async def find_faults(database: Database, store: FileStore) -> list[str]:
    """Return a sentence for each inconsistency; empty if there is none."""
    if faults := await database.find_damage():
        return faults
    for rule, statement in _RULES.items():
        rows = await database.query(statement)
        faults += [f"{rule}: {_describe_row(row)}" for row in rows[:_SHOWN]]
    for found in (await find_wrong_times(database), await find_wrong_seconds(database)):
        faults += found[:_SHOWN]
    return faults + await _wrong_files(database, store)


def _describe_row(row: Row) -> str:
    return ", ".join(f"{name} {value}" for name, value in row._asdict().items())


async def _wrong_files(database: Database, store: FileStore) -> list[str]:
    """Find rows whose file is missing on disk or has another size."""
    faults: list[str] = []
    after = 0
    while rows := await database.query(_STORED, after=after):
        faults += await _of_other_size(rows, store)
        after = rows[-1].id
    return faults[:_SHOWN]


async def _of_other_size(rows: Sequence[Row], store: FileStore) -> list[str]:
    limit = asyncio.Semaphore(_FILES_AT_ONCE)

    async def size(file_id: str) -> int | None:
        async with limit:
            return await store.size(file_id)

    sizes = await asyncio.gather(*(size(row.public_id) for row in rows))
    wrong = [(row, found) for row, found in zip(rows, sizes, strict=True) if row.size != found]
    return [f"the file {row.public_id} should have {row.size} bytes and has {found}" for row, found in wrong]
