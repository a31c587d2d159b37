"""The worker: claims deployments, moves each on as its runs end, and keeps the claims alive."""

import asyncio
from collections import Counter

import structlog

from retinue.core.clock import now
from retinue.core.crash import crash_point
from retinue.core.database import Database, DatabaseUnavailable, Tx
from retinue.core.fair_leases import FairLeases, Room, fair_share
from retinue.core.leases import ATTEMPTS, RENEW_S, LeaseLost, given_up, take_over_dead
from retinue.core.statements import Row
from retinue.core.wakeups import Wakeups, wait
from retinue.fleets import deployment_statements as sql
from retinue.fleets.conductor import Conductor, Standing
from retinue.fleets.tables import OPEN, deployments

_log = structlog.get_logger()
_AT_ONCE = 500
"""How many deployments one process conducts. One that waits for its runs costs a few kilobytes."""
_CLAIMED = 20
"""How many are claimed at a time."""
_LOOK_S = 1.0
"""Seconds between polls for work that no wake-up announced, such as that of dead nodes."""

_LEASES = FairLeases(deployments, open_work=OPEN, claimed={})


class DeploymentWorker:
    """One process's share of the deployments."""

    def __init__(self, database: Database, wakeups: Wakeups, conductor: Conductor, node: str) -> None:
        self._database = database
        self._wakeups = wakeups
        self._conductor = conductor
        self._node = node
        self._held: dict[int, asyncio.Task[None]] = {}
        self._accounts: dict[int, int] = {}
        self._served = 0

    async def take_over_dead(self, predecessor: str | None) -> None:
        """Void the leases of processes that are known to be dead."""
        await take_over_dead(_LEASES, self._database, self._node, predecessor)

    async def run(self) -> None:
        """Claim deployments and conduct them until cancelled; then hand them back."""
        try:
            async with asyncio.TaskGroup() as group:
                with self._wakeups.waiting("deployments") as work:
                    woken = False
                    while True:
                        claimed = await self._claim(sweeping=not woken)
                        for row in claimed:
                            self._held[row.id] = group.create_task(self._work(row))
                            self._accounts[row.id] = row.account_id
                        if not claimed:
                            woken = await wait(work, _LOOK_S)
        finally:
            await self._hand_back()

    async def keep_leases(self) -> None:
        """Renew this process's leases until cancelled."""
        while True:
            await asyncio.sleep(RENEW_S)
            held = dict(self._held)
            try:
                ours = await self._renew(list(held)) if held else set()
            except DatabaseUnavailable as error:
                _log.warning("deployments.not_renewed", reason=error.message)
                continue
            for lost in held.keys() - ours:
                held[lost].cancel()

    async def _renew(self, held: list[int]) -> set[int]:
        return await self._database.transact(lambda tx: _LEASES.renew(tx, self._node, held))

    async def _hand_back(self) -> None:
        """Let others go on at once with what this process conducted."""
        await self._database.transact(lambda tx: _LEASES.hand_back(tx, self._node))
        self._wakeups.wake("deployments")

    async def _claim(self, sweeping: bool) -> list[Row]:
        free = min(_CLAIMED, _AT_ONCE - len(self._held))
        room = Room(free, fair_share(_AT_ONCE), Counter(self._accounts.values()), self._served)

        async def take(tx: Tx) -> list[Row]:
            if sweeping:
                await _LEASES.rejoin(tx)
            return await _LEASES.claim_in_turn(tx, self._node, room)

        try:
            rows = await self._database.transact(take) if free > 0 else []
        except DatabaseUnavailable as error:
            _log.warning("deployments.not_claimed", reason=error.message)
            return []
        if rows:
            crash_point("deployments.claimed")
            self._served = rows[-1].account_id
        return rows

    async def _work(self, claimed: Row) -> None:
        try:
            if claimed.attempts > ATTEMPTS:
                await self._give_up(claimed, given_up("deployment"))
            else:
                await self._conduct(claimed)
        except LeaseLost:
            _log.info("deployment.claim_lost", deployment=claimed.id)
        except DatabaseUnavailable as error:
            _log.warning("deployment.left", deployment=claimed.id, reason=error.message)
        except Exception:  # noqa: BLE001 - the deployment must end after any error
            _log.exception("task.failed", deployment=claimed.id)
            await self._give_up(claimed, "The deployment failed on our side.")
        finally:
            if self._held.get(claimed.id) is asyncio.current_task():
                del self._held[claimed.id], self._accounts[claimed.id]

    async def _conduct(self, claimed: Row) -> None:
        """Make moves whenever something has happened, until the deployment is over."""

        async def advance(tx: Tx) -> Standing | None:
            return await self._conductor.advance(tx, await _hold(tx, claimed))

        while standing := await self._database.transact(advance):
            if standing.more:
                continue
            topics = [f"deployment:{claimed.id}", *(f"run:{run}" for run in standing.runs)]
            with self._wakeups.waiting(*topics) as changed:
                while not await self._database.lookup(sql.DUE, deployment=claimed.id, moment=now()):
                    left = (claimed.deadline - now()).total_seconds()
                    await wait(changed, max(0.0, min(_LOOK_S, left)))

    async def _give_up(self, claimed: Row, reason: str) -> None:
        async def end(tx: Tx) -> None:
            await self._conductor.close(tx, await _hold(tx, claimed), "failed", reason)

        try:
            await self._database.transact(end)
        except LeaseLost:
            _log.info("deployment.claim_lost", deployment=claimed.id)
        except Exception:  # noqa: BLE001 - the lease expires, and the next worker that claims the deployment ends it
            _log.exception("deployment.end_not_written", deployment=claimed.id)


async def _hold(tx: Tx, claimed: Row) -> Row:
    """The deployment under the claim of this process."""
    row = await tx.one(sql.HOLD, deployment=claimed.id, under=claimed.epoch)
    if row is None:
        raise LeaseLost
    return row
