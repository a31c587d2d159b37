"""The user's tables: creating, listing, summarising and dropping."""

import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, ExampleCall, Refusal, ToolError, tool
from retinue.sdk.workspace import (
    DATA_TABLE,
    DATA_TABLE_ROW,
    ColumnType,
    DataTables,
    Row,
    ToolContext,
    run_on_compute_thread,
)
from retinue_tools.workspace._table_stores import Changed, ColumnName, TableName, Where, check_column, fill_calls


class Column(TypedDict):
    """A column."""

    name: ColumnName
    type: Annotated[ColumnType, About("Type of the values; dates are written as YYYY-MM-DD")]
    required: Annotated[bool, About("Whether every row needs a value")]


class TableInfo(TypedDict):
    """A table."""

    table: Annotated[str, About("Name of the table")]
    columns: list[Column]
    rows: Annotated[int, About("Number of rows")]


class Tables(TypedDict):
    """All tables."""

    tables: list[TableInfo]


class Group(TypedDict):
    """A group of rows."""

    group: Annotated[Any, About("Common value; null for all rows, or rows without one")]
    rows: Annotated[int, About("Number of rows")]
    value: Annotated[float | None, About("Result; null if no row has a number")]


class Groups(TypedDict):
    """Results by group."""

    groups: list[Group]


async def _describe_table(context: ToolContext, table: Row) -> TableInfo:
    rows = await context.records.count(DATA_TABLE_ROW, table.id)
    return {"table": table.name, "columns": table.body["columns"], "rows": rows}


@tool(
    tags="table database create columns schema store structured rows",
    use_when=(
        "Create a table for my expenses with date, item and amount",
        "Set up a database of the plants in my garden",
        "I want to store structured rows with typed columns",
    ),
    read_only=False,
    idempotent=False,
    examples=(
        Example(
            {
                "table": "Garden proof",
                "columns": [{"name": "plant", "type": "text", "required": True}],
            },
            {"table": "garden-proof", "rows": 0},
            source="by hand: the name is kept in lower case with hyphens",
        ),
        Refusal(
            {"table": "t", "columns": [{"name": "a b", "type": "text", "required": True}]}, "must match the pattern"
        ),
        Refusal(
            {
                "table": "twice-proof",
                "columns": [{"name": "a", "type": "text", "required": True}] * 2,
            },
            "a name of its own",
        ),
    ),
    reply="I created the table {table}.",
)
async def table_store_create(
    context: ToolContext,
    table: TableName,
    columns: Annotated[
        list[Column],
        About(
            "Columns in order",
            [{"name": "item", "type": "text", "required": True}],
            min_items=1,
            max_items=40,
        ),
    ],
) -> TableInfo:
    """Create an empty table with typed columns in the workspace.

    Use it for structured records to filter, sort and sum later. A table may have up to 10,000 rows.
    """
    return await _describe_table(context, await DataTables(context.records).create(table, columns))


Figure = Literal["count", "sum", "mean", "median", "minimum", "maximum"]
_FIGURES: Mapping[Figure, Callable[[Sequence[float]], float]] = {
    "count": len,
    "sum": math.fsum,
    "mean": statistics.fmean,
    "median": statistics.median,
    "minimum": min,
    "maximum": max,
}


@tool(
    tags="table database summarize aggregate group sum mean total count pivot",
    use_when=(
        "What is the total of my expenses table by category?",
        "How many rows of the table are there for each city?",
        "What is the largest amount in my table?",
    ),
    pace="normal",
    examples=(
        Example(
            {"table": "sum-proof", "column": "amount", "figure": "sum"},
            {"groups": [{"group": None, "rows": 3, "value": 27.5}]},
            source="by hand: 3.5 + 4 + 20",
            before=fill_calls("sum-proof"),
        ),
        Example(
            {"table": "group-proof", "column": "amount", "figure": "maximum", "group_by": "item"},
            {
                "groups": [
                    {"group": "Tea pot", "rows": 1, "value": 20.0},
                    {"group": "cake", "rows": 1, "value": 4.0},
                    {"group": "tea", "rows": 1, "value": 3.5},
                ]
            },
            source="by hand",
            before=fill_calls("group-proof"),
        ),
        Refusal({"table": "sum-proof", "column": "item", "figure": "mean"}, "is not numeric"),
    ),
    reply={
        "groups.1": "The figures for {args.table}: {groups}",
        "args.column": "The {args.figure} of {args.column} is {groups.0.value}.",
        "args.figure, groups.0.value": "The {args.figure} is {groups.0.value}.",
        "": "There is nothing to summarise in {args.table}.",
    },
)
async def table_store_summarize(
    context: ToolContext,
    table: TableName,
    column: ColumnName,
    figure: Annotated[Figure, About("Function to compute")],
    group_by: ColumnName | None = None,
    where: Where | None = None,
) -> Groups:
    """Compute a sum, mean, median, count or extreme of a column, over all rows or for each value of another column.

    Conditions may exclude rows. Returns up to 500 groups, ordered by value.
    """
    sheets = DataTables(context.records)
    found = await sheets.get(table)
    check_column(found, column)
    kinds = {one["name"]: one["type"] for one in found.body["columns"]}
    if figure != "count" and kinds[column] not in ("number", "integer"):
        raise ToolError(f"The column {column} is not numeric: only count is possible.")
    if group_by is not None:
        check_column(found, group_by)
    rows = await sheets.matching(found, where or [], True)
    return {"groups": await run_on_compute_thread(_group, rows, column, figure, group_by)}


def _group(rows: Sequence[Row], column: str, figure: Figure, group_by: str | None) -> list[Group]:
    groups: dict[Any, list[Any]] = {}
    for row in rows:
        groups.setdefault(row.body.get(group_by) if group_by else None, []).append(row.body.get(column))
    ordered = sorted(groups.items(), key=lambda item: (item[0] is None, str(item[0])))
    return [
        {"group": group, "rows": len(values), "value": _figure(figure, [one for one in values if one is not None])}
        for group, values in ordered[:500]
    ]


def _figure(figure: Figure, values: Sequence[float]) -> float | None:
    if not values and figure not in ("count", "sum"):
        return None
    result = float(_FIGURES[figure](values))
    return result if math.isfinite(result) else None


@tool(
    tags="table database list show columns schema overview",
    use_when=(
        "Which table stores are in my workspace database?",
        "What columns has my expenses table?",
        "List the stored tables of the database with columns",
    ),
    examples=(
        Example(
            {"prefix": "listed-proof"},
            {"tables": [{"table": "listed-proof", "rows": 3}]},
            source="by hand",
            before=fill_calls("listed-proof"),
        ),
        Example({"prefix": "no-such-table"}, {"tables": []}, source="there is none"),
        Refusal({"prefix": "x" * 61}, "at most 60 characters"),
    ),
    reply={
        "tables": "The tables: {tables}",
        "": "There are no tables.",
    },
)
async def table_store_list(
    context: ToolContext, prefix: Annotated[str, About("Only tables with this prefix", "exp", max_length=60)] = ""
) -> Tables:
    """List up to 100 tables of the workspace, with their columns and numbers of rows."""
    rows = await context.records.prefix(DATA_TABLE, prefix, most=100)
    return {"tables": [await _describe_table(context, row) for row in rows]}


@tool(
    tags="table database drop delete remove whole",
    use_when=("Drop the table garden", "Delete my whole expenses table", "Drop that table with all its rows"),
    read_only=False,
    destructive=True,
    pace="normal",
    examples=(
        Example(
            {"table": "drop-proof"},
            {"rows": 3},
            source="by hand",
            before=fill_calls("drop-proof"),
            then=(ExampleCall("table_store_list", {"prefix": "drop-proof"}, {"tables": []}),),
        ),
        Refusal({"table": "drop-proof"}, "There is no table"),
    ),
    reply="I deleted the table {args.table} with {rows|row}.",
)
async def table_store_drop(context: ToolContext, table: TableName) -> Changed:
    """Permanently delete a table with all its rows. Returns the number of rows."""
    sheets = DataTables(context.records)
    found = await sheets.get(table)
    rows = await context.records.count(DATA_TABLE_ROW, found.id)
    await sheets.drop(found)
    return {"rows": rows}
