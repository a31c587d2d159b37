"""Operations on two tables: join, union and comparison."""

from typing import Annotated, Any, Literal

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.data_analysis._loading import literal, quote
from retinue_tools.data_analysis._tables import (
    Column,
    OtherFile,
    OtherRows,
    Rows,
    Table,
    TableFile,
    both,
    column_list,
    columns,
    kind_of,
    moment,
    table,
    table_tool,
    value,
)

_ORDERS = [{"id": 1, "city": "Bonn"}, {"id": 2, "city": "Ulm"}, {"id": 3, "city": "Kiel"}]
_CITIES = [{"city": "Bonn", "land": "NW"}, {"city": "Ulm", "land": "BW"}, {"city": "Köln", "land": "NW"}]
_HOW = {"inner": "INNER", "left": "LEFT", "right": "RIGHT", "full": "FULL", "semi": "SEMI", "anti": "ANTI"}

Keys = Annotated[list[Column], About("Columns that must be equal in both tables", ["id"], min_items=1, max_items=20)]
OtherKeys = Annotated[
    list[Column],
    About("Their names in the second table, if they differ", ["customer_id"], min_items=1, max_items=20),
]


@tool(
    tags="join merge tables lookup vlookup key left inner outer anti match combine",
    use_when=(
        "Join the orders with the customers by customer_id",
        "Which customers of list A are missing in list B?",
        "Look up the price of every product from the second file",
        "Which customers have no order? Match two files by their id",
        "Combine two spreadsheets by name",
    ),
    examples=(
        Example(
            {"on": ["city"], "rows": _ORDERS, "other_rows": _CITIES, "how": "left"},
            {
                "rows": [
                    {"id": 1, "city": "Bonn", "land": "NW"},
                    {"id": 2, "city": "Ulm", "land": "BW"},
                    {"id": 3, "city": "Kiel", "land": None},
                ]
            },
            source="by hand",
        ),
        Example(
            {"on": ["city"], "rows": _ORDERS, "other_rows": [{"town": "Ulm"}], "other_on": ["town"], "how": "anti"},
            {"rows": [_ORDERS[0], _ORDERS[2]]},
            source="by hand",
        ),
        Example(
            {"on": ["city"], "rows": _ORDERS, "other_rows": _CITIES, "how": "full"},
            {"row_count": 4, "columns": ["id", "city", "land"]},
            source="three orders, and one city without",
        ),
        Refusal({"on": ["land"], "rows": _ORDERS, "other_rows": _CITIES}, "no column land"),
        Refusal({"on": ["city"], "rows": _ORDERS}, "either as a file or as rows"),
    ),
    reply={
        "file, rows": "The joined table has {row_count|row}; all are in {file}. The first ones: {rows}",
        "rows": "The joined table has {row_count|row}: {rows}",
        "": "No rows match.",
    },
    pace="normal",
    memory_mb=1024,
)
@table_tool
def table_join(
    on: Keys,
    other_on: OtherKeys | None = None,
    how: Annotated[
        Literal["inner", "left", "right", "full", "semi", "anti"],
        About("Rows to keep: matching, all of the first, of the second, of both; semi and anti add no columns"),
    ] = "inner",
    file: TableFile | None = None,
    rows: Rows | None = None,
    other_file: OtherFile | None = None,
    other_rows: OtherRows | None = None,
) -> Table:
    """Join two tables on equal keys: inner, left, right, full, semi (has a match) or anti (has none).

    Use it to look up values in another table or to find rows that are missing there. Columns of the second table whose
    names also occur in the first get the suffix _other. Returns the joined rows.
    """
    connection, first, second = both((file, rows), (other_file, other_rows))
    left, right = columns(first, on), columns(second, other_on or on)
    if len(left) != len(right):
        raise ToolError("Both tables need the same number of key columns.")
    condition = " AND ".join(_equal(first, second, a, b) for a, b in zip(left, right, strict=True))
    if how in ("semi", "anti"):
        return table(connection.sql(f"FROM data AS l {_HOW[how]} JOIN other AS r ON {condition}"), "joined.csv")
    taken = {name.casefold() for name in first.columns}
    parts = [_key(how, name, dict(zip(left, right, strict=True))) for name in first.columns]
    parts += [
        f"r.{quote(name)} AS {quote(f'{name}_other' if name.casefold() in taken else name)}"
        for name in second.columns
        if name not in right
    ]
    sources = f"(FROM data SELECT *, row_number() OVER () AS l_row) l {_HOW[how]} JOIN"
    joined = f"FROM {sources} (FROM other SELECT *, row_number() OVER () AS r_row) r ON {condition}"
    return table(connection.sql(f"{joined} SELECT {', '.join(parts)} ORDER BY l_row, r_row"), "joined.csv")


@tool(
    tags="asof join nearest time timestamp previous price quote lookup as-of",
    use_when=(
        "Add to each trade the latest price before it",
        "Which exchange rate was valid at the time of each invoice?",
        "Match sensor readings with the last known setting",
    ),
    examples=(
        Example(
            {
                "time": "day",
                "rows": [{"day": "2026-01-10", "sold": 5}, {"day": "2026-01-01", "sold": 1}],
                "other_rows": [{"day": "2026-01-05", "price": 3.0}, {"day": "2026-01-08", "price": 4.0}],
            },
            {
                "rows": [
                    {"day": "2026-01-10", "sold": 5, "day_other": "2026-01-08", "price": 4.0},
                    {"day": "2026-01-01", "sold": 1, "day_other": None, "price": None},
                ]
            },
            source="by hand",
        ),
        Example(
            {
                "time": "t",
                "by": ["s"],
                "rows": [{"t": "2026-01-02", "s": "a"}],
                "other_rows": [{"t": "2026-01-01", "s": "b", "v": 1}, {"t": "2026-01-01", "s": "a", "v": 2}],
            },
            {"rows": [{"t": "2026-01-02", "s": "a", "t_other": "2026-01-01", "v": 2}]},
            source="by hand",
        ),
        Refusal({"time": "id", "rows": _ORDERS, "other_rows": _ORDERS}, "not dates"),
    ),
    reply={
        "file, rows": "The joined table has {row_count|row}; all are in {file}. The first ones: {rows}",
        "rows": "The joined table: {rows}",
        "": "The table has no rows.",
    },
    pace="normal",
    memory_mb=1024,
)
@table_tool
def table_join_asof(
    time: Annotated[str, About("Column with the time, in both tables", "time", min_length=1, max_length=200)],
    by: Annotated[list[Column] | None, About("Other columns that must be equal", ["symbol"], max_items=20)] = None,
    file: TableFile | None = None,
    rows: Rows | None = None,
    other_file: OtherFile | None = None,
    other_rows: OtherRows | None = None,
) -> Table:
    """Join each row of a table with the latest row of another that is not later: an as-of join.

    Use it for prices, rates or states that hold until the next one. Rows without an earlier one get nulls. Returns the
    first table with the columns of the second.
    """
    connection, first, second = both((file, rows), (other_file, other_rows))
    keys, other_keys = columns(first, by or []), columns(second, by or [])
    equal = [_equal(first, second, a, b) for a, b in zip(keys, other_keys, strict=True)]
    condition = " AND ".join([*equal, f"l.{quote(moment(first, time))} >= r.{quote(moment(second, time))}"])
    taken = {name.casefold() for name in first.columns}
    parts = [f"l.{quote(name)}" for name in first.columns]
    parts += [
        f"r.{quote(name)} AS {quote(f'{name}_other' if name.casefold() in taken else name)}"
        for name in second.columns
        if name not in other_keys
    ]
    source = "(FROM data SELECT *, row_number() OVER () AS l_row) l"
    query = f"FROM {source} ASOF LEFT JOIN other r ON {condition} SELECT {', '.join(parts)} ORDER BY l_row"
    return table(connection.sql(query), "joined.csv")


@tool(
    tags="union stack append concatenate combine tables files rows vertically",
    use_when=(
        "Append the February file to the January file",
        "Combine these two CSV files with the same columns",
        "Stack both lists and remove rows that are in both",
    ),
    examples=(
        Example(
            {"rows": [{"a": 1, "b": 2}], "other_rows": [{"b": 3, "c": 4}]},
            {"rows": [{"a": 1, "b": 2, "c": None}, {"a": None, "b": 3, "c": 4}]},
            source="by hand",
        ),
        Example(
            {"rows": [{"a": 1}, {"a": 2}], "other_rows": [{"a": 2}], "distinct": True},
            {"row_count": 2},
            source="by hand",
        ),
        Refusal({"rows": [{"a": 1}]}, "either as a file or as rows"),
    ),
    reply={
        "file, rows": "The stacked table has {row_count|row}; all are in {file}. The first ones: {rows}",
        "rows": "The stacked table: {rows}",
        "": "The tables have no rows.",
    },
    pace="normal",
    memory_mb=1024,
)
@table_tool
def table_union(
    distinct: Annotated[bool, About("Whether to remove duplicate rows")] = False,
    file: TableFile | None = None,
    rows: Rows | None = None,
    other_file: OtherFile | None = None,
    other_rows: OtherRows | None = None,
) -> Table:
    """Stack two tables, matching their columns by name; columns that one lacks are empty there.

    Use it to combine files of several periods or places. Columns of different kinds become text. Returns all rows of
    the first table, then those of the second.
    """
    _, first, second = both((file, rows), (other_file, other_rows))
    pairs = {name: _other_name(second, name) for name in first.columns}
    mixed = {name for name, other in pairs.items() if other and kind_of(first, name) != kind_of(second, other)}
    numbers = {
        name for name in mixed if {kind_of(first, name), kind_of(second, pairs[name] or name)} <= {"integer", "number"}
    }
    own = {other: name for name, other in pairs.items() if other}
    top = first.project(", ".join(_cast(name, name, name in mixed - numbers) for name in first.columns))
    bottom = second.project(
        ", ".join(_cast(name, own.get(name, name), own.get(name) in mixed - numbers) for name in second.columns)
    )
    stacked = top.union_by_name(bottom)
    return table(stacked.distinct() if distinct else stacked, "stacked.csv")


class Differences(Table):
    """Differences between two tables: one row for each added or removed row and for each changed value."""

    added: Annotated[int, About("Number of rows only in the second table")]
    removed: Annotated[int, About("Number of rows only in the first table")]
    changed: Annotated[int, About("Number of rows with different values")]
    same: Annotated[int, About("Number of equal rows")]


@tool(
    tags="table diff compare changes added removed changed rows versions reconcile",
    use_when=(
        "What changed between these two versions of the price list?",
        "Compare yesterday's export with today's by id",
        "Which rows were added or removed in the new file?",
    ),
    examples=(
        Example(
            {
                "key": ["id"],
                "rows": [{"id": 1, "p": 5, "q": 1}, {"id": 2, "p": 6, "q": 1}, {"id": 3, "p": 7, "q": 1}],
                "other_rows": [{"id": 1, "p": 5, "q": 1}, {"id": 2, "p": 8, "q": 1}, {"id": 4, "p": 9, "q": 1}],
            },
            {
                "rows": [
                    {"id": 2, "change": "changed", "column": "p", "before": "6", "after": "8"},
                    {"id": 3, "change": "removed", "column": None, "before": None, "after": None},
                    {"id": 4, "change": "added", "column": None, "before": None, "after": None},
                ],
                "added": 1,
                "removed": 1,
                "changed": 1,
                "same": 1,
            },
            source="by hand",
        ),
        Refusal({"key": ["a"], "rows": [{"a": 1}, {"a": 1}], "other_rows": [{"a": 1}]}, "more than one row"),
    ),
    reply={
        "rows": "{added|row} added, {removed} removed and {changed} changed: {rows}",
        "": "The tables are the same.",
    },
    pace="normal",
    memory_mb=1024,
)
@table_tool
def table_diff(
    key: Annotated[
        list[Column], About("Columns that identify a row in both tables", ["id"], min_items=1, max_items=20)
    ],
    file: TableFile | None = None,
    rows: Rows | None = None,
    other_file: OtherFile | None = None,
    other_rows: OtherRows | None = None,
) -> Differences:
    """Compare two versions of a table by a key: rows added, removed, and values changed, with before and after.

    Use it to reconcile exports or to review a new version of a list. Only common columns are compared. Returns the
    differences and the number of rows of each kind.
    """
    connection, first, second = both((file, rows), (other_file, other_rows))
    keys, other_keys = columns(first, key), columns(second, key)
    for relation, names in ((first, keys), (second, other_keys)):
        if value(relation.aggregate(column_list(names), column_list(names)), "count(*)") < value(relation, "count(*)"):
            raise ToolError("A key value occurs in more than one row. Choose columns that identify a row.")
    pairs = [(name, _other_name(second, name)) for name in first.columns if name not in keys]
    condition = " AND ".join(_equal(first, second, a, b) for a, b in zip(keys, other_keys, strict=True))
    compared = [_compare(first, second, name, other) for name, other in pairs if other]
    sources = "(FROM data SELECT *, 1 AS l_here) l FULL JOIN (FROM other SELECT *, 1 AS r_here) r"
    listed = ", ".join(
        f"coalesce(l.{quote(a)}, r.{quote(b)}) AS {quote(a)}" for a, b in zip(keys, other_keys, strict=True)
    )
    status = "CASE WHEN l_here IS NULL THEN 'added' WHEN r_here IS NULL THEN 'removed' ELSE 'both' END AS change"
    cells = f"list_filter([{', '.join(compared)}]::STRUCT(c VARCHAR, b VARCHAR, a VARCHAR)[], lambda x: x IS NOT NULL)"
    joined = connection.sql(f"FROM {sources} ON {condition} SELECT {listed}, {status}, {cells} AS cells").materialize()
    counts = [f"count(*) FILTER (change = '{kind}')" for kind in ("added", "removed")]
    added, removed = joined.aggregate(", ".join(counts)).fetchall()[0]
    changed = value(joined.filter("change = 'both' AND len(cells) > 0"), "count(*)")
    same = value(joined.filter("change = 'both' AND len(cells) = 0"), "count(*)")
    one = "CASE WHEN change = 'both' THEN cells ELSE [NULL] END"
    kind = "CASE change WHEN 'both' THEN 'changed' ELSE change END AS change"
    rest = f'{kind}, cell.c AS "column", cell.b AS before, cell.a AS after'
    long = joined.project(f"*, unnest({one}) AS cell").project(f"{column_list(keys)}, {rest}").order(column_list(keys))
    return {**table(long, "differences.csv"), "added": added, "removed": removed, "changed": changed, "same": same}


def _compare(first: Any, second: Any, name: str, other: str) -> str:
    before, after = f"l.{quote(name)}", f"r.{quote(other)}"
    cell = f"{{'c': {literal(name)}, 'b': {before}::VARCHAR, 'a': {after}::VARCHAR}}"
    cast = _common_cast(first, second, name, other)
    return f"CASE WHEN l_here = 1 AND r_here = 1 AND {before}{cast} IS DISTINCT FROM {after}{cast} THEN {cell} END"


def _equal(first: Any, second: Any, a: str, b: str) -> str:
    """Return the equality of a column of each table."""
    cast = _common_cast(first, second, a, b)
    return f"l.{quote(a)}{cast} = r.{quote(b)}{cast}"


def _common_cast(first: Any, second: Any, a: str, b: str) -> str:
    """Return the cast that makes a column of each table comparable: to text, unless both are numbers or dates."""
    kinds = {kind_of(first, a), kind_of(second, b)}
    comparable = len(kinds) == 1 or kinds <= {"integer", "number"} or kinds <= {"date", "timestamp"}
    return "" if comparable else "::VARCHAR"


def _key(how: str, name: str, pairs: dict[str, str]) -> str:
    """Return a column of the first table; a key comes from the second one if only that has the row."""
    if name in pairs and how in ("right", "full"):
        return f"coalesce(l.{quote(name)}, r.{quote(pairs[name])}) AS {quote(name)}"
    return f"l.{quote(name)}"


def _other_name(relation: Any, name: str) -> str | None:
    known = {known.casefold(): known for known in relation.columns}
    return known.get(name.casefold())


def _cast(name: str, new: str, text: bool) -> str:
    return f"{quote(name)}{'::VARCHAR' if text else ''} AS {quote(new)}"
