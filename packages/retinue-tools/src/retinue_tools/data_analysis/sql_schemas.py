"""SQL schemas: CREATE TABLE and INSERT statements from a table, and differences between two schemas."""

from typing import Annotated, Any

from sqlglot import exp
from typing_extensions import TypedDict

from retinue.sdk import About, Example, OutputFile, Refusal, ToolError, save, tool
from retinue_tools.data_analysis._loading import quote
from retinue_tools.data_analysis._sql import Dialect, name_of, schema_of, sql_errors
from retinue_tools.data_analysis._tables import (
    Rows,
    TableFile,
    column,
    kind_of,
    open_table,
    records,
    table_tool,
    values,
)

_TYPES = {
    "integer": "BIGINT",
    "number": "DOUBLE",
    "boolean": "BOOLEAN",
    "date": "DATE",
    "timestamp": "TIMESTAMP",
    "json": "JSON",
}
_SHOWN_STATEMENTS, _MOST_ROWS = 20, 10_000

Name = Annotated[
    str,
    About(
        "Name of the SQL table", "sales", pattern=r"^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)?$", max_length=128
    ),
]
Ddl = Annotated[
    str, About("CREATE TABLE statements", "CREATE TABLE t (a INT, b TEXT)", min_length=1, max_length=200_000)
]


class Definition(TypedDict):
    """Definition of a table."""

    sql: Annotated[str, About("CREATE TABLE statement")]
    columns: Annotated[int, About("Number of columns")]


@tool(
    tags="sql ddl create table schema generate types csv json import",
    use_when=(
        "Write a CREATE TABLE statement for this CSV",
        "Which MySQL table fits these JSON rows?",
        "Generate the PostgreSQL schema of this spreadsheet",
    ),
    examples=(
        Example(
            {
                "name": "people",
                "primary_key": "id",
                "dialect": "postgres",
                "rows": [{"id": 1, "name": "Ada", "born": "1815-12-10"}, {"id": 2, "name": None, "born": None}],
            },
            {
                "sql": 'CREATE TABLE people (\n  "id" BIGINT NOT NULL PRIMARY KEY,\n  "name" VARCHAR(10),\n  '
                '"born" DATE\n)',
                "columns": 3,
            },
            source="read off the rows: text of 3 characters gets room for 10",
        ),
        Example(
            {"name": "t", "dialect": "mysql", "rows": [{"a": 1.5}]},
            {"sql": "CREATE TABLE t (\n  `a` DOUBLE NOT NULL\n)"},
            source="MySQL's manual: backticks",
        ),
        Refusal({"name": "t", "primary_key": "b", "rows": [{"a": 1}]}, "no column b"),
    ),
    reply="The statement: {sql}",
    pace="normal",
    memory_mb=1024,
)
@table_tool
@sql_errors()
def sql_generate_ddl(
    name: Name,
    dialect: Dialect = "standard",
    primary_key: Annotated[str | None, About("Column for the primary key", "id", max_length=200)] = None,
    file: TableFile | None = None,
    rows: Rows | None = None,
) -> Definition:
    """Generate a CREATE TABLE statement in a dialect from the columns and values of a table or file.

    Use it before importing data into a database. Types and NOT NULL are derived from the values; text columns get a
    length with some reserve. Returns the statement.
    """
    relation = open_table(file, rows)
    key = column(relation, primary_key) if primary_key else None
    gaps = values(relation, [f"count(*) - count({quote(known)})" for known in relation.columns])
    lengths = values(relation, [f"coalesce(max(length({quote(known)}::VARCHAR)), 0)" for known in relation.columns])
    parts = []
    for known, gap, length in zip(relation.columns, gaps, lengths, strict=True):
        kind = _TYPES.get(kind_of(relation, known)) or _text_type(length)
        constraints = [exp.ColumnConstraint(kind=exp.NotNullColumnConstraint())] if not gap or known == key else []
        if known == key:
            constraints.append(exp.ColumnConstraint(kind=exp.PrimaryKeyColumnConstraint()))
        identifier = exp.to_identifier(known, quoted=True)
        parts.append(exp.ColumnDef(this=identifier, kind=exp.DataType.build(kind), constraints=constraints))
    create = exp.Create(this=exp.Schema(this=exp.to_table(name), expressions=parts), kind="TABLE")
    return {"sql": create.sql(dialect=name_of(dialect), pretty=True), "columns": len(parts)}


def _text_type(length: int) -> str:
    """Return a type with room for texts half as long again, rounded up to tens."""
    room = -(-length * 3 // 20) * 10
    return f"VARCHAR({max(room, 10)})" if room <= 1000 else "TEXT"


class Inserts(TypedDict):
    """INSERT statements."""

    sql: Annotated[str, About("First statements, at most 20 rows")]
    statements: Annotated[int, About("Number of statements")]
    rows_written: Annotated[int, About("Number of rows")]
    file: Annotated[OutputFile, About("SQL file with all statements")]


@tool(
    tags="sql insert statements generate rows csv json import seed values",
    use_when=(
        "Generate INSERT statements from this CSV",
        "Turn these JSON rows into SQL inserts for PostgreSQL",
        "Make a seed script of the uploaded table",
    ),
    examples=(
        Example(
            {"name": "t", "rows": [{"a": 1, "b": "it's"}, {"a": None, "b": "x"}]},
            {
                "sql": "INSERT INTO t (\"a\", \"b\") VALUES (1, 'it''s'), (NULL, 'x');",
                "statements": 1,
                "rows_written": 2,
                "file": "t.sql",
            },
            source="SQL:2016: quotes within text are doubled",
        ),
        Example(
            {"name": "t", "dialect": "mysql", "batch": 1, "rows": [{"a": True}, {"a": False}]},
            {"sql": "INSERT INTO t (`a`) VALUES (TRUE);\nINSERT INTO t (`a`) VALUES (FALSE);", "statements": 2},
            source="by hand",
        ),
        Refusal({"name": "t; DROP TABLE x", "rows": [{"a": 1}]}, "must match the pattern"),
    ),
    reply={
        "file": "The INSERT statements for {rows_written|row} are in {file}. The first ones: {sql}",
        "": "The INSERT statements for {rows_written|row}: {sql}",
    },
    pace="normal",
    memory_mb=1024,
)
@table_tool
@sql_errors()
def sql_generate_inserts(
    name: Name,
    dialect: Dialect = "standard",
    batch: Annotated[int, About("Rows per statement", minimum=1, maximum=1000)] = 100,
    file: TableFile | None = None,
    rows: Rows | None = None,
) -> Inserts:
    """Generate INSERT statements in a dialect from the rows of a table or file, at most 10,000.

    Use it to load data into a database or to write seed scripts. Values are quoted safely. Returns the first
    statements and a file with all of them.
    """
    relation = open_table(file, rows)
    found = records(relation.limit(_MOST_ROWS + 1))
    if not found or len(found) > _MOST_ROWS:
        raise ToolError(f"The table must have between 1 and {_MOST_ROWS:,} rows. Filter it first.")
    heads = ", ".join(exp.to_identifier(known, quoted=True).sql(dialect=name_of(dialect)) for known in relation.columns)
    lines = [", ".join(_value(row[known], dialect) for known in relation.columns) for row in found]
    head = f"INSERT INTO {exp.to_table(name).sql(dialect=name_of(dialect))} ({heads})"
    groups = [lines[start : start + batch] for start in range(0, len(lines), batch)]
    texts = [f"{head} VALUES {', '.join(f'({line})' for line in group)};" for group in groups]
    preview = "\n".join(texts[: max(1, _SHOWN_STATEMENTS // batch)])[:20_000]
    path = save(f"{name}.sql", "\n".join(texts).encode())
    return {"sql": preview, "statements": len(texts), "rows_written": len(found), "file": path}


def _value(cell: Any, dialect: str) -> str:
    return str(exp.convert(str(cell) if isinstance(cell, list | dict) else cell).sql(dialect=name_of(dialect)))


class Change(TypedDict):
    """A difference between two schemas."""

    table: Annotated[str, About("Table name")]
    column: Annotated[str | None, About("Column, if a column changed")]
    change: Annotated[str, About("table_added, table_removed, column_added, column_removed or type_changed")]
    before: Annotated[str | None, About("Old type")]
    after: Annotated[str | None, About("New type")]


class Changes(TypedDict):
    """Differences between two schemas."""

    changes: Annotated[list[Change], About("Differences, at most 500")]
    same: Annotated[bool, About("Whether there are no differences")]
    breaking: Annotated[bool, About("Whether something was removed or has another type")]


@tool(
    tags="sql schema diff compare ddl migration columns added removed changed",
    use_when=(
        "What changed between these two database schemas?",
        "Compare the CREATE TABLE scripts of staging and production",
        "Is this schema change breaking?",
    ),
    examples=(
        Example(
            {
                "before": "CREATE TABLE t (a INT, b TEXT, c INT)",
                "after": "CREATE TABLE t (a BIGINT, b TEXT, d DATE); CREATE TABLE u (x INT)",
            },
            {
                "changes": [
                    {"table": "t", "column": "a", "change": "type_changed", "before": "INT", "after": "BIGINT"},
                    {"table": "t", "column": "c", "change": "column_removed", "before": "INT", "after": None},
                    {"table": "t", "column": "d", "change": "column_added", "before": None, "after": "DATE"},
                    {"table": "u", "column": None, "change": "table_added"},
                ],
                "same": False,
                "breaking": True,
            },
            source="read off the statements",
        ),
        Example(
            {"before": "create table t (a int)", "after": "CREATE TABLE T (A INTEGER)", "dialect": "postgres"},
            {"same": True, "breaking": False},
            source="case and alias aside they are equal",
        ),
        Refusal({"before": "SELECT 1", "after": "CREATE TABLE t (a INT)"}, "no CREATE TABLE"),
    ),
    reply={
        "same": "Both schemas are the same.",
        "breaking, changes": "The schemas differ, and something was removed or has another type: {changes}",
        "changes": "The schemas differ: {changes}",
        "": "The schemas differ.",
    },
)
@sql_errors()
def sql_diff_schemas(before: Ddl, after: Ddl, dialect: Dialect = "standard") -> Changes:
    """Compare two sets of CREATE TABLE statements: tables and columns added, removed, or with another type.

    Use it to review a migration or to find drift between databases. Returns the changes and whether they may break
    users of the old schema.
    """
    old, new = schema_of(before, dialect), schema_of(after, dialect)
    changes: list[Change] = []
    for table in sorted({*old, *new}):
        if table not in old or table not in new:
            kind = "table_added" if table in new else "table_removed"
            changes.append({"table": table, "column": None, "change": kind, "before": None, "after": None})
            continue
        for name in sorted({*old[table], *new[table]}):
            was, becomes = old[table].get(name), new[table].get(name)
            if was != becomes:
                kind = "column_added" if was is None else "column_removed" if becomes is None else "type_changed"
                changes.append({"table": table, "column": name, "change": kind, "before": was, "after": becomes})
    breaking = any(not change["change"].endswith("_added") for change in changes)
    return {"changes": changes[:500], "same": not changes, "breaking": breaking}
