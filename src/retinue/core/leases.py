"""Who works on what: a row says its owner, until when, and how often it has been claimed.

Each claim raises the row's epoch, and whoever works on the row writes only under the epoch it was given: an owner that
stalled past its lease finds its writes refused, and cannot double the work of the one that took over.
"""

from typing import Any

import sqlalchemy as sa

from retinue.core.database import Database, Tx
from retinue.core.portable_sql import among, unix_now
from retinue.core.schema import BigInt
from retinue.core.statements import Row, Statement

LEASE_S = 8.0
"""How long a claim holds unless it is renewed."""

RENEW_S = 2.5
"""How often owners renew: two renewals may be missed before a lease ends."""

ATTEMPTS = 3
"""Work whose process died so often while it was worked on is set aside: it may be what kills them."""


def given_up(work: str) -> str:
    """The reason that people read of work that is set aside."""
    return f"The {work} was given up after its process ended {ATTEMPTS} times."


class LeaseLost(Exception):
    """The row was claimed by another, cancelled or deleted: stop working on it."""


def lease_columns() -> list[sa.Column[Any]]:
    """The columns that make rows of a table leasable."""
    return [
        sa.Column("epoch", BigInt, nullable=False, server_default="0"),
        sa.Column("attempts", sa.Integer, nullable=False, server_default="0"),
        sa.Column("lease_owner", sa.String(32)),
        sa.Column("lease_until", sa.Double, nullable=False, server_default="0"),
    ]


def _once(value: sa.ColumnElement[float]) -> sa.ScalarSelect[float]:
    """A value of one moment for the whole statement: PostgreSQL searches an index with it."""
    return sa.select(value).scalar_subquery()


class Leases:
    """The leases of one table. `open_work` tells which rows still want work, `claimed` what else a claim changes.

    `part` narrows each claim to a part of the table, such as the rows of one queue.
    """

    def __init__(
        self,
        table: sa.Table,
        open_work: sa.ColumnElement[bool],
        claimed: dict[str, Any],
        part: sa.ColumnElement[bool] | None = None,
    ) -> None:
        owner = sa.bindparam("owner", type_=sa.String)
        until = unix_now() + LEASE_S
        due = (
            sa.select(table.c.id)
            .where(open_work, *([] if part is None else [part]), table.c.lease_until < _once(unix_now()))
            .order_by(table.c.lease_until, table.c.id)
            .limit(sa.bindparam("at_most", type_=sa.Integer))
            .with_for_update(skip_locked=True)
            .cte("due")
        )
        taken = {"epoch": table.c.epoch + 1, "attempts": table.c.attempts + 1, "lease_owner": owner}
        self._claim = Statement(
            sa.update(table)
            .where(table.c.id.in_(sa.select(due.c.id)))
            .values(**taken, **claimed, lease_until=until)
            .returning(table)
        )
        self._renew = Statement(
            sa.update(table)
            .where(among(table.c.id, "rows"), open_work, table.c.lease_owner == owner)
            .values(lease_until=until)
            .returning(table.c.id)
        )
        self._void = Statement(sa.update(table).where(open_work, table.c.lease_owner == owner).values(lease_until=0.0))
        self._hand_back = Statement(
            sa.update(table)
            .where(open_work, table.c.lease_owner == owner)
            .values(lease_until=0.0, lease_owner=None, epoch=table.c.epoch + 1, attempts=table.c.attempts - 1)
        )
        self._void_others = Statement(
            sa.update(table).where(open_work, table.c.lease_owner != owner).values(lease_until=0.0)
        )

    async def claim(self, tx: Tx, owner: str, at_most: int, **values: Any) -> list[Row]:
        """Take up to `at_most` rows that are free, the longest waiting first. `values` are what the claim binds."""
        rows = await tx.all(self._claim, owner=owner, at_most=at_most, **values)
        return sorted(rows, key=lambda row: int(row.id))

    async def renew(self, tx: Tx, owner: str, rows: list[int]) -> set[int]:
        """Prolong the leases of `rows`; returns those that `owner` still holds."""
        return {row.id for row in await tx.all(self._renew, owner=owner, rows=rows)}

    async def void(self, tx: Tx, owner: str) -> int:
        """End an owner's leases at once: right only where it is known to be dead."""
        return await tx.run(self._void, owner=owner)

    async def hand_back(self, tx: Tx, owner: str) -> int:
        """Give back unharmed what an owner holds: others may claim it at once, and its attempts do not count."""
        return await tx.run(self._hand_back, owner=owner)

    async def void_others(self, tx: Tx, owner: str) -> int:
        """End every other owner's leases at once: right only where `owner` is known to be alone."""
        return await tx.run(self._void_others, owner=owner)


async def take_over_dead(leases: Leases, database: Database, owner: str, predecessor: str | None) -> None:
    """End the leases of processes that are known to be dead, so that their work goes on at once.

    The embedded database has one process at a time, so all others are dead. Of a shared one, just the process that
    held this data folder before is.
    """
    if database.dialect == "sqlite":
        await database.transact(lambda tx: leases.void_others(tx, owner))
    elif predecessor:
        await database.transact(lambda tx: leases.void(tx, predecessor))
