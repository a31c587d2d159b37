"""Rows of a sheet in an Excel workbook, as tables need them."""

import io
import lzma
import re
import zipfile
import zlib
from collections.abc import Sequence
from datetime import date, datetime, time
from typing import Any

import openpyxl
from openpyxl.utils import range_boundaries

from retinue.sdk import ToolError
from retinue_tools.data_analysis._delimited_text import header_place, skip_note, total_note
from retinue_tools.data_analysis._notes import add_notes

_MAX_UNPACKED_BYTES, _MAX_ROWS, _CHUNK = 200 << 20, 200_000, 1 << 20
_ERRORS = frozenset({"#N/A", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#NULL!", "#SPILL!", "#CALC!"})
_NUMBER = re.compile(r"-?(0|[1-9][0-9]{0,14})(\.[0-9]{1,15})?")
_MERGED = re.compile(rb'<(?:\w+:)?mergeCell\s+ref="([A-Z]{1,3}[0-9]{1,7}:[A-Z]{1,3}[0-9]{1,7})"')
_BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    SyntaxError,
    KeyError,
    ValueError,
    TypeError,
    IndexError,
    AttributeError,
    EOFError,
    OSError,
    NotImplementedError,
    RuntimeError,
)
"""Exceptions raised by the readers of archives and of XML; the parsers' own errors are syntax errors."""

Cells = list[list[Any]]


def sheet_rows(content: bytes, sheet: str) -> tuple[list[str], list[list[Any]]]:
    """Return the column names and rows of a sheet, by default the first visible one with cells. Raises `ToolError`."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            _check(archive)
            book = openpyxl.load_workbook(io.BytesIO(content), read_only=True, data_only=True)
            chosen, cells = _choose(book, sheet)
            merged = _find_merged_ranges(archive, chosen)
    except _BROKEN as error:
        raise ToolError("The file is not a readable Excel workbook (.xlsx). Save it again, or send CSV.") from error
    _fill_merged(cells, merged)
    return _table(cells)


def _check(archive: zipfile.ZipFile) -> None:
    """Raise `ToolError` unless the archive is a workbook of acceptable size."""
    names = {item.filename.lstrip("/") for item in archive.infolist()}
    if sum(item.file_size for item in archive.infolist()) > _MAX_UNPACKED_BYTES:
        raise ToolError(
            f"The uncompressed workbook is larger than {_MAX_UNPACKED_BYTES >> 20} MiB. Send a smaller one."
        )
    if "content.xml" in names or "xl/workbook.bin" in names or "Index/Document.iwa" in names:
        raise ToolError("The file is an OpenDocument, Numbers or binary workbook. Save it as .xlsx, or send CSV.")


def _choose(book: Any, sheet: str) -> tuple[Any, Cells]:
    """Return a sheet and its cells, without empty rows at the end and empty columns at the right."""
    sheets = {found.title: found for found in book.worksheets}
    if sheet:
        if sheet not in sheets:
            raise ToolError(f"The workbook has no sheet {sheet}. Available sheets: {', '.join(sheets)[:500]}.")
        cells = _cells(sheets[sheet])
        if not cells:
            raise ToolError(f"The sheet {sheet} is empty. Its first row must contain the column names.")
        return sheets[sheet], cells
    visible = [found for found in sheets.values() if found.sheet_state == "visible"] or list(sheets.values())
    for found in visible:
        if cells := _cells(found):
            others = [title for title in sheets if title != found.title]
            if others:
                add_notes([f"Only the sheet {found.title} was read. Other sheets: {', '.join(others)[:300]}."])
            return found, cells
    raise ToolError("The sheet is empty. Its first row must contain the column names.")


def _cells(sheet: Any) -> Cells:
    rows = [list(row) for row in sheet.iter_rows(values_only=True, max_row=_MAX_ROWS)]
    while rows and not any(_is_filled(cell) for cell in rows[-1]):
        rows.pop()
    width = max((place for row in rows for place, cell in enumerate(row, 1) if _is_filled(cell)), default=0)
    return [row[:width] + [None] * (width - len(row)) for row in rows]


def _is_filled(cell: Any) -> bool:
    return cell is not None and (not isinstance(cell, str) or bool(cell.strip()))


def _find_merged_ranges(archive: zipfile.ZipFile, sheet: Any) -> list[tuple[int, int, int, int]]:
    """Return the merged ranges, as first column, first row, last column and last row. They follow the cells."""
    tail, last = b"", b""
    with archive.open(sheet._worksheet_path) as part:
        while chunk := part.read(_CHUNK):
            tail, last = last, chunk
    return [range_boundaries(found.decode()) for found in _MERGED.findall(tail + last)]


def _fill_merged(cells: Cells, ranges: Sequence[tuple[int, int, int, int]]) -> None:
    """Repeat the value of cells that are merged downwards in each of their rows."""
    for left, top, _, bottom in ranges:
        if top > len(cells) or left > len(cells[0]):
            continue
        for row in cells[top : min(bottom, len(cells))]:
            row[left - 1] = cells[top - 1][left - 1]


def _table(cells: Cells) -> tuple[list[str], list[list[Any]]]:
    texts = [["" if cell is None else str(cell) for cell in row] for row in cells[:300]]
    header = header_place(texts) or 0
    above = range(1, header + 1) if any(map(any, texts[:header])) else ()
    body = [row for row in cells[header + 1 :] if any(_is_filled(cell) for cell in row)]
    errors = sum(isinstance(cell, str) and cell in _ERRORS for row in body for cell in row)
    rows = [[_plain(cell) for cell in row] for row in body]
    add_notes(note.replace("Line", "Row", 1) for note in skip_note(above))
    if errors:
        add_notes([f"{errors} cells contain errors such as #N/A and were read as missing."])
    if rows:
        add_notes(total_note(rows[-1][0] if isinstance(rows[-1][0], str) else None))
    used_columns = [
        place for place, name in enumerate(texts[header]) if name.strip() or any(row[place] is not None for row in rows)
    ]
    columns = [_numbers([row[place] for row in rows]) for place in used_columns]
    return [texts[header][place] for place in used_columns], [list(row) for row in zip(*columns, strict=True)]


def _plain(value: Any) -> Any:
    """Convert a cell of a sheet to a JSON value; dates become ISO 8601, and integers above 64 bits become text."""
    if isinstance(value, datetime | date | time):
        return value.isoformat().removesuffix("T00:00:00")
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        return str(value)
    if isinstance(value, str):
        return None if value in _ERRORS else value
    return value if value is None or isinstance(value, bool | int | float) else str(value)


def _numbers(column: list[Any]) -> list[Any]:
    """Convert numbers that are stored as text if all other values of the column are numbers."""
    kinds = {type(value) for value in column if value is not None}
    if str not in kinds or not kinds & {int, float} or kinds - {str, int, float}:
        return column
    texts = [value.strip() for value in column if isinstance(value, str)]
    if not all(not text or _NUMBER.fullmatch(text) for text in texts):
        return column
    return [_number(value) if isinstance(value, str) else value for value in column]


def _number(text: str) -> int | float | None:
    text = text.strip()
    return None if not text else float(text) if "." in text else int(text)
