"""The tables of runs, approvals and messages. The messages are the journal from which a run resumes."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import NotRequired, Protocol, TypedDict

import sqlalchemy as sa

from retinue.core.database.owned import Owned
from retinue.core.database.schema import BigInt, Instant, Json, id_column, table
from retinue.core.database.statements import Record
from retinue.core.work.leases import lease_columns
from retinue.models.base import FinishReason
from retinue.tools.imports.mcp.questions import StoredQuestion

SOURCE_CHARACTERS = 200
"""Maximum length of the description of an untrusted source."""

FORMAT = 1
"""The format version of `options` and of the journal rows."""

runs = table(
    "runs",
    id_column(),
    sa.Column("account_id", BigInt, nullable=False),
    sa.Column("agent_id", BigInt),
    sa.Column("conversation_id", BigInt),
    sa.Column("attached", sa.Boolean, nullable=False),
    sa.Column("status", sa.String(16), nullable=False),
    sa.Column("model", sa.String(100), nullable=False),
    sa.Column("message", sa.Text, nullable=False),
    sa.Column("reply", sa.Text),
    sa.Column("reply_seq", sa.Integer),
    sa.Column("error", sa.Text),
    sa.Column("options", Json, nullable=False),
    sa.Column("person", sa.String(200)),
    sa.Column("key_id", BigInt),
    sa.Column("untrusted", sa.String(SOURCE_CHARACTERS)),
    sa.Column("format", sa.Integer, nullable=False),
    sa.Column("tools_used", Json, nullable=False),
    sa.Column("tokens_used", BigInt, nullable=False),
    sa.Column("usage", Json),
    sa.Column("cost_usd", sa.String(40)),
    sa.Column("finish_reason", sa.String(16)),
    sa.Column("output", Json),
    sa.Column("passages", Json),
    sa.Column("citations", Json),
    sa.Column("inbox", sa.Integer, nullable=False, server_default="0"),
    sa.Column("execution_time_ms", BigInt),
    sa.Column("created_at", Instant, nullable=False),
    sa.Column("started_at", Instant),
    sa.Column("ended_at", Instant),
    *lease_columns(),
    sa.Index(None, "account_id", "id"),
    sa.Index(None, "agent_id", "id"),
    sa.Index("ix_runs_agent_ended", "agent_id", "ended_at"),
)
"""`attached`: a client waits on the connection, so the run fails if its process dies.

`person` is the user of the app for whom it works, and `key_id` the API key of the first request; both are also in
`options`. `untrusted` describes the first untrusted content in the run's conversation, if any. While a run is open,
`reply` may hold the text so far of the journal row `reply_seq`, which is not written yet. `cost_usd` is a decimal
number; null if a price is unknown. `inbox` counts the messages that were sent to the run while it was open. `passages`
are those of collections that the model has seen, in the order of their numbers, and `citations` those that the reply
refers to.
"""

OPEN = runs.c.ended_at.is_(None)
"""Runs that have not ended. The partial indexes below contain only these."""

WORKABLE = OPEN & (runs.c.status != sa.literal_column("'waiting'"))
"""Runs that a process executes or may claim: open runs that do not wait for approval."""

sa.Index("ix_runs_open_lease", runs.c.lease_until, sqlite_where=OPEN, postgresql_where=OPEN)
sa.Index(
    "ix_runs_open_due",
    runs.c.account_id,
    runs.c.lease_until,
    runs.c.id,
    sqlite_where=WORKABLE,
    postgresql_where=WORKABLE,
)
sa.Index("ix_runs_open_agent", runs.c.agent_id, sqlite_where=OPEN, postgresql_where=OPEN)

IN_CONVERSATION = runs.c.conversation_id.is_not(None)
sa.Index(
    "ix_runs_conversation_ended",
    runs.c.conversation_id,
    runs.c.ended_at,
    sqlite_where=IN_CONVERSATION,
    postgresql_where=IN_CONVERSATION,
)

OF_PERSON, OF_KEY = runs.c.person.is_not(None), runs.c.key_id.is_not(None)
sa.Index(
    "ix_runs_person",
    runs.c.account_id,
    runs.c.person,
    runs.c.id,
    sqlite_where=OF_PERSON,
    postgresql_where=OF_PERSON,
)
sa.Index("ix_runs_key_id", runs.c.account_id, runs.c.key_id, runs.c.id, sqlite_where=OF_KEY, postgresql_where=OF_KEY)

ENDED_ALONE = runs.c.conversation_id.is_(None) & runs.c.ended_at.is_not(None)
"""Ended runs outside of conversations."""

sa.Index(
    "ix_runs_ended_alone",
    runs.c.account_id,
    runs.c.ended_at,
    sqlite_where=ENDED_ALONE,
    postgresql_where=ENDED_ALONE,
)

READ_UNTRUSTED = runs.c.untrusted.is_not(None)
sa.Index(
    "ix_runs_conversation_untrusted",
    runs.c.conversation_id,
    sqlite_where=READ_UNTRUSTED,
    postgresql_where=READ_UNTRUSTED,
)

approvals = table(
    "approvals",
    id_column(),
    sa.Column("account_id", BigInt, nullable=False),
    sa.Column("run_id", BigInt, sa.ForeignKey("runs.id", ondelete="CASCADE"), nullable=False),
    sa.Column("seq", sa.Integer, nullable=False),
    sa.Column("agent_id", BigInt),
    sa.Column("tool", sa.String(100), nullable=False),
    sa.Column("arguments", sa.Text, nullable=False),
    sa.Column("decision", sa.String(16)),
    sa.Column("reason", sa.Text),
    sa.Column("untrusted", sa.String(SOURCE_CHARACTERS)),
    sa.Column("question", Json),
    sa.Column("answer", Json),
    sa.Column("created_at", Instant, nullable=False),
    sa.Column("decided_at", Instant),
    sa.UniqueConstraint("run_id", "seq"),
    sa.Index(None, "account_id", "id"),
)
"""Tool calls that need approval, or an answer to the `question` of an imported server (`mcp.questions`).

`seq` is the row in the run's journal. `arguments` are those last shown to the person, or their replacements.
`untrusted` is that of the run at the time. A call whose server asks again is undecided again.
"""

UNDECIDED = approvals.c.decision.is_(None)

sa.Index("ix_approvals_undecided", approvals.c.account_id, sqlite_where=UNDECIDED, postgresql_where=UNDECIDED)

messages = table(
    "messages",
    id_column(),
    sa.Column("run_id", BigInt, sa.ForeignKey("runs.id", ondelete="CASCADE"), nullable=False),
    sa.Column("conversation_id", BigInt),
    sa.Column("seq", sa.Integer, nullable=False),
    sa.Column("role", sa.String(16), nullable=False),
    sa.Column("content", sa.Text, nullable=False),
    sa.Column("attachments", Json),
    sa.Column("tool_calls", Json),
    sa.Column("tool_call_id", sa.String(100)),
    sa.Column("tool_name", sa.String(100)),
    sa.Column("tool_arguments", Json),
    sa.Column("state", sa.String(16), nullable=False),
    sa.Column("tokens", BigInt, nullable=False),
    sa.Column("details", Json),
    sa.Column("replaced", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.Column("started_at", Instant, nullable=False),
    sa.Column("created_at", Instant, nullable=False),
    sa.UniqueConstraint("run_id", "seq"),
    sa.Index(None, "conversation_id", "id"),
)
"""`state` is `done`, `failed`, `waiting` (the tool call needs approval) or `started` (the tool may have taken effect
if the process died). A model step that `failed` is not part of the conversation.

The rows of a step's tool calls have the numbers after the step's `seq`, in the model's order. A row with a negative
`seq` is a message to the run that its model has not seen yet. A row with the role `compaction` is a summary; see
`context_window`. `details` are those of a model step (see `model_answer`), or name the images that a tool returned.
`replaced` rows belong to an earlier version of the conversation.
"""

_RUNS = Owned(runs.c.account_id, batch=20, hidden=("format", "reply_seq", "inbox"))
OWNED = (Owned(approvals.c.account_id, hidden=("question",)), Owned(messages.c.run_id, _RUNS, cascades=True), _RUNS)


class TokenCounts(TypedDict, total=False):
    """Token counts as the API names them. Rows of earlier versions lack some."""

    input_tokens: int
    cached_input_tokens: int
    output_tokens: int
    reasoning_tokens: int


class StoredAttempt(TypedDict):
    """A failed attempt to call a model, as a journal row stores it."""

    model: str
    reason: str


class StoredItem(TypedDict):
    """A `ProviderItem` as a journal row stores it."""

    origin: str
    value: Mapping[str, object]


class StoredCall(TypedDict):
    """A tool call of a model as a journal row stores it. `offered` is left out if it is True."""

    id: str
    name: str
    arguments: str
    offered: NotRequired[bool]


class StepDetails(TypedDict, total=False):
    """What a journal row stores beside text, calls and tokens. Empty values are left out.

    `upto` belongs to a compaction: the last row that it replaces. `images` are the ids of those that a tool returned.
    `unmetered` is True if the answer was cut before the provider told its usage. A call that failed has no
    `finish_reason`; `next_attempt_at` (ISO 8601) says when the run repeats it.
    """

    model: str
    usage: TokenCounts
    unmetered: bool
    cost_usd: str | None
    finish_reason: FinishReason | None
    next_attempt_at: str | None
    attempts: Sequence[StoredAttempt]
    reasoning: str
    opaque: Sequence[StoredItem]
    errors: Sequence[str]
    first_text_ms: int | None
    upto: int
    images: Sequence[str]


class Passage(TypedDict):
    """A passage of a collection that the model of a run has seen. Its `number` counts within the run."""

    number: int
    document_id: int
    collection_id: int
    title: str
    page: int | None
    section: str | None
    passage: int
    text: str


class RunRow(Record, Protocol):
    """A run."""

    id: int
    account_id: int
    agent_id: int | None
    conversation_id: int | None
    attached: bool
    status: str
    model: str
    message: str
    reply: str | None
    reply_seq: int | None
    error: str | None
    options: Mapping[str, object]
    person: str | None
    key_id: int | None
    untrusted: str | None
    format: int
    tools_used: Sequence[str]
    tokens_used: int
    usage: TokenCounts | None
    cost_usd: str | None
    finish_reason: str | None
    output: object
    passages: list[Passage] | None
    citations: Sequence[Mapping[str, object]] | None
    inbox: int
    execution_time_ms: int | None
    created_at: datetime
    started_at: datetime | None
    ended_at: datetime | None
    epoch: int
    attempts: int
    lease_owner: str | None
    lease_until: float


class RunSummary(Record, Protocol):
    """What lists show of a run. `message` is its beginning."""

    id: int
    agent_id: int | None
    model: str
    status: str
    error: str | None
    created_at: datetime
    tokens_used: int
    execution_time_ms: int | None
    message: str


class SpenderOptions(TypedDict, total=False):
    """The options of a run that say who pays for it; see `RunOptions`."""

    sandbox: bool


class EndedRun(Record, Protocol):
    """A cancelled run: whom to wake, and its usage."""

    id: int
    account_id: int
    agent_id: int | None
    conversation_id: int | None
    model: str
    options: SpenderOptions
    person: str | None
    key_id: int | None
    tokens_used: int
    usage: TokenCounts | None
    cost_usd: str | None
    started_at: datetime | None


class JournalRow(Record, Protocol):
    """A row of a run's journal."""

    id: int
    run_id: int
    conversation_id: int | None
    seq: int
    role: str
    content: str
    attachments: Sequence[str] | None
    tool_calls: Sequence[StoredCall] | None
    tool_call_id: str | None
    tool_name: str | None
    tool_arguments: str | None
    state: str
    tokens: int
    details: StepDetails | None
    replaced: bool
    started_at: datetime
    created_at: datetime


class DecidedCall(Record, Protocol):
    """The decision on a tool call. `arguments` is JSON."""

    decision: str | None
    arguments: str
    reason: str | None
    question: StoredQuestion | None
    answer: Mapping[str, object] | None


class ApprovalRow(DecidedCall, Protocol):
    """An approval with its status."""

    id: int
    run_id: int
    seq: int
    agent_id: int | None
    tool: str
    untrusted: str | None
    created_at: datetime
    decided_at: datetime | None
    status: str


class HistoryRow(JournalRow, Protocol):
    """A row of the journal of an earlier run, and the untrusted source of any earlier run in its conversation."""

    untrusted: str | None
