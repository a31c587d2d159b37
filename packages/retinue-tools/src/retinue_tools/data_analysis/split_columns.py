"""Columns with several values: split into columns or rows."""

from typing import Annotated

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.data_analysis._loading import literal, quote
from retinue_tools.data_analysis._tables import (
    Column,
    Rows,
    Table,
    TableFile,
    kind_of,
    open_table,
    replace,
    table,
    table_tool,
)
from retinue_tools.data_analysis.missing_values import find_known


@tool(
    tags="split column separator delimiter text to columns first last name parts",
    use_when=(
        "Split the column name into first and last name",
        "Separate city and zip code at the comma",
        "Turn a column like 2026-11 into year and month columns",
    ),
    examples=(
        Example(
            {
                "column": "n",
                "separator": " ",
                "names": ["first", "last"],
                "rows": [{"n": "Ada King Lovelace"}, {"n": "Bo"}],
            },
            {
                "rows": [
                    {"n": "Ada King Lovelace", "first": "Ada", "last": "King Lovelace"},
                    {"n": "Bo", "first": "Bo", "last": None},
                ]
            },
            source="by hand",
        ),
        Example(
            {"column": "n", "separator": "-", "names": ["a"], "keep": False, "rows": [{"n": "x-y"}]},
            {"rows": [{"a": "x-y"}]},
            source="by hand: one part is all",
        ),
        Refusal({"column": "m", "separator": "-", "names": ["a"], "rows": [{"n": "x-y"}]}, "no column m"),
    ),
    reply={
        "file, rows": "The table with {args.column} split is in {file}. The first rows: {rows}",
        "rows": "The table with {args.column} split: {rows}",
        "": "The table has no rows.",
    },
    pace="normal",
    memory_mb=1024,
)
@table_tool
def table_split_column(
    column: Column,
    separator: Annotated[str, About("Separator of the parts", ", ", min_length=1, max_length=20)],
    names: Annotated[
        list[Column],
        About("Names of the new columns; the last one gets the rest", ["city", "zip"], min_items=1, max_items=50),
    ],
    keep: Annotated[bool, About("Whether to keep the original column")] = True,
    file: TableFile | None = None,
    rows: Rows | None = None,
) -> Table:
    """Split a text column into several columns at a separator.

    Use it for full names, addresses or codes. Parts are trimmed; missing parts are null. Returns the table with the new
    columns at the end.
    """
    relation = open_table(file, rows)
    name = find_known(relation, [column])[0]
    text, mark = f"{quote(name)}::VARCHAR", literal(separator)
    remaining = relation.columns if keep else [known for known in relation.columns if known != name]
    parts = [quote(known) for known in remaining]
    taken = {known.casefold() for known in remaining}
    for number, new in enumerate(names, 1):
        if new.casefold() in taken:
            raise ToolError(f"The table already has a column {new}. Choose another name.")
        taken.add(new.casefold())
        found = f"string_split({text}, {mark})"
        part = f"array_to_string({found}[{number}:], {mark})" if number == len(names) else f"{found}[{number}]"
        parts.append(f"nullif(trim({part}), '') AS {quote(new)}")
    return table(relation.project(", ".join(parts)), "split.csv")


@tool(
    tags="explode unnest list column rows tags multiple values separate",
    use_when=(
        "Make one row for each tag in the column tags",
        "Expand the lists in this JSON column into rows",
        "The cell holds a;b;c, I need three rows",
    ),
    examples=(
        Example(
            {"column": "tags", "rows": [{"id": 1, "tags": ["a", "b"]}, {"id": 2, "tags": []}]},
            {"rows": [{"id": 1, "tags": "a"}, {"id": 1, "tags": "b"}, {"id": 2, "tags": None}]},
            source="by hand",
        ),
        Example(
            {"column": "t", "separator": ";", "rows": [{"t": "x; y"}]},
            {"rows": [{"t": "x"}, {"t": "y"}]},
            source="by hand",
        ),
        Refusal({"column": "t", "rows": [{"t": "x"}]}, "separator"),
    ),
    reply={
        "file, rows": "The table with a row for each value of {args.column} is in {file}. The first rows: {rows}",
        "rows": "The table with a row for each value of {args.column}: {rows}",
        "": "The table has no rows.",
    },
    pace="normal",
    memory_mb=1024,
)
@table_tool
def table_explode_column(
    column: Column,
    separator: Annotated[
        str | None, About("Separator of the values of a text column", ";", min_length=1, max_length=20)
    ] = None,
    file: TableFile | None = None,
    rows: Rows | None = None,
) -> Table:
    """Turn each value of a list column, or of a text column with separators, into a separate row.

    Use it for tags, multiple answers or nested JSON. The other columns are repeated; an empty list gives one row with
    null. Returns the longer table.
    """
    relation = open_table(file, rows)
    name = find_known(relation, [column])[0]
    it = quote(name)
    if separator is not None:
        items = f"list_transform(string_split({it}::VARCHAR, {literal(separator)}), lambda x: trim(x))"
    elif kind_of(relation, name) == "json":
        listed_json = f"CASE WHEN json_type({it}) = 'ARRAY' THEN {it} ELSE json_array({it}) END"
        items = f"from_json({listed_json}, '[\"JSON\"]')"
    else:
        raise ToolError("The column contains no lists. Give the separator between its values.")
    full = f"CASE WHEN len({items}) > 0 THEN {items} ELSE [NULL] END"
    return table(replace(relation, {name: f"unnest({full})"}), "exploded.csv")
