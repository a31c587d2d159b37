"""The worker of background runs: claims due runs and passes them to the runner."""

from collections.abc import Collection, Sequence

import sqlalchemy as sa

from retinue.core.database.interface import Database, Tx
from retinue.core.database.statements import Row
from retinue.core.runtime.clock import now
from retinue.core.runtime.failpoints import crash_point
from retinue.core.work.fair_leases import FairLeases
from retinue.core.work.leased_worker import FairLeasedWorker
from retinue.core.work.notifier import Notifier
from retinue.runs.execution.runner import Runner
from retinue.runs.run_options import Run
from retinue.runs.tables import WORKABLE, runs

LEASES = FairLeases(
    runs,
    open_work=WORKABLE,
    claimed={
        "status": "running",
        "started_at": sa.func.coalesce(runs.c.started_at, sa.bindparam("moment", type_=runs.c.started_at.type)),
    },
)


class RunWorker(FairLeasedWorker):
    """Executes background runs: at most `concurrency` at once, and `per_account` of one account."""

    leases, topic = LEASES, "runs"

    def __init__(
        self, database: Database, notifier: Notifier, runner: Runner, node: str, concurrency: int, per_account: int
    ) -> None:
        super().__init__(database, notifier, node)
        self._runner = runner
        self._from_queue: set[int] = set()
        self.at_once, self.per_account = concurrency, per_account

    async def claim_in_turn(self, tx: Tx, **values: object) -> list[Row]:
        """Claim runs. A first claim sets the start time."""
        return await super().claim_in_turn(tx, moment=now(), **values)

    def begin(self, item: Row) -> None:
        """Pass a claimed run to the runner."""
        crash_point("runs.claimed")
        self._served = item.account_id
        self._from_queue.add(item.id)
        self._runner.begin(item)

    def under_way(self) -> Sequence[Run]:
        """Return the runs from the queue that this process executes. Those for which clients wait fill no place."""
        self._from_queue &= self._runner.active.keys()
        return [self._runner.active[run_id].run for run_id in self._from_queue]

    def held_ids(self) -> Collection[int]:
        """Return the ids of all runs that this process executes, attached runs included."""
        return self._runner.active

    async def abandon(self, row_id: int) -> None:
        """Stop executing a run whose claim this process has lost."""
        await self._runner.drop(row_id)

    async def stop(self) -> None:
        """Do nothing beyond not claiming: the runner releases its runs when it shuts down."""
