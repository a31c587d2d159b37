"""Statements that go to PostgreSQL together, since each trip costs as much as what is done there.

What waits becomes the WITH queries of the next statement: PostgreSQL carries out those that write whether or not
anything reads them (https://www.postgresql.org/docs/current/queries-with.html#QUERIES-WITH-MODIFYING). All of them see
the tables as they were before, and their order is not laid down, so only statements that do not care about one another
go together.
"""

import re
from functools import lru_cache
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql
from sqlalchemy.sql import visitors

from retinue.core.statements import Compiled, Statement

_PARAMETER = re.compile(r"\$(\d+)")
_MOST = 1024


class Travelling:
    """The statements of a transaction that wait for company."""

    def __init__(self) -> None:
        self._waiting: list[tuple[Statement, list[Any]]] = []

    def __bool__(self) -> bool:
        return bool(self._waiting)

    def joins(self, statement: Statement) -> bool:
        """Whether a statement may go with those that wait."""
        return all(_strangers(statement, waiting) for waiting, _ in self._waiting)

    def add(self, statement: Statement, values: dict[str, Any]) -> None:
        """Have a statement wait that `joins` those that do."""
        self._waiting.append((statement, _compiled(statement).bind(values)))

    def depart(self) -> tuple[str, list[Any]]:
        """The text and the parameters of all that wait; its result is that of the last. None waits any longer."""
        statements, parameters = zip(*self._waiting, strict=True)
        self._waiting.clear()
        return _together(statements), [value for its_own in parameters for value in its_own]


def _compiled(statement: Statement) -> Compiled:
    return statement.compiled("postgresql")


@lru_cache(_MOST)
def _strangers(one: Statement, other: Statement) -> bool:
    """Whether both do nothing but write, to tables of their own that the other does not look at."""
    mine, theirs = _written(one), _written(other)
    return None not in (mine, theirs) and mine not in {theirs, *_read(other)} and theirs not in _read(one)


def _written(statement: Statement) -> sa.Table | None:
    """The table of a statement that is an INSERT, UPDATE or DELETE from its first word on, not one with a WITH."""
    clause = statement.clause
    plain = isinstance(clause, sa.UpdateBase) and _compiled(statement).sql.startswith(("INSERT", "UPDATE", "DELETE"))
    return clause.table if plain else None


def _read(statement: Statement) -> set[Any]:
    """The tables that a statement looks at. An INSERT that never changes a row looks at those of its queries only."""
    clause = statement.clause
    adds = isinstance(clause, sa.Insert) and not isinstance(clause, postgresql.Insert)
    looking = [part for part in visitors.iterate(clause) if isinstance(part, sa.Select)] if adds else [clause]
    columns = [part for query in looking for part in visitors.iterate(query) if isinstance(part, sa.Column)]
    tables = {getattr(column.table, "element", column.table) for column in columns}
    return tables if adds else {*tables, clause.table}


@lru_cache(_MOST)
def _together(statements: tuple[Statement, ...]) -> str:
    """One text, in which the parameters of each statement follow those of the one before."""
    texts: list[str] = []
    before = 0
    for statement in map(_compiled, statements):
        texts.append(_renumbered(statement.sql, before))
        before += statement.parameters
    *first, last = texts
    return f"WITH {', '.join(f's{place} AS ({text})' for place, text in enumerate(first))} {last}" if first else last


def _renumbered(text: str, before: int) -> str:
    return _PARAMETER.sub(lambda found: f"${int(found[1]) + before}", text)
