"""Leases on table rows: each row stores its owner, the end of the lease and the number of claims.

Each claim increments the row's epoch, and the owner writes only under the epoch of its claim. If an owner stalls past
its lease, its writes are refused, so it cannot repeat the work of its successor.
"""

import sqlalchemy as sa

from retinue.core.database.interface import Database, Tx
from retinue.core.database.portable_sql import among, unix_now
from retinue.core.database.schema import BigInt, Instant
from retinue.core.database.statements import Row, Statement
from retinue.core.runtime.clock import now

LEASE_S = 8.0
"""Duration of a lease in seconds, unless it is renewed."""

RENEW_S = 2.5
"""Seconds between renewals. An owner may miss two before its lease ends."""

ATTEMPTS = 3
"""Work whose process died this many times is given up: the work itself may be what kills the process."""


ABANDONED = f"It was abandoned after its process ended {ATTEMPTS} times."
"""The error message of work that is given up."""


class LeaseLost(Exception):
    """Another process claimed the row, or it was cancelled or deleted. The owner must stop working on it."""


def lease_columns() -> list[sa.schema.SchemaItem]:
    """Return the columns that a table needs for leases."""
    return [
        sa.Column("epoch", BigInt, nullable=False, server_default="0"),
        sa.Column("attempts", sa.Integer, nullable=False, server_default="0"),
        sa.Column("lease_owner", sa.String(32)),
        sa.Column("lease_until", sa.Double, nullable=False, server_default="0"),
    ]


def _once(value: sa.ColumnElement[float]) -> sa.ScalarSelect[float]:
    """Evaluate a value once per statement, so that PostgreSQL can use it in an index condition."""
    return sa.select(value).scalar_subquery()


class Leases:
    """The leases of one table.

    `open_work` selects unfinished rows, `claimed` lists further columns that a claim sets, and `part` restricts
    claims to a part of the table, such as the rows of one queue. `renewed_at` is a column for the time of the last
    renewal, in tables that need it.
    """

    def __init__(
        self,
        table: sa.Table,
        open_work: sa.ColumnElement[bool],
        claimed: dict[str, object],
        part: sa.ColumnElement[bool] | None = None,
        renewed_at: sa.Column[object] | None = None,
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
        lease_fields = {"epoch": table.c.epoch + 1, "attempts": table.c.attempts + 1, "lease_owner": owner}
        self._claim = Statement(
            sa.update(table)
            .where(table.c.id.in_(sa.select(due.c.id)))
            .values(**lease_fields, **claimed, lease_until=until)
            .returning(table)
        )
        self._notes_renewals = renewed_at is not None
        seen = {} if renewed_at is None else {renewed_at.name: sa.bindparam("moment", type_=Instant)}
        self._renew = Statement(
            sa.update(table)
            .where(among(table.c.id, "rows"), open_work, table.c.lease_owner == owner)
            .values(lease_until=until, **seen)
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

    async def claim(self, tx: Tx, owner: str, at_most: int, **values: object) -> list[Row]:
        """Claim up to `at_most` free rows, longest waiting first. `values` are further statement parameters."""
        rows = await tx.all(self._claim, owner=owner, at_most=at_most, **values)
        return sorted(rows, key=lambda row: int(row.id))

    async def renew(self, tx: Tx, owner: str, rows: list[int]) -> set[int]:
        """Extend the leases of `rows` and return the ids that `owner` still holds."""
        seen = {"moment": now()} if self._notes_renewals else {}
        return {row.id for row in await tx.all(self._renew, owner=owner, rows=rows, **seen)}

    async def end_leases(self, tx: Tx, owner: str) -> int:
        """End an owner's leases at once. Call this only if the owner is certainly dead."""
        return await tx.run(self._void, owner=owner)

    async def hand_back(self, tx: Tx, owner: str) -> int:
        """Release an owner's rows, so that others can claim them at once. The attempt does not count."""
        return await tx.run(self._hand_back, owner=owner)

    async def end_other_leases(self, tx: Tx, owner: str) -> int:
        """End the leases of all other owners at once. Call this only if `owner` is the only live process."""
        return await tx.run(self._void_others, owner=owner)


async def take_over_dead(leases: Leases, database: Database, owner: str, predecessor: str | None) -> None:
    """End the leases of dead processes, so that their work continues at once.

    Only one process at a time uses the embedded database, so all others are dead. With a shared database, only the
    process that held this data folder before is certainly dead.
    """
    if database.dialect == "sqlite":
        await database.transact(lambda tx: leases.end_other_leases(tx, owner))
    elif predecessor:
        await database.transact(lambda tx: leases.end_leases(tx, predecessor))
