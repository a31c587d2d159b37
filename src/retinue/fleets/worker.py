"""The worker of deployments: advances each one as its runs end."""

import structlog

from retinue.core.database.interface import Database, DatabaseUnavailable, Tx
from retinue.core.runtime.clock import now
from retinue.core.runtime.failpoints import crash_point
from retinue.core.work.fair_leases import FairLeases, fair_share
from retinue.core.work.leased_worker import LOOK_S, FairLeasedWorker
from retinue.core.work.leases import ABANDONED, ATTEMPTS, LeaseLost
from retinue.core.work.notifier import Notifier, wait
from retinue.fleets import deployment_statements as sql
from retinue.fleets.orchestrator import Orchestrator, Progress
from retinue.fleets.tables import OPEN, DeploymentRow, deployments

_log = structlog.get_logger()
_AT_ONCE = 500
"""The most deployments that one process holds. A deployment that waits for its runs costs a few kilobytes."""
_CLAIMED = 20
"""The most deployments per claim."""

_LEASES = FairLeases(deployments, open_work=OPEN, claimed={})


class DeploymentWorker(FairLeasedWorker):
    """Advances the deployments that this process has claimed."""

    leases, topic = _LEASES, "deployments"
    at_once, per_account = _AT_ONCE, fair_share(_AT_ONCE)

    def __init__(self, database: Database, notifier: Notifier, orchestrator: Orchestrator, node: str) -> None:
        super().__init__(database, notifier, node)
        self._orchestrator = orchestrator

    @property
    def free(self) -> int:
        """The number of deployments to claim next."""
        return min(_CLAIMED, super().free)

    async def work(self, item: DeploymentRow) -> None:
        """Advance a deployment to its end."""
        crash_point("deployments.claimed")
        if item.attempts > ATTEMPTS:
            return await self._give_up(item, ABANDONED)
        try:
            await self._advance_until_ended(item)
        except (LeaseLost, DatabaseUnavailable):
            raise
        except Exception:  # noqa: BLE001 - the deployment must end after any error
            _log.exception("task.failed", deployment=item.id)
            await self._give_up(item, "The deployment failed because of a server error.")

    async def _advance_until_ended(self, claimed: DeploymentRow) -> None:
        """Advance the deployment whenever one of its runs ends, until it has ended."""

        async def advance(tx: Tx) -> Progress | None:
            return await self._orchestrator.advance(tx, await _hold(tx, claimed))

        while standing := await self._database.transact(advance):
            if standing.more:
                continue
            topics = [f"deployment:{claimed.id}", *(f"run:{run}" for run in standing.runs)]
            with self._notifier.waiting(*topics) as changed:
                while not await self._database.lookup(sql.DUE, deployment=claimed.id, moment=now()):
                    left = (claimed.deadline - now()).total_seconds()
                    await wait(changed, max(0.0, min(LOOK_S, left)))

    async def _give_up(self, claimed: DeploymentRow, reason: str) -> None:
        async def end(tx: Tx) -> None:
            await self._orchestrator.close(tx, await _hold(tx, claimed), "failed", reason)

        await self._database.transact(end)


async def _hold(tx: Tx, claimed: DeploymentRow) -> DeploymentRow:
    """Lock the deployment and return its row. Raises `LeaseLost`."""
    row = await tx.one(sql.HOLD, deployment=claimed.id, under=claimed.epoch)
    if row is None:
        raise LeaseLost
    return row
