"""The worker of deliveries: sends due deliveries, and writes their outcomes in batches."""

import asyncio
from collections import Counter
from collections.abc import Sequence

import structlog

from retinue.core.database.interface import Database, DatabaseUnavailable, Tx
from retinue.core.network.http_client import AddressGuard, guarded_session
from retinue.core.runtime.clock import now
from retinue.core.runtime.failpoints import crash_point
from retinue.core.runtime.tasks import cancel_all
from retinue.core.runtime.vault import Vault
from retinue.core.work.leased_worker import LOOK_S, LeasedWorker
from retinue.core.work.notifier import Notifier
from retinue.webhooks import queue
from retinue.webhooks.attempts import ClaimedDelivery, DeliveryAttempt, DeliveryResult, RetrySchedule
from retinue.webhooks.sender import PATIENCE_S, Sender

_log = structlog.get_logger()

AT_ONCE = 100
"""The most concurrent attempts in this process."""

PER_ENDPOINT = 10
PER_FAILING_ENDPOINT = 2
"""The most concurrent attempts per endpoint; fewer for a failing one, so that dead receivers use little capacity."""

_LAST_CHANCE_S = 3.0
"""How long a shutdown waits for attempts in progress."""


class DeliveryWorker(LeasedWorker[ClaimedDelivery]):
    """Sends the deliveries that this process has claimed."""

    leases, topic, at_once = queue.LEASES, "deliveries", AT_ONCE

    def __init__(
        self,
        database: Database,
        notifier: Notifier,
        vault: Vault,
        guard: AddressGuard,
        node: str,
        delays: Sequence[float],
    ) -> None:
        super().__init__(database, notifier, node)
        self._vault = vault
        self._guard = guard
        self._schedule = RetrySchedule(delays)
        self._results: list[DeliveryResult] = []

    async def run(self) -> None:
        """Send deliveries until cancelled."""
        self._session = guarded_session(self._guard, total_s=PATIENCE_S)
        self._sender = Sender(self._session, self._vault)
        await super().run()

    async def stop(self) -> None:
        """Wait briefly for attempts in progress, write their outcomes, and release the others."""
        under_way = list(self._tasks.values())
        if under_way:
            await asyncio.wait([task for _, task in under_way], timeout=_LAST_CHANCE_S)
        broken_off = [delivery for delivery, task in under_way if not task.done()]
        await cancel_all(task for _, task in self._tasks.values())
        results, self._results = self._results, []

        async def hand_back(tx: Tx) -> None:
            await queue.write(tx, results)
            await queue.hand_back(tx, broken_off)
            await queue.LEASES.end_leases(tx, self._node)

        try:
            await self._database.transact(hand_back)
        except DatabaseUnavailable as error:
            _log.warning("webhooks.not_handed_back", reason=error.message)
        await self._session.close()

    async def turn(self, sweeping: bool) -> float:
        """Write outcomes and claim work in one transaction."""
        results, self._results = self._results, []

        async def write_and_claim(tx: Tx) -> list[ClaimedDelivery]:
            await queue.write(tx, results)
            return await self.claim(tx, sweeping)

        try:
            claimed = await self._database.transact(write_and_claim)
        except DatabaseUnavailable:
            self._results = results + self._results
            raise
        self._await_retries(results)
        await self.begin_all(claimed)
        return LOOK_S

    async def claim(self, tx: Tx, sweeping: bool) -> list[ClaimedDelivery]:
        """Claim deliveries within the limits of this process and of each endpoint."""
        counts = Counter(delivery.endpoint_id for delivery in self.under_way())

        def room_of(endpoint_id: int, failing: bool) -> int:
            return (PER_FAILING_ENDPOINT if failing else PER_ENDPOINT) - counts[endpoint_id]

        return await queue.claim(tx, self._node, self.free, room_of)

    def _await_retries(self, results: Sequence[DeliveryResult]) -> None:
        """Schedule a turn for each retry that is due before the next sweep."""
        loop = asyncio.get_running_loop()
        for result in results:
            if result.delay_s is not None and result.delay_s < LOOK_S:
                loop.call_later(result.delay_s, self._notifier.wake_here, self.topic)

    async def work(self, item: ClaimedDelivery) -> None:
        """Send a delivery."""
        crash_point("webhooks.claimed")
        try:
            attempt = await self._sender.send(item)
        except Exception:  # noqa: BLE001 - the attempt must end after any error
            _log.exception("webhooks.attempt_broke", delivery=item.public_id)
            attempt = DeliveryAttempt(now(), 0, error="The attempt failed because of a server error.")
        self._results.append(self._schedule.result(item, attempt))
