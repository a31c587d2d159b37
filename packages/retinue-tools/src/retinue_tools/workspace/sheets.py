"""Tables of the user's own."""

import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Literal, NotRequired

from typing_extensions import TypedDict

from retinue.sdk import About, Call, Example, Refusal, ToolError, tool
from retinue.sdk.workspace import SHEET, SHEET_ROW, Desk, Row, SheetOperator, Sheets, SheetType, run_on_compute_thread
from retinue_tools.workspace._vocabulary import Most, Skipped

TableName = Annotated[str, About("Name of the table", "expenses", min_length=1, max_length=60)]
ColumnName = Annotated[
    str, About("Name of a column", "amount", pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,39}$", max_length=40)
]
All = Annotated[bool, About("Whether every condition must hold; else one is enough", True)]


class Column(TypedDict):
    """A column."""

    name: ColumnName
    type: Annotated[SheetType, About("What its values are; dates are written as YYYY-MM-DD")]
    required: Annotated[bool, About("Whether every row needs a value")]


class Condition(TypedDict):
    """A condition on a column."""

    column: ColumnName
    operator: Annotated[SheetOperator, About("How to compare; contains ignores letter case, in takes a list")]
    value: NotRequired[Annotated[Any, About("What to compare with", 100)]]


Where = Annotated[
    list[Condition],
    About("Conditions on rows", [{"column": "amount", "operator": ">", "value": 100}], max_items=20),
]
Values = Annotated[dict[str, Any], About("Values by the names of columns", {"item": "Tea", "amount": 3.5})]


class TableInfo(TypedDict):
    """A table."""

    table: Annotated[str, About("Its name")]
    columns: list[Column]
    rows: Annotated[int, About("How many rows it has")]


class Tables(TypedDict):
    """All tables."""

    tables: list[TableInfo]


class Inserted(TypedDict):
    """What was added."""

    row_numbers: Annotated[list[int], About("Numbers of the new rows")]


class Rows(TypedDict):
    """Rows of a table."""

    rows: Annotated[list[dict[str, Any]], About("Values by column, with the number of the row as row")]
    total: Annotated[int, About("How many rows fit")]


class Changed(TypedDict):
    """What was done."""

    rows: Annotated[int, About("How many rows it concerned")]


class Group(TypedDict):
    """A group of rows."""

    group: Annotated[Any, About("The value that they share; null for all rows, or rows without one")]
    rows: Annotated[int, About("How many they are")]
    value: Annotated[float | None, About("The figure; null where no row has a number")]


class Groups(TypedDict):
    """Figures by group."""

    groups: list[Group]


async def _info(desk: Desk, table: Row) -> TableInfo:
    rows = await desk.records.count(SHEET_ROW, table.id)
    return {"table": table.name, "columns": table.body["columns"], "rows": rows}


def _make(name: str) -> Call:
    """A table for an example, with two rows."""
    columns = [
        {"name": "item", "type": "text", "required": True},
        {"name": "amount", "type": "number", "required": False},
        {"name": "day", "type": "date", "required": False},
    ]
    return Call("table_store_create", {"table": name, "columns": columns})


def _fill(name: str) -> tuple[Call, Call]:
    rows = [
        {"item": "tea", "amount": 3.5, "day": "2026-01-02"},
        {"item": "cake", "amount": 4, "day": "2026-01-03"},
        {"item": "Tea pot", "amount": 20},
    ]
    return _make(name), Call("table_store_insert", {"table": name, "rows": rows})


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
)
async def table_store_create(
    desk: Desk,
    table: TableName,
    columns: Annotated[
        list[Column],
        About(
            "Columns, in order",
            [{"name": "item", "type": "text", "required": True}],
            min_items=1,
            max_items=40,
        ),
    ],
) -> TableInfo:
    """Create an empty table with typed columns in the workspace.

    Use it for structured records that are to be filtered, sorted and summed later. Up to 10,000 rows a table.
    """
    return await _info(desk, await Sheets(desk.records).create(table, columns))


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
            before=(_make("insert-proof"),),
        ),
        Refusal({"table": "insert-proof", "rows": [{"amount": 1}]}, "column item needs a value"),
        Refusal({"table": "insert-proof", "rows": [{"item": "x", "day": "2026-02-30"}]}, "of the type date"),
    ),
)
async def table_store_insert(
    desk: Desk,
    table: TableName,
    rows: Annotated[list[Values], About("The rows", [{"item": "Tea"}], min_items=1, max_items=200)],
) -> Inserted:
    """Add up to 200 rows to a table, all of them or, where one does not fit the columns, none.

    Returns the numbers of the new rows.
    """
    return {"row_numbers": await Sheets(desk.records).insert(table, rows)}


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
            before=_fill("query-proof"),
        ),
        Example(
            {"table": "sort-proof", "sort_by": "amount", "descending": True, "limit": 1},
            {"rows": [{"row": 3, "amount": 20}], "total": 3},
            source="by hand",
            before=_fill("sort-proof"),
        ),
        Refusal({"table": "no-such-table"}, "There is no table"),
    ),
)
async def table_store_query(
    desk: Desk,
    table: TableName,
    where: Where | None = None,
    match_all: All = True,
    sort_by: ColumnName | None = None,
    descending: Annotated[bool, About("Largest first", False)] = False,
    limit: Most = 50,
    skip: Skipped = 0,
) -> Rows:
    """Find the rows of a table that fulfil some conditions, sorted by a column or else by number.

    Returns the rows with their numbers, and how many fit in all. Rows without a value sort last.
    """
    sheets = Sheets(desk.records)
    found = await sheets.get(table)
    rows = await sheets.matching(found, where or [], match_all)
    if sort_by is not None:
        _check_column(found, sort_by)
        rows = await run_on_compute_thread(_sort, rows, sort_by, descending)
    shown = [{"row": int(row.name), **row.body} for row in rows[skip : skip + limit]]
    return {"rows": shown, "total": len(rows)}


def _check_column(table: Row, name: str) -> None:
    if name not in {column["name"] for column in table.body["columns"]}:
        raise ToolError(f"The table has no column {name!r}.")


def _sort(rows: Sequence[Row], column: str, descending: bool) -> list[Row]:
    """In order of a column, whose values are of one type; rows without a value last."""
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
            before=_fill("update-proof"),
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
            before=_fill("either-proof"),
        ),
        Refusal({"table": "update-proof", "values": {"price": 1}, "where": []}, "where must have at least 1 item"),
    ),
)
async def table_store_update(
    desk: Desk,
    table: TableName,
    values: Values,
    where: Annotated[
        list[Condition],
        About("Conditions on rows", [{"column": "item", "operator": "=", "value": "Tea"}], min_items=1, max_items=20),
    ],
    match_all: All = True,
) -> Changed:
    """Set values in all rows of a table that fulfil some conditions; null clears one. Returns how many changed."""
    sheets = Sheets(desk.records)
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
            before=_fill("delete-proof"),
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
            before=_fill("delete-either-proof"),
        ),
        Refusal(
            {"table": "delete-proof", "where": [{"column": "item", "operator": "in", "value": "tea"}]},
            "needs a list",
        ),
    ),
)
async def table_store_delete_rows(
    desk: Desk,
    table: TableName,
    where: Annotated[
        list[Condition],
        About("Conditions on rows", [{"column": "amount", "operator": "empty"}], min_items=1, max_items=20),
    ],
    match_all: All = True,
) -> Changed:
    """Delete all rows of a table that fulfil some conditions, for good. Returns how many are gone."""
    sheets = Sheets(desk.records)
    found = await sheets.get(table)
    return {"rows": await sheets.delete(found, where, match_all)}


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
            before=_fill("sum-proof"),
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
            before=_fill("group-proof"),
        ),
        Refusal({"table": "sum-proof", "column": "item", "figure": "mean"}, "takes no numbers"),
    ),
)
async def table_store_summarize(
    desk: Desk,
    table: TableName,
    column: ColumnName,
    figure: Annotated[Figure, About("What to compute of the column")],
    group_by: ColumnName | None = None,
    where: Where | None = None,
) -> Groups:
    """Compute a sum, mean, median, count or extreme of a column, over all rows or for each value of another column.

    Conditions may leave rows out. Returns up to 500 groups, in order of their values.
    """
    sheets = Sheets(desk.records)
    found = await sheets.get(table)
    _check_column(found, column)
    kinds = {one["name"]: one["type"] for one in found.body["columns"]}
    if figure != "count" and kinds[column] not in ("number", "integer"):
        raise ToolError(f"The column {column} takes no numbers: only count can be computed of it.")
    if group_by is not None:
        _check_column(found, group_by)
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
            before=_fill("listed-proof"),
        ),
        Example({"prefix": "no-such-table"}, {"tables": []}, source="there is none"),
        Refusal({"prefix": "x" * 61}, "at most 60 characters"),
    ),
)
async def table_store_list(
    desk: Desk, prefix: Annotated[str, About("Only tables whose names begin so", "exp", max_length=60)] = ""
) -> Tables:
    """List up to 100 tables of the workspace, with their columns and how many rows they have."""
    rows = await desk.records.prefix(SHEET, prefix, most=100)
    return {"tables": [await _info(desk, row) for row in rows]}


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
            before=_fill("drop-proof"),
            then=(Call("table_store_list", {"prefix": "drop-proof"}, {"tables": []}),),
        ),
        Refusal({"table": "drop-proof"}, "There is no table"),
    ),
)
async def table_store_drop(desk: Desk, table: TableName) -> Changed:
    """Delete a table with all its rows for good. Returns how many rows it had."""
    sheets = Sheets(desk.records)
    found = await sheets.get(table)
    rows = await desk.records.count(SHEET_ROW, found.id)
    await sheets.drop(found)
    return {"rows": rows}
