"""Tables of batches of calls and their recipients."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol, TypedDict

import sqlalchemy as sa

from retinue.agents.daily_windows import Window
from retinue.core.database.owned import Owned
from retinue.core.database.schema import BigInt, Instant, Json, id_column, table
from retinue.core.database.statements import Record

batches = table(
    "call_batches",
    id_column(),
    sa.Column("account_id", BigInt, nullable=False),
    sa.Column("credential", sa.String(64), nullable=False),
    sa.Column("scopes", Json, nullable=False),
    sa.Column("name", sa.String(100), nullable=False),
    sa.Column("agent_id", BigInt),
    sa.Column("options", Json, nullable=False),
    sa.Column("at_once", sa.Integer, nullable=False),
    sa.Column("per_minute", sa.Integer, nullable=False),
    sa.Column("window", Json),
    sa.Column("retries", Json, nullable=False),
    sa.Column("status", sa.String(16), nullable=False),
    sa.Column("problem", sa.Text),
    sa.Column("start_at", Instant),
    sa.Column("next_at", Instant, nullable=False),
    sa.Column("created_at", Instant, nullable=False),
    sa.Column("started_at", Instant),
    sa.Column("ended_at", Instant),
    sa.Index(None, "account_id", "id"),
)
"""`options` are those of `CallOptions`. `scopes` are those of the credential that created the batch. `next_at` is when
a running batch is looked at again. `problem` is why a running batch makes no calls at the moment.
"""

RUNNING = batches.c.status == sa.literal_column("'running'", sa.String)
sa.Index("ix_call_batches_open_due", batches.c.next_at, sqlite_where=RUNNING, postgresql_where=RUNNING)

recipients = table(
    "call_recipients",
    id_column(),
    sa.Column("batch_id", BigInt, sa.ForeignKey("call_batches.id", ondelete="CASCADE"), nullable=False),
    sa.Column("number", sa.Integer, nullable=False),
    sa.Column("to_address", sa.String(255), nullable=False),
    sa.Column("variables", Json, nullable=False),
    sa.Column("status", sa.String(16), nullable=False),
    sa.Column("reason", sa.Text),
    sa.Column("attempts", sa.Integer, nullable=False),
    sa.Column("call_id", BigInt),
    sa.Column("due_at", Instant, nullable=False),
    sa.Column("called_at", Instant),
    sa.UniqueConstraint("batch_id", "number"),
    sa.Index(None, "batch_id", "status", "due_at", "number"),
    sa.Index(None, "batch_id", "called_at"),
)
"""`number` counts a batch's recipients from 1. `attempts` are the calls that were made, `call_id` is the last of them,
and `called_at` when it began. `due_at` is the earliest time of the next one.
"""

CALLING = recipients.c.status == sa.literal_column("'calling'", sa.String)
sa.Index("ix_call_recipients_open_call", recipients.c.call_id, sqlite_where=CALLING, postgresql_where=CALLING)

_BATCHES = Owned(batches.c.account_id, hidden=("credential",))
OWNED = (Owned(recipients.c.batch_id, _BATCHES, cascades=True), _BATCHES)


class Retries(TypedDict):
    """Which outcomes of a call lead to another attempt, how often, and after how many minutes."""

    on: Sequence[str]
    times: int
    after_minutes: int


class BatchRow(Record, Protocol):
    """A batch of calls."""

    id: int
    account_id: int
    credential: str
    scopes: Sequence[str]
    name: str
    agent_id: int | None
    options: Mapping[str, object]
    at_once: int
    per_minute: int
    window: Window | None
    retries: Retries
    status: str
    problem: str | None
    start_at: datetime | None
    next_at: datetime
    created_at: datetime
    started_at: datetime | None
    ended_at: datetime | None


class RecipientRow(Record, Protocol):
    """A recipient of a batch."""

    id: int
    batch_id: int
    number: int
    to_address: str
    variables: Mapping[str, str]
    status: str
    reason: str | None
    attempts: int
    call_id: int | None
    due_at: datetime
    called_at: datetime | None
