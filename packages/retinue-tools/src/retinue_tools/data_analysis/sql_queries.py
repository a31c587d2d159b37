"""SQL queries on tables that the caller provides."""

from typing import Annotated, Any

import duckdb

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.data_analysis._loading import quote, unique, workspace
from retinue_tools.data_analysis._tables import (
    FILE,
    Noted,
    OtherFile,
    OtherRows,
    Rows,
    Table,
    TableFile,
    encode,
    table,
    table_tool,
)

_CITIES = [{"city": "Bonn", "land": "NW"}, {"city": "Ulm", "land": "BW"}]
_SALES = encode("city,amount\nBonn,30\nUlm,10\nBonn,20\n")

Query = Annotated[
    str,
    About(
        "One SELECT (DuckDB SQL) over the table data, and over other if a second table is given",
        "SELECT region, sum(amount) AS total FROM data GROUP BY region ORDER BY total DESC",
        min_length=1,
        max_length=20_000,
    ),
]


@tool(
    tags="sql query select duckdb csv json parquet xlsx table join group analyse",
    use_when=(
        "Run SELECT region, sum(amount) FROM data GROUP BY region on this CSV",
        "How much did each customer spend, according to the uploaded file?",
        "Query this JSON with SQL",
        "Join the two files and count the orders for each country",
    ),
    examples=(
        Example(
            {"query": "SELECT city, sum(amount) AS total FROM data GROUP BY city ORDER BY total DESC", "file": FILE},
            {"rows": [{"city": "Bonn", "total": 50}, {"city": "Ulm", "total": 10}], "columns": ["city", "total"]},
            source="by hand",
            files={FILE: _SALES},
        ),
        Example(
            {
                "query": "SELECT land, max(amount) AS top FROM data JOIN other USING (city) GROUP BY ALL ORDER BY ALL",
                "file": FILE,
                "other_rows": _CITIES,
            },
            {"rows": [{"land": "BW", "top": 10}, {"land": "NW", "top": 30}]},
            source="by hand",
            files={FILE: _SALES},
        ),
        Example(
            {"query": "SELECT range AS n FROM range(250)", "rows": [{"a": 1}]},
            {"row_count": 250, "file": "query.csv"},
            source="the numbers from 0 to 249",
        ),
        Example(
            {"query": "SELECT 1 AS a, 2 AS a;", "rows": _CITIES},
            {"rows": [{"a": 1, "a_2": 2}], "columns": ["a", "a_2"]},
            source="by hand: the second column of a name is numbered",
        ),
        Example(
            {"query": "SELECT city FROM towns WHERE land = 'BW'", "rows": _CITIES},
            {"rows": [{"city": "Ulm"}]},
            source="the one table under another name",
        ),
        Refusal({"query": "SELECT * FROM read_csv('/etc/passwd')", "rows": _CITIES}, "file system operations"),
        Refusal({"query": "COPY data TO 'x.csv'", "rows": _CITIES}, "one SELECT"),
        Refusal({"query": "SET enable_external_access = true", "rows": _CITIES}, "one SELECT"),
        Refusal({"query": "SELECT * FROM 'https://example.com/a.csv'", "rows": _CITIES}, "Correct the names"),
        Refusal({"query": "SELECT price FROM data", "rows": _CITIES}, "price"),
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
def sql_query_tables(
    query: Query,
    file: TableFile | None = None,
    rows: Rows | None = None,
    other_file: OtherFile | None = None,
    other_rows: OtherRows | None = None,
) -> Table:
    """Run a SELECT over a CSV, JSON, Excel or Parquet file or over rows, and over a second table joined to it.

    Use it for any question about a table that SQL can answer: sums, groups, joins, windows. The first table is named
    data, the second other; a single table may have any name in the query. Returns the rows, their number and columns,
    and a CSV file if there are many.
    """
    return table(_ask(query, file, rows, other_file, other_rows), "query.csv")


class Plan(Noted):
    """Execution plan of a query."""

    plan: Annotated[str, About("Steps as a tree, the first at the bottom")]
    columns: Annotated[list[str], About("Names of the result's columns")]
    types: Annotated[list[str], About("Their SQL types, in the same order")]


@tool(
    tags="sql explain plan query execution steps scan join cost columns types",
    use_when=(
        "Show the execution plan of this query over my file",
        "In which order would these two tables be joined?",
        "Which columns and types would this SELECT return?",
    ),
    examples=(
        Example(
            {"query": "SELECT city, count(*) AS n FROM data GROUP BY city", "file": FILE},
            {"columns": ["city", "n"], "types": ["VARCHAR", "BIGINT"]},
            source="DuckDB's documentation: count gives BIGINT; city is text",
            files={FILE: _SALES},
        ),
        Example(
            {"query": "SELECT amount FROM data", "rows": [{"amount": 1.5}]},
            {"columns": ["amount"], "types": ["DOUBLE"]},
            source="1.5 is no integer",
        ),
        Refusal({"query": "DROP TABLE data", "rows": _CITIES}, "one SELECT"),
    ),
    reply="The execution plan: {plan}",
    pace="normal",
    memory_mb=1024,
)
@table_tool
def sql_explain_query(
    query: Query,
    file: TableFile | None = None,
    rows: Rows | None = None,
    other_file: OtherFile | None = None,
    other_rows: OtherRows | None = None,
) -> Plan:
    """Show the execution plan by which a query over given tables would be run, and the columns and types of its result.

    Use it to understand why a query is slow or what it returns, without running it. Returns the plan as text.
    """
    relation = _ask(query, file, rows, other_file, other_rows)
    return {"plan": relation.explain(), "columns": relation.columns, "types": [str(kind) for kind in relation.types]}


def _ask(query: str, file: Any, rows: Any, other_file: Any, other_rows: Any) -> Any:
    """Return the query as a relation that has not been run; it must be a single reading statement."""
    sources = {"data": (file, rows)}
    if other_file is not None or other_rows is not None:
        sources["other"] = (other_file, other_rows)
    connection = workspace(sources)
    statements = connection.extract_statements(query)
    if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
        raise ToolError(
            "The query must be one SELECT statement. Tables cannot be changed, and files cannot be read by name."
        )
    if len(sources) == 1:
        _create_named_view(connection, query)
    relation = connection.sql(query)
    names = unique(relation.columns)
    if names == relation.columns:
        return relation
    return connection.sql(f"FROM ({query.rstrip().rstrip(';')}\n) answer({', '.join(map(quote, names))})")


def _create_named_view(connection: Any, query: str) -> None:
    """Create a view with the table name that the query uses, if it uses a single table that is not called data."""
    called = connection.get_table_names(query)
    if len(called) == 1 and "data" not in called and all(name.isidentifier() for name in called):
        connection.execute(f"CREATE VIEW {quote(*called)} AS FROM data")
