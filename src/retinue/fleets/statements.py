"""SQL statements for fleets. Each one filters by the owning account."""

import sqlalchemy as sa

from retinue.agents.tables import agents
from retinue.core.database.newest_first import newest_first
from retinue.core.database.schema import BigInt
from retinue.core.database.statements import Statement
from retinue.fleets.tables import OPEN, FleetRow, MemberRow, deployments, fleets

_OURS = fleets.c.account_id == sa.bindparam("account", type_=BigInt)
_THIS = (fleets.c.id == sa.bindparam("fleet", type_=BigInt), _OURS)
_MEMBER = (
    agents.c.fleet_id == sa.bindparam("fleet", type_=BigInt),
    agents.c.account_id == sa.bindparam("account", type_=BigInt),
)

STATUS = sa.case(
    (
        sa.exists().where(deployments.c.fleet_id == fleets.c.id, OPEN),
        sa.literal_column("'working'", sa.String),
    ),
    else_=sa.literal_column("'active'", sa.String),
).label("status")
"""A fleet is working while it has an open deployment."""

_RECORD = [column for column in fleets.c if column.name != "account_id"]
_CHANGEABLE = ("name", "description", "max_agents", "auto_scale")

INSERT: Statement[FleetRow] = Statement(
    sa.insert(fleets).returning(*_RECORD, sa.literal_column("'active'", sa.String).label("status")),
    ["account_id", *_CHANGEABLE, "created_at"],
)

GET: Statement[FleetRow] = Statement(sa.select(*_RECORD, STATUS).where(*_THIS))

LOCK: Statement[FleetRow] = Statement(sa.select(*_RECORD, STATUS).where(*_THIS).with_for_update(of=fleets))

LIST: Statement[FleetRow] = newest_first(sa.select(*_RECORD, STATUS), fleets.c.id, _OURS)

UPDATE = Statement(
    sa.update(fleets)
    .where(*_THIS)
    .values(**{name: sa.bindparam(name, type_=fleets.c[name].type) for name in _CHANGEABLE})
)

DELETE = Statement(sa.delete(fleets).where(*_THIS))

TAKE_PLACE = Statement(
    sa.update(fleets)
    .where(*_THIS, fleets.c.agent_count < fleets.c.max_agents)
    .values(agent_count=fleets.c.agent_count + 1)
)

GIVE_PLACE_BACK = Statement(sa.update(fleets).where(*_THIS).values(agent_count=fleets.c.agent_count - 1))

MEMBERS: Statement[MemberRow] = Statement(
    sa.select(agents.c.id, agents.c.agent_name, agents.c.agent_role, agents.c.task)
    .where(*_MEMBER)
    .order_by(agents.c.id)
)

DETACH_MEMBERS = Statement(
    sa.update(agents)
    .where(*_MEMBER)
    .values(fleet_id=None, updated_at=sa.bindparam("moment", type_=agents.c.updated_at.type))
)

COUNT_DEPLOYMENT = Statement(sa.update(fleets).where(*_THIS).values(deployments_count=fleets.c.deployments_count + 1))

COUNT_TASKS = Statement(
    sa.update(fleets)
    .where(*_THIS)
    .values(tasks_completed=fleets.c.tasks_completed + sa.bindparam("completed", type_=BigInt))
)

LOCK_SCALING = Statement(
    sa.select(fleets.c.max_agents, fleets.c.agent_count).where(*_THIS, fleets.c.auto_scale.is_(True)).with_for_update()
)
"""Reads the size of an auto-scaling fleet, with a lock so that two deployments cannot take the same place."""
