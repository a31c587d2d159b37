"""Removes old records in small batches, in one process at a time."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa
import structlog
from sqlalchemy.dialects.postgresql import insert

from retinue.core.database.interface import Database, DatabaseUnavailable, Tx
from retinue.core.database.portable_sql import among, unix_now
from retinue.core.database.schema import BigInt, Instant, table
from retinue.core.database.statements import Row, Statement
from retinue.core.runtime.clock import now
from retinue.core.work.leases import LEASE_S, LeaseLost, lease_columns

_log = structlog.get_logger()

BATCH = 100
"""Records per transaction, which takes a few milliseconds."""

_PAUSE_S = 0.1
"""Seconds between two batches, so that other transactions go first."""

_TURN = 300
"""Batches of one kind of record before the others get a turn."""

_EVERY_S = 3600.0
_LOOK_S = 60.0
"""Seconds between checks for due work."""

expiries = table(
    "expiries",
    sa.Column("name", sa.String(40), primary_key=True),
    sa.Column("expired_until", Instant),
    *lease_columns(),
)
"""A row for each kind of record. Records older than `expired_until` may be gone.

While no process works on a kind, its lease ends at the next due time.
"""

_NAME = expiries.c.name == sa.bindparam("kind", type_=sa.String)
_CLAIMED = (_NAME, expiries.c.epoch == sa.bindparam("under", type_=BigInt))
_DUE = (_NAME, expiries.c.lease_until < unix_now())

_ADD = Statement(
    insert(expiries).values(name=sa.bindparam("kind", type_=sa.String)).on_conflict_do_nothing(index_elements=["name"])
)
_IS_DUE = Statement(sa.select(expiries.c.name).where(*_DUE))
_CLAIM = Statement(
    sa.update(expiries)
    .where(*_DUE)
    .values(
        epoch=expiries.c.epoch + 1,
        lease_owner=sa.bindparam("owner", type_=sa.String),
        lease_until=unix_now() + LEASE_S,
    )
    .returning(expiries)
)
_HOLD = Statement(
    sa.update(expiries)
    .where(*_CLAIMED)
    .values(expired_until=sa.bindparam("until", type_=Instant), lease_until=unix_now() + LEASE_S)
)
_REST = Statement(
    sa.update(expiries)
    .where(*_CLAIMED)
    .values(lease_owner=None, lease_until=unix_now() + sa.bindparam("seconds", type_=sa.Double))
)
_UNTIL = Statement(sa.select(expiries.c.expired_until).where(_NAME))


@dataclass(frozen=True)
class RetentionRule:
    """One kind of record and its retention period.

    `remove(tx, before, after)` deletes a batch of records older than `before`. `after` is its last return value,
    initially None; it returns None when no more are left.
    """

    name: str
    kept: timedelta
    remove: Callable[[Tx, datetime, Any], Awaitable[object]]


async def remove_in_order(
    oldest: Statement, remove_until: Statement, tx: Tx, before: datetime, after: object
) -> object:
    """Delete a batch of rows whose ids follow the order of `created_at`, oldest first. See `RetentionRule`.

    `oldest` reads a batch of ids and times after the id `after`; `remove_until` deletes rows up to the id `last`.
    """
    old = [row for row in await tx.all(oldest, after=after or 0) if row.created_at < before]
    if old:
        await tx.run(remove_until, last=old[-1].id)
    return old[-1].id if len(old) == BATCH else None


class EndedRecords:
    """The `remove` of a rule for a table with `created_at` and `ended_at`: rows that ended before a moment.

    `batch` is the number of rows per transaction: lower it if a row takes rows of other tables along.
    """

    def __init__(self, table: sa.Table, batch: int = 20) -> None:
        self.batch = batch
        self.oldest = Statement(
            sa.select(table.c.id, table.c.created_at, table.c.ended_at)
            .where(table.c.id > sa.bindparam("after", type_=BigInt))
            .order_by(table.c.id)
            .limit(batch)
        )
        self.removal = Statement(sa.delete(table).where(among(table.c.id, "ids")))

    async def remove(self, tx: Tx, before: datetime, after: object) -> object:
        """Delete a batch of rows. See `RetentionRule`."""
        rows = await tx.all(self.oldest, after=after or 0)
        if ended_ids := [row.id for row in rows if row.ended_at is not None and row.ended_at < before]:
            await tx.run(self.removal, ids=ended_ids)
        return rows[-1].id if len(rows) == self.batch and rows[-1].created_at < before else None


class RetentionWorker:
    """Removes old records periodically."""

    def __init__(self, database: Database, node: str, kinds: Sequence[RetentionRule]) -> None:
        self._database = database
        self._node = node
        self._kinds = kinds
        self._places: dict[str, object] = {}
        """Where to continue with the kinds of which more may be left."""

    async def run(self) -> None:
        """Remove old records until cancelled."""
        while True:
            for kind in self._kinds:
                try:
                    await self._visit(kind)
                except LeaseLost:
                    _log.info("expiry.claim_lost", kind=kind.name)
                except DatabaseUnavailable as error:
                    _log.warning("expiry.broken_off", kind=kind.name, reason=error.message)
            await asyncio.sleep(_PAUSE_S if self._places else _LOOK_S)

    async def _visit(self, kind: RetentionRule) -> None:
        """Remove the old records of a kind, if it is due and no other process holds its lease."""
        if await self._database.lookup(_UNTIL, kind=kind.name) is None:
            await self._database.transact(lambda tx: tx.run(_ADD, kind=kind.name))
        if await self._database.lookup(_IS_DUE, kind=kind.name):
            claim = await self._database.transact(lambda tx: tx.one(_CLAIM, kind=kind.name, owner=self._node))
            if claim:
                return await self._remove(kind, claim)
        self._places.pop(kind.name, None)
        return None

    async def _remove(self, kind: RetentionRule, claim: Row) -> None:
        before = now() - kind.kept
        claim_key = {"kind": kind.name, "under": claim.epoch}
        until = max(claim.expired_until or before, before)

        place = self._places.pop(kind.name, None)

        async def batch(tx: Tx) -> object:
            if not await tx.run(_HOLD, **claim_key, until=until):
                raise LeaseLost
            return await kind.remove(tx, before, place)

        for _ in range(_TURN):
            place = await self._database.transact(batch)
            if place is None:
                break
            await asyncio.sleep(_PAUSE_S)
        if place is not None:
            self._places[kind.name] = place
        seconds = _EVERY_S if place is None else 0.0
        await self._database.transact(lambda tx: tx.run(_REST, **claim_key, seconds=seconds))
