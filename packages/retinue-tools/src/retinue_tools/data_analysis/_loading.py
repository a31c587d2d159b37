"""Load tables: CSV, JSON, Excel and Parquet files or lists of objects become tables of a locked DuckDB.

Loaded columns have one of eight kinds: integer, number, text, boolean, date, timestamp, json (lists and objects, as
JSON text) and, for numbers that exceed 64 bits, big integer. Text is converted to numbers, dates or truth values only
if every value of its column is one. Numbers with leading zeros or a plus sign, codes such as 12E4, and integers that
exceed 64 bits stay text.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import duckdb
import orjson

from retinue.sdk import ToolError
from retinue_tools.data_analysis._delimited_text import as_csv, even_rows, layout_of, read_rows, total_note
from retinue_tools.data_analysis._json_rows import json_rows
from retinue_tools.data_analysis._notes import add_notes
from retinue_tools.data_analysis._sheets import sheet_rows
from retinue_tools.data_formats._compound_files import refuse_compound
from retinue_tools.data_formats._text_encodings import decode

Source = tuple[str | None, Sequence[Mapping[str, Any]] | None]
"""Source of a table: the path of a file, or rows."""

MAX_COLUMNS = 500
MISSING = ("", "NA", "N/A", "#N/A", "NaN", "nan", "null", "NULL", "None", "-", "#DIV/0!", "#VALUE!", "#REF!")
"""Texts that mean a missing value in a column whose other values are all numbers, dates or truth values."""

_SAMPLE = 1000
_MAX_BYTES, _MAX_JSON_BYTES = 50 << 20, 20 << 20
_DATES = {
    "DATE": r"\d{4}-\d{2}-\d{2}",
    "TIMESTAMP": r"\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?(Z|[+-]\d{2}(:?\d{2})?)?)?",
}
_NUMBERS = {
    "BOOLEAN": "(?i)true|false",
    "BIGINT": "-?(0|[1-9][0-9]{0,18})",
    # A double holds integers of up to 15 digits exactly.
    "DOUBLE": r"-?((0|[1-9][0-9]{0,14})([eE][-+][0-9]{1,2})?|((0|[1-9][0-9]*)\.[0-9]*|\.[0-9]+)([eE][-+]?[0-9]{1,2})?)",
}
_KEPT = ("BOOLEAN", "BIGINT", "DOUBLE", "VARCHAR", "DATE", "TIMESTAMP", "JSON", "UBIGINT", "HUGEINT")
_SMALL_INTEGERS = ("TINYINT", "SMALLINT", "INTEGER", "UTINYINT", "USMALLINT", "UINTEGER")
_OTHER_FORMATS = (
    (rb"%PDF-", "The file is a PDF. Extract its table with pdf_extract_tables first."),
    (rb"\x1f\x8b", "The file is compressed. Decompress it first."),
    (rb"SQLite format 3", "The file is a SQLite database. Query it with sqlite_query_file."),
    (
        rb"(?i)\s*<(\?xml|!doctype|html|head|body|table|meta|workbook)\b",
        "The file is HTML or XML, whatever its name. Save it as .xlsx or CSV, or extract it with html_extract_tables.",
    ),
)
"""How files begin that are no tables, and what to do with them."""


def workspace(sources: Mapping[str, Source], sheet: str = "", *, locked: bool = True) -> Any:
    """Open a DuckDB connection with one table for each source and no access to files, network or extensions.

    An unlocked one may write files, and is only for statements without input of the caller. Raises `ToolError` if a
    source cannot be read.
    """
    connection = duckdb.connect(
        ":memory:",
        config={
            "threads": 1,
            "memory_limit": "400MB",
            "temp_directory": "",
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
            "allow_community_extensions": False,
        },
    )
    for setting in ("TimeZone = 'UTC'", "python_enable_replacements = false"):
        connection.execute(f"SET {setting}")
    for name, (file, rows) in sources.items():
        _load(connection, name, file, rows, sheet)
    if locked:
        connection.execute("SET enable_external_access = false; SET lock_configuration = true")
    return connection


def quote(name: str) -> str:
    """Quote the name of a column or table for SQL."""
    return '"' + name.replace('"', '""') + '"'


def literal(value: Any) -> str:
    """Format a JSON scalar for SQL. Raises `ToolError` for text with a null character."""
    match value:
        case None:
            return "NULL"
        case bool():
            return str(value).upper()
        case int() | float():
            return repr(value)
        case str() if "\0" not in value:
            return "'" + value.replace("'", "''") + "'"
        case _:
            raise ToolError("A value must be text without null characters, a number, true, false or null.")


def _load(connection: Any, name: str, file: str | None, rows: Sequence[Mapping[str, Any]] | None, sheet: str) -> None:
    if (file is None) == (rows is None):
        raise ToolError("Give each table either as a file or as rows, not both.")
    relation = _record(connection, name, rows or ()) if file is None else _open(connection, name, Path(file), sheet)
    if len(relation.columns) > MAX_COLUMNS:
        raise ToolError(f"The table has {len(relation.columns)} columns. The maximum is {MAX_COLUMNS}.")
    relation.create(name)


def _open(connection: Any, name: str, path: Path, sheet: str) -> Any:
    """Read the table in a file, whose format is detected from its content."""
    if path.stat().st_size > _MAX_BYTES:
        raise ToolError(f"The file is larger than {_MAX_BYTES >> 20} MiB. Send a part of it.")
    with path.open("rb") as opened:
        start = opened.read(1000)
    if not start.removeprefix(b"\xef\xbb\xbf").strip():
        raise ToolError("The file is empty. A table needs at least a header.")
    if start.startswith(b"PAR1"):
        return _parquet(connection, path)
    if start.startswith(b"PK\x03\x04"):
        names, rows = sheet_rows(path.read_bytes(), sheet)
        return _record(connection, name, [dict(zip(unique(names), row, strict=True)) for row in rows], unique(names))
    refuse_compound(path)
    for pattern, message in _OTHER_FORMATS:
        if re.match(pattern, start.removeprefix(b"\xef\xbb\xbf")):
            raise ToolError(message)
    decoded = decode(path.read_bytes())
    add_notes([decoded.note] if decoded.note else [])
    if decoded.text.lstrip()[:1] in ("[", "{"):
        if len(decoded.text) > _MAX_JSON_BYTES:
            raise ToolError(
                f"A JSON file may have at most {_MAX_JSON_BYTES >> 20} MiB. Send a part of it, or Parquet or CSV."
            )
        return _record(connection, name, json_rows(decoded.text))
    return _delimit(connection, name, decoded.text)


def _parquet(connection: Any, path: Path) -> Any:
    try:
        return _plain_types(connection.read_parquet(str(path))).materialize()
    except duckdb.OutOfMemoryException:
        raise
    except duckdb.Error as error:
        raise ToolError("The Parquet file is damaged or uses unsupported features. Write it again.") from error


def _delimit(connection: Any, name: str, text: str) -> Any:
    """Load delimited text. Text that is not regular is repaired first, which takes longer."""
    layout = layout_of(text)
    add_notes(layout.notes)
    path = Path(f"{name}.csv")
    path.write_text(layout.body, encoding="utf-8", newline="")
    relation = None
    with suppress(duckdb.InvalidInputException):
        relation = _read_csv(connection, path, layout.mark, len(layout.names))
    if relation is None:
        rows, notes = even_rows(layout)
        add_notes(notes)
        path.write_text(as_csv(rows), encoding="utf-8", newline="")
        relation = _read_csv(connection, path, ",", len(layout.names))
    last = next(read_rows([layout.body.rstrip("\n").rpartition("\n")[2]], layout.mark))
    add_notes(total_note(last.fields[0]))
    names = unique(layout.names)
    blank = [place for place, column_name in enumerate(layout.names) if not column_name.strip()]
    relation = _rename(relation, names)
    return _type_of(_without_empty(relation, [names[place] for place in blank]), _NUMBERS | _DATES)


def _read_csv(connection: Any, path: Path, mark: str, width: int) -> Any:
    return connection.read_csv(
        str(path),
        header=False,
        auto_detect=False,
        columns={f"c{number}": "VARCHAR" for number in range(width)},
        sep=mark,
        quotechar='"',
        escapechar='"',
        strict_mode=True,
    ).materialize()


def _without_empty(relation: Any, names: Sequence[str]) -> Any:
    """Return a relation without those of the named columns that have no values."""
    if not names or len(names) == len(relation.columns):
        return relation
    counts = relation.aggregate(", ".join(f"count({quote(name)})" for name in names)).fetchall()[0]
    empty = [name for name, count in zip(names, counts, strict=True) if not count]
    return relation.project(", ".join(quote(name) for name in relation.columns if name not in empty))


def _record(connection: Any, name: str, rows: Sequence[Mapping[str, Any]], names: Iterable[str] = ()) -> Any:
    """Create a table from objects, with a column for each name and key, in the order of first appearance."""
    keys = list(dict.fromkeys((*names, *(key for row in rows for key in row))))
    if not keys:
        raise ToolError("The table has no columns. Give at least one row with one field.")
    types = {key: _json_type([row[key] for row in rows if row.get(key) is not None]) for key in keys}
    writers = {"JSON": lambda value: value, "VARCHAR": _as_text, "DOUBLE": _as_float}
    path = Path(f"{name}.ndjson")
    with path.open("wb") as lines:
        for row in rows:
            values = {
                f"c{number}": writers.get(types[key], writers["JSON"])(row.get(key)) for number, key in enumerate(keys)
            }
            lines.write(orjson.dumps(values, option=orjson.OPT_APPEND_NEWLINE))
    shape = {f"c{number}": types[key] for number, key in enumerate(keys)}
    return _type_of(_rename(connection.read_json(str(path), format="newline_delimited", columns=shape), keys), _DATES)


def _json_type(values: Sequence[Any]) -> str:
    """Return the type of a column with these JSON values, none of them null."""
    kinds = {type(value) for value in values}
    if kinds & {list, dict}:
        return "JSON"
    if kinds == {bool}:
        return "BOOLEAN"
    if kinds == {int} and all(-(2**63) <= value < 2**63 for value in values):
        return "BIGINT"
    return "DOUBLE" if kinds and kinds <= {int, float} else "VARCHAR"


def _as_text(value: Any) -> str | None:
    return (
        value.replace("\0", "") if isinstance(value, str) else None if value is None else orjson.dumps(value).decode()
    )


def _as_float(value: Any) -> float | None:
    return None if value is None else float(value)


def _rename(relation: Any, names: Sequence[str]) -> Any:
    pairs = zip(relation.columns, unique(names), strict=True)
    return relation.project(", ".join(f"{quote(old)} AS {quote(new)}" for old, new in pairs))


def unique(names: Iterable[str]) -> list[str]:
    """Return names that differ in more than case, as SQL requires; an unnamed second column becomes `column_2`."""
    taken: dict[str, str] = {}
    for position, column_name in enumerate(names, 1):
        plain = column_name.replace("\0", "").strip()[:200] or f"column_{position}"
        name, number = plain, 2
        while name.casefold() in taken:
            name, number = f"{plain}_{number}", number + 1
        taken[name.casefold()] = name
    return list(taken.values())


def _type_of(relation: Any, patterns: Mapping[str, str]) -> Any:
    """Convert text columns to another type if all their values match its pattern and can be cast to it."""
    texts = [name for name, kind in zip(relation.columns, relation.types, strict=True) if str(kind) == "VARCHAR"]
    if not texts:
        return relation
    stored = relation.materialize()
    pairs = [(name, kind) for name in texts for kind in patterns]
    likely = [pair for pair, fits in _test_of(stored.limit(_SAMPLE), pairs, patterns) if fits is not False]
    kinds: dict[str, list[str]] = {}
    for (name, kind), fits in _test_of(stored, likely, patterns):
        if fits:
            kinds.setdefault(name, []).append(kind)
    return stored.project(", ".join(_read(name, kinds.get(name)) for name in stored.columns))


Pair = tuple[str, str]
"""A column and a candidate type."""


def _test_of(relation: Any, pairs: Sequence[Pair], patterns: Mapping[str, str]) -> list[tuple[Pair, bool | None]]:
    """Check whether all values of each column match the type; None if the column has no values."""
    if not pairs:
        return []
    tests = ", ".join(_fits(name, kind, patterns[kind]) for name, kind in pairs)
    return list(zip(pairs, relation.aggregate(tests).fetchall()[0], strict=True))


def _fits(name: str, kind: str, pattern: str) -> str:
    text = f"trim({quote(name)})"
    fit = f"regexp_full_match({text}, {literal(pattern)}) AND TRY_CAST({text} AS {kind}) IS NOT NULL"
    return f"bool_and({fit}) FILTER ({text} NOT IN ({', '.join(map(literal, MISSING))}))"


def _read(name: str, kinds: Sequence[str] | None) -> str:
    if not kinds:
        return quote(name)
    text = f"trim({quote(name)})"
    missing = ", ".join(map(literal, MISSING))
    return f"CASE WHEN {text} NOT IN ({missing}) THEN TRY_CAST({text} AS {kinds[0]}) END AS {quote(name)}"


def _plain_types(relation: Any) -> Any:
    parts = []
    for name, kind in zip(relation.columns, map(str, relation.types), strict=True):
        parts.append(f"{_plain_type(quote(name), kind)} AS {quote(name)}")
    return _rename(relation.project(", ".join(parts)), relation.columns)


def _plain_type(column: str, kind: str) -> str:
    if kind in _KEPT:
        return column
    if kind in _SMALL_INTEGERS:
        return f"{column}::BIGINT"
    if kind == "FLOAT" or kind.startswith("DECIMAL"):
        return f"{column}::DOUBLE"
    if kind.startswith("TIMESTAMP"):
        return f"{column}::TIMESTAMP"
    if kind == "BLOB":
        return f"to_base64({column})"
    if kind.endswith("]") or kind.startswith(("STRUCT", "MAP")):
        return f"to_json({column})"
    return f"{column}::VARCHAR"
