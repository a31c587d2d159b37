"""Lists, tests and replays the deliveries to one account's endpoints."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TypeVar

from retinue.core.database.interface import Tx
from retinue.core.errors import NotFound, ValidationFailed
from retinue.core.http.envelope import read_from_nearer_end, read_page
from retinue.core.idempotency.keys import note_effect
from retinue.core.runtime.clock import now
from retinue.core.runtime.ids import new_id
from retinue.core.work.events import emit
from retinue.core.work.notifier import Notifier
from retinue.webhooks import statements as sql
from retinue.webhooks.attempts import body_of
from retinue.webhooks.events import WebhookTest
from retinue.webhooks.schemas import DeliveryDetails, DeliveryFilter, DeliveryView
from retinue.webhooks.service import Webhooks
from retinue.webhooks.tables import DeliveryRow, LoggedDelivery

_COUNTED = 100
V = TypeVar("V", bound=DeliveryView)


@dataclass(frozen=True, slots=True)
class Outcomes:
    """How many of the newest deliveries of an endpoint succeeded and failed, and when the latest was created."""

    delivered: int
    failed: int
    latest: datetime | None


@dataclass(frozen=True)
class Deliveries:
    """Reads deliveries and creates new ones on request. Every query is limited to the caller's account."""

    webhooks: Webhooks
    notifier: Notifier

    async def test(self, endpoint_id: int) -> DeliveryView:
        """Send `webhook.test` to this endpoint only."""

        async def write(tx: Tx) -> LoggedDelivery:
            await self.webhooks.lock_enabled(tx, endpoint_id)
            event = WebhookTest(webhook_id=endpoint_id)
            event_id = await emit(tx, self.webhooks.caller.account_id, event, pending=False)
            return await self._add(tx, endpoint_id, event_id, event.event_name)

        return _view(await self.webhooks.database.transact(write), DeliveryView)

    async def page(self, endpoint_id: int, wanted: DeliveryFilter) -> tuple[Sequence[DeliveryView], int]:
        """Return one page of an endpoint's deliveries that pass the filter, newest first, and their total count."""
        row = await self.webhooks.row(endpoint_id)
        if wanted.is_filtered:
            return await self._find(endpoint_id, wanted)
        database, total = self.webhooks.database, row.deliveries_count
        lists = sql.DELIVERIES, sql.OLDEST_DELIVERIES
        rows = await read_from_nearer_end(database, *lists, wanted, total, endpoint=endpoint_id)
        return [_view(delivery, DeliveryView) for delivery in rows], total

    async def _find(self, endpoint_id: int, wanted: DeliveryFilter) -> tuple[Sequence[DeliveryView], int]:
        filters = {
            "endpoint": endpoint_id,
            "state": wanted.status,
            "name": wanted.event,
            "since": wanted.since,
            "until": wanted.until,
        }
        rows = await read_page(self.webhooks.database, sql.FIND_DELIVERIES, wanted, **filters)
        (counted,) = await self.webhooks.database.query(sql.COUNT_FOUND, **filters)
        return [_view(delivery, DeliveryView) for delivery in rows], counted.found

    async def outcomes(self, endpoint_id: int) -> Outcomes:
        """Count the newest deliveries of an endpoint."""
        await self.webhooks.row(endpoint_id)
        rows = await self.webhooks.database.fetch(sql.LATEST_STATUSES, endpoint=endpoint_id, most=_COUNTED)
        statuses = [row.status for row in rows]
        latest = rows[0].created_at if rows else None
        return Outcomes(statuses.count("delivered"), statuses.count("failed"), latest)

    async def get(self, endpoint_id: int, delivery_id: str) -> DeliveryDetails:
        """Return one delivery with all its attempts. Raises `NotFound`."""
        await self.webhooks.row(endpoint_id)
        row = await self.webhooks.database.lookup(sql.DELIVERY, endpoint=endpoint_id, delivery=delivery_id)
        return _view(_delivery(row, delivery_id), DeliveryDetails)

    async def payload(self, delivery: DeliveryView) -> str | None:
        """Return the body that a delivery sends, or None if its event was deleted."""
        event = await self.webhooks.database.lookup(sql.EVENT, event=delivery.event_id)
        return body_of(event).decode() if event else None

    async def replay(self, endpoint_id: int, delivery_id: str) -> DeliveryView:
        """Deliver the same event again, as a new delivery. Raises `ValidationFailed` if the event was deleted."""

        async def write(tx: Tx) -> LoggedDelivery:
            await self.webhooks.lock_enabled(tx, endpoint_id)
            before = _delivery(await tx.one(sql.DELIVERY, endpoint=endpoint_id, delivery=delivery_id), delivery_id)
            if await tx.one(sql.EVENT, event=before.event_id) is None:
                raise ValidationFailed("The event of this delivery is too old and has been deleted.")
            return await self._add(tx, endpoint_id, before.event_id, before.event)

        return _view(await self.webhooks.database.transact(write), DeliveryView)

    async def _add(self, tx: Tx, endpoint_id: int, event_id: str, event: str) -> LoggedDelivery:
        await tx.run(sql.COUNT_DELIVERIES, endpoint=endpoint_id, more=1)
        (row,) = await tx.all(
            sql.ADD_DELIVERY,
            public_id=new_id("dlv"), endpoint_id=endpoint_id, event_id=event_id, event=event, created_at=now(),
        )  # fmt: skip
        await note_effect(tx, self.webhooks.caller.claim, {"delivery": row.public_id})
        tx.after_commit(lambda: self.notifier.wake("deliveries"))
        return row


def _view(row: DeliveryRow, shape: type[V]) -> V:
    waits = row.ended_at is None and row.lease_owner is None
    due = datetime.fromtimestamp(row.lease_until, UTC) if waits else None
    return shape.of_row(row, id=row.public_id, next_attempt_at=due)


def _delivery(row: LoggedDelivery | None, delivery_id: str) -> LoggedDelivery:
    if row is None:
        raise NotFound(f"This endpoint has no delivery {delivery_id[:64]}.")
    return row
