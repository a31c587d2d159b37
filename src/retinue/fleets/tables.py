"""The tables of fleets, deployments and their parts. The next step of a deployment is derived from its rows."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol

import sqlalchemy as sa

from retinue.core.database.owned import Owned
from retinue.core.database.schema import BigInt, Instant, Json, id_column, table
from retinue.core.database.statements import Record
from retinue.core.work.leases import lease_columns
from retinue.fleets.schemas import Kind, PartStatus, Strategy

fleets = table(
    "fleets",
    id_column(),
    sa.Column("account_id", BigInt, nullable=False),
    sa.Column("name", sa.String(100), nullable=False),
    sa.Column("description", sa.String(2000), nullable=False),
    sa.Column("max_agents", sa.Integer, nullable=False),
    sa.Column("auto_scale", sa.Boolean, nullable=False),
    sa.Column("agent_count", sa.Integer, nullable=False, server_default="0"),
    sa.Column("tasks_completed", BigInt, nullable=False, server_default="0"),
    sa.Column("deployments_count", BigInt, nullable=False, server_default="0"),
    sa.Column("created_at", Instant, nullable=False),
    sa.Index(None, "account_id", "id"),
)

deployments = table(
    "deployments",
    id_column(),
    sa.Column("account_id", BigInt, nullable=False),
    sa.Column("fleet_id", BigInt, nullable=False),
    sa.Column("status", sa.String(16), nullable=False),
    sa.Column("strategy", sa.String(16), nullable=False),
    sa.Column("task", sa.String(2000)),
    sa.Column("timeout", sa.Integer, nullable=False),
    sa.Column("members", Json, nullable=False),
    sa.Column("powers", Json, nullable=False),
    sa.Column("result", Json),
    sa.Column("error", sa.Text),
    sa.Column("started_at", Instant, nullable=False),
    sa.Column("deadline", Instant, nullable=False),
    sa.Column("ended_at", Instant),
    *lease_columns(),
    sa.Index(None, "account_id", "id"),
    sa.Index(None, "fleet_id", "id"),
)
"""`members` are the agents as of the start, `powers` the permissions of the credential; `timeout` is in seconds."""

OPEN = deployments.c.ended_at.is_(None)
"""Deployments that have not ended. The partial indexes below contain only these."""

_ENDED = deployments.c.ended_at.is_not(None)
sa.Index(
    "ix_deployments_account_ended",
    deployments.c.account_id,
    deployments.c.ended_at,
    sqlite_where=_ENDED,
    postgresql_where=_ENDED,
)
sa.Index("ix_deployments_open_lease", deployments.c.lease_until, sqlite_where=OPEN, postgresql_where=OPEN)
sa.Index(
    "ix_deployments_open_due",
    deployments.c.account_id,
    deployments.c.lease_until,
    deployments.c.id,
    sqlite_where=OPEN,
    postgresql_where=OPEN,
)
sa.Index("ix_deployments_open_fleet", deployments.c.fleet_id, sqlite_where=OPEN, postgresql_where=OPEN)

parts = table(
    "deployment_parts",
    id_column(),
    sa.Column("deployment_id", BigInt, sa.ForeignKey("deployments.id", ondelete="CASCADE"), nullable=False),
    sa.Column("number", sa.Integer, nullable=False),
    sa.Column("kind", sa.String(16), nullable=False),
    sa.Column("agent_id", BigInt, nullable=False),
    sa.Column("agent_name", sa.String(100), nullable=False),
    sa.Column("agent_role", sa.String(16), nullable=False),
    sa.Column("is_copy", sa.Boolean, nullable=False),
    sa.Column("task", sa.Text),
    sa.Column("run_id", BigInt, unique=True),
    sa.Column("status", sa.String(16), nullable=False),
    sa.Column("error", sa.Text),
    sa.Column("started_at", Instant),
    sa.Column("ended_at", Instant),
    sa.UniqueConstraint("deployment_id", "number"),
)
"""`is_copy` is true if a temporary copy of the agent executes the part. Each part has one run."""

_DEPLOYMENTS = Owned(deployments.c.account_id, batch=20)
OWNED = (Owned(parts.c.deployment_id, _DEPLOYMENTS, cascades=True), _DEPLOYMENTS, Owned(fleets.c.account_id))


class FleetRow(Record, Protocol):
    """A fleet with its status."""

    id: int
    name: str
    description: str
    max_agents: int
    auto_scale: bool
    agent_count: int
    tasks_completed: int
    deployments_count: int
    created_at: datetime
    status: str


class MemberRow(Record, Protocol):
    """An agent of a fleet."""

    id: int
    agent_name: str
    agent_role: str
    task: str | None


class DeploymentRow(Record, Protocol):
    """A deployment. `members` holds the id, name, role and task of each agent."""

    id: int
    account_id: int
    fleet_id: int
    status: str
    strategy: Strategy
    task: str | None
    timeout: int
    members: Sequence[tuple[int, str, str, str | None]]
    powers: Mapping[str, object]
    result: Mapping[str, object] | None
    error: str | None
    started_at: datetime
    deadline: datetime
    ended_at: datetime | None
    epoch: int
    attempts: int
    lease_owner: str | None
    lease_until: float


class PartRow(Record, Protocol):
    """A part of a deployment, with the state of its run if it has one."""

    id: int
    deployment_id: int
    number: int
    kind: Kind
    agent_id: int
    agent_name: str
    agent_role: str
    is_copy: bool
    task: str | None
    run_id: int | None
    status: PartStatus
    error: str | None
    started_at: datetime | None
    ended_at: datetime | None
    reply: str | None
    run_status: PartStatus | None
    run_error: str | None
    run_untrusted: str | None
    run_ended_at: datetime | None
