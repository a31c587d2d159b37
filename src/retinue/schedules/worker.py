"""The worker of schedules: claims and fires due schedules."""

import asyncio
import math
import time

from retinue.core.database.interface import Database, Tx
from retinue.core.database.statements import Row
from retinue.core.runtime.clock import now
from retinue.core.runtime.failpoints import crash_point
from retinue.core.work.fair_leases import FairLeases
from retinue.core.work.leased_worker import LOOK_S, FairLeasedWorker
from retinue.core.work.notifier import Notifier
from retinue.schedules import statements as sql
from retinue.schedules.executor import ScheduleExecutor
from retinue.schedules.tables import OPEN, schedules

_CLAIMED = 20
"""The most schedules per claim. Firing one takes milliseconds, so claims are not renewed."""

_AT_ONCE = 8
"""The most schedules that are fired concurrently."""

_BEAT_S = 5.0
"""Interval between heartbeats."""

_LEASES = FairLeases(schedules, open_work=OPEN, claimed={})


class ScheduleWorker(FairLeasedWorker):
    """Fires the schedules that this process has claimed."""

    leases, topic = _LEASES, "schedules"
    at_once = per_account = _CLAIMED

    def __init__(self, database: Database, notifier: Notifier, firing: ScheduleExecutor, node: str) -> None:
        super().__init__(database, notifier, node)
        self._firing = firing
        self._beat_at = -math.inf
        self._up_since = 0.0
        self._places = asyncio.Semaphore(_AT_ONCE)

    async def turn(self, sweeping: bool) -> float:
        """Fire one batch. Returns the seconds until the next schedule is due; 0 or less means at once."""
        await self._beat()
        await self._wake_waiting()
        soonest = await self._database.lookup(sql.SOONEST)
        if soonest is None or soonest.seconds > 0:
            return soonest.seconds if soonest else LOOK_S
        seconds = await super().turn(sweeping)
        if tasks := [task for _, task in self._tasks.values()]:
            await asyncio.wait(tasks)
        return seconds

    async def _beat(self) -> None:
        """Record a heartbeat, by which all servers detect outages."""
        if time.monotonic() - self._beat_at > _BEAT_S:
            await self._database.transact(lambda tx: tx.run(sql.BEAT))
            self._beat_at = time.monotonic()

    async def _wake_waiting(self) -> None:
        """Make schedules claimable whose waiting due time may start because the previous run has ended."""
        if ready := [row.id for row in await self._database.fetch(sql.READY)]:
            await self._database.transact(lambda tx: tx.run(sql.WAKE, ids=ready))

    async def claim(self, tx: Tx, sweeping: bool) -> list[Row]:
        """Claim due schedules. An expired lease is a due time here, so no row takes precedence."""
        rows = await self.claim_in_turn(tx)
        if rows:
            await tx.run(sql.SETTLE, ids=[row.id for row in rows], moment=now())
        (watch,) = await tx.all(sql.UP_SINCE)
        self._up_since = watch.up_since
        return rows

    async def work(self, item: Row) -> None:
        """Fire a schedule."""
        crash_point("schedules.claimed")
        async with self._places:
            await self._firing.fire(item, self._up_since)
