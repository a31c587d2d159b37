"""Shared by the table tools: arguments for tables, the result type of tables, and columns by name."""

import base64
import csv
import io
import math
import re
from collections.abc import Callable, Iterator, Sequence
from datetime import date, datetime, time
from decimal import Decimal
from functools import wraps
from typing import Annotated, Any, NotRequired, ParamSpec, TypeVar

import duckdb
import orjson
from typing_extensions import TypedDict

from retinue.sdk import About, File, OutputFile, ToolError, save
from retinue_tools.data_analysis._loading import Source, quote, workspace
from retinue_tools.data_analysis._notes import collected_notes

P = ParamSpec("P")
R = TypeVar("R")
PREVIEW_ROWS = 100
FILE = "file_01k9z4m2n8q6r5t3v7w1x0y2za"
"""File ID in the examples of tools."""
_PREVIEW_CHARACTERS = 400_000
_MAX_FILE_CHARACTERS = 40_000_000
_NUMERIC = ("BIGINT", "DOUBLE", "HUGEINT", "UBIGINT")
_KINDS = {
    "BIGINT": "integer", "HUGEINT": "integer", "UBIGINT": "integer", "DOUBLE": "number", "BOOLEAN": "boolean",
    "DATE": "date", "TIMESTAMP": "timestamp", "JSON": "json",
}  # fmt: skip

TableFile = Annotated[
    File,
    About("ID of an uploaded CSV, TSV, JSON, NDJSON, XLSX or Parquet file with the table", FILE),
]
Rows = Annotated[
    list[dict[str, Any]],
    About("The table as a list of objects, instead of a file", [{"region": "North", "amount": 120}], max_items=10_000),
]
Column = Annotated[str, About("Name of a column", "amount", min_length=1, max_length=200)]
OtherFile = Annotated[
    File, About("ID of an uploaded file with the second table: CSV, TSV, JSON, NDJSON, XLSX or Parquet", FILE)
]
OtherRows = Annotated[
    list[dict[str, Any]],
    About("The second table as a list of objects, instead of a file", [{"region": "North"}], max_items=10_000),
]
Columns = Annotated[list[Column], About("Names of columns", ["region"], min_items=1, max_items=100)]
Seed = Annotated[int, About("Seed that makes the random choice repeatable", minimum=0, maximum=2**31)]


class Noted(TypedDict):
    """A result that tells how the files were read."""

    notes: NotRequired[
        Annotated[list[str], About("What was skipped, filled or guessed to read the files, if anything was")]
    ]


class Table(Noted):
    """A resulting table."""

    rows: Annotated[list[dict[str, Any]], About("The first rows, at most 100")]
    row_count: Annotated[int, About("Total number of rows")]
    columns: Annotated[list[str], About("Names of the columns")]
    file: NotRequired[Annotated[OutputFile, About("CSV file with all rows, if there are more than shown")]]


def open_table(file: str | None, rows: Sequence[dict[str, Any]] | None, sheet: str = "") -> Any:
    """Open the given table as a DuckDB relation. Raises `ToolError`."""
    return workspace({"data": (file, rows)}, sheet).table("data")


def both(first: Source, second: Source) -> tuple[Any, Any, Any]:
    """Open a connection with the tables `data` and `other`, and return both relations. Raises `ToolError`."""
    connection = workspace({"data": first, "other": second})
    return connection, connection.table("data"), connection.table("other")


def table_tool(function: Callable[P, R]) -> Callable[P, R]:
    """Make a function a tool for tables: errors of DuckDB become a `ToolError`, and its result tells the notes about
    the files that it read.
    """

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        with collected_notes() as notes:
            try:
                result = function(*args, **kwargs)
            except duckdb.Error as error:
                raise _refusal(error) from error
        if notes and isinstance(result, dict):
            result["notes"] = notes
        return result

    return call


def _refusal(error: duckdb.Error) -> ToolError:
    """Say what is wrong with the caller's expressions or values."""
    if isinstance(error, duckdb.OutOfMemoryException):
        return ToolError("The table needs more memory than a tool may use. Send fewer rows or columns.")
    first = str(error).split("\n\nLINE")[0].split("\n\nPossible")[0]
    message = " ".join(re.sub(r"^[A-Z][A-Za-z -]* Error: ", "", first).split())[:600].rstrip(".")
    return ToolError(f"{message}. Correct the names, expressions or values and try again.")


def table(relation: Any, name: str = "table.csv") -> Table:
    """Convert a relation to a result: the first rows, and a file if there are more."""
    stored = relation.materialize()
    found = records(stored.limit(PREVIEW_ROWS + 1))
    preview = found[:1]
    size = 0
    for record in found[1:PREVIEW_ROWS]:
        size += len(orjson.dumps(record))
        if size > _PREVIEW_CHARACTERS:
            break
        preview.append(record)
    if len(preview) == len(found):
        return {"rows": preview, "row_count": len(preview), "columns": stored.columns}
    count = value(stored, "count(*)")
    return {"rows": preview, "row_count": count, "columns": stored.columns, "file": save(name, csv_of(stored).encode())}


def records(relation: Any) -> list[dict[str, Any]]:
    """Return all rows as JSON objects, for relations that are known to be short."""
    return list(_records(relation))


def value(relation: Any, expression: str) -> Any:
    """Evaluate one aggregate over a relation to a JSON value."""
    return values(relation, [expression])[0]


def values(relation: Any, expressions: Sequence[str]) -> list[Any]:
    """Evaluate several aggregates over a relation to JSON values."""
    columns = ", ".join(f"{expression} AS a{number}" for number, expression in enumerate(expressions))
    return [plain(cell) for cell in relation.aggregate(columns).fetchall()[0]]


def csv_of(relation: Any) -> str:
    """Return all rows as CSV (RFC 4180), with cells written as text by DuckDB, which is faster. Raises `ToolError`."""
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(relation.columns)
    cells = [_as_text(quote(name), str(kind)) for name, kind in zip(relation.columns, relation.types, strict=True)]
    for row in relation.project(", ".join(cells)).iter_rows():
        writer.writerow(row)
        if text.tell() > _MAX_FILE_CHARACTERS:
            raise ToolError("The result is longer than 40 million characters. Select fewer rows or columns.")
    return text.getvalue()


def csv_text(names: Sequence[str], rows: Sequence[dict[str, Any]], mark: str = ",") -> str:
    """Format rows as CSV (RFC 4180) with a header, separated by `mark`."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=mark)
    writer.writerow(names)
    writer.writerows([_field(row.get(name)) for name in names] for row in rows)
    return text.getvalue()


def kind_of(relation: Any, name: str) -> str:
    """Return the kind of a column in plain words."""
    return _KINDS.get(str(relation.types[relation.columns.index(name)]), "text")


def column(relation: Any, name: str) -> str:
    """Find a column by name, ignoring case. Raises `ToolError` with the available columns."""
    known: dict[str, str] = {known.casefold(): known for known in relation.columns}
    if name.strip().casefold() not in known:
        raise ToolError(f"The table has no column {name}. Available columns: {', '.join(relation.columns)[:1000]}.")
    return known[name.strip().casefold()]


def columns(relation: Any, names: Sequence[str]) -> list[str]:
    """Find columns by name, each once."""
    return list(dict.fromkeys(column(relation, name) for name in names))


def is_number(relation: Any, name: str) -> bool:
    """Return whether a column contains numbers."""
    return str(relation.types[relation.columns.index(name)]) in _NUMERIC


def numeric(relation: Any, name: str) -> str:
    """Find a column by name, which must contain numbers."""
    found = column(relation, name)
    if not is_number(relation, found):
        raise ToolError(
            f"The column {found} contains {kind_of(relation, found)}, not numbers. Choose a numeric column."
        )
    return found


def numerics(relation: Any, names: Sequence[str] | None) -> list[str]:
    """Find numeric columns by name, or return all of them."""
    if names:
        return list(dict.fromkeys(numeric(relation, name) for name in names))
    found = [name for name in relation.columns if is_number(relation, name)]
    if not found:
        raise ToolError("The table has no numeric column.")
    return found


def moment(relation: Any, name: str) -> str:
    """Find a column by name, which must contain dates or times."""
    found = column(relation, name)
    if kind_of(relation, found) not in ("date", "timestamp"):
        raise ToolError(
            f"The column {found} contains {kind_of(relation, found)}, not dates such as 2026-11-21. Convert it with "
            "table_normalize_dates first."
        )
    return found


def column_list(names: Sequence[str]) -> str:
    """Format column names as an SQL list."""
    return ", ".join(map(quote, names))


def fresh(relation: Any, name: str) -> str:
    """Return a name for a new column: the given one, with a number appended if the table already has it."""
    taken, free, number = {known.casefold() for known in relation.columns}, name, 2
    while free.casefold() in taken:
        free, number = f"{name}_{number}", number + 1
    return free


def replace(relation: Any, changes: dict[str, str]) -> Any:
    """Return the relation with the named columns replaced by expressions, in the same positions."""
    parts = (f"{changes[name]} AS {quote(name)}" if name in changes else quote(name) for name in relation.columns)
    return relation.project(", ".join(parts))


def number_lines(relation: Any) -> tuple[Any, str]:
    """Add a column with the position of each row, from 1. Returns the relation and the column's name."""
    name = fresh(relation, "row")
    return relation.project(f"*, row_number() OVER () AS {quote(name)}"), name


def plain(cell: Any) -> Any:
    """Convert a value of DuckDB to a JSON value. Values without a JSON representation become None, integers that exceed
    64 bits become floats.
    """
    if cell is None or isinstance(cell, bool | str):
        return cell
    if isinstance(cell, int | float | Decimal):
        return _plain_number(cell)
    if isinstance(cell, datetime | date | time):
        return cell.isoformat()
    if isinstance(cell, list | tuple):
        return [plain(part) for part in cell]
    if isinstance(cell, dict):
        return {str(name): plain(part) for name, part in cell.items()}
    return base64.b64encode(cell).decode() if isinstance(cell, bytes) else str(cell)


def _plain_number(number: int | float | Decimal) -> int | float | None:
    if isinstance(number, float):
        return number if math.isfinite(number) else None
    whole = int(number)
    return whole if whole == number and abs(whole) < 2**63 else float(number)


def encode(text: str) -> str:
    """Encode the content of a file for the examples of tools."""
    return base64.b64encode(text.encode()).decode()


def _records(relation: Any) -> Iterator[dict[str, Any]]:
    names = relation.columns
    nested = [str(kind) == "JSON" for kind in relation.types]
    for row in relation.iter_rows():
        cells = (_parse(cell) if json else plain(cell) for cell, json in zip(row, nested, strict=True))
        yield dict(zip(names, cells, strict=True))


def _parse(cell: str | None) -> Any:
    try:
        return None if cell is None else orjson.loads(cell)
    except ValueError:
        return cell


def _as_text(name: str, kind: str) -> str:
    if kind == "DOUBLE":
        return f"(CASE WHEN isfinite({name}) THEN {name} END)::VARCHAR"
    return f"replace({name}::VARCHAR, ' ', 'T')" if kind == "TIMESTAMP" else f"{name}::VARCHAR"


def _field(cell: Any) -> Any:
    if isinstance(cell, list | dict):
        return orjson.dumps(cell).decode()
    return str(cell).lower() if isinstance(cell, bool) else cell
