"""SQL constructs that SQLite and PostgreSQL write differently."""

import re
from collections.abc import Sequence
from typing import Any

import orjson
import sqlalchemy as sa
from sqlalchemy.engine import Dialect
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement
from sqlalchemy.types import TypeDecorator, TypeEngine

from retinue.core.database.schema import Json


class unix_now(FunctionElement[float]):
    """Seconds since 1970 by the database's clock, as a double.

    With it, leases of all nodes compare times of a single clock.
    """

    type = sa.Double()
    inherit_cache = True


@compiles(unix_now, "sqlite")
def _sqlite(element: unix_now, compiler: SQLCompiler, **options: object) -> str:
    return "unixepoch('subsec')"


@compiles(unix_now, "postgresql")
def _postgresql(element: unix_now, compiler: SQLCompiler, **options: object) -> str:
    return "extract(epoch from clock_timestamp())::float8"


class _Keys(TypeDecorator[Sequence[object]]):
    """A list of integers or texts as one parameter: an array on PostgreSQL, JSON text on SQLite."""

    impl = sa.ARRAY
    cache_ok = True

    def __init__(self, item_type: type[sa.BigInteger] | type[sa.Text]) -> None:
        super().__init__(item_type)
        self.item_type = item_type

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """Use text on SQLite, which has no arrays."""
        return dialect.type_descriptor(sa.Text() if dialect.name == "sqlite" else sa.ARRAY(self.item_type))

    def process_bind_param(self, value: Sequence[object] | None, dialect: Dialect) -> object:
        """Convert a Python value for the database."""
        return orjson.dumps(value).decode() if dialect.name == "sqlite" else value


class among(FunctionElement[bool]):
    """True if a column equals one of the keys in a list parameter. One statement serves lists of every length."""

    type = sa.Boolean()
    inherit_cache = True

    def __init__(self, column: sa.ColumnElement[int] | sa.ColumnElement[str], parameter: str) -> None:
        kind = sa.Text if isinstance(column.type, sa.String) else sa.BigInteger
        super().__init__(column, sa.bindparam(parameter, type_=_Keys(kind)))

    def self_group(self, against: object = None) -> "among":
        """Return self: the comparison with 1 that SQLite's dialect would add prevents the use of an index."""
        return self


@compiles(among, "sqlite")
def _among_sqlite(element: among, compiler: SQLCompiler, **options: object) -> str:
    column, ids = (compiler.process(clause, **options) for clause in element.clauses)
    return f"{column} IN (SELECT value FROM json_each({ids}))"


@compiles(among, "postgresql")
def _among_postgresql(element: among, compiler: SQLCompiler, **options: object) -> str:
    column, ids = (compiler.process(clause, **options) for clause in element.clauses)
    return f"{column} = ANY ({ids})"


class json_integer(FunctionElement[int]):
    """An integer member of a JSON object that is stored as text without spaces.

    Strings escape their quotes, so a comma or brace before a quote is always outside of a string. A pattern therefore
    finds the member even if the database's JSON functions refuse the text (U+0000 on PostgreSQL).
    """

    type = sa.BigInteger()
    inherit_cache = True

    def __init__(self, column: sa.ColumnElement[object], key: str) -> None:
        super().__init__(column)
        self.key = key


@compiles(json_integer, "sqlite")
def _json_integer_sqlite(element: json_integer, compiler: SQLCompiler, **options: object) -> str:
    return f"json_extract({compiler.process(element.clauses, **options)}, '$.{element.key}')"


@compiles(json_integer, "postgresql")
def _json_integer_postgresql(element: json_integer, compiler: SQLCompiler, **options: object) -> str:
    column = compiler.process(element.clauses, **options)
    return f"substring({column} from '[,{{]\"{element.key}\":(-?[0-9]+)')::bigint"


class _counted_words(FunctionElement[object]):
    """The pairs of a JSON list of `[word, times]`, as rows."""

    inherit_cache = True


@compiles(_counted_words, "sqlite")
def _counted_words_sqlite(element: _counted_words, compiler: SQLCompiler, **options: object) -> str:
    pairs = compiler.process(element.clauses, **options)
    return f"(SELECT value ->> 0 AS word, value ->> 1 AS times FROM json_each({pairs}))"


@compiles(_counted_words, "postgresql")
def _counted_words_postgresql(element: _counted_words, compiler: SQLCompiler, **options: object) -> str:
    pairs = compiler.process(element.clauses, **options)
    rows = f"json_array_elements(({pairs})::json) AS pair"
    return f"(SELECT pair ->> 0 AS word, (pair ->> 1)::integer AS times FROM {rows})"


def counted_words(parameter: str) -> sa.TableValuedAlias:
    """Return the pairs of a JSON list of `[word, times]` as a table with the columns `word` and `times`."""
    pairs = _counted_words(sa.bindparam(parameter, type_=Json))
    return pairs.table_valued(sa.column("word", sa.String), sa.column("times", sa.Integer))


def like_pattern(text: str) -> str:
    """Return the LIKE pattern, with the escape character `\\`, of all texts that contain `text`."""
    return "%" + re.sub(r"([\\%_])", r"\\\1", text) + "%"
