"""Deletes all data of a user in batches. Each batch searches for remaining rows, so any process can continue."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from retinue.account_data import statements as sql
from retinue.core.database.interface import Database, Tx
from retinue.core.database.owned import Owned, Removed
from retinue.core.database.statements import Row
from retinue.core.runtime.clock import now
from retinue.core.runtime.failpoints import crash_point
from retinue.core.work.leases import LeaseLost
from retinue.core.work.notifier import Notifier
from retinue.files.store import FileStore
from retinue.fleets.orchestrator import Orchestrator
from retinue.runs import statements as runs
from retinue.runs.cancel_accounting import count_cancelled

_TURN = 50
"""The number of batches before another job gets a turn."""

_REASON = "The user was deleted."


@dataclass(frozen=True)
class Deletion:
    """Executes deletions. `owned` lists the rows of users, in order.

    The user's row is deleted last, at least `grace` seconds after the request: until then, requests in progress may
    still write rows.
    """

    database: Database
    store: FileStore
    orchestrator: Orchestrator
    notifier: Notifier
    owned: Sequence[Owned]
    grace: float

    async def work(self, job: Row) -> None:
        """Take one turn. Raises `LeaseLost` if another process has claimed the job."""
        for _ in range(_TURN):
            batch = await self.database.transact(partial(self._batch, job))
            crash_point("deletion.batch")
            for file_id in batch.files:
                await self.store.remove(file_id)
            if not batch.any:
                return
        await self.database.transact(partial(_rest, job, 0.0))

    async def _batch(self, job: Row, tx: Tx) -> Removed:
        """Delete the first rows found. If there are none, delete the user, or rest until the grace period ends."""
        await hold(tx, job)
        accounts = [row.id for row in await tx.all(sql.LOCK_ACCOUNTS, user=job.user_id)]
        for account in accounts:
            if await self._cancel_deployments(tx, account) or await self._cancel_runs(tx, account):
                return Removed(any=True)
        for owned in (one for one in self.owned if not one.cascades and one.when == "in order"):
            for owner in [job.user_id] if owned.by_user else accounts:
                batch = await owned.remove(tx, owner)
                if batch.any:
                    return batch
        left = self.grace - (now() - job.created_at).total_seconds()
        await (_rest(job, left, tx) if left > 0 else self._remove_user(job, tx))
        return Removed(any=False)

    async def _remove_user(self, job: Row, tx: Tx) -> None:
        for owned in (one for one in self.owned if one.when == "last"):
            await owned.remove(tx, job.user_id)
        await tx.run(sql.REMOVE_USER, user=job.user_id)

    async def _cancel_deployments(self, tx: Tx, account: int) -> bool:
        rows = await tx.all(sql.OPEN_DEPLOYMENTS, account=account)
        for row in rows:
            await self.orchestrator.cancel(tx, row.id, _REASON)
        return bool(rows)

    async def _cancel_runs(self, tx: Tx, account: int) -> bool:
        rows = await tx.all(runs.CANCEL_OF_ACCOUNT, account=account, reason=_REASON, moment=now())
        await count_cancelled(tx, rows)
        for row in rows:
            tx.after_commit(partial(self.notifier.wake, f"run:{row.id}"))
        if rows:
            tx.after_commit(partial(self.notifier.wake, "runs.stopped"))
        return bool(rows)


async def hold(tx: Tx, job: Row) -> None:
    """Renew the lease of a job. Raises `LeaseLost`."""
    if not await tx.run(sql.HOLD, job=job.id, under=job.epoch):
        raise LeaseLost


async def _rest(job: Row, seconds: float, tx: Tx) -> None:
    await tx.run(sql.REST, job=job.id, under=job.epoch, seconds=seconds)
