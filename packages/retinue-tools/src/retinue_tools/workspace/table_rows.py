"""Rows of the user's tables: inserting, querying, updating and deleting."""

from collections.abc import Sequence
from typing import Annotated, Any

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, tool
from retinue.sdk.workspace import DataTables, Row, ToolContext, run_on_compute_thread
from retinue_tools.workspace._table_stores import (
    Changed,
    ColumnName,
    Condition,
    TableName,
    Where,
    check_column,
    fill_calls,
    make_call,
)
from retinue_tools.workspace._vocabulary import Most, Skipped

All = Annotated[bool, About("Whether all conditions must be met, or only one", True)]

Values = Annotated[dict[str, Any], About("Values by column name", {"item": "Tea", "amount": 3.5})]


class Inserted(TypedDict):
    """Inserted rows."""

    row_numbers: Annotated[list[int], About("Numbers of the new rows")]


class Rows(TypedDict):
    """Rows of a table."""

    rows: Annotated[list[dict[str, Any]], About("Values by column, with the row number as row")]
    total: Annotated[int, About("Number of matching rows")]


@tool(
    tags="table database insert add rows records append",
    use_when=(
        "Add a row for tea at 3.50 to my expenses table",
        "Insert these ten plants into the garden table",
        "Store these records in my table",
    ),
    read_only=False,
    idempotent=False,
    examples=(
        Example(
            {"table": "insert-proof", "rows": [{"item": "tea", "amount": 3.5}, {"item": "cake"}]},
            {"row_numbers": [1, 2]},
            source="by hand",
            before=(make_call("insert-proof"),),
        ),
        Refusal({"table": "insert-proof", "rows": [{"amount": 1}]}, "column item needs a value"),
        Refusal({"table": "insert-proof", "rows": [{"item": "x", "day": "2026-02-30"}]}, "of the type date"),
    ),
    reply={
        "row_numbers.1": "I added the rows {row_numbers} to {args.table}.",
        "row_numbers": "I added row {row_numbers} to {args.table}.",
    },
)
async def table_store_insert(
    context: ToolContext,
    table: TableName,
    rows: Annotated[list[Values], About("Rows to insert", [{"item": "Tea"}], min_items=1, max_items=200)],
) -> Inserted:
    """Add up to 200 rows to a table, either all or, if one does not match the columns, none.

    Returns the numbers of the new rows.
    """
    return {"row_numbers": await DataTables(context.records).insert(table, rows)}


@tool(
    tags="table database query select filter sort rows search where",
    use_when=(
        "Show the rows of my expenses table above 100",
        "Which plants in the garden table were planted in May?",
        "Sort the table by amount, largest first",
    ),
    pace="normal",
    examples=(
        Example(
            {"table": "query-proof", "where": [{"column": "item", "operator": "contains", "value": "TEA"}]},
            {"rows": [{"row": 1, "item": "tea", "amount": 3.5}, {"row": 3, "item": "Tea pot"}], "total": 2},
            source="by hand",
            before=fill_calls("query-proof"),
        ),
        Example(
            {"table": "sort-proof", "sort_by": "amount", "descending": True, "limit": 1},
            {"rows": [{"row": 3, "amount": 20}], "total": 3},
            source="by hand",
            before=fill_calls("sort-proof"),
        ),
        Refusal({"table": "no-such-table"}, "There is no table"),
    ),
    reply={
        "rows": "{total|row} of {args.table}: {rows}",
        "": "No row of {args.table} matches.",
    },
)
async def table_store_query(
    context: ToolContext,
    table: TableName,
    where: Where | None = None,
    match_all: All = True,
    sort_by: ColumnName | None = None,
    descending: Annotated[bool, About("Whether to sort largest first", False)] = False,
    limit: Most = 50,
    skip: Skipped = 0,
) -> Rows:
    """Find the rows of a table that satisfy conditions, sorted by a column or by row number.

    Returns the rows with their numbers, and the total number of matches. Rows without a value sort last.
    """
    sheets = DataTables(context.records)
    found = await sheets.get(table)
    rows = await sheets.matching(found, where or [], match_all)
    if sort_by is not None:
        check_column(found, sort_by)
        rows = await run_on_compute_thread(_sort, rows, sort_by, descending)
    page_rows = [{"row": int(row.name), **row.body} for row in rows[skip : skip + limit]]
    return {"rows": page_rows, "total": len(rows)}


def _sort(rows: Sequence[Row], column: str, descending: bool) -> list[Row]:
    """Sort by a column, whose values are of one type; rows without a value come last."""
    valued = [row for row in rows if row.body.get(column) is not None]
    empty = [row for row in rows if row.body.get(column) is None]
    return sorted(valued, key=lambda row: row.body[column], reverse=descending) + empty


@tool(
    tags="table database update set change rows where",
    use_when=(
        "Set the category of all tea rows to drinks",
        "Correct the amount in row 3 of my table",
        "Mark the plants from May as watered",
    ),
    read_only=False,
    destructive=True,
    pace="normal",
    examples=(
        Example(
            {
                "table": "update-proof",
                "values": {"amount": 5},
                "where": [{"column": "amount", "operator": "<", "value": 10}],
            },
            {"rows": 2},
            source="by hand: tea and cake",
            before=fill_calls("update-proof"),
        ),
        Example(
            {
                "table": "either-proof",
                "values": {"day": None},
                "where": [
                    {"column": "item", "operator": "=", "value": "tea"},
                    {"column": "day", "operator": "empty"},
                ],
                "match_all": False,
            },
            {"rows": 2},
            source="by hand: tea, and the pot without a day",
            before=fill_calls("either-proof"),
        ),
        Refusal({"table": "update-proof", "values": {"price": 1}, "where": []}, "where must have at least 1 item"),
    ),
    reply="I changed {rows|row} of the table {args.table}.",
)
async def table_store_update(
    context: ToolContext,
    table: TableName,
    values: Values,
    where: Annotated[
        list[Condition],
        About("Conditions on rows", [{"column": "item", "operator": "=", "value": "Tea"}], min_items=1, max_items=20),
    ],
    match_all: All = True,
) -> Changed:
    """Set values in all rows of a table that satisfy conditions; null clears a value. Returns the number of changed
    rows.
    """
    sheets = DataTables(context.records)
    found = await sheets.get(table)
    return {"rows": await sheets.update(found, where, match_all, values)}


@tool(
    tags="table database delete rows remove where",
    use_when=(
        "Delete the rows of my table that have no amount",
        "Remove all entries before 2020 from the table",
        "Take the tea rows out of the expenses table",
    ),
    read_only=False,
    destructive=True,
    pace="normal",
    examples=(
        Example(
            {"table": "delete-proof", "where": [{"column": "day", "operator": "empty"}]},
            {"rows": 1},
            source="by hand: the pot",
            before=fill_calls("delete-proof"),
        ),
        Example(
            {
                "table": "delete-either-proof",
                "where": [
                    {"column": "item", "operator": "in", "value": ["tea"]},
                    {"column": "amount", "operator": ">=", "value": 20},
                ],
                "match_all": False,
            },
            {"rows": 2},
            source="by hand",
            before=fill_calls("delete-either-proof"),
        ),
        Refusal(
            {"table": "delete-proof", "where": [{"column": "item", "operator": "in", "value": "tea"}]},
            "needs a list",
        ),
    ),
    reply="I deleted {rows|row} of the table {args.table}.",
)
async def table_store_delete_rows(
    context: ToolContext,
    table: TableName,
    where: Annotated[
        list[Condition],
        About("Conditions on rows", [{"column": "amount", "operator": "empty"}], min_items=1, max_items=20),
    ],
    match_all: All = True,
) -> Changed:
    """Permanently delete all rows of a table that satisfy conditions. Returns the number of deleted rows."""
    sheets = DataTables(context.records)
    found = await sheets.get(table)
    return {"rows": await sheets.delete(found, where, match_all)}
