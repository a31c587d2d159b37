"""SQLAlchemy Core statements, compiled once for each dialect and then run on the raw driver.

Compiling costs a hundred times what running does, so statements are module constants and parameters are bound by name.
"""

from collections import namedtuple
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Dialect
from sqlalchemy.types import TypeEngine

Row = Any
"""A row of a result: a named tuple whose fields are the columns."""

_Processor = Callable[[Any], Any] | None

_FLOAT8 = 701
"""PostgreSQL's type number for doubles: its dialect wants one to choose how floats are read."""

DIALECTS: Mapping[str, Dialect] = {
    name: sa.make_url(url).get_dialect()()
    for name, url in {"sqlite": "sqlite://", "postgresql": "postgresql+asyncpg://"}.items()
}


class Compiled:
    """The text of a statement in one dialect, how to bind its parameters and how to read its rows."""

    def __init__(self, clause: Any, dialect: Dialect, columns: Sequence[str] | None) -> None:
        compiled = clause.compile(dialect=dialect, column_keys=columns)
        self.sql = str(compiled)
        self._order: tuple[str, ...] = tuple(compiled.positiontup or ())
        self._fixed = {name: compiled.params[name] for name in self._order if not compiled.binds[name].required}
        self._binders = _binders(compiled, dialect)
        self._readers = [_reader(c.type, dialect) for c in _columns(clause)]
        self._plain = not any(self._readers)
        self._make = _row_class([c.name for c in _columns(clause)])._make

    def bind(self, values: Mapping[str, Any]) -> list[Any]:
        """Positional parameters for the driver."""
        fixed, binders = self._fixed, self._binders
        merged = {**fixed, **values} if fixed else values
        return [binders[name](merged[name]) if name in binders else merged[name] for name in self._order]

    def row(self, raw: Sequence[Any]) -> Row:
        """One row of the driver as a named tuple of Python values."""
        if self._plain:
            return self._make(raw)
        return self._make([read(v) if read else v for v, read in zip(raw, self._readers, strict=True)])


class Statement:
    """A statement as a module constant. `columns` names the parameters of an INSERT or UPDATE without `.values()`."""

    def __init__(self, clause: Any, columns: Sequence[str] | None = None) -> None:
        self.clause = clause
        self.columns = columns
        self._compiled: dict[str, Compiled] = {}

    def compiled(self, dialect: str) -> Compiled:
        """The statement in `sqlite` or `postgresql`, made on first use."""
        found = self._compiled.get(dialect)
        if found is None:
            found = self._compiled[dialect] = Compiled(self.clause, DIALECTS[dialect], self.columns)
        return found


def _row_class(fields: Sequence[str]) -> Any:
    """A named tuple whose fields are known only when a statement is compiled."""
    make: Any = namedtuple
    return make("Row", fields, rename=True)


def _columns(clause: Any) -> list[Any]:
    return list(clause.exported_columns) if isinstance(clause, sa.sql.expression.ReturnsRows) else []


def _binders(compiled: Any, dialect: Dialect) -> dict[str, Callable[[Any], Any]]:
    processors = {name: _bind_processor(compiled.binds[name].type, dialect) for name in set(compiled.positiontup or ())}
    return {name: processor for name, processor in processors.items() if processor}


def _bind_processor(kind: TypeEngine[Any], dialect: Dialect) -> _Processor:
    return kind.dialect_impl(dialect).bind_processor(dialect)


def _reader(kind: TypeEngine[Any], dialect: Dialect) -> _Processor:
    return kind.dialect_impl(dialect).result_processor(dialect, _FLOAT8)
