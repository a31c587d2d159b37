"""Tables of calls and their turns."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Literal, Protocol, TypedDict

import sqlalchemy as sa

from retinue.core.database.owned import Owned
from retinue.core.database.schema import BigInt, Instant, Json, id_column, table
from retinue.core.database.statements import Record
from retinue.core.work.leases import lease_columns

calls = table(
    "calls",
    id_column(),
    sa.Column("account_id", BigInt, nullable=False),
    sa.Column("credential", sa.String(64), nullable=False),
    sa.Column("scopes", Json, nullable=False),
    sa.Column("agent_id", BigInt),
    sa.Column("direction", sa.String(8), nullable=False),
    sa.Column("to_address", sa.String(255), nullable=False),
    sa.Column("from_address", sa.String(255)),
    sa.Column("status", sa.String(16), nullable=False),
    sa.Column("voice_engine", sa.String(16), nullable=False),
    sa.Column("greeting", sa.Text),
    sa.Column("record", sa.Boolean, nullable=False),
    sa.Column("max_seconds", sa.Integer, nullable=False),
    sa.Column("machine_detection", sa.String(24)),
    sa.Column("answered_by", sa.String(8)),
    sa.Column("transcript", sa.Text, nullable=False),
    sa.Column("turns_count", sa.Integer, nullable=False, server_default="0"),
    sa.Column("conversation_id", sa.String(40)),
    sa.Column("recording_file_id", sa.String(40)),
    sa.Column("error", sa.Text),
    sa.Column("hangup_requested", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.Column("duration_seconds", sa.Integer, nullable=False),
    sa.Column("created_at", Instant, nullable=False),
    sa.Column("answered_at", Instant),
    sa.Column("ended_at", Instant),
    sa.Column("seen_at", Instant, nullable=False),
    sa.Column("voice", Json),
    sa.Column("events_count", sa.Integer, nullable=False, server_default="0"),
    sa.Column("analysis_status", sa.String(16)),
    sa.Column("analysis_run_id", BigInt),
    sa.Column("analysis", Json),
    sa.Column("variables", Json),
    sa.Column("batch_id", BigInt),
    sa.Column("ended_reason", sa.String(24)),
    *lease_columns(),
    sa.Index(None, "account_id", "id"),
    sa.Index(None, "credential", "created_at"),
    sa.Index("ix_calls_account_ended", "account_id", "ended_at"),
)
"""`scopes` are those of the credential that started the call; they limit the agent. `seen_at` is when the process
that runs the call last renewed its lease: if that process dies, the call counts as ended then. `voice` are the agent's
voice settings at the start of the call. `analysis_status` is None if nothing is to be found out about the call after
its end, else `due`, `running`, `completed` or `failed`. `batch_id` is None for calls that belong to no batch.
`ended_reason` is one of `EndedReason`; None until the end, and for calls that ended before it was recorded.
"""

OPEN = calls.c.ended_at.is_(None)

sa.Index("ix_calls_open_lease", calls.c.lease_until, sqlite_where=OPEN, postgresql_where=OPEN)
sa.Index("ix_calls_open_credential", calls.c.credential, sqlite_where=OPEN, postgresql_where=OPEN)

ANALYSIS_PENDING = calls.c.analysis_status.in_(
    [sa.literal_column("'due'", sa.String), sa.literal_column("'running'", sa.String)]
)
sa.Index("ix_calls_open_analysis", calls.c.id, sqlite_where=ANALYSIS_PENDING, postgresql_where=ANALYSIS_PENDING)

call_turns = table(
    "call_turns",
    id_column(),
    sa.Column("call_id", BigInt, sa.ForeignKey("calls.id", ondelete="CASCADE"), nullable=False),
    sa.Column("number", sa.Integer, nullable=False),
    sa.Column("speaker", sa.String(8), nullable=False),
    sa.Column("text", sa.Text, nullable=False),
    sa.Column("run_id", BigInt),
    sa.Column("interrupted", sa.Boolean, nullable=False),
    sa.Column("timing", Json, nullable=False),
    sa.Column("created_at", Instant, nullable=False),
    sa.UniqueConstraint("call_id", "number"),
)
"""`speaker` is `agent` or `caller`. `timing` holds milliseconds: see `Timing` in the schemas."""

call_events = table(
    "call_events",
    id_column(),
    sa.Column("call_id", BigInt, sa.ForeignKey("calls.id", ondelete="CASCADE"), nullable=False),
    sa.Column("number", sa.Integer, nullable=False),
    sa.Column("type", sa.String(16), nullable=False),
    sa.Column("data", Json, nullable=False),
    sa.Column("created_at", Instant, nullable=False),
    sa.UniqueConstraint("call_id", "number"),
)
"""`number` counts a call's events from 1. `stream_events.py` defines `type` and `data`."""

call_orders = table(
    "call_orders",
    id_column(),
    sa.Column("call_id", BigInt, sa.ForeignKey("calls.id", ondelete="CASCADE"), nullable=False),
    sa.Column("action", sa.String(8), nullable=False),
    sa.Column("details", Json, nullable=False),
    sa.Column("error", sa.Text),
    sa.Column("created_at", Instant, nullable=False),
    sa.Index(None, "call_id"),
)
"""Orders to calls in progress (`hold`, `resume`, `press`, `transfer`), until their calls end. `error` is None until the
result is known, and empty on success.
"""

_CALLS = Owned(calls.c.account_id, hidden=("credential",))
OWNED = (
    Owned(call_turns.c.call_id, _CALLS, cascades=True),
    Owned(call_events.c.call_id, _CALLS, cascades=True),
    Owned(call_orders.c.call_id, _CALLS, cascades=True, exported=False),
    _CALLS,
)


class CallAnalysis(TypedDict, total=False):
    """What the model found in a transcript, or why it found nothing."""

    summary: str | None
    extracted: dict[str, object] | None
    success: bool | None
    reason: str | None
    error: str | None


class CallRow(Record, Protocol):
    """A call."""

    id: int
    account_id: int
    credential: str
    scopes: Sequence[str]
    agent_id: int | None
    direction: Literal["outbound", "inbound"]
    to_address: str
    from_address: str | None
    status: str
    voice_engine: str
    greeting: str | None
    record: bool
    max_seconds: int
    machine_detection: str | None
    answered_by: str | None
    transcript: str
    turns_count: int
    conversation_id: str | None
    recording_file_id: str | None
    error: str | None
    hangup_requested: bool
    duration_seconds: int
    created_at: datetime
    answered_at: datetime | None
    ended_at: datetime | None
    seen_at: datetime
    voice: dict[str, object] | None
    events_count: int
    analysis_status: str | None
    analysis_run_id: int | None
    analysis: CallAnalysis | None
    variables: Mapping[str, str] | None
    batch_id: int | None
    ended_reason: str | None
    epoch: int
    attempts: int
    lease_owner: str | None
    lease_until: float


class TurnRow(Record, Protocol):
    """What one side of a call said at once."""

    id: int
    call_id: int
    number: int
    speaker: str
    text: str
    run_id: int | None
    interrupted: bool
    timing: Mapping[str, int]
    created_at: datetime
