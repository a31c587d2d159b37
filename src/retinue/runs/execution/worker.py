"""The worker of background runs: claims those that want work and has the runner take them up."""

from collections.abc import Collection, Sequence
from typing import Any

import sqlalchemy as sa

from retinue.core.clock import now
from retinue.core.database import Database, Tx
from retinue.core.failpoints import crash_point
from retinue.core.fair_leases import FairLeases
from retinue.core.leased_worker import FairLeasedWorker
from retinue.core.notifier import Wakeups
from retinue.core.statements import Row
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


class Worker(FairLeasedWorker):
    """One process's share of the background runs: `concurrency` at once, `per_account` of them of one account."""

    leases, topic = LEASES, "runs"

    def __init__(
        self, database: Database, wakeups: Wakeups, runner: Runner, node: str, concurrency: int, per_account: int
    ) -> None:
        super().__init__(database, wakeups, node)
        self._runner = runner
        self.at_once, self.per_account = concurrency, per_account

    async def claim_in_turn(self, tx: Tx, **values: Any) -> list[Row]:
        """Claim runs; those that are claimed for the first time start now."""
        return await super().claim_in_turn(tx, moment=now(), **values)

    def begin(self, item: Row) -> None:
        """Have the runner take up a claimed run."""
        crash_point("runs.claimed")
        self._served = item.account_id
        self._runner.begin(item)

    def under_way(self) -> Sequence[Run]:
        """The background runs that this process works on."""
        return [live.run for live in self._runner.active.values() if not live.run.attached]

    def held_ids(self) -> Collection[int]:
        """All runs that this process works on, also those that a client waits for."""
        return self._runner.active

    async def abandon(self, row_id: int) -> None:
        """Stop working on a run that is no longer this process's."""
        await self._runner.drop(row_id)

    async def stop(self) -> None:
        """Only claim no more: the runner hands back its runs when it shuts down."""
