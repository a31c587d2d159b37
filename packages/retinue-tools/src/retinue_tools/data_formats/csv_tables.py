"""CSV and other delimited text: conversion to and from JSON, dialect detection, and transposition."""

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Annotated, Any, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.data_formats._delimiters import likeliest_delimiter, parse_rows, split_hint
from retinue_tools.data_formats._values import Table, Written, dump, plain

_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,14})(?:\.[0-9]{1,15})?(?:[eE][-+]?[0-9]{1,2})?")
_CONSTANTS: dict[str, Any] = {"true": True, "false": False, "": None}
DELIMITERS = {"comma": ",", "semicolon": ";", "tab": "\t", "pipe": "|"}

TableText = Annotated[
    str, About("Table as text; the first row is the header", "name,price\nTea,2.5", min_length=1, max_length=900_000)
]
Delimiter = Annotated[Literal["auto", "comma", "semicolon", "tab", "pipe"], About("Field separator")]


class Records(TypedDict):
    """A table as objects."""

    records: Annotated[list[dict[str, Any]], About("One object for each row, with keys from the header")]
    columns: Annotated[list[str], About("Column names in order")]
    rows: Annotated[int, About("Number of rows after the header")]


@tool(
    tags="csv json tsv table convert parse records delimiter spreadsheet",
    use_when=(
        "Convert this CSV to JSON",
        "Turn a semicolon separated table into JSON objects",
        "Parse these comma separated rows",
    ),
    examples=(
        Example(
            {"table": 'first,second,third\r\n"aaa","b""bb","ccc"\r\n', "types": False},
            {"records": [{"first": "aaa", "second": 'b"bb', "third": "ccc"}], "rows": 1},
            source="RFC 4180, section 2, rule 7",
        ),
        Example(
            {"table": 'aaa,bbb\r\n"b \r\nbb",007\r\n'},
            {"records": [{"aaa": "b \r\nbb", "bbb": "007"}]},
            source="RFC 4180, section 2, rule 6; leading zeros are not a number's in JSON (RFC 8259, section 6)",
        ),
        Example(
            {"table": "name;price\nTea;2.5\n", "delimiter": "semicolon"},
            {"records": [{"name": "Tea", "price": 2.5}], "columns": ["name", "price"]},
            source="by hand",
        ),
        Example(
            {"table": "name,seat / Ann,14 / Bo,9"},
            {"records": [{"name": "Ann", "seat": 14}, {"name": "Bo", "seat": 9}], "rows": 2},
            source="by hand: rows in one line",
        ),
        Example(
            {"table": "city,code\nDresden,01099\nMunich,80331\nNowhere,\n"},
            {"records": [{"code": "01099"}, {"code": "80331"}, {"code": None}]},
            source="by hand: a column has one type, and 01099 is no number",
        ),
        Refusal({"table": "a,b\n1,2,3\n"}, "Row 1 has 3 fields, the header 2"),
    ),
    reply={
        "records": "The {rows|row} as objects: {records}",
        "": "The table has no rows.",
    },
)
def csv_convert_to_json(
    table: TableText,
    delimiter: Delimiter = "auto",
    types: Annotated[
        bool,
        About(
            "Whether to convert columns of numbers or of true and false, and empty fields; otherwise all values are "
            "text"
        ),
    ] = True,
) -> Records:
    """Convert CSV, TSV or other delimited text with a header row to JSON objects.

    Use it to read a table for further processing. Returns one object for each row, the columns and the number of rows.
    """
    rows = rows_of(table.removeprefix("\ufeff"), delimiter)
    if not rows:
        raise ToolError("The table is empty. Its first row must be the header.")
    header, *body = rows
    if len(set(header)) < len(header):
        raise ToolError("Two columns have the same name. Column names must be unique.")
    for number, row in enumerate(body, 1):
        if len(row) != len(header):
            raise ToolError(
                f"Row {number} has {len(row)} fields, the header {len(header)}. Check the delimiter and quotes."
            )
    columns = [typed_column(column) if types else column for column in zip(*body, strict=True)]
    records = [dict(zip(header, row, strict=True)) for row in zip(*columns, strict=True)]
    return {"records": records, "columns": header, "rows": len(records)}


def rows_of(text: str, delimiter: str) -> list[list[str]]:
    """Return the rows of a table, without empty ones; `delimiter` is the name of one, or auto. Raises `ToolError`."""
    hint, text = split_hint(text)
    text = _in_lines(text)
    mark = DELIMITERS.get(delimiter) or hint or likeliest_delimiter(text.partition("\n")[0])
    return [row for row in parse_rows(text, mark, strict=True) if row]


_ROWS = (" / ", " // ", " | ", "; ", "\\n")
"""Common row separators in tables on a single line."""


def _in_lines(text: str) -> str:
    """Split a table on a single line into lines, if this gives rows with the same number of fields, at least two."""
    for mark in _ROWS if "\n" not in text else ():
        rows = text.split(mark)
        fields = {row.count(",") for row in rows}
        if len(rows) > 1 and len(fields) == 1 and fields != {0}:
            return "\n".join(row.strip() for row in rows)
    return text


def type_of(field: str) -> Any:
    """Convert a field to the JSON value that it denotes, or else keep it as text."""
    if field.lower() in _CONSTANTS:
        return _CONSTANTS[field.lower()]
    if not _NUMBER.fullmatch(field):
        return field
    return int(field) if field.lstrip("-").isdecimal() else float(field)


def typed_column(fields: Sequence[str]) -> list[Any]:
    """Convert the fields of a column to JSON values of one type: if any is not a number, all are text."""
    read = [type_of(field) for field in fields]
    kinds = {type(value) for value in read if value is not None}
    if kinds <= {int, float} or len(kinds) == 1:
        return read
    return [None if value is None else field for field, value in zip(fields, read, strict=True)]


def table_text(rows: Iterable[Iterable[str]], mark: str, ending: str = "\n", quote_all: bool = False) -> str:
    text = io.StringIO(newline="")
    write = partial(csv.writer, text, delimiter=mark, lineterminator=ending)
    (write(quoting=csv.QUOTE_ALL) if quote_all else write()).writerows(rows)
    return text.getvalue()


def lenient_rows(text: str, mark: str) -> list[list[str]]:
    return [row for row in parse_rows(text, mark) if row]


_MARKS = "=+-@\t\r"
_ENDINGS = {"lf": "\n", "crlf": "\r\n"}
To = Annotated[Literal["comma", "semicolon", "tab", "pipe"], About("Field separator")]


class Dialect(TypedDict):
    """Dialect of a table."""

    delimiter: Annotated[str, About("comma, semicolon, tab, pipe, or the character itself")]
    quoted: Annotated[bool, About("Whether fields are in double quotes")]
    line_ending: Annotated[Literal["lf", "crlf", "cr"], About("Line end")]
    has_header: Annotated[bool, About("Whether the first row seems to contain column names")]
    columns: Annotated[int, About("Most common number of columns")]
    rows: Annotated[int, About("Number of rows, including the first")]
    uneven_rows: Annotated[list[int], About("Numbers of rows with another number of fields, from 1, at most 100")]


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
    reply="The table as CSV: {text}",
)
def json_convert_to_csv(
    records: Table,
    delimiter: To = "comma",
    escape_formulas: Annotated[
        bool, About("Whether to prefix texts that a spreadsheet would interpret as formulas with an apostrophe")
    ] = False,
    line_ending: Annotated[Literal["lf", "crlf"], About("Line end; RFC 4180 requires crlf")] = "lf",
) -> Written:
    """Convert a list of JSON objects to CSV with a header; nested objects become columns like address.city.

    Use it to export records to a spreadsheet or database. Returns the text; null becomes empty, and lists become JSON
    text.
    """
    flat = [dict(_columns(record, "")) for record in records]
    names = list(dict.fromkeys(name for record in flat for name in record))
    if not names:
        raise ToolError("The records have no fields, so there are no columns.")
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
    reply={
        "has_header": (
            "The delimiter is a {delimiter}; the table has {columns|column} and "
            "{rows|row}, the first of which is a header."
        ),
        "": "The delimiter is a {delimiter}; the table has {columns|column} and {rows|row}, without a header.",
    },
)
def csv_detect_dialect(
    text: Annotated[str, About("Table, or its beginning", "id;name\n1;Tea\n", min_length=1, max_length=900_000)],
) -> Dialect:
    """Detect the dialect of a table, how it is written: delimiter, quotes, line ends, header, and rows with too few or
    many fields.

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
    reply="The transposed table: {text}",
)
def csv_transpose_table(table: TableText, delimiter: Delimiter = "auto") -> Written:
    """Transpose a CSV table: rows become columns and columns rows.

    Use it if the header is in the first column. Returns the table with the same delimiter.
    """
    mark = DELIMITERS.get(delimiter) or likeliest_delimiter(table.partition("\n")[0])
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
    """Return how well a delimiter fits: the share of rows with the most common width, 0 for a single column."""
    if not rows:
        return 0.0, 0
    width, count = Counter(map(len, rows)).most_common(1)[0]
    return (count / len(rows) if width > 1 else 0.0), width


def _has_header(rows: list[list[str]]) -> bool:
    """Check whether the first row has only distinct words while another row has a number."""
    first = [field.strip() for field in rows[0]]
    words = len(set(first)) == len(first) and not any(field == "" or _looks_numeric(field) for field in first)
    return words and any(_looks_numeric(field) for row in rows[1:200] for field in row)


def _looks_numeric(field: str) -> bool:
    return bool(re.fullmatch(r"\s*[-+]?[0-9][0-9.,:/ -]*%?\s*", field))
