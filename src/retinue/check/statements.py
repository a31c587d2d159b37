"""Statements that several rules share. A rule finds rows that contradict others."""

from datetime import datetime

import sqlalchemy as sa

from retinue.core.database.counters import counters
from retinue.core.database.statements import Statement
from retinue.core.work.retention import expiries


def expired_until(kind: str) -> sa.ScalarSelect[datetime | None]:
    """Return the time up to which retention has removed a kind of record; null if it never has."""
    return sa.select(expiries.c.expired_until).where(expiries.c.name == kind).scalar_subquery()


EXPIRED = expired_until("events")
"""The time up to which retention has removed events."""


def of_account(table: sa.Table, amount: sa.ColumnElement[int]) -> sa.ScalarSelect[int]:
    """Compute an amount over the rows of `table` that belong to the counter's account."""
    return sa.select(amount).select_from(table).where(table.c.account_id == counters.c.account_id).scalar_subquery()


def count_of(table: sa.Table, name: str) -> Statement:
    """Find accounts whose counter `name` differs from the number of their rows in `table`."""
    return counter(name, of_account(table, sa.func.count()))


def counter(name: str, counted: sa.ColumnElement[int]) -> Statement:
    """Find accounts whose counter `name` differs from `counted`."""
    return Statement(
        sa.select(counters.c.account_id.label("id"), counters.c.value.label("kept"), counted.label("true")).where(
            counters.c.name == name, counters.c.value != counted
        )
    )


def children_of(parent: sa.Table, stored: sa.Column[int], child: sa.Table, key: sa.Column[int]) -> Statement:
    """Find rows of `parent` whose stored count differs from the number of their children."""
    counted = sa.select(sa.func.count()).select_from(child).where(key == parent.c.id).scalar_subquery()
    return Statement(sa.select(parent.c.id, stored.label("kept"), counted.label("true")).where(stored != counted))
