"""Delimited text: detection of the delimiter, and parsing with errors that name the line."""

import csv
import io
import re

from retinue.sdk import ToolError

csv.field_size_limit(1_000_000)

_QUOTED = re.compile(r'(?:^|(?<=[,;\t|]))"(?:[^"]|"")*"')
_HINT = re.compile(r'"?sep=([^"\w\r\n])"?[ ,;]*(?:\r\n|\r|\n)', re.IGNORECASE)


def likeliest_delimiter(header: str) -> str:
    """Return the comma, semicolon, tab or pipe that occurs most often in a row, outside quoted fields."""
    unquoted = _QUOTED.sub("", header.removeprefix("\ufeff"))
    return max(",;\t|", key=unquoted.count)


def split_hint(text: str) -> tuple[str | None, str]:
    """Return the delimiter that Excel's first line `sep=;` names, if there is one, and the text after that line."""
    hint = _HINT.match(text)
    return (hint.group(1), text[hint.end() :]) if hint else (None, text)


def parse_rows(text: str, mark: str, *, strict: bool = False) -> list[list[str]]:
    """Split delimited text into rows. Raises `ToolError` with the line that is malformed."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=mark, strict=strict)
    try:
        return list(reader)
    except csv.Error as error:
        raise ToolError(
            f"The table cannot be parsed: the row that ends in line {reader.line_num} is malformed. Close each quote, "
            "double quotes within fields, and keep fields under a million characters."
        ) from error
