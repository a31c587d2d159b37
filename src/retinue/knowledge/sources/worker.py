"""Begins synchronizations that are due, and ends them when the documents have been read."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime
from functools import partial

import structlog

from retinue.core.database.interface import Database, DatabaseUnavailable, Tx
from retinue.core.database.statements import Row, Statement
from retinue.core.errors import RetinueError
from retinue.core.runtime.clock import now
from retinue.core.runtime.executors import acting_for
from retinue.core.runtime.failpoints import crash_point
from retinue.core.work.leased_worker import FairLeasedWorker
from retinue.core.work.leases import ABANDONED, ATTEMPTS, LeaseLost
from retinue.core.work.notifier import Notifier
from retinue.files.upload_commit import AccountStorage
from retinue.knowledge.sources import statements as sql
from retinue.knowledge.sources.beginning import Beginnings
from retinue.knowledge.sources.crawling import StorageOf
from retinue.knowledge.sources.found_documents import Found, queue_found
from retinue.knowledge.tables import NEVER
from retinue.knowledge.worker import SOURCES
from retinue.knowledge.worker import TOPIC as DOCUMENTS

_log = structlog.get_logger()

_BATCH = 50
_LOOK_S = 5.0
"""Seconds between two looks at whether the documents of a source have been read. The last of them makes it due."""

NextSync = Callable[[Mapping[str, object], datetime], datetime | None]
"""Returns when a schedule is due after a moment, or None if it never is."""


class SourceWorker(FairLeasedWorker):
    """Synchronizes sources, two of each account at a time."""

    leases, topic, at_once, per_account = sql.LEASES, SOURCES, 8, 2

    def __init__(
        self,
        database: Database,
        notifier: Notifier,
        node: str,
        beginnings: Beginnings,
        storage_of: StorageOf,
        next_sync: NextSync,
    ) -> None:
        super().__init__(database, notifier, node)
        self._beginnings, self._storage_of, self._next_sync = beginnings, storage_of, next_sync

    async def work(self, item: Row) -> None:
        """Begin a synchronization, or end one whose documents have been read."""
        acting_for.set(item.account_id)
        if item.attempts > ATTEMPTS:
            await self._end(item, "failed", ABANDONED)
            return
        try:
            await (self._end_if_read(item) if item.status == "syncing" else self._begin(item))
        except (LeaseLost, DatabaseUnavailable):
            raise
        except RetinueError as error:
            await self._end(item, "failed", error.message)
        except Exception:  # noqa: BLE001 - it would fail again: tell its owner, and an operator by the log
            _log.exception("knowledge.not_synchronized", source=item.id)
            await self._end(item, "failed", "The source could not be read because of an error on our side.")

    async def _begin(self, item: Row) -> None:
        """Queue the first documents. After a crash this is repeated, and skips documents that are queued already."""
        beginning = await self._beginnings.of(item)
        storage = await self._storage_of(item.account_id)
        await self._write(item, lambda tx: _run(tx, sql.SET_SITE, item, found=beginning.site))
        for start in range(0, len(beginning.found), _BATCH):
            found = beginning.found[start : start + _BATCH]
            await self._write(item, partial(_queue, item, found, storage))
        await self._write(item, lambda tx: _run(tx, sql.BEGUN, item, round_now=item.round + 1))
        crash_point("sources.begun")
        self._notifier.wake(DOCUMENTS)

    async def _end_if_read(self, item: Row) -> None:
        """End a synchronization if none of its documents is queued or being read. Delete documents that are gone."""

        async def end(tx: Tx) -> None:
            (progress,) = await tx.all(sql.PROGRESS, source=item.id, round_now=item.round)
            if progress.pending:
                await _run(tx, sql.LOOK_AGAIN, item, seconds=_LOOK_S)
                return
            await tx.run(sql.DELETE_MISSING, source=item.id, round_now=item.round)
            await _run(tx, sql.END, item, **self._outcome(item, "ready", _remark(item, progress.found)))
            tx.after_commit(lambda: self._notifier.wake(DOCUMENTS))

        await self._write(item, end)

    async def _end(self, item: Row, outcome: str, reason: str | None) -> None:
        await self._write(item, lambda tx: _run(tx, sql.END, item, **self._outcome(item, outcome, reason)))

    def _outcome(self, item: Row, outcome: str, reason: str | None) -> dict[str, object]:
        moment = now()
        following = self._next_sync(item.schedule, moment)
        return {
            "outcome": outcome,
            "reason": reason,
            "synced": moment if outcome == "ready" else None,
            "next": following,
            "due": following.timestamp() if following else NEVER,
        }

    async def _write(self, item: Row, work: Callable[[Tx], Awaitable[None]]) -> None:
        """Run a transaction under the claim. Raises `LeaseLost`."""

        async def write(tx: Tx) -> None:
            if not await tx.run(sql.HOLD, source=item.id, under=item.epoch):
                raise LeaseLost
            await work(tx)

        await self._database.transact(write)


async def _queue(item: Row, found: Sequence[Found], storage: AccountStorage, tx: Tx) -> None:
    await queue_found(tx, item, found, item.round + 1, storage)


async def _run(tx: Tx, statement: Statement, item: Row, **values: object) -> None:
    await tx.run(statement, source=item.id, under=item.epoch, **values)


def _remark(item: Row, found: int) -> str | None:
    """Return what the owner should know: nothing was found, or the limit of the source may have left out pages."""
    if not found:
        if item.kind == "folder":
            path = item.location or "/"
            return f"The patterns select no file of the folder {path} of your workspace."
        return f"The patterns select no file of {item.location}."
    if found < item.max_pages:
        return None
    return f"The limit of {item.max_pages:,} documents is reached. Raise max_pages if some are missing."
