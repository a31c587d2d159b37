"""The worker: claims deployments, moves each on as its runs end, and keeps the claims alive."""

import asyncio

import structlog

from retinue.core.clock import now
from retinue.core.database import Database, DatabaseUnavailable, Tx
from retinue.core.leases import RENEW_S, LeaseLost, Leases, take_over_dead
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
_SWEEP_S = 1.0
"""How often deployments are looked for that no wake-up told of: those of dead nodes, above all."""

_LOOK_S = 2.0
"""How often a deployment is looked at that no wake-up told of."""

_LEASES = Leases(deployments, open_work=OPEN, claimed={})


class DeploymentWorker:
    """One process's share of the deployments."""

    def __init__(self, database: Database, wakeups: Wakeups, conductor: Conductor, node: str) -> None:
        self._database = database
        self._wakeups = wakeups
        self._conductor = conductor
        self._node = node
        self._held: dict[int, asyncio.Task[None]] = {}

    async def take_over_dead(self, predecessor: str | None) -> None:
        """Void the leases of processes that are known to be dead."""
        await take_over_dead(_LEASES, self._database, self._node, predecessor)

    async def run(self) -> None:
        """Claim deployments and conduct them until cancelled; then hand them back."""
        try:
            async with asyncio.TaskGroup() as group:
                with self._wakeups.waiting("deployments") as work:
                    while True:
                        claimed = await self._claim()
                        for row in claimed:
                            self._held[row.id] = group.create_task(self._work(row))
                        if not claimed:
                            await wait(work, _SWEEP_S)
        finally:
            await self._database.transact(lambda tx: _LEASES.void(tx, self._node))

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

    async def _claim(self) -> list[Row]:
        room = min(_CLAIMED, _AT_ONCE - len(self._held))
        if room <= 0:
            return []
        try:
            return await self._database.transact(lambda tx: _LEASES.claim(tx, self._node, room))
        except DatabaseUnavailable as error:
            _log.warning("deployments.not_claimed", reason=error.message)
            return []

    async def _work(self, claimed: Row) -> None:
        try:
            await self._conduct(claimed)
        except LeaseLost:
            _log.info("deployment.claim_lost", deployment=claimed.id)
        except DatabaseUnavailable as error:
            _log.warning("deployment.left", deployment=claimed.id, reason=error.message)
        except Exception:  # noqa: BLE001 - whatever it is, the deployment must end
            _log.exception("task.failed", deployment=claimed.id)
            await self._give_up(claimed)
        finally:
            if self._held.get(claimed.id) is asyncio.current_task():
                del self._held[claimed.id]

    async def _conduct(self, claimed: Row) -> None:
        """Make moves whenever something has happened, until the deployment is over."""

        async def advance(tx: Tx) -> Standing | None:
            return await self._conductor.advance(tx, await _held(tx, claimed))

        while standing := await self._database.transact(advance):
            if standing.more:
                continue
            topics = [f"deployment:{claimed.id}", *(f"run:{run}" for run in standing.runs)]
            with self._wakeups.waiting(*topics) as changed:
                while not await self._database.lookup(sql.DUE, deployment=claimed.id, moment=now()):
                    left = (claimed.deadline - now()).total_seconds()
                    await wait(changed, max(0.0, min(_LOOK_S, left)))

    async def _give_up(self, claimed: Row) -> None:
        async def end(tx: Tx) -> None:
            reason = "The deployment failed on our side."
            await self._conductor.close(tx, await _held(tx, claimed), "failed", reason)

        try:
            await self._database.transact(end)
        except LeaseLost:
            _log.info("deployment.claim_lost", deployment=claimed.id)
        except Exception:  # noqa: BLE001 - the lease ends by itself, and whoever claims it next ends it
            _log.exception("deployment.end_not_written", deployment=claimed.id)


async def _held(tx: Tx, claimed: Row) -> Row:
    """The deployment under the claim of this process."""
    row = await tx.one(sql.HOLD, deployment=claimed.id, under=claimed.epoch)
    if row is None:
        raise LeaseLost
    return row
