"""Insert long records for the portal's detail pages: as many parts, steps, turns, lines and tools as they may have."""

from collections.abc import Mapping
from datetime import timedelta
from functools import partial
from typing import Any

import sqlalchemy as sa

from bench.bulk import MOMENT, NUMBER, Holder, ran, rows_of, steps, text
from retinue.core.database.interface import Database, Tx
from retinue.core.database.schema import BigInt
from retinue.core.database.statements import Statement
from retinue.core.runtime.clock import now
from retinue.fleets.tables import deployments, fleets, parts
from retinue.marketplace.tables import installations, items
from retinue.runs.tables import messages
from retinue.schedules.tables import NEVER, schedule_runs, schedules
from retinue.tools.imports.tables import imported_tools, sources
from retinue.voice.calls.tables import call_turns
from retinue.voice.rooms.tables import room_participants, rooms

RECORDS = 10_000
"""Rows of lists: deployments, rooms, marketplace items, due times."""

_PARTS, _STEPS, _TURNS, _LINES, _TOOLS, _INSTALLED, _PRESENT = 50, 200, 400, 5000, 1000, 100, 20
_ACCOUNT, _RUN = (sa.bindparam(name, type_=BigInt) for name in ("account", "run"))
_ONE: Any = sa.literal_column("1")
_ZERO: Any = sa.literal_column("0")
_NO = sa.false()
_LONG = "A paragraph of what a model found out, as it stands in the record. " * 30
_LEASE = {"epoch": _ONE, "attempts": _ONE, "lease_until": sa.literal_column("0.0")}
_TOOL = (
    '{"name": "far_NUMBER", "description": "Look something up.", "category": "web", "tier": "free", "credits": 1, '
    '"input_schema": {"type": "object", "properties": {"id": {"type": "string"}}}, "result_schema": {}, "tags": [], '
    '"use_when": [], "examples": [], "module": "", "read_only": true, "destructive": false, "idempotent": true, '
    '"open_world": true, "timeout_s": 20.0, "memory_mb": 0, "call": {"method": "GET", "path": "/things/{id}", '
    '"arguments": {"id": {"place": "path", "name": "id", "style": "simple", "explode": false}}, "encoding": null, '
    '"media_type": "", "body_required": false}}'
)


def _with_number(template: str) -> Any:
    """Return a text with the row's number in place of NUMBER."""
    return sa.func.replace(text(template), text("NUMBER"), sa.cast(NUMBER, sa.String))


_FLEETS = rows_of(fleets, {
    "id": NUMBER, "account_id": _ACCOUNT, "name": text("A fleet"), "description": text(""),
    "max_agents": sa.literal_column("50"), "auto_scale": _NO, "agent_count": _ZERO,
    "deployments_count": sa.literal_column(str(RECORDS)), "created_at": MOMENT,
})  # fmt: skip
_DEPLOYMENTS = rows_of(deployments, {
    "id": NUMBER, "account_id": _ACCOUNT, "fleet_id": _ONE, "status": text("completed"), "strategy": text("parallel"),
    "task": text("Look into it."), "timeout": sa.literal_column("60"), "members": text("[[1,\"Ada\",\"leader\",null]]"),
    "powers": text("{}"), "started_at": MOMENT, "deadline": MOMENT, "ended_at": MOMENT, **_LEASE,
})  # fmt: skip
_PARTS_OF_ONE = rows_of(parts, {
    "deployment_id": _ONE, "number": sa.cast(NUMBER, sa.Integer), "kind": text("work"), "agent_id": _ONE,
    "agent_name": text("Ada"), "agent_role": text("leader"), "is_copy": _NO, "task": text(_LONG), "run_id": NUMBER,
    "status": text("completed"), "started_at": MOMENT, "ended_at": MOMENT,
})  # fmt: skip
_STEPS_OF_RUN = rows_of(messages, {
    "run_id": _RUN, "seq": sa.cast(NUMBER + 1, sa.Integer),
    "role": sa.case((NUMBER % 2 == 0, text("assistant")), else_=text("tool")), "content": text(_LONG),
    "tool_name": sa.case((NUMBER % 2 == 1, text("date_compute_difference"))), "state": text("done"),
    "tokens": sa.literal_column("20"), "started_at": MOMENT, "created_at": MOMENT,
})  # fmt: skip
_TURNS_OF_CALL = rows_of(call_turns, {
    "call_id": _ONE, "number": sa.cast(NUMBER, sa.Integer), "speaker": text("caller"),
    "text": text("Where is it? It was to be here on Monday."), "interrupted": _NO, "timing": text("{}"),
    "created_at": MOMENT,
})  # fmt: skip
_ROOMS = rows_of(rooms, {
    "id": NUMBER, "account_id": _ACCOUNT, "scopes": text("[]"), "name": text("A room"), "status": text("active"),
    "max_participants": sa.literal_column("50"), "voice_engine": text("hibari"), "agent_id": _ONE,
    "pin": text("1234"), "transcript": sa.case((NUMBER == 1, sa.bindparam("talk", type_=sa.Text)), else_=text("")),
    "created_at": MOMENT, "ended_at": sa.case((NUMBER > _PRESENT, MOMENT)), "events_count": _ZERO,
    "media": text("local"),
})  # fmt: skip
_PEOPLE = rows_of(room_participants, {
    "room_id": _ONE, "account_id": _ACCOUNT, "name": text("Ada"), "kind": text("browser"), "node": text("none"),
    "seen_at": sa.literal_column("0.0"), "joined_at": MOMENT, "left_at": MOMENT, "seconds": _ZERO, "muted": _NO,
    "removed": _NO,
})  # fmt: skip
_SCHEDULES = rows_of(schedules, {
    "id": NUMBER, "account_id": _ACCOUNT, "name": text("Nightly"), "cron": text("0 3 * * *"), "timezone": text("UTC"),
    "agent_id": _ONE, "message": text("Look for late orders."), "overlap": text("skip"), "missed": text("skip"),
    "jitter_s": _ZERO, "enabled": _NO, "scopes": text("[]"), "runs_count": sa.literal_column(str(RECORDS)),
    "created_at": MOMENT, "updated_at": MOMENT, **_LEASE, "lease_until": sa.literal_column(str(NEVER)),
})  # fmt: skip
_DUE_TIME = Statement(
    sa.insert(schedule_runs),
    ["schedule_id", "account_id", "due_at", "manual", "status", "run_id", "created_at", "fired_at", "settled_at"],
)
_SOURCES = rows_of(sources, {
    "id": NUMBER, "account_id": _ACCOUNT, "kind": text("openapi"), "name": text("far"), "category": text("web"),
    "base_url": text("https://api.example.com"), "tools": sa.literal_column(str(_TOOLS)),
    "size": sa.literal_column("600000"), "trust_hints": _NO, "created_at": MOMENT,
})  # fmt: skip
_IMPORTED = rows_of(imported_tools, {
    "source_id": _ONE, "account_id": _ACCOUNT, "name": _with_number("far_NUMBER"), "definition": _with_number(_TOOL),
})  # fmt: skip
_MANIFEST = text('{"agent_name": "Ada", "agent_role": "generalist", "task": "Look for late orders."}')
_ITEMS = rows_of(items, {
    "id": NUMBER + 1000, "slug": _with_number("item-NUMBER"), "user_id": sa.literal_column("1"), "author": text("Ada"),
    "type": text("agent"), "name": text("An agent"), "description": text("Looks for late orders."),
    "version": text("1.0.0"), "tier": text("free"), "tags": text("[]"), "readme": text(_LONG),
    "manifest": _MANIFEST, "search_text": text("an agent"), "status": text("published"), "rating": _ZERO,
    "ratings_count": _ZERO, "installs": NUMBER, "created_at": MOMENT, "updated_at": MOMENT,
})  # fmt: skip
_INSTALLED_ITEMS = rows_of(installations, {
    "account_id": _ACCOUNT, "item_id": NUMBER + 1000, "type": text("agent"), "name": text("An agent"),
    "version": text("1.0.0"), "manifest": _MANIFEST,
    "installed": text('[{"resource": "agent", "id": 1, "name": "Ada"}]'), "created_at": MOMENT,
})  # fmt: skip
_ROWS: tuple[tuple[Statement, int], ...] = (
    (_FLEETS, 1), (_DEPLOYMENTS, RECORDS), (_PARTS_OF_ONE, _PARTS), (_STEPS_OF_RUN, _STEPS), (_TURNS_OF_CALL, _TURNS),
    (_ROOMS, RECORDS), (_PEOPLE, RECORDS), (_SCHEDULES, 1), (_SOURCES, 1), (_IMPORTED, _TOOLS),
    (_ITEMS, RECORDS), (_INSTALLED_ITEMS, _INSTALLED),
)  # fmt: skip

DETAILS = [
    "/fleets/1", "/fleets/1?page=900", "/fleets/1/deployments/1", "/calls/1", "/calls/1?page=1", "/voice-rooms/1",
    "/voice-rooms?state=closed&page=300", "/schedules/1", "/schedules/1?page=600", "/sources/1", "/sources/1?page=40",
    "/tools/far_1", "/marketplace/1001", "/marketplace?sort=newest&page=300", "/marketplace?q=agent",
    "/marketplace?type=tool", "/marketplace/own?page=300", "/marketplace/installed/1", "/moderation/1001",
    "/approvals/1", "/agents/1/edit", "/webhooks/1/edit", "/webhooks/1/deliveries/dlv_1", "/requests/req-9000",
    "/users/1", "/knowledge?q=orders",
]  # fmt: skip
"""Pages of one record."""


async def fill_details(database: Database, holder: Holder) -> None:
    """Insert the records of `DETAILS` for one user."""
    talk = "\n".join(f"Ada: This is line {number} of a long talk about orders." for number in range(_LINES))
    values = {"account": holder.account, "run": holder.run, "moment": now(), "talk": talk}
    for statement, rows in _ROWS:
        await _write(database, statement, rows, values)
    await database.transact(partial(_add_due_times, holder.account))


async def _add_due_times(account: int, tx: Tx) -> None:
    moment = now()
    fields = {"schedule_id": 1, "account_id": account, "manual": False, "status": "fired", "run_id": 1}
    at = dict.fromkeys(("created_at", "fired_at", "settled_at"), moment)
    for number in range(RECORDS):
        await tx.run(_DUE_TIME, **fields, **at, due_at=moment - timedelta(minutes=number))


async def _write(database: Database, statement: Statement, rows: int, values: Mapping[str, Any]) -> None:
    for first, last in steps(1, rows):
        await database.transact(ran(statement, {**values, "first": first, "last": last}))
