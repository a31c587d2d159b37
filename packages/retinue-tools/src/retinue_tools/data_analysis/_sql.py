"""Shared by the tools for SQL text: dialects, parsing of statements, and errors."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any, Literal

import sqlglot
from sqlglot import exp
from sqlglot.errors import ParseError, SqlglotError

from retinue.sdk import About, ToolError

DialectName = Literal[
    "standard", "postgres", "mysql", "sqlite", "bigquery", "snowflake", "duckdb", "tsql", "oracle", "redshift",
    "databricks", "spark", "hive", "trino", "presto", "athena", "clickhouse", "teradata",
]  # fmt: skip
Dialect = Annotated[DialectName, About("Dialect of the SQL; tsql is SQL Server")]
Sql = Annotated[str, About("SQL text", "SELECT a, b FROM t WHERE a > 1", min_length=1, max_length=100_000)]


@contextmanager
def sql_errors() -> Iterator[None]:
    """Convert errors of sqlglot to a `ToolError` with the location. Used around all calls of sqlglot."""
    try:
        yield
    except ParseError as error:
        raise ToolError(f"The SQL cannot be parsed: {fault(error)}. Fix it, or specify another dialect.") from error
    except (SqlglotError, ValueError, KeyError, AttributeError, TypeError, IndexError) as error:
        message = str(error).split("\n")[0][:300]
        raise ToolError(f"The SQL cannot be processed: {message}. Fix it, or specify another dialect.") from error


def name_of(dialect: str) -> str:
    """Return sqlglot's name of a dialect."""
    return "" if dialect == "standard" else dialect


def statements(sql: str, dialect: str) -> list[Any]:
    """Return the syntax trees of all statements. Raises sqlglot's errors, and `ToolError` if there are none."""
    found = [tree for tree in sqlglot.parse(sql, read=name_of(dialect)) if tree is not None]
    if not found:
        raise ToolError("There is no statement in the SQL.")
    return found


def one_query(sql: str, dialect: str) -> Any:
    """Return the syntax tree of the only query. Raises sqlglot's errors, and `ToolError` for anything else."""
    found = statements(sql, dialect)
    if len(found) != 1 or not isinstance(found[0], exp.Query):
        raise ToolError("Give one SELECT statement.")
    return found[0]


def fault(error: Any) -> str:
    """Describe an error and its location in one line."""
    if not error.errors:
        return str(error).split("\n")[0][:300]
    first = error.errors[0]
    near = f" near {first['highlight']!r}" if first.get("highlight") else ""
    place = f" (line {first['line']}, column {first['col']})" if first.get("line") else ""
    return f"{str(first['description']).rstrip('.')[:200]}{near[:100]}{place}"


def schema_of(ddl: str, dialect: str) -> dict[str, dict[str, str]]:
    """Return the columns and their types for each table that CREATE TABLE statements define, by lower-case names."""
    tables: dict[str, dict[str, str]] = {}
    for tree in statements(ddl, dialect):
        if isinstance(tree, exp.Create) and isinstance(tree.this, exp.Schema):
            columns = [part for part in tree.this.expressions if isinstance(part, exp.ColumnDef)]
            kinds = {
                part.name.lower(): part.kind.sql(dialect=name_of(dialect)) if part.kind else "UNKNOWN"
                for part in columns
            }
            tables[tree.this.this.name.lower()] = kinds
    if not tables:
        raise ToolError("The schema has no CREATE TABLE statement with columns.")
    return tables
