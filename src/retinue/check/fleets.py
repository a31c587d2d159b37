"""The rules of fleets and deployments."""

from collections.abc import Mapping

import sqlalchemy as sa

from retinue.agents.tables import agents
from retinue.check.statements import children_of, count_of, expired_until
from retinue.core.database.statements import Statement
from retinue.fleets.tables import deployments, fleets, parts
from retinue.runs.tables import runs

_COMPLETED_PARTS = (
    sa.select(sa.func.count())
    .select_from(parts.join(deployments, deployments.c.id == parts.c.deployment_id))
    .where(deployments.c.fleet_id == fleets.c.id, parts.c.status == "completed")
    .scalar_subquery()
)

RULES: Mapping[str, Statement] = {
    "the counter of fleets is wrong": count_of(fleets, "fleets"),
    "a fleet's count of agents is wrong": children_of(fleets, fleets.c.agent_count, agents, agents.c.fleet_id),
    "a fleet's count of deployments is wrong": children_of(
        fleets, fleets.c.deployments_count, deployments, deployments.c.fleet_id
    ),
    "a fleet's count of completed tasks is wrong": Statement(
        sa.select(fleets.c.id, fleets.c.tasks_completed.label("kept"), _COMPLETED_PARTS.label("true")).where(
            (fleets.c.tasks_completed < _COMPLETED_PARTS)
            | ((fleets.c.tasks_completed > _COMPLETED_PARTS) & expired_until("deployments").is_(None))
        )
    ),
    "an agent belongs to a fleet of another account": Statement(
        sa.select(agents.c.id, agents.c.fleet_id)
        .join(fleets, (fleets.c.id == agents.c.fleet_id) & (fleets.c.account_id == agents.c.account_id), isouter=True)
        .where(agents.c.fleet_id.is_not(None), fleets.c.id.is_(None))
    ),
    "a deployment has ended without a result, or the reverse": Statement(
        sa.select(deployments.c.id).where(
            (deployments.c.ended_at.is_not(None) != (deployments.c.status != "running"))
            | (deployments.c.ended_at.is_not(None) != deployments.c.result.is_not(None))
        )
    ),
    "a deployment that has ended is still leased": Statement(
        sa.select(deployments.c.id).where(deployments.c.ended_at.is_not(None), deployments.c.lease_owner.is_not(None))
    ),
    "a deployment that has ended has an open part": Statement(
        sa.select(deployments.c.id, parts.c.number)
        .join(parts, parts.c.deployment_id == deployments.c.id)
        .where(deployments.c.ended_at.is_not(None), parts.c.ended_at.is_(None))
    ),
    "a part's status does not match its run": Statement(
        sa.select(parts.c.deployment_id, parts.c.number, parts.c.status, runs.c.status.label("run_status"))
        .join(runs, runs.c.id == parts.c.run_id)
        .where(parts.c.ended_at.is_not(None), parts.c.status != runs.c.status)
    ),
}
