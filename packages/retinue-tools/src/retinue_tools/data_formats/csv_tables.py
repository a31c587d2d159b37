"""Changes of delimited text: dialect, layout, cleaning."""

import re
from collections import Counter
from collections.abc import Iterator
from typing import Annotated, Any, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.data_formats._values import Table, Written, dump, plain
from retinue_tools.data_formats.tables import (
    DELIMITERS,
    Delimiter,
    TableText,
    lenient_rows,
    rows_of,
    table_text,
)

_MARKS = "=+-@\t\r"
_ENDINGS = {"lf": "\n", "crlf": "\r\n"}
To = Annotated[Literal["comma", "semicolon", "tab", "pipe"], About("What to put between fields")]


class Dialect(TypedDict):
    """How a table is written."""

    delimiter: Annotated[str, About("comma, semicolon, tab, pipe, or the character itself")]
    quoted: Annotated[bool, About("Whether fields stand in double quotes")]
    line_ending: Annotated[Literal["lf", "crlf", "cr"], About("What ends a line")]
    has_header: Annotated[bool, About("Whether the first row seems to name the columns")]
    columns: Annotated[int, About("How many columns most rows have")]
    rows: Annotated[int, About("How many rows there are, the first one too")]
    uneven_rows: Annotated[list[int], About("Numbers of rows with another count of fields, from 1, at most 100")]


@tool(
    tags="json csv tsv convert records export spreadsheet excel table",
    use_when=(
        "Convert these JSON objects to CSV",
        "Export this list as a semicolon separated table for Excel",
        "Make a CSV of this API response with one column per nested field",
    ),
    examples=(
        Example(
            {"records": [{"a": 'x"y', "b": 1}, {"a": "p,q", "c": {"d": True}}]},
            {"text": 'a,b,c.d\n"x""y",1,\n"p,q",,true\n'},
            source="RFC 4180, section 2, rules 6 and 7",
        ),
        Example(
            {
                "records": [{"n": "=1+1", "v": -2}],
                "delimiter": "semicolon",
                "escape_formulas": True,
                "line_ending": "crlf",
            },
            {"text": "n;v\r\n'=1+1;-2\r\n"},
            source="by hand: a leading apostrophe makes text of a formula",
        ),
        Refusal({"records": [{}]}, "no fields"),
    ),
)
def json_convert_to_csv(
    records: Table,
    delimiter: To = "comma",
    escape_formulas: Annotated[
        bool, About("Whether texts that a spreadsheet takes for formulas get an apostrophe")
    ] = False,
    line_ending: Annotated[Literal["lf", "crlf"], About("What ends a line; RFC 4180 says crlf")] = "lf",
) -> Written:
    """Convert a list of JSON objects to CSV with a header; nested objects become columns like address.city.

    Use it to export records to a spreadsheet or database. Returns the text; null is empty, lists are JSON text.
    """
    flat = [dict(_columns(record, "")) for record in records]
    names = list(dict.fromkeys(name for record in flat for name in record))
    if not names:
        raise ToolError("The records have no fields, so there is no column.")
    rows = ([_field(record.get(name), escape_formulas) for name in names] for record in flat)
    return {"text": plain(table_text([names, *rows], DELIMITERS[delimiter], _ENDINGS[line_ending]))}


@tool(
    tags="csv dialect sniff detect delimiter header quote uneven rows",
    use_when=(
        "Which delimiter does this CSV use?",
        "Has this table a header row?",
        "Which rows of the CSV are broken?",
    ),
    examples=(
        Example(
            {"text": 'id;name;price\r\n1;"Tea; green";2,50\r\n2;Rice\r\n'},
            {
                "delimiter": "semicolon",
                "quoted": True,
                "line_ending": "crlf",
                "has_header": True,
                "columns": 3,
                "rows": 3,
                "uneven_rows": [3],
            },
            source="by hand",
        ),
        Example({"text": "1|2\n3|4\n"}, {"delimiter": "pipe", "has_header": False, "quoted": False}, source="by hand"),
        Refusal({"text": "\n\n"}, "no rows"),
    ),
)
def csv_detect_dialect(
    text: Annotated[str, About("The table, or its beginning", "id;name\n1;Tea\n", min_length=1, max_length=900_000)],
) -> Dialect:
    """Detect how a table is written: delimiter, quotes, line ends, header, and rows with too few or many fields.

    Use it before reading an unknown CSV file. Returns the dialect and the numbers of uneven rows.
    """
    lines = text.removeprefix("\ufeff")
    marks = [*DELIMITERS.values(), ":", "^", "\x1f"]
    read = {mark: lenient_rows(lines, mark) for mark in marks}
    mark = max(marks, key=lambda one: _evenness(read[one]))
    rows = read[mark]
    if not rows:
        raise ToolError("The text has no rows.")
    width = Counter(map(len, rows)).most_common(1)[0][0]
    uneven = [number for number, row in enumerate(rows, 1) if len(row) != width]
    return {
        "delimiter": {value: name for name, value in DELIMITERS.items()}.get(mark, mark),
        "quoted": bool(re.search(rf'(?:^|{re.escape(mark)})"', lines, re.MULTILINE)),
        "line_ending": "crlf" if "\r\n" in lines else "lf" if "\n" in lines or "\r" not in lines else "cr",
        "has_header": _has_header(rows),
        "columns": width,
        "rows": len(rows),
        "uneven_rows": uneven[:100],
    }


@tool(
    tags="csv transpose swap rows columns pivot flip",
    use_when=(
        "Swap rows and columns of this CSV",
        "Transpose this table",
        "My header is in the first column; turn the table around",
    ),
    examples=(
        Example({"table": "a,b,c\n1,2,3\n"}, {"text": "a,1\nb,2\nc,3\n"}, source="by hand"),
        Example({"table": "a;b\n1;\n", "delimiter": "semicolon"}, {"text": "a;1\nb;\n"}, source="by hand"),
        Refusal({"table": "a,b\n1\n"}, "Row 2 has 1 fields"),
    ),
)
def csv_transpose_table(table: TableText, delimiter: Delimiter = "auto") -> Written:
    """Transpose a CSV table: rows become columns and columns rows.

    Use it when the header stands in the first column. Returns the table with the same delimiter.
    """
    mark = DELIMITERS.get(delimiter) or max(DELIMITERS.values(), key=table.partition("\n")[0].count)
    rows = rows_of(table.removeprefix("\ufeff"), delimiter)
    for number, row in enumerate(rows, 1):
        if len(row) != len(rows[0]):
            raise ToolError(f"Row {number} has {len(row)} fields, the first {len(rows[0])}. Clean the table first.")
    return {"text": table_text(zip(*rows, strict=True), mark)}


def _columns(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict) and (value or not path):
        for name, part in value.items():
            yield from _columns(part, f"{path}.{name}" if path else name)
    else:
        yield path, value


def _field(value: Any, escape: bool) -> str:
    if isinstance(value, str):
        return f"'{value}" if escape and value[:1] and value[0] in _MARKS else value
    return "" if value is None else dump(value, None)


def _evenness(rows: list[list[str]]) -> tuple[float, int]:
    """How well a delimiter fits: the share of rows with the commonest width, none for a single column."""
    if not rows:
        return 0.0, 0
    width, count = Counter(map(len, rows)).most_common(1)[0]
    return (count / len(rows) if width > 1 else 0.0), width


def _has_header(rows: list[list[str]]) -> bool:
    """Whether the first row has only distinct words while another has a number."""
    first = [field.strip() for field in rows[0]]
    words = len(set(first)) == len(first) and not any(field == "" or _looks_numeric(field) for field in first)
    return words and any(_looks_numeric(field) for row in rows[1:200] for field in row)


def _looks_numeric(field: str) -> bool:
    return bool(re.fullmatch(r"\s*[-+]?[0-9][0-9.,:/ -]*%?\s*", field))
