"""Which rows belong to a user: each room declares them beside its tables, for deletions and exports."""

from collections.abc import Collection, Sequence
from typing import Any

import sqlalchemy as sa

from retinue.core.schema import BigInt
from retinue.core.statements import Row, Statement

BATCH = 100
"""Rows that one transaction deletes, or that one page of an export holds."""

_OWNER = sa.bindparam("owner", type_=BigInt)
_NEVER_EXPORTED = ("epoch", "attempts", "lease_owner", "lease_until", "search_text")


class Owned:
    """The rows of a table that belong to a user or to an account.

    `column` holds the owner: a user's id where it is called `user_id`, else an account's. Where it refers to another
    owned table instead, `through` is that table, and with `cascades` the rows are deleted with those they refer to.
    `batch` is how many rows one transaction deletes: fewer where each takes rows of other tables along.
    `hidden` names the columns that an export leaves out; binary ones, which hold hashes and vectors, always stay out.
    `exported` is False for tables that an export leaves out.

    `removal` deletes some of the rows of an `owner`. `page` reads some of them; where rows refer to another table, its
    `owner` is the row that they refer to, and `parents` reads the ids of those.
    """

    def __init__(
        self,
        column: sa.Column[Any],
        through: "Owned | None" = None,
        *,
        cascades: bool = False,
        batch: int = BATCH,
        hidden: Collection[str] = (),
        exported: bool = True,
        returning: sa.Column[Any] | None = None,
    ) -> None:
        table = column.table
        assert isinstance(table, sa.Table)  # noqa: S101 - narrows the type
        self.table = table
        self.by_user: bool = through.by_user if through else column.name == "user_id"
        self.cascades = cascades
        self.columns = [one for one in table.c if self._is_shown(one, hidden)]
        self._key = list(table.primary_key.columns)
        self._belongs: sa.ColumnElement[bool] = column == _OWNER
        self.page = self._page() if exported else None
        self.parents = through._page(through._key) if through else None
        if through:
            self._belongs = column.in_(sa.select(through.table.c.id).where(through._belongs))
        self.removal = self._removal(batch, returning)

    def first_key(self) -> dict[str, Any]:
        """What `page` binds for the first page: every key is greater."""
        return {f"after_{one.name}": "" if isinstance(one.type, sa.String) else 0 for one in self._key}

    def next_key(self, row: Row) -> dict[str, Any]:
        """What `page` binds for the page that follows `row`."""
        return {f"after_{one.name}": getattr(row, one.name) for one in self._key}

    @staticmethod
    def _is_shown(column: sa.Column[Any], hidden: Collection[str]) -> bool:
        return column.name not in (*hidden, *_NEVER_EXPORTED) and not isinstance(column.type, sa.LargeBinary)

    def _removal(self, batch: int, returning: sa.Column[Any] | None) -> Statement:
        """Delete some of an owner's rows."""
        key = self._key[0] if len(self._key) == 1 else sa.tuple_(*self._key)
        some = sa.select(*self._key).where(self._belongs).limit(batch)
        removal = sa.delete(self.table).where(key.in_(some))
        return Statement(removal if returning is None else removal.returning(returning))

    def _page(self, columns: Sequence[sa.Column[Any]] = ()) -> Statement:
        """A page of an owner's rows, in the order of their keys, behind a key."""
        after = [sa.bindparam(f"after_{one.name}", type_=one.type) for one in self._key]
        behind = self._key[0] > after[0] if len(after) == 1 else sa.tuple_(*self._key) > sa.tuple_(*after)
        wanted = dict.fromkeys([*self._key, *(columns or self.columns)])
        return Statement(sa.select(*wanted).where(self._belongs, behind).order_by(*self._key).limit(BATCH))
