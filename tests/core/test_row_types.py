"""The declared types of rows are those of the columns that their statements return."""

import importlib
import inspect
import pkgutil
from collections.abc import Iterator, Mapping
from datetime import datetime
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import pytest
import sqlalchemy as sa

import retinue
from retinue.core.database.schema import Instant, Json
from retinue.core.database.statements import Statement

WORKERS = ("retinue.voice.worker", "retinue.migrations", "retinue.tools.speech", "retinue.sdk", "retinue.__main__")
"""Modules of other processes, which have no statements and need other libraries, and a command."""

KINDS: dict[type[Any], type] = {
    Instant: datetime, sa.Boolean: bool, sa.Integer: int, sa.LargeBinary: bytes, sa.String: str, sa.Double: float,
}  # fmt: skip
"""The Python type of each kind of column. `Json` may be anything."""


def declared_statements() -> Iterator[tuple[str, Statement[Any], type]]:
    """Yield the name, the statement and the type of its rows wherever a module declares one."""
    for info in pkgutil.walk_packages(retinue.__path__, "retinue."):
        if not info.name.startswith(WORKERS):
            module = importlib.import_module(info.name)
            annotations: dict[str, Any] = inspect.get_annotations(module)
            for name, kind in annotations.items():
                if get_origin(kind) is Statement:
                    yield f"{info.name}.{name}", getattr(module, name), get_args(kind)[0]
                elif get_origin(kind) is Mapping and get_origin(get_args(kind)[1]) is Statement:
                    for key, statement in getattr(module, name).items():
                        yield f"{info.name}.{name}[{key}]", statement, get_args(get_args(kind)[1])[0]


def fault(column: Any, kind: Any) -> str | None:
    """Describe how a declared type differs from a column; None if it does not."""
    parts = {*get_args(kind)} if get_origin(kind) in (Union, UnionType) else {kind}
    # Text of which only some values occur is declared as these.
    parts = {type(get_args(part)[0]) if get_origin(part) is Literal else part for part in parts}
    nullable = getattr(column, "nullable", None) if isinstance(column, sa.Column) else None
    if nullable is not None and not parts & {Any, object} and nullable is not (NoneType in parts):
        return f"{column.name}: {'may' if nullable else 'cannot'} be null"
    if isinstance(column.type, Json):
        return None
    expected = next((own for base, own in KINDS.items() if isinstance(column.type, base)), None)
    if expected and parts - {NoneType} != {expected}:
        return f"{column.name}: is {expected.__name__}, not {kind}"
    return None


def test_row_types_fit_the_columns() -> None:
    declared = list(declared_statements())
    assert len(declared) >= 20
    faults = []
    for name, statement, row in declared:
        columns = {column.name: column for column in statement.clause.exported_columns}
        hints = get_type_hints(row)
        assert hints.keys() <= columns.keys(), name
        faults += [(name, found) for field, kind in hints.items() if (found := fault(columns[field], kind))]
    assert faults == []


@pytest.mark.parametrize(
    ("column", "kind"),
    [
        (sa.Column("a", sa.Integer, nullable=False), int | None),
        (sa.Column("a", sa.Integer), int),
        (sa.Column("a", sa.Integer, nullable=False), str),
        (sa.Column("a", Instant, nullable=False), str),
        (sa.Column("a", Json), list[str]),
    ],
)
def test_a_wrong_type_is_noticed(column: sa.Column[Any], kind: Any) -> None:
    assert fault(column, kind)
