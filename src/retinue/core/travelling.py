"""Statements that go to PostgreSQL together, since each trip costs as much as what is done there.

What waits becomes the WITH queries of the next statement: PostgreSQL carries out those that write whether or not
anything reads them (https://www.postgresql.org/docs/current/queries-with.html#QUERIES-WITH-MODIFYING). All of them see
the tables as they were before, and their order is not laid down, so only statements that do not care about one another
go together.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql
from sqlalchemy.sql import visitors

from retinue.core.database import Later
from retinue.core.joint_text import Company, answering, led_by_last
from retinue.core.statements import Compiled, Statement

_MOST = 1024

Told = Callable[[Any], None]


@dataclass(frozen=True, slots=True)
class Traveller:
    """A statement with its parameters, but for those at the places `named`: they are the id of the row that is added.

    `told` is given the one value that it returns, `later` the row that it adds. `error` is what it means if it finds no
    row: then nothing may happen.
    """

    statement: Statement
    parameters: list[Any]
    named: tuple[int, ...]
    told: Told | None
    later: Later | None
    error: Exception | None


@dataclass(frozen=True, slots=True)
class Trip:
    """One statement made of several.

    Where none of them is the one whose result is wanted, the result is one row: that of `later`, then what each of
    `told` is given. A division by zero means `error`.
    """

    text: str
    parameters: list[Any]
    told: list[Told]
    error: Exception | None
    adding: Traveller | None

    def tell(self, answers: Sequence[Any]) -> None:
        """Hand the result to those who want it."""
        if self.adding and self.adding.later:
            compiled = _compiled(self.adding.statement)
            self.adding.later.arrive(compiled.row(answers[: compiled.columns]))
            answers = answers[compiled.columns :]
        for told, answer in zip(self.told, answers, strict=False):
            told(answer)


class Travelling:
    """The statements of a transaction that wait for company."""

    def __init__(self) -> None:
        self._waiting: list[Traveller] = []
        self._has_added = False

    def __bool__(self) -> bool:
        return bool(self._waiting)

    def joins(
        self, statement: Statement, *, error: Exception | None = None, later: Later | None = None, **_: Any
    ) -> bool:
        """Whether a statement may go with those that wait. Of those with an error, and of those that add, one may."""
        if any((error and waiting.error) or (later and waiting.later) for waiting in self._waiting):
            return False
        return all(_strangers(statement, waiting.statement) for waiting in self._waiting)

    def leads(self, statement: Statement) -> bool:
        """Whether a statement may go with those that wait, and its result be the result of all."""
        wanted = any(waiting.told or waiting.error or waiting.later for waiting in self._waiting)
        return not wanted and self.joins(statement)

    def add(
        self,
        statement: Statement,
        values: dict[str, Any],
        *,
        told: Told | None = None,
        later: Later | None = None,
        error: Exception | None = None,
    ) -> None:
        """Have a statement wait that `joins` those that do."""
        parameters = self._bound(statement, values)
        named: tuple[int, ...] = ()
        if self._has_added:
            named = tuple(place for place, value in enumerate(parameters) if isinstance(value, Later))
            parameters = [value for value in parameters if not isinstance(value, Later)]
        self._has_added = self._has_added or later is not None
        self._waiting.append(Traveller(statement, parameters, named, told, later, error))

    def depart(self) -> Trip:
        """All that wait: none waits any longer."""
        leaving, self._waiting = self._waiting, []
        company = Company(
            tuple(one.statement for one in leaving),
            tuple(one.named for one in leaving),
            next((place for place, one in enumerate(leaving) if one.later), None),
        )
        told = tuple(place for place, one in enumerate(leaving) if one.told)
        demanded = tuple(place for place, one in enumerate(leaving) if one.error)
        return Trip(
            text=answering(company, told, demanded),
            parameters=[value for one in leaving for value in one.parameters],
            told=[one.told for one in leaving if one.told],
            error=next((one.error for one in leaving if one.error), None),
            adding=None if company.adding is None else leaving[company.adding],
        )

    def lead(self, statement: Statement, values: dict[str, Any]) -> tuple[str, list[Any]]:
        """All that wait, and a statement that `leads` them: the text, with that one's result, and the parameters."""
        waiting, self._waiting = self._waiting, []
        text = led_by_last((*(one.statement for one in waiting), statement))
        return text, [value for one in waiting for value in one.parameters] + self._bound(statement, values)

    def _bound(self, statement: Statement, values: dict[str, Any]) -> list[Any]:
        """The parameters. A row that was added has its id by now, or is on this trip."""
        parameters = _compiled(statement).bind(values)
        if not self._has_added:
            return parameters
        return [value.id if isinstance(value, Later) else value for value in parameters]


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
