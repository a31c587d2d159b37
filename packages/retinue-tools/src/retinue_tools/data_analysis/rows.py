"""Preview of a table, and selection of rows and columns."""

from typing import Annotated, Any, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.data_analysis._loading import quote
from retinue_tools.data_analysis._tables import (
    FILE,
    Column,
    Noted,
    Rows,
    Table,
    TableFile,
    column,
    column_list,
    columns,
    encode,
    fresh,
    kind_of,
    open_table,
    records,
    table,
    table_tool,
    value,
    values,
)

_SALES = [
    {"city": "Bonn", "amount": 30},
    {"city": "Ulm", "amount": 10},
    {"city": "Bonn", "amount": 20},
    {"city": "Kiel", "amount": None},
]

Expression = Annotated[
    str, About("SQL expression over the columns", "amount > 15 AND city = 'Bonn'", min_length=1, max_length=5000)
]


class ColumnKind(TypedDict):
    """Type of a column."""

    name: Annotated[str, About("Name of the column")]
    type: Annotated[str, About("integer, number, text, boolean, date, timestamp or json")]
    missing: Annotated[int, About("Number of rows without a value")]


class Preview(Noted):
    """Shape of a table and its first rows."""

    row_count: Annotated[int, About("Number of rows")]
    column_count: Annotated[int, About("Number of columns")]
    columns: Annotated[list[ColumnKind], About("Columns with their types")]
    rows: Annotated[list[dict[str, Any]], About("First rows")]


@tool(
    tags="table preview head schema columns types look open csv xlsx parquet json file",
    use_when=(
        "Show me the first 5 rows of this CSV",
        "What columns does the uploaded spreadsheet have?",
        "How many rows are in this parquet file?",
        "Open a spreadsheet",
        "What is in this Excel file?",
    ),
    examples=(
        Example(
            {"file": FILE, "count": 1},
            {
                "row_count": 2,
                "columns": [
                    {"name": "zip", "type": "text", "missing": 0},
                    {"name": "price", "type": "number", "missing": 1},
                    {"name": "day", "type": "date", "missing": 0},
                ],
                "rows": [{"zip": "01067", "price": 2.5, "day": "2026-01-31"}],
            },
            source="read off the file; a number has no leading zero (RFC 8259, section 6)",
            files={FILE: encode("zip;price;day\n01067;2.5;2026-01-31\n53111;NA;2026-02-01\n")},
        ),
        Example(
            {"file": FILE},
            {
                "rows": [{"item": "Tea", "price": 2}],
                "notes": ["Line 2 is above the header and was skipped."],
            },
            source="by hand: the first line is Excel's hint, the second a title",
            files={FILE: encode("sep=;\nPrices\nitem;price\nTea;2\n")},
        ),
        Example(
            {"rows": _SALES},
            {"row_count": 4, "column_count": 2, "rows": _SALES},
            source="the table itself",
        ),
        Refusal({}, "either as a file or as rows"),
        Refusal({"file": FILE}, "empty", files={FILE: ""}),
        Refusal({"file": FILE}, "The file is not a table", files={FILE: "AAECAw=="}),
    ),
    reply={
        "rows": "The table has {row_count|row} and {column_count|column}: {rows}",
        "": "The table has no rows and {column_count|column}.",
    },
    pace="normal",
    memory_mb=1024,
)
@table_tool
def table_preview(
    file: TableFile | None = None,
    rows: Rows | None = None,
    count: Annotated[int, About("Number of rows to show", minimum=1, maximum=100)] = 10,
    sheet: Annotated[str, About("Sheet of an Excel workbook; empty for the first", max_length=100)] = "",
) -> Preview:
    """Show the columns, their types and the first rows of a table or data file.

    Use it first, to learn the content of a file. Returns the numbers of rows and columns, each column with its type and
    missing values, and the first rows.
    """
    relation = open_table(file, rows, sheet)
    names = relation.columns
    gaps = values(relation, [f"count(*) - count({quote(name)})" for name in names])
    return {
        "row_count": value(relation, "count(*)"),
        "column_count": len(names),
        "columns": [
            {"name": name, "type": kind_of(relation, name), "missing": gap}
            for name, gap in zip(names, gaps, strict=True)
        ],
        "rows": records(relation.limit(count)),
    }


@tool(
    tags="table filter rows where condition search subset csv keep which missing null empty",
    use_when=(
        "Which orders in this file are over 100 euros?",
        "Keep only the rows where the country is DE and the status is open",
        "Give me all customers whose name starts with A",
        "Show the rows where a column is empty or null",
        "Show only the rows of my spreadsheet with a certain word",
    ),
    examples=(
        Example(
            {"rows": _SALES, "condition": "amount > 15 AND city = 'Bonn'"},
            {
                "rows": [{"city": "Bonn", "amount": 30}, {"city": "Bonn", "amount": 20}],
                "row_count": 2,
                "columns": ["city", "amount"],
            },
            source="by hand",
        ),
        Example({"rows": _SALES, "condition": "amount IS NULL"}, {"row_count": 1}, source="by hand"),
        Refusal({"rows": _SALES, "condition": "price > 1"}, "price"),
        Refusal({"rows": _SALES, "condition": "amount >"}, "syntax error"),
    ),
    reply={
        "file, rows": "{row_count|row} match; all are in {file}. The first ones: {rows}",
        "rows": "The matching rows, {row_count} in all: {rows}",
        "": "No row matches.",
    },
    pace="normal",
    memory_mb=1024,
)
@table_tool
def table_filter_rows(condition: Expression, file: TableFile | None = None, rows: Rows | None = None) -> Table:
    """Keep the rows of a table that satisfy a condition, written as in an SQL WHERE clause.

    Use it to find or extract records. Returns the remaining rows in their order, and their number.
    """
    return table(open_table(file, rows).filter(f"({condition}\n)"), "filtered.csv")


@tool(
    tags="table columns select keep drop rename reorder project csv",
    use_when=(
        "Keep only the columns name and email of this CSV",
        "Drop the column password from the file",
        "Rename qty to quantity in this table",
    ),
    examples=(
        Example(
            {"rows": _SALES[:1], "columns": ["amount"], "rename": {"amount": "euros"}},
            {"rows": [{"euros": 30}], "columns": ["euros"]},
            source="by hand",
        ),
        Example(
            {"rows": _SALES[:1], "columns": ["amount"], "action": "drop"},
            {"rows": [{"city": "Bonn"}]},
            source="by hand",
        ),
        Refusal({"rows": _SALES, "columns": ["price"]}, "The table has no column price"),
    ),
    reply={
        "file, rows": "The table with {columns} is in {file}. The first rows: {rows}",
        "rows": "The table with {columns}: {rows}",
        "": "The table has no rows.",
    },
    pace="normal",
    memory_mb=1024,
)
@table_tool
def table_select_columns(
    columns: Annotated[list[Column], About("Columns to keep in this order, or to drop", ["city"], max_items=500)],
    action: Annotated[Literal["keep", "drop"], About("Keep or drop")] = "keep",
    rename: Annotated[dict[str, str] | None, About("New names by old names", {"qty": "quantity"})] = None,
    file: TableFile | None = None,
    rows: Rows | None = None,
) -> Table:
    """Keep, drop, reorder or rename columns of a table.

    Use it to reduce a file to the required columns or to rename columns. Returns the new table.
    """
    relation = open_table(file, rows)
    chosen = _name_of(relation, columns)
    selected = (chosen or relation.columns) if action == "keep" else [c for c in relation.columns if c not in chosen]
    if not selected:
        raise ToolError("No column would be left. Drop fewer.")
    names = {column(relation, old): new.strip() for old, new in (rename or {}).items()}
    renamed = [names.get(name, name) for name in selected]
    if not all(renamed) or len({name.casefold() for name in renamed}) < len(renamed) or "\0" in "".join(renamed):
        raise ToolError("Column names must be unique. Choose other new names.")
    parts = [f"{quote(old)} AS {quote(new)}" for old, new in zip(selected, renamed, strict=True)]
    return table(relation.project(", ".join(parts)), "columns.csv")


def _name_of(relation: Any, names: list[str]) -> list[str]:
    return columns(relation, names)


@tool(
    tags="table sort order rows ascending descending top largest smallest",
    use_when=(
        "Sort this table by price, highest first",
        "What are the ten largest orders in the file?",
        "Order the list by country and then by name",
        "Sort my spreadsheet by date",
        "Put my Excel table in order",
    ),
    examples=(
        Example(
            {"rows": _SALES, "by": ["-amount"], "limit": 2},
            {
                "rows": [{"city": "Bonn", "amount": 30}, {"city": "Bonn", "amount": 20}],
                "row_count": 2,
                "columns": ["city", "amount"],
            },
            source="by hand",
        ),
        Example(
            {"rows": _SALES, "by": ["city", "amount"]},
            {"rows": [_SALES[2], _SALES[0], _SALES[3], _SALES[1]]},
            source="by hand",
        ),
        Refusal({"rows": _SALES, "by": ["price"]}, "no column price"),
    ),
    reply={
        "file, rows": "The sorted table is in {file}. The first rows: {rows}",
        "rows": "The sorted rows: {rows}",
        "": "The table has no rows.",
    },
    pace="normal",
    memory_mb=1024,
)
@table_tool
def table_sort_rows(
    by: Annotated[
        list[Column],
        About(
            "Columns, most significant first; - before a name: largest first", ["-amount"], min_items=1, max_items=20
        ),
    ],
    limit: Annotated[int | None, About("Number of rows to keep; default: all", 10, minimum=1)] = None,
    file: TableFile | None = None,
    rows: Rows | None = None,
) -> Table:
    """Sort a table by one or several columns and optionally keep only the first rows.

    Use it for rankings, top ten lists or ordered files. Missing values come last. Returns the sorted table.
    """
    relation = open_table(file, rows)
    known = {name.casefold() for name in relation.columns}
    parts = []
    for name in by:
        down = name.startswith("-") and name.casefold() not in known
        parts.append(f"{quote(column(relation, name[down:]))} {'DESC' if down else 'ASC'} NULLS LAST")
    ordered = relation.order(", ".join(parts))
    return table(ordered if limit is None else ordered.limit(min(limit, 2**62)), "sorted.csv")


@tool(
    tags="table add column compute calculate expression formula derive new field",
    use_when=(
        "Add a column total = price * quantity",
        "Compute the margin in percent for each row of this file",
        "Make a column that says large where the amount is over 25",
    ),
    examples=(
        Example(
            {"rows": [{"price": 2.5, "quantity": 4}], "name": "total", "expression": "price * quantity"},
            {
                "rows": [{"price": 2.5, "quantity": 4, "total": 10.0}],
                "columns": ["price", "quantity", "total"],
                "row_count": 1,
            },
            source="by hand",
        ),
        Example(
            {"rows": [{"a": 7}], "name": "a", "expression": "CASE WHEN a > 5 THEN 'large' ELSE 'small' END"},
            {"rows": [{"a": "large"}]},
            source="by hand",
        ),
        Refusal({"rows": [{"a": 7}], "name": "b", "expression": "a + missing_column"}, "missing_column"),
        Refusal({"rows": [{"a": 7}], "name": "b", "expression": "(FROM read_text('/etc/passwd'))"}, "disabled"),
    ),
    reply={
        "file, rows": (
            "The new column is in all {row_count|row}; the whole table is in {file}. The first ones: {rows}"
        ),
        "rows": "The table with the new column: {rows}",
        "": "The table has no rows.",
    },
    pace="normal",
    memory_mb=1024,
)
@table_tool
def table_add_column(
    name: Column,
    expression: Annotated[
        str, About("SQL expression over the columns", "price * quantity", min_length=1, max_length=5000)
    ],
    file: TableFile | None = None,
    rows: Rows | None = None,
) -> Table:
    """Add a column to a table, or change one, computed from the other columns by an SQL expression.

    Use it for totals, shares, conditions or combined text. DuckDB's functions and window functions are available.
    Returns the table with the column.
    """
    if not name.strip() or "\0" in name:
        raise ToolError("The new column needs a name.")
    relation = open_table(file, rows)
    known = {known.casefold(): known for known in relation.columns}
    old = known.get(name.strip().casefold())
    term = f"({expression}\n) AS {quote(old or name.strip())}"
    parts = [term if column == old else quote(column) for column in relation.columns]
    return table(relation.project(", ".join(parts if old else [*parts, term])), "computed.csv")


class Deduplicated(Table):
    """A table without duplicates."""

    removed: Annotated[int, About("Number of removed rows")]


@tool(
    tags="table deduplicate duplicates unique distinct rows remove clean",
    use_when=(
        "Remove the duplicate rows from this CSV",
        "Keep only the newest entry for each email",
        "How many customers occur twice in the file?",
        "Find duplicates in my spreadsheet",
        "Delete double entries from my Excel list",
        "Who is twice on my list of addresses?",
    ),
    examples=(
        Example(
            {"rows": _SALES, "columns": ["city"]},
            {"rows": [_SALES[0], _SALES[1], _SALES[3]], "removed": 1},
            source="by hand",
        ),
        Example(
            {"rows": _SALES, "columns": ["CITY"], "keep": "last"},
            {"rows": [_SALES[1], _SALES[2], _SALES[3]], "removed": 1},
            source="by hand",
        ),
        Example({"rows": [{"a": 1}, {"a": 1}, {"a": 2}]}, {"rows": [{"a": 1}, {"a": 2}]}, source="by hand"),
        Refusal({"rows": _SALES, "columns": ["mail"]}, "no column mail"),
    ),
    reply={
        "file, rows": (
            "I removed {removed|duplicate row}; the {row_count} others are in {file}. The first ones: {rows}"
        ),
        "removed, rows": "I removed {removed|duplicate row}: {rows}",
        "rows": "There are no duplicate rows: {rows}",
        "": "The table has no rows.",
    },
    pace="normal",
    memory_mb=1024,
)
@table_tool
def table_deduplicate(
    columns: Annotated[list[Column] | None, About("Columns to compare; default: all", ["email"], max_items=100)] = None,
    keep: Annotated[Literal["first", "last"], About("Which of the duplicate rows to keep")] = "first",
    file: TableFile | None = None,
    rows: Rows | None = None,
) -> Deduplicated:
    """Remove duplicate rows from a table, by all columns or by those that identify a record.

    Use it to clean lists. The rows keep their order. Returns the table without duplicates and the number of removed
    rows.
    """
    relation = open_table(file, rows)
    keys = _name_of(relation, columns) if columns else relation.columns
    row, order = fresh(relation, "row"), fresh(relation, "order")
    counted = relation.project(f"*, row_number() OVER () AS {quote(row)}")
    direction = "DESC" if keep == "last" else "ASC"
    window = f"PARTITION BY {column_list(keys)} ORDER BY {quote(row)} {direction}"
    ranked = counted.project(f"*, row_number() OVER ({window}) AS {quote(order)}")
    distinct = ranked.filter(f"{quote(order)} = 1").order(quote(row)).project(column_list(relation.columns))
    result = table(distinct, "deduplicated.csv")
    return {**result, "removed": value(relation, "count(*)") - result["row_count"]}
