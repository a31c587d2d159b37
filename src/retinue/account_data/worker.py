"""The worker: claims deletions and exports, one at a time, and lets each have its turn."""

import structlog

from retinue.account_data.deletion import Deletion
from retinue.account_data.export import Export
from retinue.account_data.requests import TOPIC
from retinue.account_data.statements import LEASES
from retinue.core.crash import crash_point
from retinue.core.database import Database, DatabaseUnavailable
from retinue.core.leases import LeaseLost, take_over_dead
from retinue.core.statements import Row
from retinue.core.wakeups import Wakeups, wait

_log = structlog.get_logger()
_LOOK_S = 1.0
"""How often the worker looks for work that no wake-up announced."""


class JobWorker:
    """One process's share of the deletions and exports."""

    def __init__(self, database: Database, wakeups: Wakeups, node: str, deletion: Deletion, export: Export) -> None:
        self._database = database
        self._wakeups = wakeups
        self._node = node
        self._kinds: dict[str, Deletion | Export] = {"deletion": deletion, "export": export}

    async def take_over_dead(self, predecessor: str | None) -> None:
        """Void the leases of processes that are known to be dead."""
        await take_over_dead(LEASES, self._database, self._node, predecessor)

    async def run(self) -> None:
        """Work until cancelled."""
        with self._wakeups.waiting(TOPIC) as woken:
            while True:
                claimed = await self._claim()
                for job in claimed:
                    await self._work(job)
                if not claimed:
                    await wait(woken, _LOOK_S)

    async def _claim(self) -> list[Row]:
        try:
            rows = await self._database.transact(lambda tx: LEASES.claim(tx, self._node, 1))
        except DatabaseUnavailable as error:
            _log.warning("account_jobs.not_claimed", reason=error.message)
            return []
        if rows:
            crash_point("account_jobs.claimed")
        return rows

    async def _work(self, job: Row) -> None:
        try:
            await self._kinds[job.kind].work(job)
        except LeaseLost:
            _log.info("account_job.claim_lost", job=job.id)
        except DatabaseUnavailable as error:
            _log.warning("account_job.left", job=job.id, reason=error.message)
        except Exception:  # noqa: BLE001 - the lease ends by itself, and the job is tried again
            _log.exception("task.failed", job=job.id)
