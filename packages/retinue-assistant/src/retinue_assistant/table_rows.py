"""Writes the rows of tables as text: "| Juniors | €72 |" becomes "Juniors: Price €72" below a header with "Price"."""

import csv
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

_SEPARATOR = re.compile(r"\|?(?:\s{0,9}:?-{2,99}:?\s{0,9}\|?){1,50}")
"""Matches the line between the header of a Markdown table and its rows."""
_VALUE = re.compile(r"\d")
_NAME = re.compile(r"[^\W\d_].{3}")
"""Matches a cell that names its row, and is no number, date, "yes" or "no"."""


class Line(NamedTuple):
    """A line of a passage."""

    text: str
    is_row: bool = False


def read_lines(text: str, title: str) -> Iterator[Line]:
    """Yield the lines of a passage, rows of tables with the names of their columns. Headers are left out.

    `title` is that of the document: the rows of CSV files are recognized by its ending.
    """
    is_csv = title.lower().endswith((".csv", ".tsv"))
    lines, header = text.splitlines(), list[str]()
    for at, line in enumerate(lines):
        cells = _read_csv(line) if is_csv else _read_markdown(line)
        if len(cells) < 2:
            header = []
            yield Line(line)
        elif _SEPARATOR.fullmatch(line.strip()):
            continue
        elif _is_header(cells, lines[at + 1 : at + 2], is_csv=is_csv and at == 0):
            header = cells
        else:
            yield Line(_write_row(header, cells), is_row=True)


def _is_header(cells: Sequence[str], below: Sequence[str], *, is_csv: bool) -> bool:
    if is_csv:
        return not any(map(_VALUE.search, cells))
    return bool(below) and _SEPARATOR.fullmatch(below[0].strip()) is not None


def _read_markdown(line: str) -> list[str]:
    text = line.strip()
    return [cell.strip() for cell in text.strip("|").split("|")] if text.startswith("|") else []


def _read_csv(line: str) -> list[str]:
    delimiter = max(",;\t", key=line.count)
    return [cell.strip() for cell in next(csv.reader([line], delimiter=delimiter), [])]


def _write_row(header: Sequence[str], cells: Sequence[str]) -> str:
    """Return "Juniors: Age 7 to 11, Price €72", or "Holidays: date 2026-12-23" for a row whose name comes later."""
    if len(header) != len(cells):
        return ", ".join(filter(None, cells))
    names = [at for at, cell in enumerate(cells) if _NAME.match(cell)]
    named = [f"{name} {cell}".strip() for name, cell in zip(header, cells, strict=True)]
    values = [text for at, text in enumerate(named) if cells[at] and at not in names[:1]]
    return f"{cells[names[0]]}: {', '.join(values)}" if names else ", ".join(values)
