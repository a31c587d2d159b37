"""The table of agents."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol

import sqlalchemy as sa

from retinue.core.database.owned import Owned
from retinue.core.database.schema import BigInt, Instant, Json, id_column, table
from retinue.core.database.statements import Record

agents = table(
    "agents",
    id_column(),
    sa.Column("account_id", BigInt, nullable=False),
    sa.Column("agent_name", sa.String(100), nullable=False),
    sa.Column("agent_role", sa.String(16), nullable=False),
    sa.Column("instructions", sa.Text),
    sa.Column("task", sa.String(2000)),
    sa.Column("model", sa.String(100)),
    sa.Column("fallback_models", Json, nullable=False, server_default="[]"),
    sa.Column("temperature", sa.Double),
    sa.Column("max_output_tokens", BigInt),
    sa.Column("reasoning_effort", sa.String(16)),
    sa.Column("output_schema", Json),
    sa.Column("budget", Json),
    sa.Column("agents", Json, nullable=False, server_default="[]"),
    sa.Column("knowledge", Json, nullable=False, server_default="[]"),
    sa.Column("agent_skills", Json, nullable=False, server_default="[]"),
    sa.Column("memory", sa.String(8), nullable=False, server_default="none"),
    sa.Column("greeting", sa.String(1000)),
    sa.Column("metadata", Json, nullable=False, server_default="{}"),
    sa.Column("skills", Json, nullable=False),
    sa.Column("fleet_id", BigInt),
    sa.Column("voice_enabled", sa.Boolean, nullable=False),
    sa.Column("voice_engine", sa.String(16), nullable=False),
    sa.Column("voice", Json),
    sa.Column("approval", sa.String(16), nullable=False, server_default="none"),
    sa.Column("approval_derived", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.Column("monthly_tokens", BigInt),
    sa.Column("monthly_credits", BigInt),
    sa.Column("monthly_cost_usd", sa.String(20)),
    sa.Column("runs_count", BigInt, nullable=False, server_default="0"),
    sa.Column("deployed_at", Instant),
    sa.Column("settled_at", Instant),
    sa.Column("created_at", Instant, nullable=False),
    sa.Column("updated_at", Instant, nullable=False),
    sa.Index(None, "account_id", "id"),
    sa.Index(None, "fleet_id", "id"),
)
"""The status is not stored but derived from the runs. `deployed_at` is set while an agent is deployed without a task.
A failure before `settled_at` no longer counts. `approval_derived` says that `approval` follows from `skills` and
`agent_skills`. `budget` and `voice` hold only what its owner chose. `monthly_cost_usd` is a decimal number.
"""

OWNED = (Owned(agents.c.account_id),)


class AgentRecord(Record, Protocol):
    """An agent, without what is derived from its runs."""

    id: int
    agent_name: str
    agent_role: str
    instructions: str | None
    task: str | None
    model: str | None
    fallback_models: Sequence[str]
    temperature: float | None
    max_output_tokens: int | None
    reasoning_effort: str | None
    output_schema: dict[str, object] | None
    budget: Mapping[str, object] | None
    agents: Sequence[int]
    knowledge: Sequence[int]
    agent_skills: Sequence[int]
    memory: str
    greeting: str | None
    metadata: Mapping[str, str]
    skills: Sequence[str]
    fleet_id: int | None
    voice_enabled: bool
    voice_engine: str
    voice: dict[str, object] | None
    approval: str
    approval_derived: bool
    monthly_tokens: int | None
    monthly_credits: int | None
    monthly_cost_usd: str | None
    created_at: datetime
    updated_at: datetime


class CountedAgent(AgentRecord, Protocol):
    """An agent with its number of runs."""

    runs_count: int


class AgentRow(AgentRecord, Protocol):
    """An agent with its status."""

    status: str


class AgentOverview(AgentRow, Protocol):
    """An agent with its status and the time of its last run."""

    last_run_at: datetime | None


class AgentBrief(Record, Protocol):
    """What is needed to choose an agent among several."""

    id: int
    agent_name: str
    agent_role: str
    task: str | None
    instructions: str | None


class AgentReferences(Record, Protocol):
    """The models, the collections and the other agents that an agent uses."""

    id: int
    agent_name: str
    model: str | None
    fallback_models: Sequence[str]
    knowledge: Sequence[int]
    agents: Sequence[int]


class AgentSkills(Record, Protocol):
    """Which skills an agent has."""

    id: int
    agent_name: str
    agent_skills: Sequence[int]
