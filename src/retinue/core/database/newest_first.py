"""Pagination, newest first, whose last page costs little more than the first."""

from typing import Any

import sqlalchemy as sa

from retinue.core.database.schema import BigInt
from retinue.core.database.statements import Statement


def newest_first(
    query: sa.Select[Any], key: sa.Column[object], *indexed: sa.ColumnElement[bool], backwards: bool = False
) -> Statement:
    """Build a statement for one page of `query`. It binds `per_page` and `offset`.

    `indexed` are conditions that an index ending in `key` answers. The database skips the rows before the page in
    that index, without reading the rows or the tables that `query` joins. The conditions must hold for exactly the
    rows that `query` returns. `backwards` lists the oldest first, for pages near the end of a long list.
    """
    order = key.asc() if backwards else key.desc()
    first = (
        sa.select(key)
        .where(*indexed)
        .order_by(order)
        .limit(1)
        .offset(sa.bindparam("offset", type_=BigInt))
        .correlate(None)
        .scalar_subquery()
    )
    per_page = sa.bindparam("per_page", type_=sa.Integer)
    start = key >= first if backwards else key <= first
    return Statement(query.where(*indexed, start).order_by(order).limit(per_page))
