"""The delivery queue: claims due deliveries and writes their outcomes."""

import random
from collections import defaultdict
from collections.abc import Callable, Sequence
from datetime import timedelta

import sqlalchemy as sa

from retinue.core.database.interface import Tx
from retinue.core.database.portable_sql import among, unix_now
from retinue.core.database.schema import BigInt
from retinue.core.database.statements import Row, Statement
from retinue.core.runtime.clock import now
from retinue.core.work.events import events
from retinue.core.work.leases import ABANDONED, ATTEMPTS, Leases
from retinue.webhooks import statements as sql
from retinue.webhooks.attempts import ClaimedDelivery, DeliveryAttempt, DeliveryResult, interrupted_attempt
from retinue.webhooks.tables import IN_FORCE, OPEN, deliveries, endpoints

DISABLED_AFTER = timedelta(days=5)
"""An endpoint is disabled after every attempt has failed for this long."""

_ENDPOINT = endpoints.c.id == sa.bindparam("endpoint", type_=BigInt)
_MOMENT = sa.bindparam("moment", type_=endpoints.c.failing_since.type)

LEASES = Leases(
    deliveries,
    open_work=OPEN,
    claimed={},
    part=deliveries.c.endpoint_id == sa.bindparam("endpoint", type_=BigInt),
)

_DUE = sa.select(sa.func.min(deliveries.c.endpoint_id).label("endpoint_id")).where(OPEN).cte("due", recursive=True)
_LATER = deliveries.alias("later")
_NEXT = (
    sa.select(sa.func.min(_LATER.c.endpoint_id))
    .where(_LATER.c.ended_at.is_(None), _LATER.c.endpoint_id > _DUE.c.endpoint_id)
    .scalar_subquery()
)
_WITH_WORK = _DUE.union_all(sa.select(_NEXT).where(_DUE.c.endpoint_id.is_not(None)))
_DUE_ENDPOINTS = Statement(
    sa.select(endpoints.c.id, endpoints.c.failing_since)
    .join(_WITH_WORK, _WITH_WORK.c.endpoint_id == endpoints.c.id)
    .where(sa.exists().where(deliveries.c.endpoint_id == endpoints.c.id, OPEN, deliveries.c.lease_until < unix_now()))
)
"""Endpoints with due deliveries. Takes one index lookup per endpoint with open deliveries, however many it has."""

_ENDPOINTS = Statement(sa.select(endpoints, IN_FORCE.label("in_force")).where(among(endpoints.c.id, "ids")))
_EVENTS = Statement(sa.select(events).where(among(events.c.id, "ids")))

_FAILING = Statement(
    sa.update(endpoints)
    .where(_ENDPOINT)
    .values(failing_since=sa.func.coalesce(endpoints.c.failing_since, _MOMENT))
    .returning(endpoints.c.failing_since, endpoints.c.enabled)
)
_RECOVERED = Statement(
    sa.update(endpoints).where(_ENDPOINT, endpoints.c.failing_since.is_not(None)).values(failing_since=None)
)
_DISABLE = Statement(
    sa.update(endpoints)
    .where(_ENDPOINT)
    .values(enabled=False, disabled_reason=sa.bindparam("reason", type_=sa.Text), updated_at=_MOMENT)
)
_WRITE = Statement(
    sa.update(deliveries)
    .where(
        deliveries.c.id == sa.bindparam("delivery", type_=BigInt),
        deliveries.c.epoch == sa.bindparam("under", type_=BigInt),
        OPEN,
    )
    .values(
        status=sa.bindparam("outcome", type_=sa.String),
        log=sa.bindparam("entries", type_=deliveries.c.log.type),
        ended_at=sa.bindparam("ended", type_=deliveries.c.ended_at.type),
        lease_owner=None,
        lease_until=unix_now() + sa.bindparam("delay", type_=sa.Double),
    )
)
_CANCEL = Statement(
    sa.update(deliveries)
    .where(among(deliveries.c.id, "ids"), OPEN)
    .values(status="cancelled", ended_at=sa.bindparam("moment", type_=deliveries.c.ended_at.type), lease_owner=None)
)


async def claim(tx: Tx, owner: str, at_most: int, room: Callable[[int, bool], int]) -> list[ClaimedDelivery]:
    """Claim up to `at_most` due deliveries. `room(endpoint_id, failing)` returns the limit for an endpoint.

    The endpoints are in random order, so that none is preferred.
    """
    due = await tx.all(_DUE_ENDPOINTS)
    random.shuffle(due)
    rows: list[Row] = []
    for endpoint in due:
        most = min(room(endpoint.id, endpoint.failing_since is not None), at_most - len(rows))
        if most > 0:
            rows += await LEASES.claim(tx, owner, most, endpoint=endpoint.id)
    return await _pack(tx, rows) if rows else []


async def _pack(tx: Tx, rows: Sequence[Row]) -> list[ClaimedDelivery]:
    """Return claimed deliveries with their endpoints and events.

    Cancels deliveries whose endpoint is not in force or whose event was deleted, and fails deliveries that were
    interrupted too often.
    """
    found = {row.id: row for row in await tx.all(_ENDPOINTS, ids=sorted({row.endpoint_id for row in rows}))}
    events = {row.id: row for row in await tx.all(_EVENTS, ids=sorted({row.event_id for row in rows}))}
    moment = now()
    off = {row.id for row in rows if not found[row.endpoint_id].in_force or row.event_id not in events}
    if off:
        await tx.run(_CANCEL, ids=sorted(off), moment=moment)
    claimed = [
        ClaimedDelivery.of(row, found[row.endpoint_id], events[row.event_id], moment)
        for row in rows
        if row.id not in off
    ]
    for delivery in claimed:
        if delivery.interrupted >= ATTEMPTS:
            await _give_up(tx, delivery)
    return [delivery for delivery in claimed if delivery.interrupted < ATTEMPTS]


async def _give_up(tx: Tx, delivery: ClaimedDelivery) -> None:
    """Fail a delivery, with the reason in its log. It can still be replayed."""
    attempt = DeliveryAttempt(now(), 0, error=ABANDONED)
    await _write_one(tx, DeliveryResult(delivery, attempt, None), open_to_more=False)


async def write(tx: Tx, results: Sequence[DeliveryResult]) -> None:
    """Write the outcomes of attempts and update the endpoints' health. Deliveries of a lost claim are unchanged."""
    by_endpoint: dict[int, list[DeliveryResult]] = defaultdict(list)
    for result in results:
        by_endpoint[result.delivery.endpoint_id].append(result)
    for endpoint_id, group in sorted(by_endpoint.items()):
        open_to_more = await _judge(tx, endpoint_id, group)
        for result in group:
            await _write_one(tx, result, open_to_more)


async def hand_back(tx: Tx, claimed: Sequence[ClaimedDelivery]) -> None:
    """Release deliveries whose attempts a shutdown interrupted. The attempts are logged but do not count."""
    for delivery in claimed:
        entries = [*delivery.log, interrupted_attempt(len(delivery.log) + 1)]
        key = {"delivery": delivery.id, "under": delivery.epoch}
        await tx.run(_WRITE, **key, outcome="pending", entries=entries, ended=None, delay=0.0)


async def _judge(tx: Tx, endpoint_id: int, group: Sequence[DeliveryResult]) -> bool:
    """Update the endpoint's health, and disable it if necessary. Returns whether it is still enabled."""
    moment = now()
    if any(result.gone for result in group):
        return await _disable(tx, endpoint_id, "The receiver answered 410 Gone.")
    if any(result.delivered for result in group):
        await tx.run(_RECOVERED, endpoint=endpoint_id)
        return True
    endpoint = await tx.one(_FAILING, endpoint=endpoint_id, moment=moment)
    if endpoint is None or not endpoint.enabled:
        return False
    if moment - endpoint.failing_since >= DISABLED_AFTER:
        return await _disable(tx, endpoint_id, f"Every attempt has failed for {DISABLED_AFTER.days} days.")
    return True


async def _disable(tx: Tx, endpoint_id: int, reason: str) -> bool:
    moment = now()
    await tx.run(_DISABLE, endpoint=endpoint_id, reason=reason, moment=moment)
    await tx.run(sql.CANCEL_WAITING, endpoint=endpoint_id, moment=moment)
    return False


async def _write_one(tx: Tx, result: DeliveryResult, open_to_more: bool) -> None:
    again = result.delay_s is not None and open_to_more
    failed = "pending" if again else "failed"
    await tx.run(
        _WRITE,
        delivery=result.delivery.id,
        under=result.delivery.epoch,
        outcome="delivered" if result.delivered else failed,
        entries=result.log(),
        ended=None if again else now(),
        delay=result.delay_s or 0.0,
    )
