"""The worker of deletions and exports: runs one job at a time, in turns."""

from collections.abc import Sequence

from retinue.account_data.deletion import Deletion
from retinue.account_data.export import Export
from retinue.account_data.requests import TOPIC
from retinue.account_data.statements import LEASES
from retinue.core.database.interface import Database, Tx
from retinue.core.database.statements import Row
from retinue.core.runtime.failpoints import crash_point
from retinue.core.work.leased_worker import LeasedWorker
from retinue.core.work.notifier import Notifier


class JobWorker(LeasedWorker[Row]):
    """Runs the deletions and exports that this process has claimed."""

    leases, topic, at_once = LEASES, TOPIC, 1

    def __init__(self, database: Database, notifier: Notifier, node: str, deletion: Deletion, export: Export) -> None:
        super().__init__(database, notifier, node)
        self._kinds: dict[str, Deletion | Export] = {"deletion": deletion, "export": export}

    async def claim(self, tx: Tx, sweeping: bool) -> Sequence[Row]:
        """Claim the job that has waited longest."""
        return await self.leases.claim(tx, self._node, self.free)

    async def work(self, item: Row) -> None:
        """Run one turn of a job."""
        crash_point("account_jobs.claimed")
        await self._kinds[item.kind].work(item)
