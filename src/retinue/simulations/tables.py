"""The tables of simulations and their conversations. The next step of a conversation is derived from its row."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import NotRequired, Protocol, TypedDict

import sqlalchemy as sa

from retinue.core.database.owned import Owned
from retinue.core.database.schema import BigInt, Instant, Json, id_column, table
from retinue.core.database.statements import Record
from retinue.core.work.leases import lease_columns

simulations = table(
    "simulations",
    id_column(),
    sa.Column("account_id", BigInt, nullable=False),
    sa.Column("name", sa.String(100), nullable=False),
    sa.Column("agent_id", BigInt, nullable=False),
    sa.Column("agent_name", sa.String(100), nullable=False),
    sa.Column("agent_version", sa.String(12), nullable=False),
    sa.Column("scenarios", Json, nullable=False),
    sa.Column("model", sa.String(100), nullable=False),
    sa.Column("mode", sa.String(8), nullable=False, server_default="text"),
    sa.Column("tools", sa.String(16), nullable=False),
    sa.Column("max_turns", sa.Integer, nullable=False),
    sa.Column("repeat", sa.Integer, nullable=False),
    sa.Column("powers", Json, nullable=False),
    sa.Column("status", sa.String(16), nullable=False),
    sa.Column("begun", sa.Integer, nullable=False, server_default="0"),
    sa.Column("total", sa.Integer, nullable=False),
    sa.Column("created_at", Instant, nullable=False),
    sa.Column("ended_at", Instant),
    sa.Index(None, "account_id", "id"),
)
"""`powers` are the permissions of the credential. `begun` counts the conversations that have rows, of `total`."""

OPEN = simulations.c.ended_at.is_(None)
"""Simulations that have not ended. The partial index below contains only these."""

sa.Index("ix_simulations_open_id", simulations.c.id, sqlite_where=OPEN, postgresql_where=OPEN)

conversations = table(
    "simulated_conversations",
    id_column(),
    sa.Column("account_id", BigInt, nullable=False),
    sa.Column("simulation_id", BigInt, sa.ForeignKey("simulations.id", ondelete="CASCADE"), nullable=False),
    sa.Column("number", sa.Integer, nullable=False),
    sa.Column("scenario", sa.Integer, nullable=False),
    sa.Column("status", sa.String(16), nullable=False),
    sa.Column("speaker", sa.String(8), nullable=False),
    sa.Column("run_id", BigInt),
    sa.Column("conversation_id", sa.String(40)),
    sa.Column("transcript", Json, nullable=False),
    sa.Column("turns", sa.Integer, nullable=False),
    sa.Column("ending", sa.String(16)),
    sa.Column("goal_reached", sa.Boolean),
    sa.Column("reason", sa.Text),
    sa.Column("verdicts", Json),
    sa.Column("passed", Json),
    sa.Column("error", sa.Text),
    sa.Column("tokens_used", BigInt, nullable=False),
    sa.Column("cost_usd", sa.String(40)),
    sa.Column("first_text_ms", BigInt),
    sa.Column("reply_ms", BigInt),
    sa.Column("created_at", Instant, nullable=False),
    sa.Column("ended_at", Instant),
    *lease_columns(),
    sa.UniqueConstraint("simulation_id", "number"),
)
"""`number` and `scenario` count from 1. `speaker` is the role that the run `run_id` plays: `person`, `agent` or
`judge`. `run_id` is null while the opening of a scenario is spoken, and after the end. `conversation_id` is the public
id of the chat with the agent; null if the agent was deleted before it began. `passed` repeats the results in
`verdicts`. `first_text_ms` and `reply_ms` are the means of the agent's replies. The process that speaks the words of a
step holds the lease until the step is taken; `attempts` counts the processes that began to speak them.
"""

RUNNING = conversations.c.status == sa.literal_column("'running'", sa.String)
sa.Index(
    "ix_simulated_conversations_open_account",
    conversations.c.account_id,
    sqlite_where=RUNNING,
    postgresql_where=RUNNING,
)

_SIMULATIONS = Owned(simulations.c.account_id, batch=5)
OWNED = (Owned(conversations.c.simulation_id, _SIMULATIONS, cascades=True), _SIMULATIONS)


class Scenario(TypedDict):
    """Whom the agent talks with, and how the conversation is rated. Older scenarios have no `noise`."""

    name: str
    persona: str
    goal: str
    opening: str | None
    noise: NotRequired[str | None]
    success_criteria: Sequence[str]


class Line(TypedDict):
    """A message of a conversation. The times are in milliseconds from the beginning of the run; None for the person.

    `heard` is what the other side understood of a spoken message; None if nobody listened to it. Conversations that
    began before there was sound do not have it.
    """

    role: str
    text: str
    heard: NotRequired[str | None]
    run_id: int | None
    tools_used: Sequence[str]
    first_text_ms: int | None
    reply_ms: int | None


class Verdict(TypedDict):
    """What the judge says about a criterion."""

    criterion: str
    passed: bool
    reason: str


class SimulationRow(Record, Protocol):
    """A simulation."""

    id: int
    account_id: int
    name: str
    agent_id: int
    agent_name: str
    agent_version: str
    scenarios: Sequence[Scenario]
    model: str
    mode: str
    tools: str
    max_turns: int
    repeat: int
    powers: Mapping[str, object]
    status: str
    begun: int
    total: int
    created_at: datetime
    ended_at: datetime | None


class SimulatedRow(Record, Protocol):
    """A conversation of a simulation."""

    id: int
    account_id: int
    simulation_id: int
    number: int
    scenario: int
    status: str
    speaker: str
    run_id: int | None
    conversation_id: str | None
    transcript: Sequence[Line]
    turns: int
    ending: str | None
    goal_reached: bool | None
    reason: str | None
    verdicts: Sequence[Verdict] | None
    passed: Sequence[bool] | None
    error: str | None
    tokens_used: int
    cost_usd: str | None
    first_text_ms: int | None
    reply_ms: int | None
    created_at: datetime
    ended_at: datetime | None
    epoch: int
    attempts: int
