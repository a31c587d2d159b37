"""Creates the deliveries of new events: one for each endpoint that listens to the event."""

from collections import defaultdict
from collections.abc import Iterable

import sqlalchemy as sa
import structlog

from retinue.core.database.interface import Database, DatabaseUnavailable, Tx
from retinue.core.database.portable_sql import among
from retinue.core.database.statements import Row, Statement
from retinue.core.runtime.clock import now
from retinue.core.runtime.ids import new_id
from retinue.core.work.events import PENDING, events
from retinue.core.work.notifier import Notifier, wait
from retinue.webhooks import statements as sql
from retinue.webhooks.tables import IN_FORCE, endpoints
from retinue.webhooks.task_updates import STATES

_log = structlog.get_logger()
_BATCH = 10
"""The most events per transaction. With the maximum of 20 endpoints per account, that is 200 deliveries."""

_SWEEP_S = 2.0
"""How often to poll for events without a wake-up, for example because their process died."""

_WAITING = (
    sa.select(events.c.id)
    .where(PENDING)
    .order_by(events.c.created_at)
    .limit(_BATCH)
    .with_for_update(skip_locked=True)
    .cte("due")
)
_TAKE = Statement(
    sa.update(events)
    .where(events.c.id.in_(sa.select(_WAITING.c.id)))
    .values(handed_out_at=sa.bindparam("moment", type_=events.c.handed_out_at.type))
    .returning(events)
)
_LISTENERS = Statement(
    sa.select(endpoints.c.id, endpoints.c.account_id, endpoints.c.events, endpoints.c.run_id).where(
        among(endpoints.c.account_id, "accounts"),
        IN_FORCE,
        sa.or_(endpoints.c.run_id.is_(None), among(endpoints.c.run_id, "runs")),
    )
)


class FanOut:
    """Creates the deliveries of new events."""

    def __init__(self, database: Database, notifier: Notifier) -> None:
        self._database = database
        self._notifier = notifier

    async def run(self) -> None:
        """Fan out events until cancelled."""
        with self._notifier.waiting("events") as emitted:
            while True:
                if await self.hand_out() < _BATCH:
                    await wait(emitted, _SWEEP_S)

    async def hand_out(self) -> int:
        """Fan out one batch. Returns the number of events."""
        try:
            return await self._database.transact(self._make_deliveries)
        except DatabaseUnavailable as error:
            _log.debug("events.not_handed_out", reason=error.message)
            return 0

    async def _make_deliveries(self, tx: Tx) -> int:
        """Take a batch and create its deliveries, in one transaction. Returns the number of events."""
        batch = sorted(await tx.all(_TAKE, moment=now()), key=lambda event: (event.created_at, event.id))
        if not batch:
            return 0
        runs = sorted({event.data["run_id"] for event in batch if event.name in STATES})
        listeners = await tx.all(_LISTENERS, accounts=sorted({event.account_id for event in batch}), runs=runs)
        for endpoint_id, matching in sorted(_match(batch, listeners).items()):
            # Increment the count first: this locks the endpoint, or matches no row if it was deleted meanwhile.
            if await tx.run(sql.COUNT_DELIVERIES, endpoint=endpoint_id, more=len(matching)):
                await _add(tx, endpoint_id, matching)
                tx.after_commit(self._wake)
        return len(batch)

    def _wake(self) -> None:
        self._notifier.wake_here("deliveries")


def _match(events: Iterable[Row], listeners: Iterable[Row]) -> dict[int, list[Row]]:
    """Return the events for each endpoint, by endpoint id."""
    by_account = defaultdict(list)
    for endpoint in listeners:
        by_account[endpoint.account_id].append(endpoint)
    matched = defaultdict(list)
    for event in events:
        for endpoint in by_account[event.account_id]:
            if _hears(endpoint, event):
                matched[endpoint.id].append(event)
    return matched


def _hears(endpoint: Row, event: Row) -> bool:
    if endpoint.run_id is not None:
        return event.name in STATES and event.data["run_id"] == endpoint.run_id
    return endpoint.events is None or event.name in endpoint.events


async def _add(tx: Tx, endpoint_id: int, events: Iterable[Row]) -> None:
    for event in events:
        await tx.one(
            sql.ADD_DELIVERY,
            public_id=new_id("dlv"),
            endpoint_id=endpoint_id,
            event_id=event.id,
            event=event.name,
            created_at=now(),
        )
