"""Rows of a table in JSON: a list of objects or of lists, such a list within an object, or one object per line."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import orjson

from retinue.sdk import ToolError
from retinue_tools.data_analysis._delimited_text import header_place

_DEPTH = 3
_SHAPE = "The JSON must be a list of objects, one for each row."


def json_rows(text: str) -> list[Mapping[str, Any]]:
    """Return the rows of a table in JSON. Raises `ToolError` with the line that is malformed."""
    try:
        found = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        found = _lines(text, error)
    if isinstance(found, dict):
        within = _list_within(found)
        found = [found] if within is None else within
    if isinstance(found, list) and len(found) > 1 and all(isinstance(row, list) for row in found):
        found = _with_header(found)
    if not isinstance(found, list) or not all(isinstance(row, dict) for row in found):
        raise ToolError(_SHAPE)
    return found


def _lines(text: str, error: orjson.JSONDecodeError) -> list[Any]:
    """Parse one value per line. Commas at the ends of lines are ignored."""
    rows, faults = [], []
    for number, line in _number_lines(text):
        try:
            rows.append(orjson.loads(line))
        except orjson.JSONDecodeError:
            faults.append(number)
    if (faults and not rows) or len(faults) > len(rows) or text.lstrip()[0] == "[":
        raise ToolError(
            f"The JSON is malformed in line {error.lineno}, column {error.colno}. Correct it there, and send the file "
            "again: a list of objects, or one object per line."
        ) from error
    if faults:
        more = f", and {len(faults) - 1} others are not either" if len(faults) > 1 else ""
        raise ToolError(
            f"Line {faults[0]} is not JSON{more}. Correct or remove it, and send the file again."
        ) from error
    return rows


def _number_lines(text: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.split("\n"), 1):
        if bare := line.strip().rstrip(",").rstrip():
            yield number, bare


def _list_within(value: Mapping[str, Any], depth: int = _DEPTH) -> list[Any] | None:
    """Return the only list in an object, else its only list of objects, else that in the only object within it."""
    lists = [part for part in value.values() if isinstance(part, list)]
    if len(lists) == 1 and depth == _DEPTH:
        return lists[0]
    tables = [part for part in lists if part and all(isinstance(row, dict) for row in part)]
    inner = [part for part in value.values() if isinstance(part, dict)]
    if len(tables) == 1:
        return tables[0]
    return _list_within(inner[0], depth - 1) if not lists and len(inner) == 1 and depth else None


def _with_header(rows: Sequence[list[Any]]) -> list[dict[str, Any]]:
    """Return rows of cells as objects with the names of the header."""
    texts = [["" if cell is None else str(cell) for cell in row] for row in rows[:300]]
    header = header_place(texts) or 0
    width = max(len(row) for row in rows[header:])
    names = [name or f"column_{place}" for place, name in enumerate(texts[header] + [""] * width, 1)][:width]
    return [dict(zip(names, row + [None] * (width - len(row)), strict=True)) for row in rows[header + 1 :]]
