"""Deletes all data of a user in batches. Each batch searches for remaining rows, so any process can continue."""

from dataclasses import dataclass
from functools import partial

from retinue.account_data import statements as sql
from retinue.account_data.registry import ENTRIES, FILES, ITEMS, LAST, OWNED, RATINGS, SIGNING_KEYS
from retinue.core.database.interface import Database, Tx
from retinue.core.database.owned import Owned
from retinue.core.database.statements import Row
from retinue.core.runtime.clock import now
from retinue.core.runtime.failpoints import crash_point
from retinue.core.work.leases import LeaseLost
from retinue.core.work.notifier import Notifier
from retinue.files.store import FileStore
from retinue.fleets.orchestrator import Orchestrator
from retinue.marketplace import statements as marketplace
from retinue.runs import statements as runs
from retinue.runs.cancel_accounting import count_cancelled

_TURN = 50
"""The number of batches before another job gets a turn."""

_REASON = "The user was deleted."


@dataclass(frozen=True)
class _Batch:
    """The result of one transaction: whether it deleted anything, and the ids of files to remove from disk."""

    any: bool = True
    files: tuple[str, ...] = ()


_NOTHING = _Batch(any=False)


@dataclass(frozen=True)
class Deletion:
    """Executes deletions. The user's row is deleted last, at least `grace` seconds after the request.

    Until then, requests in progress may still write rows.
    """

    database: Database
    store: FileStore
    conductor: Orchestrator
    notifier: Notifier
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

    async def _batch(self, job: Row, tx: Tx) -> _Batch:
        """Delete the first rows found. If there are none, delete the user, or rest until the grace period ends."""
        await hold(tx, job)
        accounts = [row.id for row in await tx.all(sql.LOCK_ACCOUNTS, user=job.user_id)]
        for account in accounts:
            if await self._cancel_deployments(tx, account) or await self._cancel_runs(tx, account):
                return _Batch()
        for owned in (one for one in OWNED if not one.cascades):
            for owner in [job.user_id] if owned.by_user else accounts:
                batch = await _remove(tx, owned, owner)
                if batch.any:
                    return batch
        left = self.grace - (now() - job.created_at).total_seconds()
        await (_rest(job, left, tx) if left > 0 else _remove_user(job, tx))
        return _NOTHING

    async def _cancel_deployments(self, tx: Tx, account: int) -> bool:
        rows = await tx.all(sql.OPEN_DEPLOYMENTS, account=account)
        for row in rows:
            await self.conductor.cancel(tx, row.id, _REASON)
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


async def _remove_user(job: Row, tx: Tx) -> None:
    for owned in LAST:
        await tx.run(owned.removal, owner=job.user_id)
    await tx.run(sql.REMOVE_USER, user=job.user_id)


async def _remove(tx: Tx, owned: Owned, owner: int) -> _Batch:
    """Delete one batch of a table's rows. Rows that others use or that concern the whole server are anonymised."""
    if owned is ITEMS:
        return _Batch(any=await _remove_items(tx, owner))
    if owned is ENTRIES and await tx.run(sql.ANONYMISE_ENTRIES, owner=owner):
        return _Batch()
    if owned is SIGNING_KEYS:
        return _Batch(any=await tx.run(sql.ANONYMISE_KEYS, owner=owner) > 0)
    if owned is RATINGS:
        rated = await tx.all(owned.removal, owner=owner)
        for row in sorted(rated):
            await tx.run(marketplace.SUM_RATINGS, item=row.item_id)
        return _Batch(any=bool(rated))
    if owned is FILES:
        gone = await tx.all(owned.removal, owner=owner)
        return _Batch(bool(gone), tuple(row.public_id for row in gone))
    return _Batch(any=await tx.run(owned.removal, owner=owner) > 0)


async def _remove_items(tx: Tx, owner: int) -> bool:
    """Delete marketplace items. Items that others have installed are anonymised instead."""
    rows = await tx.all(sql.SOME_ITEMS, owner=owner)
    for row in rows:
        await tx.run(sql.ANONYMISE_ITEM if row.used_by_others else sql.REMOVE_ITEM, item=row.id)
    return bool(rows)
