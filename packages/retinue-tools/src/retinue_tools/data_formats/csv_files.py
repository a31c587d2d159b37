"""CSV and other delimited text: dialect conversion, splitting, and cleaning."""

import codecs
import re
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, File, OutputFile, Refusal, ToolError, save, tool
from retinue_tools.data_formats._delimiters import likeliest_delimiter, split_hint
from retinue_tools.data_formats._text_encodings import decode
from retinue_tools.data_formats._values import Saved, Written
from retinue_tools.data_formats.csv_tables import (
    DELIMITERS,
    Delimiter,
    TableText,
    To,
    lenient_rows,
    rows_of,
    table_text,
)
from retinue_tools.text.letter_case import text_convert_case

_FILE = "file_01k9z4m2n8q6r5t3v7w1x0y2za"
_MOST_PARTS = 100
_LETTERS = {
    "latin-1": "é", "cp1250": "ł", "cp1251": "я", "shift_jis": "茶", "gb18030": "茶", "euc_jp": "茶", "big5": "茶",
    "euc_kr": "차", "koi8-r": "я", "cp866": "я", "cp850": "ü", "mac_roman": "é", "cp1253": "λ", "cp1254": "ş",
    "cp1255": "ש", "cp1256": "م", "cp874": "ช", "utf-16": "é",
}  # fmt: skip
"""Letters of each encoding, for examples."""


class Converted(Saved):
    """A table in a file."""

    rows: Annotated[int, About("Number of rows, including the header")]


class Parts(TypedDict):
    """Parts of a file."""

    files: Annotated[list[OutputFile], About("Parts in order, each with the header")]
    rows: Annotated[int, About("Total number of rows, excluding headers")]


@tool(
    tags="csv convert delimiter encoding utf-8 excel semicolon tab quote decimal comma",
    use_when=(
        "Change this CSV from semicolons to commas",
        "Convert a Latin-1 CSV file to UTF-8",
        "Make this CSV open properly in German Excel",
        "Turn decimal commas of this table into points",
    ),
    examples=(
        Example(
            {"file": _FILE, "encoding": "cp1252", "to_delimiter": "comma", "decimal": "comma_to_point"},
            {"file": "table.csv", "rows": 2},
            source="by hand: the euro sign is 0x80 in Windows-1252",
            files={_FILE: codecs.encode("name;price\nTea €;2,5\n".encode("cp1252"), "base64").decode()},
        ),
        Example(
            {"file": _FILE, "to_delimiter": "tab", "to_encoding": "utf-8-sig", "quote_all": True},
            {"file": "table.tsv", "rows": 1, "size_bytes": 12},
            source="by hand: three bytes of mark, two quoted fields, tab and CR LF",
            files={_FILE: "YSxiCg=="},
        ),
        *(
            Example(
                {"file": _FILE, "encoding": encoding, "to_delimiter": "comma"},
                {"rows": 1, "size_bytes": 5 + len(letters.encode())},
                source="the codecs of Python: three ASCII characters, CR LF and the letters in UTF-8",
                files={_FILE: codecs.encode(f"id;{letters}\n".encode(encoding), "base64").decode()},
            )
            for encoding, letters in _LETTERS.items()
        ),
        Example(
            {"file": _FILE, "encoding": "auto", "to_delimiter": "comma"},
            {"rows": 2, "size_bytes": 26},
            source="by hand: eight letters of two bytes, four of ASCII, two commas and two CR LF",
            files={_FILE: codecs.encode("Имя;Город\nab;cd\n".encode("cp1251"), "base64").decode()},
        ),
        Refusal({"file": _FILE, "encoding": "utf-8", "to_delimiter": "tab"}, "not utf-8", files={_FILE: "gIE="}),
    ),
    reply="I rewrote the CSV file with {rows|row}: {file}",
)
def csv_convert_dialect(
    file: File,
    to_delimiter: To,
    delimiter: Delimiter = "auto",
    encoding: Annotated[
        Literal[
            "utf-8",
            "utf-16",
            "cp1252",
            "latin-1",
            "cp1250",
            "cp1251",
            "shift_jis",
            "gb18030",
            "euc_jp",
            "big5",
            "euc_kr",
            "koi8-r",
            "cp866",
            "cp850",
            "mac_roman",
            "cp1253",
            "cp1254",
            "cp1255",
            "cp1256",
            "cp874",
            "auto",
        ],
        About("Character encoding of the file; auto detects it"),
    ] = "utf-8",
    to_encoding: Annotated[
        Literal["utf-8", "utf-8-sig", "utf-16", "cp1252"], About("Output encoding; Excel requires utf-8-sig")
    ] = "utf-8",
    decimal: Annotated[
        Literal["keep", "comma_to_point", "point_to_comma"], About("Conversion of numbers with decimals")
    ] = "keep",
    quote_all: Annotated[bool, About("Whether to quote every field")] = False,
) -> Converted:
    """Rewrite a CSV file with another delimiter, encoding, quoting or decimal mark.

    Use it to move tables between programs and countries. Returns a new file with CR LF line ends.
    """
    rows = rows_of(_text(Path(file).read_bytes(), encoding).removeprefix("\ufeff"), delimiter)
    changed = [[_decimal(field, decimal) for field in row] for row in rows]
    table = table_text(changed, DELIMITERS[to_delimiter], "\r\n", quote_all)
    try:
        content = table.encode(to_encoding)
    except UnicodeEncodeError as error:
        raise ToolError(f"{table[error.start]!r} cannot be encoded in {to_encoding}. Choose utf-8.") from error
    name = "table.tsv" if to_delimiter == "tab" else "table.csv"
    return {"file": save(name, content), "size_bytes": len(content), "rows": len(rows)}


@tool(
    tags="csv split large file chunks parts rows",
    use_when=(
        "Split this CSV into files of 1000 rows",
        "Cut a large table into parts with the header in each",
        "Break my 2 GB export into smaller CSV files",
    ),
    examples=(
        Example(
            {"file": _FILE, "rows_per_part": 2},
            {"files": ["part-1.csv", "part-2.csv"], "rows": 3},
            source="by hand",
            files={_FILE: codecs.encode(b'id,v\n1,a\n2,"b\nc"\n3,d\n', "base64").decode()},
        ),
        Refusal({"file": _FILE, "rows_per_part": 2}, "no rows", files={_FILE: "aWQsdgo="}),
    ),
    reply="I split the {rows|row} into these files: {files}",
    pace="normal",
)
def csv_split_file(
    file: File, rows_per_part: Annotated[int, About("Rows per part", 1000, minimum=1, maximum=10_000_000)]
) -> Parts:
    """Split a CSV file into parts in UTF-8 with a given number of rows, each with the header, at most 100 parts.

    Use it for uploads with limits. Line ends within quotes do not end a row. Returns the files.
    """
    text = decode(Path(file).read_bytes()).text
    starts = _row_starts(text)
    header, body = text[: starts[0]], starts[:-1]
    if not body:
        raise ToolError("The file has no rows after the header.")
    if len(body) > rows_per_part * _MOST_PARTS:
        raise ToolError(f"That would make more than {_MOST_PARTS} parts. Increase the rows per part.")
    cuts = [*body[::rows_per_part], starts[-1]]
    parts = [header + text[start:end] for start, end in pairwise(cuts)]
    return {
        "files": [save(f"part-{number}.csv", part.encode()) for number, part in enumerate(parts, 1)],
        "rows": len(body),
    }


def _decimal(field: str, change: str) -> str:
    """Return a number with the other decimal mark; thousands separators that equal the new mark's predecessor are
    removed.
    """
    if change == "comma_to_point" and re.fullmatch(r"[-+]?(?:[0-9]+|[0-9]{1,3}(?:\.[0-9]{3})+),[0-9]+", field):
        return field.replace(".", "").replace(",", ".")
    if change == "point_to_comma" and re.fullmatch(r"[-+]?(?:[0-9]+|[0-9]{1,3}(?:,[0-9]{3})+)\.[0-9]+", field):
        return field.replace(",", "").replace(".", ",")
    return field


_WINDOWS = {"shift_jis": "cp932", "euc_kr": "cp949", "big5": "big5hkscs"}
"""Supersets of encodings, which files in them mostly use."""


def _text(content: bytes, encoding: str) -> str:
    if encoding == "auto":
        return decode(content).text
    try:
        return content.decode(_WINDOWS.get(encoding, encoding))
    except UnicodeDecodeError as error:
        raise ToolError(f"The file is not {encoding}: byte {error.start}. Specify its actual encoding.") from error


def _row_starts(text: str) -> list[int]:
    """Return the ends of rows: each line end that is not within quotes, and the end of the text."""
    starts, quotes, position = [], 0, 0
    for line in re.findall(r"[^\n]*\n|[^\n]+\Z", text):
        position += len(line)
        quotes += line.count('"')
        if quotes % 2 == 0:
            starts.append(position)
    if not starts or starts[-1] < len(text):
        starts.append(len(text))
    return starts


class Cleaned(Written):
    """A cleaned table."""

    columns: Annotated[list[str], About("Names of the columns")]
    rows: Annotated[int, About("Number of rows after the header")]
    repairs: Annotated[dict[str, int], About("Number of repairs by kind")]


@tool(
    tags="csv clean tidy trim whitespace header duplicate empty rows ragged normalize",
    use_when=(
        "Clean up this messy CSV",
        "Trim spaces and remove the empty rows of this table",
        "Normalise the column names of this CSV to snake_case",
    ),
    examples=(
        Example(
            {"table": " First Name ;Age;Age;\nKim ; 30;30;\n;;;\nLee;N/A\n", "headers": "snake"},
            {
                "text": "first_name;age;age_2\nKim;30;30\nLee;;\n",
                "rows": 2,
                "repairs": {
                    "spaces trimmed": 3,
                    "missing values emptied": 1,
                    "empty rows dropped": 1,
                    "uneven rows evened": 1,
                    "empty columns dropped": 1,
                    "columns renamed": 3,
                },
            },
            source="by hand",
        ),
        Example(
            {"table": "a,b\n1,2\n1,2\n", "drop_duplicates": True},
            {"text": "a,b\n1,2\n", "repairs": {"duplicate rows dropped": 1}},
            source="by hand",
        ),
        Refusal({"table": "\n"}, "no rows"),
    ),
    reply="The clean table with {rows|row}: {text}",
)
def csv_clean_table(
    table: TableText,
    delimiter: Delimiter = "auto",
    headers: Annotated[Literal["keep", "snake", "camel", "title"], About("Case for the column names")] = "keep",
    drop_duplicates: Annotated[bool, About("Whether to drop duplicate rows")] = False,
) -> Cleaned:
    """Clean a CSV table: trim fields, even out the lengths of rows, drop empty rows and columns, give columns distinct
    names.

    Use it before analysing an export. Words such as N/A, NULL and - become empty. Returns the table and the number of
    repairs of each kind.
    """
    hint, text = split_hint(table.removeprefix("\ufeff"))
    mark = DELIMITERS.get(delimiter) or hint or likeliest_delimiter(text.partition("\n")[0])
    repairs: Counter[str] = Counter()
    rows = [[_tidy(field, repairs) for field in row] for row in lenient_rows(text, mark)]
    filled = [row for row in rows if any(row)]
    if not filled:
        raise ToolError("The table has no rows.")
    repairs["empty rows dropped"] += len(rows) - len(filled)
    header, *body = _even(filled, repairs)
    names = _distinct(header, headers)
    repairs["columns renamed"] += sum(map(str.__ne__, header, names))
    if drop_duplicates:
        unique = list(dict.fromkeys(map(tuple, body)))
        repairs["duplicate rows dropped"] += len(body) - len(unique)
        body = [list(row) for row in unique]
    text = table_text([names, *body], mark)
    return {"text": text, "columns": names, "rows": len(body), "repairs": {name: n for name, n in repairs.items() if n}}


def _tidy(field: str, repairs: Counter[str]) -> str:
    trimmed = re.sub(r"\s+", " ", field).strip()
    repairs["spaces trimmed"] += trimmed != field
    if trimmed.lower() in ("n/a", "na", "null", "none", "nan", "-", "#n/a"):
        repairs["missing values emptied"] += 1
        return ""
    return trimmed


def _even(rows: list[list[str]], repairs: Counter[str]) -> list[list[str]]:
    """Return rows of equal width, without empty columns."""
    width = max(map(len, rows))
    repairs["uneven rows evened"] += sum(len(row) < width for row in rows)
    wide = [row + [""] * (width - len(row)) for row in rows]
    filled = [column for column in zip(*wide, strict=True) if any(column)]
    repairs["empty columns dropped"] += width - len(filled)
    return [list(row) for row in zip(*filled, strict=True)]


def _distinct(header: list[str], style: Literal["keep", "snake", "camel", "title"]) -> list[str]:
    names: list[str] = []
    for number, field in enumerate(header, 1):
        name = field or f"column {number}"
        if style != "keep" and re.search(r"[^\W_]", name):
            name = text_convert_case(name, style)["result"]
        free, again = name, 2
        while free in names:
            free, again = f"{name}_{again}", again + 1
        names.append(free)
    return names
