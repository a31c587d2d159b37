"""Insert rows for the portal's pages: the records that a long-standing user has besides agents and runs."""

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa

from bench.bulk import MOMENT, NUMBER, Holder, ran, rows_of, steps, text
from retinue.auth.audit.tables import audit_entries
from retinue.chat.tables import conversations
from retinue.core.database.counters import counters
from retinue.core.database.interface import Database
from retinue.core.database.schema import BigInt
from retinue.core.database.statements import Statement
from retinue.core.runtime.clock import now
from retinue.files.tables import files
from retinue.request_log.tables import api_requests
from retinue.runs.tables import approvals
from retinue.voice.calls.tables import calls
from retinue.webhooks.tables import deliveries, endpoints

DELIVERIES = 1_000_000
RECORDS = 10_000
"""Number of records of every other kind."""

_ENDPOINTS = 2
_ACCOUNT, _USER = (sa.bindparam(name, type_=BigInt) for name in ("account", "user"))
_ZERO: Any = sa.literal_column("0")
_NO = sa.false()


def _id(prefix: str) -> Any:
    return text(prefix) + sa.cast(NUMBER, sa.String)


def _every(number: int, value: Any, otherwise: Any) -> Any:
    """Return `value` for every `number`-th row, else `otherwise`."""
    return sa.case((NUMBER % number == 0, value), else_=otherwise)


_CALLED = {"account_id": _ACCOUNT, "created_at": MOMENT}
_ENDPOINT_ROWS = rows_of(endpoints, {
    **_CALLED, "id": NUMBER, "url": text("https://example.com/hook"), "description": text(""), "enabled": sa.true(),
    "secret": sa.bindparam("secret", type_=sa.Text), "deliveries_count": _ZERO, "updated_at": MOMENT,
})  # fmt: skip
_DELIVERY_ROWS = rows_of(deliveries, {
    "id": NUMBER, "public_id": _id("dlv_"), "endpoint_id": _every(10, sa.literal_column("2"), sa.literal_column("1")),
    "event_id": _id("evt_"), "event": text("agent.completed"),
    "status": _every(100, text("failed"), text("delivered")),
    "log": text(
        '[{"number":1,"started_at":"2026-01-01T00:00:00Z","status":200,"milliseconds":20,"answer":"ok","error":null}]'
    ),
    "created_at": MOMENT, "ended_at": MOMENT, "epoch": sa.literal_column("1"), "attempts": sa.literal_column("1"),
    "lease_until": sa.literal_column("0.0"),
})  # fmt: skip
_REQUEST_ROWS = rows_of(api_requests, {
    **_CALLED, "request_id": _id("req-"), "method": text("GET"), "path": text("/api/v1/agents/1"),
    "route": text("/api/v1/agents/{id}"), "status": _every(10, sa.literal_column("404"), sa.literal_column("200")),
    "duration_ms": sa.literal_column("1.5"), "credential": text("key:1"), "address": text("127.0.0.1"),
})  # fmt: skip
_AUDIT_ROWS = rows_of(audit_entries, {
    "user_id": _USER, "sandbox": _NO, "action": _every(10, text("key.create"), text("session.create")),
    "credential": text("key:1"), "created_at": MOMENT,
})  # fmt: skip
_CONVERSATION_ROWS = rows_of(conversations, {
    **_CALLED, "public_id": _id("conv_"), "title": text("A conversation"), "model": text("alfred-default"),
    "message_count": _ZERO, "last_message": text("A short answer."), "updated_at": MOMENT,
})  # fmt: skip
_FILE_ROWS = rows_of(files, {
    **_CALLED, "public_id": _id("file_"), "name": text("report.txt"), "media_type": text("text/plain"),
    "size": sa.literal_column("100"), "sha256": text("0" * 64),
})  # fmt: skip
_APPROVAL_ROWS = rows_of(approvals, {
    **_CALLED, "run_id": sa.bindparam("run", type_=BigInt), "seq": sa.cast(NUMBER, sa.Integer),
    "tool": text("mail_send_message"), "arguments": text("{}"), "decision": text("approved"), "decided_at": MOMENT,
})  # fmt: skip
_CALL_ROWS = rows_of(calls, {
    **_CALLED, "credential": text("key:1"), "scopes": text("[]"), "agent_id": sa.literal_column("1"),
    "direction": _every(3, text("outbound"), text("inbound")), "to_address": text("sip:ada@example.com"),
    "status": _every(10, text("failed"), text("completed")), "voice_engine": text("hibari"), "record": _NO,
    "max_seconds": sa.literal_column("60"), "transcript": text(""), "duration_seconds": sa.literal_column("20"),
    "ended_at": MOMENT, "seen_at": MOMENT, "epoch": _ZERO, "attempts": _ZERO, "lease_until": sa.literal_column("0.0"),
})  # fmt: skip
_RECORDS = (_REQUEST_ROWS, _AUDIT_ROWS, _CONVERSATION_ROWS, _FILE_ROWS, _APPROVAL_ROWS, _CALL_ROWS)

_COUNTED = ("conversations", "files", "calls")
_COUNT_DELIVERIES = Statement(
    sa.update(endpoints).values(
        deliveries_count=sa.select(sa.func.count()).where(deliveries.c.endpoint_id == endpoints.c.id).scalar_subquery()
    )
)
_COUNT_RECORDS = Statement(
    sa.update(counters)
    .where(counters.c.account_id == _ACCOUNT, sa.or_(*(counters.c.name == name for name in _COUNTED)))
    .values(value=sa.literal_column(str(RECORDS)))
)


async def fill_pages(database: Database, holder: Holder, secret: str) -> None:
    """Insert deliveries and `RECORDS` of every other kind that pages list, for one user. `secret` is sealed."""
    values = {"account": holder.account, "user": 1, "run": holder.run, "secret": secret, "moment": now()}
    await _write(database, _ENDPOINT_ROWS, _ENDPOINTS, values)
    await _write(database, _DELIVERY_ROWS, DELIVERIES, values)
    for statement in _RECORDS:
        await _write(database, statement, RECORDS, values)
    await database.transact(ran(_COUNT_DELIVERIES, {}))
    await database.transact(ran(_COUNT_RECORDS, values))


async def _write(database: Database, statement: Statement, rows: int, values: Mapping[str, Any]) -> None:
    for first, last in steps(1, rows):
        await database.transact(ran(statement, {**values, "first": first, "last": last}))
