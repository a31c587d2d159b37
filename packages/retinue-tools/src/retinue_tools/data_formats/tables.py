"""Delimited text."""

import csv
import io
import re
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Annotated, Any, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool

_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,14})(?:\.[0-9]{1,15})?(?:[eE][-+]?[0-9]{1,2})?")
_CONSTANTS: dict[str, Any] = {"true": True, "false": False, "": None}
DELIMITERS = {"comma": ",", "semicolon": ";", "tab": "\t", "pipe": "|"}

csv.field_size_limit(1_000_000)

TableText = Annotated[
    str, About("The table as text, its first row the header", "name,price\nTea,2.5", min_length=1, max_length=900_000)
]
Delimiter = Annotated[Literal["auto", "comma", "semicolon", "tab", "pipe"], About("What stands between fields")]


class Records(TypedDict):
    """A table as objects."""

    records: Annotated[list[dict[str, Any]], About("One object for each row, its keys from the header")]
    columns: Annotated[list[str], About("Names of the columns in their order")]
    rows: Annotated[int, About("How many rows follow the header")]


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
)
def csv_convert_to_json(
    table: TableText,
    delimiter: Delimiter = "auto",
    types: Annotated[
        bool, About("Whether to read columns of numbers, of true and false, and empty fields as such; else all is text")
    ] = True,
) -> Records:
    """Convert CSV, TSV or other delimited text with a header row to JSON objects.

    Use it to read a table for further work. Returns one object for each row, the columns and the number of rows.
    """
    rows = rows_of(table.removeprefix("\ufeff"), delimiter)
    if not rows:
        raise ToolError("The table is empty. Its first row must be the header.")
    header, *body = rows
    if len(set(header)) < len(header):
        raise ToolError("Two columns have the same name. Give each its own.")
    for number, row in enumerate(body, 1):
        if len(row) != len(header):
            raise ToolError(
                f"Row {number} has {len(row)} fields, the header {len(header)}. Check delimiter and quotes."
            )
    columns = [typed_column(column) if types else column for column in zip(*body, strict=True)]
    records = [dict(zip(header, row, strict=True)) for row in zip(*columns, strict=True)]
    return {"records": records, "columns": header, "rows": len(records)}


def rows_of(text: str, delimiter: str) -> list[list[str]]:
    """The rows of a table, without empty ones; `delimiter` is a name of one, or auto. Raises `ToolError`."""
    text = _in_lines(text)
    mark = DELIMITERS.get(delimiter) or _likeliest(text.partition("\n")[0])
    try:
        return [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=mark, strict=True) if row]
    except csv.Error as error:
        raise ToolError(f"The table cannot be read: {error}. Check the quotes.") from error


_ROWS = (" / ", " // ", " | ", "; ", "\\n")
"""What people write between rows that they put in one line."""


def _in_lines(text: str) -> str:
    """A table in one line as lines, where it is cut into rows of equally many fields, of two or more."""
    for mark in _ROWS if "\n" not in text else ():
        rows = text.split(mark)
        fields = {row.count(",") for row in rows}
        if len(rows) > 1 and len(fields) == 1 and fields != {0}:
            return "\n".join(row.strip() for row in rows)
    return text


def _likeliest(header: str) -> str:
    return max(DELIMITERS.values(), key=header.count)


def type_of(field: str) -> Any:
    """A field as the JSON value that it writes, else as the text that it is."""
    if field.lower() in _CONSTANTS:
        return _CONSTANTS[field.lower()]
    if not _NUMBER.fullmatch(field):
        return field
    return int(field) if field.lstrip("-").isdecimal() else float(field)


def typed_column(fields: Sequence[str]) -> list[Any]:
    """The fields of a column as JSON values of one type: one that is no number makes all of them text."""
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
    try:
        return [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=mark) if row]
    except csv.Error as error:
        raise ToolError(f"The table cannot be read: {error}. Check the quotes.") from error
