"""Leases that accounts claim in turn, so that an account with a long queue delays only itself.

In the index (account, lease_until, id), the rows of an account form a queue. A claim steps from account to account,
however long their queues are, and starts where the last claim ended.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeVar

import sqlalchemy as sa

from retinue.core.database.interface import Tx
from retinue.core.database.portable_sql import unix_now
from retinue.core.database.schema import BigInt
from retinue.core.database.statements import Row, Statement
from retinue.core.work.leases import LEASE_S, Leases

Priority = Literal["low", "normal", "high"]

PLACES: Mapping[Priority, float] = {"high": 1.0, "normal": 2.0, "low": 3.0}
"""`lease_until` of new rows by priority. The values are long past, so the rows are due, lowest first.

Rows that were handed back have 0, so they precede new rows. Priorities order only the rows of one account; they do
not affect other accounts.
"""


T = TypeVar("T")
_LAST = 2**63 - 1
"""The largest possible account id."""


def fair_share(places: int) -> int:
    """Return how many of a process's places one account may fill: three quarters, so that others find a free one."""
    return max(1, places * 3 // 4)


@dataclass(frozen=True)
class ClaimCapacity:
    """The capacity of a process: `free` rows in total, and at most `most - under_way` more for each account.

    `served` is the account that was served last.
    """

    free: int
    most: int
    under_way: Mapping[int, int]
    served: int

    def left(self, account: int) -> int:
        """Return how many more rows of an account may be claimed."""
        return max(0, min(self.free, self.most - self.under_way.get(account, 0)))

    def without_room(self) -> int:
        """Return how many accounts are at their limit."""
        return sum(not self.left(account) for account in self.under_way)


class FairLeases(Leases):
    """The leases of a table with an `account_id`. `open_work` is the condition of the partial index."""

    def __init__(self, table: sa.Table, open_work: sa.ColumnElement[bool], claimed: dict[str, object]) -> None:
        super().__init__(table, open_work, claimed, part=table.c.account_id == sa.bindparam("account", type_=BigInt))
        self._accounts = Statement(_accounts_with_work(table, open_work))
        # Skip locked rows: a process that stalls in a transaction must not keep others from taking over the rest.
        expired = (
            sa.select(table.c.id)
            .where(open_work, table.c.lease_until > max(PLACES.values()), table.c.lease_until < unix_now())
            .with_for_update(skip_locked=True)
            .cte("expired")
        )
        self._rejoin = Statement(
            sa.update(table).where(table.c.id.in_(sa.select(expired.c.id))).values(lease_until=0.0)
        )

    async def claim_in_turn(self, tx: Tx, owner: str, room: ClaimCapacity, **values: object) -> list[Row]:
        """Claim up to `room.free` rows, spread evenly over the accounts with due rows."""
        rows: list[Row] = []
        due = await tx.all(self._accounts, after=room.served, at_most=room.free + room.without_room())
        left = {row.account_id: room.left(row.account_id) for row in due}
        accounts = [account for account in left if left[account]]
        while accounts and len(rows) < room.free:
            more = []
            share = max(1, (room.free - len(rows)) // len(accounts))
            for account in accounts:
                limit = min(left[account], share, room.free - len(rows))
                found = await self.claim(tx, owner, limit, account=account, **values) if limit else []
                rows += found
                left[account] -= len(found)
                if len(found) == limit and left[account]:
                    more.append(account)
            accounts = more
        return rows

    async def requeue_expired(self, tx: Tx) -> int:
        """Move rows with an expired lease ahead of new rows, and return their number."""
        return await tx.run(self._rejoin)


def _accounts_with_work(table: sa.Table, open_work: sa.ColumnElement[bool]) -> sa.CompoundSelect[tuple[int]]:
    """Select the accounts with due rows, starting after the account `after`, with one index step per account.

    Each step reads the first row in index order, so even a planner with wrong statistics uses the index.
    """

    # Order by the columns of the queue's index. Other indexes on the account also hold closed rows and need a sort.
    order = table.c.account_id, table.c.lease_until

    def first(column: sa.ColumnElement[T], among_these: sa.ColumnElement[bool]) -> sa.ScalarSelect[T]:
        return sa.select(column).where(open_work, among_these).order_by(*order).limit(1).scalar_subquery()

    def first_after(key: sa.ColumnElement[int]) -> sa.ScalarSelect[int]:
        return first(table.c.account_id, table.c.account_id > key)

    after = sa.bindparam("after", type_=BigInt)

    def due(name: str, start: sa.ColumnElement[int], upto: sa.ColumnElement[int]) -> sa.Select[tuple[int]]:
        found = sa.select(first_after(start).label("account_id")).cte(name, recursive=True)
        found = found.union_all(sa.select(first_after(found.c.account_id)).where(found.c.account_id < upto))
        return sa.select(found.c.account_id).where(
            found.c.account_id <= upto,
            first(table.c.lease_until, table.c.account_id == found.c.account_id) < unix_now(),
        )

    rest = due("due_later", after, sa.literal(_LAST)), due("due_earlier", sa.literal(0), after)
    return sa.union_all(*rest).limit(sa.bindparam("at_most", type_=sa.Integer))


def count_leases(table: sa.Table, open_work: sa.ColumnElement[bool]) -> Statement:
    """Count the leases of each server, with its last sign of life.

    Rows that were never claimed, or were handed back, have ends long past.
    """
    claimed = open_work, table.c.lease_owner.is_not(None), table.c.lease_until > max(PLACES.values())
    seen_at = (sa.func.max(table.c.lease_until) - LEASE_S).label("seen_at")
    count = sa.func.count().label("count")
    return Statement(
        sa.select(table.c.lease_owner.label("node"), count, seen_at).where(*claimed).group_by(table.c.lease_owner)
    )
