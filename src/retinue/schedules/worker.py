"""The worker: claims schedules that are due, accounts in turn, and has each fired."""

import asyncio
import math
import time

import structlog

from retinue.core.clock import now
from retinue.core.crash import crash_point
from retinue.core.database import Database, DatabaseUnavailable, Tx
from retinue.core.fair_leases import FairLeases, Room
from retinue.core.leases import LeaseLost, take_over_dead
from retinue.core.statements import Row
from retinue.core.wakeups import Wakeups, wait
from retinue.schedules import statements as sql
from retinue.schedules.firing import Firing
from retinue.schedules.tables import OPEN, schedules

_log = structlog.get_logger()
_CLAIMED = 20
"""How many are claimed at a time. Each takes milliseconds, so a claim is not renewed."""

_AT_ONCE = 8
"""How many of these are fired at the same time."""

_LOOK_S = 1.0
"""How often to look for schedules that became due without a wake-up, above all those that wait for the end of a run."""

_BEAT_S = 5.0
"""How often each process tells that it looks after schedules."""

_LEASES = FairLeases(schedules, open_work=OPEN, claimed={})


class ScheduleWorker:
    """One process's share of the schedules."""

    def __init__(self, database: Database, wakeups: Wakeups, firing: Firing, node: str) -> None:
        self._database = database
        self._wakeups = wakeups
        self._firing = firing
        self._node = node
        self._served = 0
        self._beat_at = -math.inf
        self._places = asyncio.Semaphore(_AT_ONCE)

    async def take_over_dead(self, predecessor: str | None) -> None:
        """Void the leases of processes that are known to be dead."""
        await take_over_dead(_LEASES, self._database, self._node, predecessor)

    async def run(self) -> None:
        """Fire schedules when they are due until cancelled; then hand back those that were claimed."""
        try:
            with self._wakeups.waiting("schedules") as woken:
                while True:
                    seconds = await self._look()
                    if seconds > 0:
                        await wait(woken, min(seconds, _LOOK_S))
        finally:
            await self._database.transact(lambda tx: _LEASES.hand_back(tx, self._node))

    async def _look(self) -> float:
        """Fire a batch of what is due; returns the seconds until the next schedule is, 0 or less for at once."""
        try:
            await self._beat()
            await self._wake_waiting()
            soonest = await self._database.lookup(sql.SOONEST)
            if soonest is None or soonest.seconds > 0:
                return soonest.seconds if soonest else _LOOK_S
            claimed, up_since = await self._database.transact(self._claim)
        except DatabaseUnavailable as error:
            _log.warning("schedules.not_claimed", reason=error.message)
            return _LOOK_S
        if not claimed:  # others have them
            return _LOOK_S
        crash_point("schedules.claimed")
        self._served = claimed[-1].account_id
        async with asyncio.TaskGroup() as group:
            for row in claimed:
                group.create_task(self._fire(row, up_since))
        return 0.0

    async def _beat(self) -> None:
        """Tell other servers, and those that come later, that there is one."""
        if time.monotonic() - self._beat_at > _BEAT_S:
            await self._database.transact(lambda tx: tx.run(sql.BEAT))
            self._beat_at = time.monotonic()

    async def _wake_waiting(self) -> None:
        """Have those claimed whose due time waited for the end of a run that is over."""
        if ready := [row.id for row in await self._database.fetch(sql.READY)]:
            await self._database.transact(lambda tx: tx.run(sql.WAKE, ids=ready))

    async def _claim(self, tx: Tx) -> tuple[list[Row], float]:
        rows = await _LEASES.claim_in_turn(tx, self._node, Room(_CLAIMED, _CLAIMED, {}, self._served))
        if rows:
            await tx.run(sql.SETTLE, ids=[row.id for row in rows], moment=now())
        (watch,) = await tx.all(sql.UP_SINCE)
        return rows, watch.up_since

    async def _fire(self, claimed: Row, up_since: float) -> None:
        async with self._places:
            try:
                await self._firing.fire(claimed, up_since)
            except LeaseLost:
                _log.info("schedule.claim_lost", schedule=claimed.id)
            except DatabaseUnavailable as error:
                _log.warning("schedule.left", schedule=claimed.id, reason=error.message)
            except Exception:  # noqa: BLE001 - the lease ends by itself; after some attempts the due time fails
                _log.exception("task.failed", schedule=claimed.id)
