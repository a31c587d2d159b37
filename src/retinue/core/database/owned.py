"""Declares which rows belong to a user, for deletion and export. Each package does so beside its tables."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

import sqlalchemy as sa

from retinue.core.database.interface import Tx
from retinue.core.database.schema import BigInt
from retinue.core.database.statements import Row, Statement

BATCH = 100
"""Rows deleted per transaction, or exported per page."""

DELETED_USER = "deleted user"
"""Replaces the name of a deleted user in rows that others still need."""

_OWNER = sa.bindparam("owner", type_=BigInt)
_NEVER_EXPORTED = ("epoch", "attempts", "lease_owner", "lease_until", "search_text")


@dataclass(frozen=True)
class Removed:
    """What one transaction of a deletion removed: whether there was anything, and the ids of files on disk."""

    any: bool
    files: tuple[str, ...] = ()


class Owned:
    """The rows of a table that belong to a user or an account.

    `column` holds the owner: a user id if it is called `user_id`, otherwise an account id. If it refers to another
    owned table instead, `through` is that table; with `cascades`, the database deletes the rows with their parents.
    `batch` is the number of rows to delete per transaction: lower it if a row takes rows of other tables along.
    `hidden` names columns that an export omits. Binary columns, which hold hashes and vectors, are always omitted.
    `exported` is False if an export omits the table. `when` is "first" for rows that are deleted as soon as the
    deletion is requested, and "last" for rows that are deleted together with the user. `removal` deletes a batch of
    the rows of `owner`. `page` reads a page of them; with `through`, its `owner` is the id of a parent row, and
    `parents` reads those ids.
    """

    def __init__(
        self,
        column: sa.Column[object],
        through: "Owned | None" = None,
        *,
        cascades: bool = False,
        batch: int = BATCH,
        hidden: Collection[str] = (),
        exported: bool = True,
        returning: sa.Column[object] | None = None,
        when: Literal["first", "in order", "last"] = "in order",
    ) -> None:
        table = column.table
        assert isinstance(table, sa.Table)  # noqa: S101 - narrows the type
        self.table = table
        self.by_user: bool = through.by_user if through else column.name == "user_id"
        self.cascades, self.when = cascades, when
        hidden = {*hidden, *_NEVER_EXPORTED}
        self.columns = [one for one in table.c if one.name not in hidden and not isinstance(one.type, sa.LargeBinary)]
        self._key = list(table.primary_key.columns)
        self._belongs: sa.ColumnElement[bool] = column == _OWNER
        self.page = self._page() if exported else None
        self.parents = through._page(through._key) if through else None
        if through:
            self._belongs = column.in_(sa.select(through.table.c.id).where(through._belongs))
        self.removal = self._removal(batch, returning)

    async def remove(self, tx: Tx, owner: int) -> Removed:
        """Delete a batch of the rows of `owner`. Subclasses keep what other users need, without its owner's name."""
        return Removed(await tx.run(self.removal, owner=owner) > 0)

    def first_key(self) -> dict[str, object]:
        """Return the parameters of `page` for the first page."""
        return {f"after_{one.name}": "" if isinstance(one.type, sa.String) else 0 for one in self._key}

    def next_key(self, row: Row) -> dict[str, object]:
        """Return the parameters of `page` for the page after `row`."""
        return {f"after_{one.name}": getattr(row, one.name) for one in self._key}

    def _removal(self, batch: int, returning: sa.Column[object] | None) -> Statement:
        """Build the statement that deletes a batch of an owner's rows."""
        key = self._key[0] if len(self._key) == 1 else sa.tuple_(*self._key)
        keys = sa.select(*self._key).where(self._belongs).limit(batch)
        removal = sa.delete(self.table).where(key.in_(keys))
        return Statement(removal if returning is None else removal.returning(returning))

    def _page(self, columns: Sequence[sa.Column[object]] = ()) -> Statement:
        """Build the statement that reads a page of an owner's rows after a key, in key order."""
        after = [sa.bindparam(f"after_{one.name}", type_=one.type) for one in self._key]
        behind = self._key[0] > after[0] if len(after) == 1 else sa.tuple_(*self._key) > sa.tuple_(*after)
        selected = dict.fromkeys([*self._key, *(columns or self.columns)])
        return Statement(sa.select(*selected).where(self._belongs, behind).order_by(*self._key).limit(BATCH))
