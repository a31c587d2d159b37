"""SQL statements for agents. Each one filters by the owning account."""

from typing import Any

import sqlalchemy as sa

from retinue.agents.tables import (
    AgentBrief,
    AgentOverview,
    AgentReferences,
    AgentRow,
    AgentSkills,
    CountedAgent,
    agents,
)
from retinue.core.database.newest_first import newest_first
from retinue.core.database.portable_sql import among
from retinue.core.database.schema import BigInt
from retinue.core.database.statements import Statement
from retinue.memory.tables import jobs
from retinue.runs.tables import OPEN, runs

_OURS = agents.c.account_id == sa.bindparam("account", type_=BigInt)
_THIS = (agents.c.id == sa.bindparam("agent", type_=BigInt), _OURS)

_HAS_OPEN_RUN = sa.exists().where(runs.c.agent_id == agents.c.id, OPEN)
_LAST_OUTCOME = (
    sa.select(runs.c.status)
    .where(
        runs.c.agent_id == agents.c.id,
        runs.c.ended_at.is_not(None),
        sa.or_(agents.c.settled_at.is_(None), runs.c.ended_at > agents.c.settled_at),
    )
    .order_by(runs.c.ended_at.desc())
    .limit(1)
    .scalar_subquery()
)

_HAS_RUN = agents.c.runs_count > 0
"""Checked first, so that an agent that never ran needs no lookup in `runs`."""

STATUS = sa.case(
    (sa.and_(_HAS_RUN, _HAS_OPEN_RUN), sa.literal_column("'working'", sa.String)),
    (
        sa.and_(_HAS_RUN, sa.literal_column("'failed'", sa.String) == _LAST_OUTCOME),
        sa.literal_column("'error'", sa.String),
    ),
    (agents.c.deployed_at.is_not(None), sa.literal_column("'working'", sa.String)),
    else_=sa.literal_column("'idle'", sa.String),
).label("status")
"""An agent is working while it has an open run or is deployed; a failed last run sets the status to error."""

_UNSEEN = {"account_id", "runs_count", "deployed_at", "settled_at"}
_RECORD: list[Any] = [column for column in agents.c if column.name not in _UNSEEN]

CHANGEABLE = (
    "agent_name", "agent_role", "instructions", "task", "skills", "model", "fallback_models", "temperature",
    "max_output_tokens", "reasoning_effort", "output_schema", "budget", "agents", "knowledge", "agent_skills", "memory",
    "greeting", "metadata", "fleet_id", "voice_enabled", "voice_engine", "voice", "approval", "approval_derived",
    "monthly_tokens", "monthly_credits", "monthly_cost_usd",
)  # fmt: skip

USING_SKILLS: Statement[AgentSkills] = Statement(
    sa.select(agents.c.id, agents.c.agent_name, agents.c.agent_skills).where(_OURS)
)

REFERENCES: Statement[AgentReferences] = Statement(
    sa.select(*(agents.c[name] for name in ("id", "agent_name", "model", "fallback_models", "knowledge", "agents")))
    .where(_OURS)
    .order_by(agents.c.id)
)

INSERT: Statement[AgentRow] = Statement(
    sa.insert(agents).returning(*_RECORD, sa.literal_column("'idle'", sa.String).label("status")),
    ["account_id", *CHANGEABLE, "created_at", "updated_at"],
)

GET: Statement[AgentRow] = Statement(sa.select(*_RECORD, STATUS).where(*_THIS))

RECORD: Statement[CountedAgent] = Statement(sa.select(*_RECORD, agents.c.runs_count).where(*_THIS))
"""Returns the run count instead of the status, which is most of the cost of `GET`."""

LOCK: Statement[AgentRow] = Statement(sa.select(*_RECORD, STATUS).where(*_THIS).with_for_update(of=agents))

NAMED: Statement[AgentBrief] = Statement(
    sa.select(
        agents.c.id,
        agents.c.agent_name,
        agents.c.agent_role,
        agents.c.task,
        sa.func.substr(agents.c.instructions, 1, 400).label("instructions"),
    )
    .where(among(agents.c.id, "these"), _OURS)
    .order_by(agents.c.id)
)

LIST: Statement[AgentRow] = newest_first(sa.select(*_RECORD, STATUS), agents.c.id, _OURS)

_NAMED_SO = agents.c.agent_name.ilike(sa.bindparam("pattern", type_=sa.String), escape="\\")
_LAST_RUN = (
    sa.select(runs.c.created_at)
    .where(runs.c.agent_id == agents.c.id)
    .order_by(runs.c.id.desc())
    .limit(1)
    .scalar_subquery()
)
OVERVIEW: Statement[AgentOverview] = newest_first(
    sa.select(*_RECORD, STATUS, _LAST_RUN.label("last_run_at")), agents.c.id, _OURS
)
SEARCH: Statement[AgentOverview] = Statement(
    sa.select(*_RECORD, STATUS, _LAST_RUN.label("last_run_at"))
    .where(_OURS, _NAMED_SO)
    .order_by(agents.c.id.desc())
    .limit(sa.bindparam("most", type_=sa.Integer))
)

UPDATE = Statement(
    sa.update(agents)
    .where(*_THIS)
    .values(
        **{name: sa.bindparam(name, type_=agents.c[name].type) for name in CHANGEABLE},
        updated_at=sa.bindparam("moment", type_=agents.c.updated_at.type),
        settled_at=sa.bindparam("moment", type_=agents.c.updated_at.type),
    )
)

COUNT_RUN = Statement(sa.update(agents).where(*_THIS).values(runs_count=agents.c.runs_count + 1))
"""Counts a run that the same transaction adds. Matches no row if the agent does not exist."""

UNCOUNT_RUNS = Statement(
    sa.update(agents)
    .where(agents.c.id == sa.bindparam("agent", type_=BigInt))
    .values(runs_count=agents.c.runs_count - sa.bindparam("gone", type_=BigInt))
)

STAND = Statement(
    sa.update(agents)
    .where(*_THIS)
    .values(
        deployed_at=sa.bindparam("moment", type_=agents.c.deployed_at.type),
        settled_at=sa.bindparam("moment", type_=agents.c.settled_at.type),
    )
)

STOP = Statement(
    sa.update(agents)
    .where(*_THIS)
    .values(deployed_at=None, settled_at=sa.bindparam("moment", type_=agents.c.settled_at.type))
)

DELETE = Statement(sa.delete(agents).where(*_THIS))

DROP_MEMORY_JOBS = Statement(
    sa.delete(jobs).where(
        jobs.c.account_id == sa.bindparam("account", type_=BigInt),
        sa.exists().where(runs.c.id == jobs.c.run_id, runs.c.agent_id == sa.bindparam("agent", type_=BigInt)),
    )
)
"""Drops the extraction of facts from an agent's runs."""
