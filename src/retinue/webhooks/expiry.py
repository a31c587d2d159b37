"""Deletes old events and deliveries, oldest first by id, because ids are in order of time."""

from collections import Counter
from datetime import datetime

import sqlalchemy as sa

from retinue.core.database.interface import Tx
from retinue.core.database.portable_sql import among
from retinue.core.database.schema import BigInt
from retinue.core.database.statements import Statement
from retinue.core.work.events import events
from retinue.core.work.retention import BATCH
from retinue.webhooks import statements as sql
from retinue.webhooks.tables import deliveries, endpoints

_OLDEST_EVENTS = Statement(
    sa.select(events.c.id, events.c.created_at, events.c.handed_out_at)
    .where(events.c.id > sa.bindparam("after", type_=sa.String))
    .order_by(events.c.id)
    .limit(BATCH)
)
_DELETE_EVENTS = Statement(sa.delete(events).where(among(events.c.id, "ids")))

_OLDEST_DELIVERIES = Statement(
    sa.select(deliveries.c.id, deliveries.c.endpoint_id, deliveries.c.created_at, deliveries.c.ended_at)
    .where(deliveries.c.id > sa.bindparam("after", type_=BigInt))
    .order_by(deliveries.c.id)
    .limit(BATCH)
)
_OLDEST_TASK_ENDPOINTS = Statement(
    sa.select(endpoints.c.id, endpoints.c.created_at)
    .where(endpoints.c.run_id.is_not(None), endpoints.c.id > sa.bindparam("after", type_=BigInt))
    .order_by(endpoints.c.id)
    .limit(BATCH)
)
_DELETE_ENDPOINTS = Statement(sa.delete(endpoints).where(among(endpoints.c.id, "ids")))
_DELETE_DELIVERIES = Statement(sa.delete(deliveries).where(among(deliveries.c.id, "ids")))


async def remove_events(tx: Tx, before: datetime, after: object) -> object:
    """Delete one batch of fanned-out events created before `before`. Their pending deliveries will be cancelled."""
    rows = await tx.all(_OLDEST_EVENTS, after=after or "")
    old = [row for row in rows if row.created_at < before]
    if ids := [row.id for row in old if row.handed_out_at]:
        await tx.run(_DELETE_EVENTS, ids=ids)
    return old[-1].id if len(old) == BATCH else None


async def remove_task_endpoints(tx: Tx, before: datetime, after: object) -> object:
    """Delete one batch of endpoints of tasks of A2A created before `before`, with their deliveries."""
    rows = await tx.all(_OLDEST_TASK_ENDPOINTS, after=after or 0)
    old = [row for row in rows if row.created_at < before]
    if old:
        await tx.run(_DELETE_ENDPOINTS, ids=[row.id for row in old])
    return old[-1].id if len(old) == BATCH else None


async def remove_deliveries(tx: Tx, before: datetime, after: object) -> object:
    """Delete one batch of ended deliveries created before `before`, with their attempts."""
    rows = await tx.all(_OLDEST_DELIVERIES, after=after or 0)
    old = [row for row in rows if row.created_at < before]
    deletable = [row for row in old if row.ended_at]
    for endpoint, count in sorted(Counter(row.endpoint_id for row in deletable).items()):
        await tx.run(sql.COUNT_DELIVERIES, endpoint=endpoint, more=-count)
    if deletable:
        await tx.run(_DELETE_DELIVERIES, ids=[row.id for row in deletable])
    return old[-1].id if len(old) == BATCH else None
