"""Statements that go to PostgreSQL together, since each trip costs as much as what is done there.

What waits becomes the WITH queries of the next statement: PostgreSQL carries out those that write whether or not
anything reads them (https://www.postgresql.org/docs/current/queries-with.html#QUERIES-WITH-MODIFYING). All of them see
the tables as they were before, and their order is not laid down, so only statements that do not care about one another
go together.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql
from sqlalchemy.sql import visitors

from retinue.core.joint_text import answering, led_by_last
from retinue.core.statements import Compiled, Statement

_MOST = 1024

Told = Callable[[Any], None]


@dataclass(frozen=True, slots=True)
class Traveller:
    """A statement with its parameters. `told` is given the one value that it returns.

    `error` is what it means if it finds no row: then nothing may happen.
    """

    statement: Statement
    parameters: list[Any]
    told: Told | None = None
    error: Exception | None = None


@dataclass(frozen=True, slots=True)
class Trip:
    """One statement made of several.

    Where none of them is the one whose result is wanted, the result is one row, of what each of `told` is given. A
    division by zero means `error`.
    """

    text: str
    parameters: list[Any]
    told: list[Told]
    error: Exception | None


class Travelling:
    """The statements of a transaction that wait for company."""

    def __init__(self) -> None:
        self._waiting: list[Traveller] = []

    def __bool__(self) -> bool:
        return bool(self._waiting)

    def joins(self, statement: Statement, demanded: bool = False) -> bool:
        """Whether a statement may go with those that wait; one at most of them may be demanded to find a row."""
        if demanded and any(waiting.error for waiting in self._waiting):
            return False
        return all(_strangers(statement, waiting.statement) for waiting in self._waiting)

    def leads(self, statement: Statement) -> bool:
        """Whether a statement may go with those that wait, and its result be the result of all."""
        return not any(waiting.told or waiting.error for waiting in self._waiting) and self.joins(statement)

    def add(self, statement: Statement, values: dict[str, Any], told: Told | None, error: Exception | None) -> None:
        """Have a statement wait that `joins` those that do."""
        self._waiting.append(Traveller(statement, _compiled(statement).bind(values), told, error))

    def depart(self) -> Trip:
        """All that wait: none waits any longer."""
        leaving, self._waiting = self._waiting, []
        told = tuple(place for place, one in enumerate(leaving) if one.told)
        demanded = tuple(place for place, one in enumerate(leaving) if one.error)
        return Trip(
            text=answering(tuple(one.statement for one in leaving), told, demanded),
            parameters=[value for one in leaving for value in one.parameters],
            told=[one.told for one in leaving if one.told],
            error=next((one.error for one in leaving if one.error), None),
        )

    def lead(self, statement: Statement, values: dict[str, Any]) -> tuple[str, list[Any]]:
        """All that wait, and a statement that `leads` them: the text, with that one's result, and the parameters."""
        company, self._waiting = self._waiting, []
        text = led_by_last((*(one.statement for one in company), statement))
        return text, [value for one in company for value in one.parameters] + _compiled(statement).bind(values)


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
