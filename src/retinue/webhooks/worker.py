"""The worker: claims deliveries that are due, sends them, and writes what came of them, many at a time."""

import asyncio
from collections import Counter
from collections.abc import Sequence

import structlog

from retinue.core.clock import now
from retinue.core.crash import crash_point
from retinue.core.database import Database, DatabaseUnavailable, Tx
from retinue.core.http_client import Guard, guarded_session
from retinue.core.leases import RENEW_S, take_over_dead
from retinue.core.secrets import Vault
from retinue.core.wakeups import Wakeups, wait
from retinue.webhooks import queue
from retinue.webhooks.parcels import Attempt, Parcel, Result, Schedule
from retinue.webhooks.sender import PATIENCE_S, Sender

_log = structlog.get_logger()

AT_ONCE = 100
"""Attempts under way in this process."""

PER_ENDPOINT = 10
PER_FAILING_ENDPOINT = 2
"""Those at one endpoint; fewer where the last ones failed, so that dead receivers take little of the room."""

_SWEEP_S = 1.0
"""Seconds between polls for work that no wake-up announced, such as retries."""

_LAST_CHANCE_S = 3.0
"""How long a shutdown waits for attempts under way."""


class Deliverer:
    """This process's share of the deliveries."""

    def __init__(
        self, database: Database, wakeups: Wakeups, vault: Vault, guard: Guard, node: str, delays: Sequence[float]
    ) -> None:
        self._database = database
        self._wakeups = wakeups
        self._vault = vault
        self._guard = guard
        self._node = node
        self._schedule = Schedule(delays)
        self._under_way: dict[int, tuple[Parcel, asyncio.Task[None]]] = {}
        self._results: list[Result] = []

    async def start(self, predecessor: str | None) -> None:
        """Open the session, and void the leases of processes that are known to be dead."""
        self._session = guarded_session(self._guard, total_s=PATIENCE_S)
        self._sender = Sender(self._session, self._vault)
        await take_over_dead(queue.LEASES, self._database, self._node, predecessor)

    async def run(self) -> None:
        """Write outcomes and claim work until cancelled, both in one transaction a turn."""
        with self._wakeups.waiting("deliveries") as woken:
            while True:
                await self._turn()
                await wait(woken, _SWEEP_S)

    async def keep_leases(self) -> None:
        """Renew this process's leases until cancelled, and stop attempts whose lease is lost."""
        while True:
            await asyncio.sleep(RENEW_S)
            try:
                await self._renew()
            except DatabaseUnavailable as error:
                _log.warning("webhooks.leases_not_renewed", reason=error.message)

    async def stop(self) -> None:
        """Let attempts under way end for a while, write what came of them, and hand the rest back."""
        under_way = list(self._under_way.values())
        tasks = [task for _, task in under_way]
        if tasks:
            await asyncio.wait(tasks, timeout=_LAST_CHANCE_S)
        broken_off = [parcel for parcel, task in under_way if not task.done()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        results, self._results = self._results, []

        async def hand_back(tx: Tx) -> None:
            await queue.write(tx, results)
            await queue.hand_back(tx, broken_off)
            await queue.LEASES.void(tx, self._node)

        try:
            await self._database.transact(hand_back)
        except DatabaseUnavailable as error:
            _log.warning("webhooks.not_handed_back", reason=error.message)
        await self._session.close()

    async def _turn(self) -> None:
        results, self._results = self._results, []
        counts = Counter(parcel.endpoint_id for parcel, _ in self._under_way.values())
        room = AT_ONCE - len(self._under_way)

        def room_of(endpoint_id: int, failing: bool) -> int:
            return (PER_FAILING_ENDPOINT if failing else PER_ENDPOINT) - counts[endpoint_id]

        async def write_and_claim(tx: Tx) -> list[Parcel]:
            await queue.write(tx, results)
            return await queue.claim(tx, self._node, room, room_of)

        try:
            parcels = await self._database.transact(write_and_claim)
        except DatabaseUnavailable as error:
            _log.warning("webhooks.not_claimed", reason=error.message)
            self._results = results + self._results
            return
        self._await_retries(results)
        if parcels:
            crash_point("webhooks.claimed")
        for parcel in parcels:
            self._begin(parcel)

    def _await_retries(self, results: Sequence[Result]) -> None:
        """Have a turn when a retry is due that the sweep would find late."""
        loop = asyncio.get_running_loop()
        for result in results:
            if result.delay_s is not None and result.delay_s < _SWEEP_S:
                loop.call_later(result.delay_s, self._wake)

    def _wake(self) -> None:
        self._wakeups.wake_here("deliveries")

    def _begin(self, parcel: Parcel) -> None:
        if parcel.id in self._under_way:  # our own lease ran out, and we were the ones to take it over
            self._under_way[parcel.id][1].cancel()
        task = asyncio.create_task(self._deliver(parcel))
        self._under_way[parcel.id] = (parcel, task)
        task.add_done_callback(lambda _: self._forget(parcel))

    def _forget(self, parcel: Parcel) -> None:
        if self._under_way.get(parcel.id, (None,))[0] is parcel:
            del self._under_way[parcel.id]
        self._wake()

    async def _deliver(self, parcel: Parcel) -> None:
        try:
            attempt = await self._sender.send(parcel)
        except Exception:  # noqa: BLE001 - the attempt must end after any error
            _log.exception("webhooks.attempt_broke", delivery=parcel.public_id)
            attempt = Attempt(now(), 0, error="The attempt failed on our side.")
        self._results.append(self._schedule.result(parcel, attempt))

    async def _renew(self) -> None:
        held = list(self._under_way)
        ours = await self._database.transact(lambda tx: queue.LEASES.renew(tx, self._node, held)) if held else set()
        for delivery_id in held:
            if delivery_id not in ours and delivery_id in self._under_way:
                self._under_way[delivery_id][1].cancel()
