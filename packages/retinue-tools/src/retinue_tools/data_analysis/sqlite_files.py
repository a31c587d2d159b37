"""SQLite database files."""

import sqlite3  # noqa: TID251  a worker opens no database of the server
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Annotated, Any

from typing_extensions import TypedDict

from retinue.sdk import About, Example, ExampleCall, File, OutputFile, Refusal, ToolError, output_path, tool
from retinue_tools.data_analysis._loading import quote, workspace
from retinue_tools.data_analysis._tables import (
    FILE,
    Noted,
    OtherFile,
    OtherRows,
    Rows,
    Table,
    TableFile,
    encode,
    kind_of,
    plain,
    records,
    table,
    table_tool,
)

_MOST_ROWS = 10_000
_ALLOWED = (20, 21, 31, 33)  # SQLITE_READ, SQLITE_SELECT, SQLITE_FUNCTION, SQLITE_RECURSIVE of sqlite3.h
_TYPES = {"integer": "INTEGER", "number": "REAL", "boolean": "INTEGER"}

Database = Annotated[File, About("ID of an uploaded SQLite database file", FILE)]


@tool(
    tags="sqlite query select database file sql read db",
    use_when=(
        "Query this .db file with SQL",
        "Select the ten newest orders from the SQLite database",
        "Count the rows per status in my sqlite file",
    ),
    examples=(
        Example(
            {"file": FILE, "query": "SELECT 6 * 7 AS answer, 'x' AS t"},
            {"rows": [{"answer": 42, "t": "x"}], "columns": ["answer", "t"]},
            source="arithmetic; an empty file is an empty database (sqlite.org, file format)",
            files={FILE: ""},
        ),
        Refusal({"file": FILE, "query": "CREATE TABLE t (a)"}, "Only SELECT is allowed", files={FILE: ""}),
        Refusal({"file": FILE, "query": "ATTACH '/etc/passwd' AS p"}, "Only SELECT is allowed", files={FILE: ""}),
        Refusal(
            {"file": FILE, "query": "SELECT 1"},
            "not an SQLite database",
            files={FILE: encode("no database, just text" * 30)},
        ),
    ),
    reply={
        "file, rows": "The query gives {row_count|row}; all are in {file}. The first ones: {rows}",
        "rows": "The query gives {row_count|row}: {rows}",
        "": "The query gives no rows.",
    },
    pace="normal",
    memory_mb=1024,
)
@table_tool
def sqlite_query_file(
    file: Database,
    query: Annotated[
        str,
        About(
            "One SELECT statement in SQLite's dialect", "SELECT * FROM orders LIMIT 10", min_length=1, max_length=20_000
        ),
    ],
) -> Table:
    """Run a read-only SELECT on an uploaded SQLite database file.

    Use it to inspect .db or .sqlite files. The file is not changed. Returns at most 10,000 rows: the first hundred in
    the result, and all of them in a CSV file.
    """
    with _reading(file) as connection:
        connection.set_authorizer(lambda action, *_: sqlite3.SQLITE_OK if action in _ALLOWED else sqlite3.SQLITE_DENY)
        cursor = connection.execute(query)
        names = [head[0] for head in cursor.description or ()]
        found = cursor.fetchmany(_MOST_ROWS)
    if not names:
        raise ToolError("The query returns no columns: only SELECT is allowed.")
    lines = [{f"c{place}": plain(cell) for place, cell in enumerate(row)} for row in found]
    heads = {f"c{place}": name for place, name in enumerate(names)}
    return _show(lines, heads)


def _show(lines: list[dict[str, Any]], heads: dict[str, str]) -> Table:
    if not lines:
        return {"rows": [], "row_count": 0, "columns": list(heads.values())}
    relation = workspace({"data": (None, lines)}).table("data")
    return table(
        relation.project(", ".join(f"{quote(key)} AS {quote(head or key)}" for key, head in heads.items())),
        "query.csv",
    )


class SqliteTable(TypedDict):
    """A table of an SQLite file."""

    name: Annotated[str, About("Name of the table or view")]
    type: Annotated[str, About("table or view")]
    row_count: Annotated[int | None, About("Number of rows; null for views")]
    columns: Annotated[list[str], About("Columns with type, PRIMARY KEY and NOT NULL")]
    indexes: Annotated[list[str], About("Names of indexes")]
    sql: Annotated[str, About("Statement that created it")]


class SqliteSchema(TypedDict):
    """Content of an SQLite file."""

    tables: Annotated[list[SqliteTable], About("Tables and views, at most 200")]


@tool(
    tags="sqlite describe schema tables columns indexes rows database file db",
    use_when=(
        "What tables are in this SQLite file?",
        "Show the schema of the uploaded .db",
        "How many rows has each table of my sqlite database?",
    ),
    examples=(
        Example(
            {"file": FILE},
            {"tables": []},
            source="an empty file is an empty database (sqlite.org, file format)",
            files={FILE: ""},
        ),
        Refusal({"file": FILE}, "not an SQLite database", files={FILE: encode("no database, just text" * 30)}),
    ),
    reply={
        "tables": "The tables: {tables}",
        "": "There are no tables in the database.",
    },
    pace="normal",
)
def sqlite_describe_file(file: Database) -> SqliteSchema:
    """List the tables and views of an SQLite database file, with columns, indexes, row counts and definitions.

    Use it before querying an unknown database. Returns one entry for each table and view.
    """
    with _reading(file) as connection:
        objects = connection.execute(
            "SELECT name, type, coalesce(sql, '') FROM sqlite_schema WHERE type IN ('table', 'view') "
            "ORDER BY name LIMIT 200"
        )
        return {"tables": [_describe(connection, name, kind, sql) for name, kind, sql in objects.fetchall()]}


def _describe(connection: sqlite3.Connection, name: str, kind: str, sql: str) -> SqliteTable:
    columns = connection.execute('SELECT name, type, pk, "notnull" FROM pragma_table_info(?)', (name,)).fetchall()
    indexes = connection.execute("SELECT name FROM pragma_index_list(?) ORDER BY name", (name,)).fetchall()
    counting = f"SELECT count(*) FROM {quote(name)}"  # noqa: S608  the name is quoted
    count = connection.execute(counting).fetchone()[0] if kind == "table" else None
    return {
        "name": name,
        "type": kind,
        "row_count": count,
        "columns": [
            f"{title} {of}{' PRIMARY KEY' * bool(key)}{' NOT NULL' * bool(strict)}".strip()
            for title, of, key, strict in columns
        ],
        "indexes": [index for (index,) in indexes],
        "sql": sql[:5000],
    }


class MadeDatabase(Noted):
    """A new SQLite file."""

    file: Annotated[OutputFile, About("Database file")]
    tables: Annotated[dict[str, int], About("Number of rows by table")]


@tool(
    tags="sqlite create database file from csv json tables import db",
    use_when=(
        "Make an SQLite database of this CSV",
        "Put these two tables into one .db file",
        "Convert the spreadsheet to SQLite",
    ),
    examples=(
        Example(
            {"name": "people", "rows": [{"id": 1, "name": "Ada"}, {"id": 2, "name": None}]},
            {"file": "tables.sqlite", "tables": {"people": 2}},
            source="the table itself",
            then=(
                ExampleCall(
                    "sqlite_query_file",
                    {"file": "{made}", "query": "SELECT name FROM people ORDER BY id"},
                    {"rows": [{"name": "Ada"}, {"name": None}]},
                ),
                ExampleCall(
                    "sqlite_describe_file",
                    {"file": "{made}"},
                    {"tables": [{"name": "people", "row_count": 2, "columns": ["id INTEGER", "name TEXT"]}]},
                ),
            ),
        ),
        Example(
            {"name": "a", "rows": [{"x": 1.5}], "other_name": "b", "other_rows": [{"y": True}]},
            {"tables": {"a": 1, "b": 1}},
            source="the tables themselves",
            then=(
                ExampleCall(
                    "sqlite_query_file",
                    {"file": "{made}", "query": "SELECT x, y FROM a, b"},
                    {"rows": [{"x": 1.5, "y": 1}]},
                ),
            ),
        ),
        Refusal({"name": "a", "rows": [{"x": 1}], "other_name": "A", "other_rows": [{"y": 1}]}, "different names"),
    ),
    reply="The database (rows by table: {tables}): {file}",
    pace="normal",
    memory_mb=1024,
)
@table_tool
def sqlite_create_from_tables(
    name: Annotated[str, About("Name of the table", "people", pattern="^[A-Za-z][A-Za-z0-9_]*$", max_length=64)],
    file: TableFile | None = None,
    rows: Rows | None = None,
    other_name: Annotated[
        str, About("Name of a second table", pattern="^[A-Za-z][A-Za-z0-9_]*$", max_length=64)
    ] = "other",
    other_file: OtherFile | None = None,
    other_rows: OtherRows | None = None,
) -> MadeDatabase:
    """Create an SQLite database file from one or two tables (CSV, JSON, Excel or Parquet files, or rows).

    Use it to share data as a database. Numbers, truth values and text keep their types; dates become ISO text. Returns
    the file and the number of rows of each table.
    """
    sources = {name: (file, rows)}
    if other_file is not None or other_rows is not None:
        sources[other_name] = (other_file, other_rows)
        if name.casefold() == other_name.casefold() or name.lower().startswith("sqlite_"):
            raise ToolError("Give the two tables different names.")
    duck = workspace(sources)
    path = output_path("tables.sqlite")
    counts = {}
    try:
        with closing(sqlite3.connect(path)) as connection, connection:
            for title in sources:
                counts[title] = _render(connection, title, duck.table(title))
    except (sqlite3.Error, OverflowError) as error:
        raise ToolError("SQLite cannot store the table. Give its columns other names, or omit some.") from error
    return {"file": path.name, "tables": counts}


def _render(connection: sqlite3.Connection, title: str, relation: Any) -> int:
    names = relation.columns
    heads = ", ".join(f"{quote(name)} {_TYPES.get(kind_of(relation, name), 'TEXT')}" for name in names)
    connection.execute(f"CREATE TABLE {quote(title)} ({heads})")
    marks = ", ".join("?" * len(names))
    lines = [[_store(line[name]) for name in names] for line in records(relation)]
    connection.executemany(f"INSERT INTO {quote(title)} VALUES ({marks})", lines)  # noqa: S608  the name is quoted
    return len(lines)


def _store(cell: Any) -> Any:
    return str(cell) if isinstance(cell, list | dict) else cell


@contextmanager
def _reading(file: str) -> Iterator[sqlite3.Connection]:
    """Open a read-only connection to the file. Errors of SQLite become `ToolError`."""
    try:
        with closing(sqlite3.connect(f"{Path(file).resolve().as_uri()}?mode=ro&immutable=1", uri=True)) as connection:
            connection.execute("PRAGMA trusted_schema = OFF")
            connection.execute("SELECT count(*) FROM sqlite_schema")
            connection.text_factory = lambda content: content.decode("utf-8", errors="replace")
            yield connection
    except sqlite3.DatabaseError as error:
        message = str(error)
        if "not a database" in message or "malformed" in message:
            raise ToolError("The file is not an SQLite database, or it is damaged.") from error
        if "not authorized" in message or "prohibited" in message:
            raise ToolError("Only SELECT is allowed: the file is not changed.") from error
        raise ToolError(
            f"SQLite error: {message[:300]}. Fix the query; sqlite_describe_file lists the tables."
        ) from error
    except (sqlite3.Warning, sqlite3.ProgrammingError) as error:
        raise ToolError("Give one SELECT statement.") from error
