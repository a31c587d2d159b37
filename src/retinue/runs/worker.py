"""The worker: claims runs that want work, keeps the claims alive, and drops those that were lost."""

import asyncio
from collections import Counter
from collections.abc import Iterable

import sqlalchemy as sa
import structlog

from retinue.core.clock import now
from retinue.core.crash import crash_point
from retinue.core.database import Database, DatabaseUnavailable, Tx
from retinue.core.fair_leases import FairLeases, Room
from retinue.core.leases import RENEW_S, take_over_dead
from retinue.core.statements import Row
from retinue.core.wakeups import Wakeups, wait
from retinue.runs.runner import Runner
from retinue.runs.tables import WORKABLE, runs

_log = structlog.get_logger()
_SWEEP_S = 1.0
"""How often the worker looks for work that no wake-up told of: expired leases of dead nodes, above all."""

LEASES = FairLeases(
    runs,
    open_work=WORKABLE,
    claimed={
        "status": "running",
        "started_at": sa.func.coalesce(runs.c.started_at, sa.bindparam("moment", type_=runs.c.started_at.type)),
    },
)


class Worker:
    """One process's share of the background runs: `concurrency` at once, `per_account` of them of one account."""

    def __init__(
        self, database: Database, wakeups: Wakeups, runner: Runner, node: str, concurrency: int, per_account: int
    ) -> None:
        self._database = database
        self._wakeups = wakeups
        self._runner = runner
        self._node = node
        self._concurrency = concurrency
        self._per_account = per_account
        self._served = 0

    async def take_over_dead(self, predecessor: str | None) -> None:
        """Void the leases of processes that are known to be dead."""
        await take_over_dead(LEASES, self._database, self._node, predecessor)

    async def run(self) -> None:
        """Claim and begin runs until cancelled."""
        with self._wakeups.waiting("runs") as work:
            woken = False
            while True:
                if not await self._claim(sweeping=not woken):
                    woken = await wait(work, _SWEEP_S)

    async def keep_leases(self) -> None:
        """Renew this process's leases until cancelled."""
        with self._wakeups.waiting("runs.stopped") as stopped:
            while True:
                await wait(stopped, RENEW_S)
                try:
                    await self._renew()
                except DatabaseUnavailable as error:
                    _log.warning("leases.not_renewed", error=error.message)

    async def _claim(self, sweeping: bool) -> int:
        """Claim what there is room for; returns how many runs were begun."""
        room = self._room()

        async def take(tx: Tx) -> list[Row]:
            if sweeping:
                await LEASES.rejoin(tx)
            return await LEASES.claim_in_turn(tx, self._node, room, moment=now())

        if room.free <= 0:
            return 0
        try:
            rows = await self._database.transact(take)
        except DatabaseUnavailable as error:
            _log.warning("runs.not_claimed", error=error.message)
            return 0
        if rows:
            crash_point("runs.claimed")
            self._served = rows[-1].account_id
        await self._begin(rows)
        return len(rows)

    def _room(self) -> Room:
        runs_here = (live.run for live in self._runner.active.values())
        held = Counter(run.account_id for run in runs_here if not run.attached)
        return Room(self._concurrency - held.total(), self._per_account, held, self._served)

    async def _begin(self, claimed: Iterable[Row]) -> None:
        """Begin runs one by one, with a turn for all else between two; even when this is cancelled, all of them."""
        rows = iter(claimed)
        try:
            for row in rows:
                self._runner.begin(row)
                await asyncio.sleep(0)
        finally:
            for row in rows:
                self._runner.begin(row)

    async def _renew(self) -> None:
        active = list(self._runner.active)
        ours = await self._database.transact(lambda tx: LEASES.renew(tx, self._node, active)) if active else set()
        lost = [run_id for run_id in active if run_id not in ours]
        await asyncio.gather(*(self._runner.drop(run_id) for run_id in lost))
