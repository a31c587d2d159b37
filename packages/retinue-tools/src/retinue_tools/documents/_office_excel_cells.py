"""Sheets, ranges and values of Excel workbooks, as named by the tools."""

import re
from collections.abc import Iterator, Sequence
from datetime import date, datetime, time, timedelta
from typing import Annotated, Any

from openpyxl.styles import Alignment, Font, PatternFill
from openpyxl.utils import get_column_letter, range_boundaries
from openpyxl.worksheet.formula import ArrayFormula, DataTableFormula

from retinue.sdk import About, ToolError
from retinue_tools.documents._office_runs import xml_text

MOST_CELLS = 200_000
MOST_ROWS, MOST_COLUMNS = 1_048_576, 16_384
"""Limits of a sheet (Excel specifications and limits)."""
_LONGEST_TEXT = 32_767
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_MOMENT = re.compile(r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2})?")
_NOT_IN_NAMES = re.compile(r"[\[\]:*?/\\]")

CellValue = Annotated[
    str | float | bool | None,
    About(
        "Number, text, true, false or null. Text that begins with = is a formula, text such as 2026-11-21 a date",
        12.5,
        max_length=_LONGEST_TEXT,
    ),
]
CellRows = Annotated[list[Annotated[list[CellValue], About("Row", ["Pot", 12], max_items=500)]], About("Rows")]
SheetName = Annotated[str, About("Name of the sheet; empty for the first", "Sales", max_length=31)]
CellRange = Annotated[
    str,
    About(
        "Range such as A1:D20, A:C or B2; empty for all used cells",
        "A1:D20",
        max_length=40,
        pattern=r"^[A-Za-z0-9:$]*$",
    ),
]
Place = Annotated[
    str, About("Cell such as B2", "B2", min_length=2, max_length=10, pattern=r"^[A-Za-z]{1,3}[0-9]{1,7}$")
]

Bounds = tuple[int, int, int, int]
"""First column, first row, last column, last row, counted from 1."""


def sheet_of(book: Any, name: str) -> Any:
    """Return the sheet with that name, ignoring case, or the first one. Raises `ToolError`."""
    if not name.strip():
        return book.worksheets[0]
    for sheet in book.worksheets:
        if sheet.title.casefold() == name.strip().casefold():
            return sheet
    names = ", ".join(sheet.title for sheet in book.worksheets)
    raise ToolError(f"The workbook has no sheet {name}. Available sheets: {names[:500]}.")


def bounds_of(sheet: Any, cells: str, *, used: bool = True) -> Bounds:
    """Parse a range; with `used`, it is limited to the used cells. Raises `ToolError`."""
    try:
        boundaries = range_boundaries(cells.replace("$", "").upper()) if cells.strip() else (None, None, None, None)
    except ValueError as error:
        raise ToolError(f"{cells} is not a range. Write it as A1:D20, A:C or B2.") from error
    left, top, right, bottom = boundaries
    last_column, last_row = max(sheet.max_column, 1), max(sheet.max_row, 1)
    found = (left or 1, top or 1, right or last_column, bottom or last_row)
    if used:
        found = (found[0], found[1], min(found[2], last_column), min(found[3], last_row))
    if found[2] > MOST_COLUMNS or found[3] > MOST_ROWS:
        raise ToolError(f"{cells} is outside a sheet, which ends at XFD1048576.")
    if (found[2] - found[0] + 1) * (found[3] - found[1] + 1) > MOST_CELLS:
        raise ToolError(f"The range has more than {MOST_CELLS:,} cells. Choose a smaller one.")
    return found


def range_text(bounds: Bounds) -> str:
    """Format a range in Excel's notation."""
    left, top, right, bottom = bounds
    return f"{get_column_letter(left)}{top}:{get_column_letter(right)}{bottom}"


def rows_in(sheet: Any, bounds: Bounds) -> Iterator[list[Any]]:
    """Return the values of a range, row by row, as JSON values."""
    left, top, right, bottom = bounds
    if right < left or bottom < top:
        return
    for row in sheet.iter_rows(min_col=left, min_row=top, max_col=right, max_row=bottom, values_only=True):
        yield [plain_value(value) for value in row]


def plain_value(value: Any) -> str | float | bool | None:
    """Convert the value of a cell to a JSON value; dates and times become ISO 8601."""
    match value:
        case None | bool() | str():
            return value
        case int() | float():
            return value if -(2**63) <= value < 2**63 else str(value)[:40]
        case datetime():
            return value.isoformat().removesuffix("T00:00:00")
        case date() | time():
            return value.isoformat()
        case timedelta():
            return str(value)
        case ArrayFormula():
            return str(value.text)
        case DataTableFormula():
            return f"={value.ref}"
        case _:
            return str(value)


def put(cell: Any, value: str | float | bool | None, *, literal: bool = False) -> None:
    """Write a JSON value into a cell. With `literal`, text is never interpreted."""
    if not isinstance(value, str):
        cell.value = value
        return
    text = xml_text(value)
    if literal or not text:
        cell.value = text or None
        if text.startswith("="):
            cell.data_type = "s"
            cell.quotePrefix = True
        return
    cell.value = _moment(text)


def unique_name(taken: Sequence[str], name: str) -> str:
    """Return a sheet name that Excel allows and that is not used yet."""
    plain = _NOT_IN_NAMES.sub(" ", xml_text(name)).strip("' ")[:31] or "Sheet"
    known, free, number = {other.casefold() for other in taken}, plain, 2
    while free.casefold() in known:
        ending = f" ({number})"
        free, number = plain[: 31 - len(ending)] + ending, number + 1
    return free


def style_header(sheet: Any, row: int, columns: int) -> None:
    """Apply the header style to a row."""
    for column in range(1, columns + 1):
        cell = sheet.cell(row, column)
        cell.font = Font(bold=True, color="FFFFFF")
        cell.fill = PatternFill("solid", start_color="2F4B6E")
        cell.alignment = Alignment(vertical="center")


def fit_columns(sheet: Any, most_rows: int = 500) -> None:
    """Set column widths according to the content of the first rows."""
    widths: dict[int, int] = {}
    for row in sheet.iter_rows(max_row=most_rows):
        for cell in row:
            if cell.value is not None:
                lines = str(cell.value).split("\n")
                widths[cell.column] = max(widths.get(cell.column, 0), *map(len, lines))
    for column, width in widths.items():
        sheet.column_dimensions[get_column_letter(column)].width = min(max(width + 2.5, 9), 60)


def _moment(text: str) -> str | date | datetime:
    try:
        if _DATE.fullmatch(text):
            return _since_1900(date.fromisoformat(text), text)
        if _MOMENT.fullmatch(text):
            return _since_1900(datetime.fromisoformat(text), text)
    except ValueError:
        return text
    return text


def _since_1900(moment: date, text: str) -> str | date:
    """Excel does not support dates before 1900."""
    return moment if moment.year >= 1900 else text
