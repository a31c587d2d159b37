"""Compiles SQLAlchemy Core statements once per dialect, to run on the raw driver.

Compiling costs a hundred times as much as running, so statements are module constants with named parameters.
"""

from collections import namedtuple
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Any, Generic, Protocol, Self

import sqlalchemy as sa
from sqlalchemy.engine import Dialect
from sqlalchemy.types import TypeEngine
from typing_extensions import TypeVar

Row = Any
"""A result row whose columns are not declared: a named tuple of them."""

Row_co = TypeVar("Row_co", default=Row, covariant=True)


class Record(Protocol):
    """A row whose columns are declared, as annotations of a subclass. At run time it is a named tuple of them."""

    def _asdict(self) -> dict[str, object]: ...

    def _replace(self, **values: object) -> Self: ...


_Processor = Callable[[object], object] | None

_FLOAT8 = 701
"""PostgreSQL's type OID for doubles. The dialect needs one to choose how to read floats."""

DIALECTS: Mapping[str, Dialect] = {
    name: sa.make_url(url).get_dialect()()
    for name, url in {"sqlite": "sqlite://", "postgresql": "postgresql+asyncpg://"}.items()
}


class CompiledStatement:
    """A statement in one dialect: its SQL text, parameter binding and row conversion."""

    def __init__(self, clause: Any, dialect: Dialect, columns: Sequence[str] | None) -> None:
        compiled = clause.compile(dialect=dialect, column_keys=columns)
        self.sql = str(compiled)
        self._order: tuple[str, ...] = tuple(compiled.positiontup or ())
        self._pick = itemgetter(*self._order) if len(self._order) > 1 else self._pick_few
        self._fixed = {name: compiled.params[name] for name in self._order if not compiled.binds[name].required}
        self._required = len({*self._order} - self._fixed.keys())
        self._binders = _with_places(_binder(compiled.binds[name].type, dialect) for name in self._order)
        self._readers = _with_places(_reader(column.type, dialect) for column in _columns(clause))
        self._make = _row_class([column.name for column in _columns(clause)])._make

    def bind(self, values: Mapping[str, object]) -> list[object]:
        """Convert named values to the driver's positional parameters.

        Raises `KeyError` for a missing value, and `TypeError` for one that the statement has no parameter for: a
        condition that was meant to use it is missing.
        """
        if len(values) > self._required:
            unused = sorted(values.keys() - {*self._order})
            if unused:
                raise TypeError(f"The statement has no parameter for {', '.join(unused)}: {self.sql}")
        merged = {**self._fixed, **values} if self._fixed else values
        return _apply(self._binders, list(self._pick(merged)))

    def _pick_few(self, values: Mapping[str, object]) -> list[object]:
        return [values[name] for name in self._order]

    def row(self, raw: Iterable[object]) -> Row:
        """Convert a driver row to a named tuple of Python values."""
        return self._make(_apply(self._readers, list(raw)) if self._readers else raw)


class Statement(Generic[Row_co]):
    """A compiled-on-demand statement. `columns` names the parameters of an INSERT or UPDATE without `.values()`.

    The type of its rows can be declared, as in `GET: Statement[AgentRow] = Statement(…)`: a protocol with an attribute
    for each column that is read. A test compares the protocols with the columns.
    """

    def __init__(self, clause: Any, columns: Sequence[str] | None = None) -> None:
        self.clause = clause
        self.columns = columns
        self._compiled: dict[str, CompiledStatement] = {}

    def compile(self, dialect: str) -> CompiledStatement:
        """Return the statement compiled for `sqlite` or `postgresql`; compiles on first use."""
        found = self._compiled.get(dialect)
        if found is None:
            found = self._compiled[dialect] = CompiledStatement(self.clause, DIALECTS[dialect], self.columns)
        return found


def _row_class(fields: Sequence[str]) -> Any:
    """Create a named tuple class. Its fields are known only once a statement is compiled."""
    make: Any = namedtuple
    return make("Row", fields, rename=True)


def _columns(clause: Any) -> list[Any]:
    return list(clause.exported_columns) if isinstance(clause, sa.sql.expression.ReturnsRows) else []


def _with_places(processors: Iterable[_Processor]) -> list[tuple[int, Callable[[object], object]]]:
    """Return the processors that are not None, with the positions of their values."""
    return [(place, processor) for place, processor in enumerate(processors) if processor]


def _apply(processors: list[tuple[int, Callable[[object], object]]], values: list[object]) -> list[object]:
    for place, process in processors:
        if (value := values[place]) is not None:
            values[place] = process(value)
    return values


def _binder(kind: TypeEngine[object], dialect: Dialect) -> _Processor:
    own = getattr(kind, "binder", None)
    return own(dialect) if own else kind.dialect_impl(dialect).bind_processor(dialect)


def _reader(kind: TypeEngine[object], dialect: Dialect) -> _Processor:
    own = getattr(kind, "reader", None)
    return own(dialect) if own else kind.dialect_impl(dialect).result_processor(dialect, _FLOAT8)
