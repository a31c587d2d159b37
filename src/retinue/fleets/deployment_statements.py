"""SQL statements for deployments and their parts. Every write of a worker checks the epoch of its claim."""

import sqlalchemy as sa

from retinue.core.database.newest_first import newest_first
from retinue.core.database.portable_sql import unix_now
from retinue.core.database.schema import BigInt
from retinue.core.database.statements import Statement
from retinue.core.work.leases import LEASE_S
from retinue.fleets.tables import OPEN, DeploymentRow, PartRow, deployments, parts
from retinue.runs.tables import runs

_ID = sa.bindparam("deployment", type_=BigInt)
_FLEET = (
    deployments.c.fleet_id == sa.bindparam("fleet", type_=BigInt),
    deployments.c.account_id == sa.bindparam("account", type_=BigInt),
)

INSERT: Statement[DeploymentRow] = Statement(
    sa.insert(deployments).returning(deployments),
    [
        "account_id", "fleet_id", "status", "strategy", "task", "timeout", "members", "powers", "started_at",
        "deadline",
    ],
)  # fmt: skip

GET: Statement[DeploymentRow] = Statement(sa.select(deployments).where(deployments.c.id == _ID, *_FLEET))

LIST: Statement[DeploymentRow] = newest_first(sa.select(deployments).where(_FLEET[1]), deployments.c.id, _FLEET[0])
"""Every deployment of a fleet belongs to the fleet's account."""

LOCK_OPEN: Statement[DeploymentRow] = Statement(
    sa.select(deployments).where(deployments.c.id == _ID, OPEN).with_for_update()
)

OPEN_OF_FLEET = Statement(sa.select(deployments.c.id).where(*_FLEET, OPEN))

HOLD: Statement[DeploymentRow] = Statement(
    sa.update(deployments)
    .where(deployments.c.id == _ID, deployments.c.epoch == sa.bindparam("under", type_=BigInt), OPEN)
    .values(lease_until=unix_now() + LEASE_S, attempts=1)
    .returning(deployments)
)
"""Extends the lease. If no row matches, the claim is lost. Locks the row on databases with row locks.

The process survived a move that was committed, so the attempts are reset.
"""

END = Statement(
    sa.update(deployments)
    .where(deployments.c.id == _ID, OPEN)
    .values(
        status=sa.bindparam("outcome", type_=sa.String),
        result=sa.bindparam("found", type_=deployments.c.result.type),
        error=sa.bindparam("reason", type_=sa.Text),
        ended_at=sa.bindparam("moment", type_=deployments.c.ended_at.type),
        lease_owner=None,
        lease_until=0.0,
    )
)

ADD_PART = Statement(
    sa.insert(parts),
    ["deployment_id", "number", "kind", "agent_id", "agent_name", "agent_role", "is_copy", "task", "status"],
)

PARTS: Statement[PartRow] = Statement(
    sa.select(
        parts,
        runs.c.reply,
        runs.c.status.label("run_status"),
        runs.c.error.label("run_error"),
        runs.c.untrusted.label("run_untrusted"),
        runs.c.ended_at.label("run_ended_at"),
    )
    .join(runs, runs.c.id == parts.c.run_id, isouter=True)
    .where(parts.c.deployment_id == _ID)
    .order_by(parts.c.number)
)

_PART = (parts.c.deployment_id == _ID, parts.c.number == sa.bindparam("part", type_=sa.Integer))

START_PART = Statement(
    sa.update(parts)
    .where(*_PART, parts.c.run_id.is_(None))
    .values(
        status="running",
        run_id=sa.bindparam("run", type_=BigInt),
        is_copy=sa.bindparam("as_copy", type_=sa.Boolean),
        started_at=sa.bindparam("moment", type_=parts.c.started_at.type),
    )
)

END_PART = Statement(
    sa.update(parts)
    .where(*_PART, parts.c.ended_at.is_(None))
    .values(
        status=sa.bindparam("outcome", type_=sa.String),
        error=sa.bindparam("reason", type_=sa.Text),
        ended_at=sa.bindparam("moment", type_=parts.c.ended_at.type),
    )
)

COPIES_AT_WORK = Statement(
    sa.select(sa.func.count().label("copies"))
    .select_from(deployments.join(parts, parts.c.deployment_id == deployments.c.id))
    .where(*_FLEET, OPEN, parts.c.status == "running", parts.c.is_copy.is_(True))
)

DUE = Statement(
    sa.select(deployments.c.id).where(
        deployments.c.id == _ID,
        sa.or_(
            deployments.c.ended_at.is_not(None),
            deployments.c.deadline <= sa.bindparam("moment", type_=deployments.c.deadline.type),
            sa.exists().where(
                parts.c.deployment_id == deployments.c.id,
                parts.c.status == "running",
                runs.c.id == parts.c.run_id,
                runs.c.ended_at.is_not(None),
            ),
        ),
    )
)
"""Returns a row if the deployment can advance: it or a run of it has ended, or its deadline has passed."""
