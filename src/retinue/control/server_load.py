"""Implements `retinue top`: the current load of all servers on one database, and today's usage."""

import sqlalchemy as sa

from retinue.core.database.interface import Database
from retinue.core.database.schema import BigInt
from retinue.core.database.statements import Statement
from retinue.core.runtime.clock import now
from retinue.fleets.tables import OPEN as OPEN_DEPLOYMENTS
from retinue.fleets.tables import deployments
from retinue.runs.tables import OPEN as OPEN_RUNS
from retinue.runs.tables import runs
from retinue.schedules.tables import OPEN as OPEN_SCHEDULES
from retinue.schedules.tables import schedules
from retinue.usage.tables import usage_days
from retinue.webhooks.tables import OPEN as OPEN_DELIVERIES
from retinue.webhooks.tables import deliveries

_COUNT = sa.func.count().label("count")
_RUNS = Statement(sa.select(runs.c.status, _COUNT).where(OPEN_RUNS).group_by(runs.c.status))
_SERVERS = Statement(
    sa.select(sa.func.count(sa.distinct(runs.c.lease_owner)).label("count")).where(OPEN_RUNS, runs.c.lease_until > 0)
)
_DEPLOYMENTS = Statement(sa.select(_COUNT).select_from(deployments).where(OPEN_DEPLOYMENTS))
_DELIVERIES = Statement(sa.select(_COUNT).select_from(deliveries).where(OPEN_DELIVERIES))
_SCHEDULES = Statement(
    sa.select(_COUNT)
    .select_from(schedules)
    .where(OPEN_SCHEDULES, schedules.c.enabled.is_(sa.true()), schedules.c.next_at <= sa.bindparam("instant"))
)
_USED = tuple(
    sa.cast(sa.func.coalesce(sa.func.sum(usage_days.c[name]), 0), BigInt).label(name)
    for name in ("count", "errors", "tokens")
)
_USAGE = Statement(
    sa.select(usage_days.c.resource, *_USED)
    .where(usage_days.c.day == sa.bindparam("day"))
    .group_by(usage_days.c.resource)
)


async def describe_load(database: Database) -> dict[str, object]:
    """Return open work by kind and today's usage (UTC) by resource, over all accounts."""
    used = await database.query(_USAGE, day=now().date().isoformat())
    today = {row.resource: {"count": row.count, "errors": row.errors, "tokens": row.tokens} for row in used}
    return {**await count_open_work(database), "today": today}


async def count_open_work(database: Database) -> dict[str, object]:
    """Return the number of open records by kind, over all accounts. Only partial indexes of open work are read."""
    (servers,), (deployed,) = await database.query(_SERVERS), await database.query(_DEPLOYMENTS)
    (pending,), (due,) = await database.query(_DELIVERIES), await database.query(_SCHEDULES, instant=now())
    return {
        "runs": {row.status: row.count for row in await database.query(_RUNS)},
        "servers_at_work": servers.count,
        "deployments": deployed.count,
        "deliveries": pending.count,
        "schedules_due": due.count,
    }
