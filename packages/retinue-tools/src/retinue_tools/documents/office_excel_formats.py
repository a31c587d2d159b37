"""Formats of Excel workbooks: cell styles, conditional formats and tables."""

import re
from typing import Annotated, Any, Literal

from openpyxl.formatting.rule import CellIsRule, ColorScaleRule, DataBarRule, FormulaRule, IconSetRule
from openpyxl.styles import Alignment, Border, Font, PatternFill, Side
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.table import Table, TableStyleInfo
from typing_extensions import TypedDict

from retinue.sdk import About, Example, ExampleCall, OutputFile, Refusal, ToolError, tool
from retinue_tools.documents._office_excel_cells import CellRange, SheetName, bounds_of, range_text, sheet_of
from retinue_tools.documents._office_files import ExcelFile, save_document, workbook
from retinue_tools.documents._office_runs import xml_text
from retinue_tools.documents._office_samples import xlsx
from retinue_tools.documents._samples import FILE

STOCK = xlsx(Stock=(("Item", "Price"), ("Pot", 12.5), ("Cup", 3)))
_COLOURS = {
    "green": ("C6EFCE", "006100"),
    "yellow": ("FFEB9C", "7F6000"),
    "red": ("FFC7CE", "9C0006"),
    "blue": ("DDEBF7", "1F4E79"),
}
_OPERATORS = {"greater_than": "greaterThan", "less_than": "lessThan", "equal_to": "equal", "between": "between"}


class Format(TypedDict, total=False):
    """Formatting of cells; omitted properties are not changed."""

    bold: Annotated[bool, About("Bold", True)]
    italic: Annotated[bool, About("Italic", True)]
    size: Annotated[float, About("Font size in points", 11, minimum=4, maximum=96)]
    colour: Annotated[str, About("Font colour as RRGGBB", "1F4E79", pattern="^[0-9A-Fa-f]{6}$", max_length=6)]
    fill: Annotated[str, About("Background colour as RRGGBB", "DDEBF7", pattern="^[0-9A-Fa-f]{6}$", max_length=6)]
    align: Annotated[Literal["left", "center", "right"], About("Horizontal alignment", "right")]
    wrap: Annotated[bool, About("Whether to wrap long text", True)]
    number_format: Annotated[str, About("Number format of Excel", "#,##0.00", max_length=100)]
    border: Annotated[Literal["none", "thin", "medium"], About("Border of each cell", "thin")]
    column_width: Annotated[float, About("Column width in characters", 18, minimum=1, maximum=255)]


class Formatted(TypedDict):
    """A formatted workbook."""

    file: OutputFile
    sheet: Annotated[str, About("Changed sheet")]
    range: Annotated[str, About("Changed range")]


@tool(
    tags="xlsx excel format style bold colour number width borders cells",
    use_when=(
        "Make the header row bold with a blue background",
        "Format column C as currency in this workbook",
        "Right-align B2:B20 and add borders",
    ),
    examples=(
        Example(
            {"file": FILE, "cells": "B:B", "look": {"number_format": "#,##0.00", "bold": True, "border": "thin"}},
            {"file": "workbook.xlsx", "sheet": "Stock", "range": "B1:B3"},
            source="by hand",
            files={FILE: STOCK},
            then=(ExampleCall("xlsx_read_sheet", {"file": "{made}"}, {"rows": 2}),),
        ),
        Example(
            {"file": FILE, "look": {"fill": "DDEBF7", "column_width": 20}, "sheet": "stock"},
            {"range": "A1:B3"},
            source="the cells in use",
            files={FILE: STOCK},
        ),
        Refusal({"file": FILE, "look": {}}, "Nothing to change", files={FILE: STOCK}),
    ),
    reply="The workbook with {range} formatted: {file}",
    tier="starter",
    pace="normal",
    memory_mb=1024,
)
def xlsx_format_range(
    file: ExcelFile,
    look: Annotated[Format, About("Formatting to apply", {"bold": True, "fill": "DDEBF7"})],
    cells: CellRange = "",
    sheet: SheetName = "",
) -> Formatted:
    """Format a range of an Excel workbook: letters (fonts), colours, alignment, number format, borders, widths.

    Use it to make a sheet readable. Omitted properties are not changed. Returns the new file and the range.
    """
    if not look:
        raise ToolError("Nothing to change: give at least one property, such as bold, fill or number_format.")
    with workbook(file) as book:
        found = sheet_of(book, sheet)
        bounds = bounds_of(found, cells)
        for row in found[range_text(bounds)]:
            for cell in row:
                _apply(cell, look)
        if "column_width" in look:
            for column in range(bounds[0], bounds[2] + 1):
                found.column_dimensions[get_column_letter(column)].width = look["column_width"]
        return {"file": save_document(book, "workbook.xlsx"), "sheet": found.title, "range": range_text(bounds)}


@tool(
    tags="xlsx excel conditional formatting colour scale data bars highlight rule icons",
    use_when=(
        "Highlight prices above 100 in red",
        "Add a colour scale to the column of results",
        "Mark duplicates in this Excel sheet",
        "Colour the cells red when a number is too low",
    ),
    examples=(
        Example(
            {"file": FILE, "cells": "B2:B3", "rule": "greater_than", "value": 10, "colour": "red"},
            {"file": "workbook.xlsx", "range": "B2:B3"},
            source="by hand",
            files={FILE: STOCK},
            then=(
                ExampleCall("xlsx_list_sheets", {"file": "{made}"}, {"sheets": [{"conditional_formats": ["B2:B3"]}]}),
            ),
        ),
        Example(
            {"file": FILE, "cells": "B2:B3", "rule": "colour_scale"},
            {"sheet": "Stock"},
            source="by hand",
            files={FILE: STOCK},
        ),
        Refusal({"file": FILE, "cells": "B2:B3", "rule": "less_than"}, "Give value", files={FILE: STOCK}),
    ),
    reply="The workbook with the format on {range}: {file}",
    tier="starter",
    pace="normal",
    memory_mb=1024,
)
def xlsx_add_conditional_format(
    file: ExcelFile,
    cells: CellRange,
    rule: Annotated[
        Literal[
            "greater_than", "less_than", "equal_to", "between", "contains_text", "duplicates", "blank",
            "colour_scale", "data_bars", "icons",
        ],
        About("Condition for highlighting a cell"),
    ],
    value: Annotated[str | float | None, About("Number or text to compare with", 100, max_length=200)] = None,
    other_value: Annotated[float | None, About("Upper limit, for between", 200)] = None,
    colour: Annotated[Literal["green", "yellow", "red", "blue"], About("Colour of highlighted cells")] = "yellow",
    sheet: SheetName = "",
) -> Formatted:  # fmt: skip
    """Add a conditional format to a range of an Excel workbook: thresholds, texts, duplicates, colours, data bars.

    Use it to highlight values; Excel updates the format when they change. Returns the new file and the range.
    """
    with workbook(file) as book:
        found = sheet_of(book, sheet)
        bounds = bounds_of(found, cells, used=False)
        found.conditional_formatting.add(range_text(bounds), _rule(rule, value, other_value, colour, bounds))
        return {"file": save_document(book, "workbook.xlsx"), "sheet": found.title, "range": range_text(bounds)}


@tool(
    tags="xlsx excel table style banded rows listobject structured filter totals",
    use_when=(
        "Turn A1:D50 into a formatted Excel table",
        "Give the data banded rows and filter buttons",
        "Add a table named Sales with style medium 9",
    ),
    examples=(
        Example(
            {"file": FILE, "name": "Prices 2026"},
            {"file": "workbook.xlsx", "sheet": "Stock", "range": "A1:B3"},
            source="the cells in use",
            files={FILE: STOCK},
            then=(
                ExampleCall("xlsx_list_sheets", {"file": "{made}"}, {"sheets": [{"tables": ["Prices_2026 A1:B3"]}]}),
            ),
        ),
        Example(
            {"file": FILE, "name": "T", "cells": "A1:A3", "style": "dark", "number": 3, "banded": False},
            {"range": "A1:A3"},
            source="by hand",
            files={FILE: STOCK},
        ),
        Refusal({"file": FILE, "name": "T", "cells": "A1:B1"}, "at least one row", files={FILE: STOCK}),
    ),
    reply="The workbook with the table on {range}: {file}",
    tier="starter",
    pace="normal",
    memory_mb=1024,
)
def xlsx_add_table(
    file: ExcelFile,
    name: Annotated[str, About("Name of the table", "Sales", min_length=1, max_length=100)],
    cells: CellRange = "",
    style: Annotated[Literal["light", "medium", "dark"], About("Intensity of the style's colours")] = "medium",
    number: Annotated[
        int, About("Number of the style: light up to 21, medium up to 28, dark up to 11", minimum=1, maximum=28)
    ] = 2,
    banded: Annotated[bool, About("Whether to shade every other row")] = True,
    sheet: SheetName = "",
) -> Formatted:
    """Make a range of an Excel workbook a named table with a style, banded rows and filter buttons.

    Use it so that formulas can refer to column names and new rows are included automatically. The first row of the
    range must contain the headers. Returns the new file and the range.
    """
    if number > {"light": 21, "medium": 28, "dark": 11}[style]:
        raise ToolError(
            f"There is no {style} style {number}. The maximum is 21 for light, 28 for medium and 11 for dark."
        )
    with workbook(file) as book:
        found = sheet_of(book, sheet)
        bounds = bounds_of(found, cells)
        _check_table(book, found, bounds)
        taken = {table.displayName.casefold() for one in book.worksheets for table in one.tables.values()}
        table = Table(displayName=_table_name(name, taken), ref=range_text(bounds))
        table.tableStyleInfo = TableStyleInfo(f"TableStyle{style.title()}{number}", showRowStripes=banded)
        found.auto_filter.ref = None
        found.add_table(table)
        return {"file": save_document(book, "workbook.xlsx"), "sheet": found.title, "range": range_text(bounds)}


def _apply(cell: Any, look: Format) -> None:
    font = {
        "bold": look.get("bold"),
        "italic": look.get("italic"),
        "size": look.get("size"),
        "color": look.get("colour"),
    }
    changes = {name: value for name, value in font.items() if value is not None}
    if changes:
        old = cell.font
        kept = {name: getattr(old, name) for name in ("name", "bold", "italic", "size", "color", "underline", "strike")}
        cell.font = Font(**{**kept, **changes})
    if "fill" in look:
        cell.fill = PatternFill("solid", start_color=look["fill"])
    if "align" in look or "wrap" in look:
        old = cell.alignment
        cell.alignment = Alignment(
            horizontal=look.get("align", old.horizontal),
            vertical=old.vertical,
            wrap_text=look.get("wrap", old.wrap_text),
        )
    if "number_format" in look:
        cell.number_format = xml_text(look["number_format"])
    if "border" in look:
        side = Side(style=None if look["border"] == "none" else look["border"], color="A6A6A6")
        cell.border = Border(left=side, right=side, top=side, bottom=side)


def _rule(
    rule: str, value: str | float | None, other: float | None, colour: str, bounds: tuple[int, int, int, int]
) -> Any:
    """Return the rule of a conditional format (ECMA-376, part 1, section 18.3.1.10)."""
    fill, letters = _COLOURS[colour]
    looks = {"fill": PatternFill(bgColor=fill), "font": Font(color=letters)}
    corner = f"{get_column_letter(bounds[0])}{bounds[1]}"
    match rule:
        case "colour_scale":
            return ColorScaleRule(
                start_type="min", start_color="F8A5A0", mid_type="percentile", mid_value=50, mid_color="FFF2B8",
                end_type="max", end_color="8FCB9B",
            )  # fmt: skip
        case "data_bars":
            return DataBarRule(start_type="min", end_type="max", color="7AA6D6")
        case "icons":
            return IconSetRule("3TrafficLights1", "percent", [0, 33, 67])
        case "duplicates":
            left, top, right, bottom = bounds
            area = f"${get_column_letter(left)}${top}:${get_column_letter(right)}${bottom}"
            return FormulaRule([f"COUNTIF({area},{corner})>1"], **looks)
        case "blank":
            return FormulaRule([f"LEN(TRIM({corner}))=0"], **looks)
    if value is None or (rule == "between" and other is None):
        raise ToolError("Give value to compare with; for between, also give other_value.")
    if rule == "contains_text":
        return FormulaRule([f"ISNUMBER(SEARCH({_literal(str(value))},{corner}))"], **looks)
    formula = [_literal(value), *([str(other)] if rule == "between" else [])]
    return CellIsRule(operator=_OPERATORS[rule], formula=formula, **looks)


def _literal(value: str | float) -> str:
    """Format a value for a formula."""
    return '"' + xml_text(value).replace('"', '""') + '"' if isinstance(value, str) else str(value)


def _check_table(book: Any, sheet: Any, bounds: tuple[int, int, int, int]) -> None:
    """Reject a range that cannot be a table."""
    left, top, right, bottom = bounds
    if bottom <= top:
        raise ToolError("A table needs a row of headers and at least one row below it.")
    headers = [sheet.cell(top, column).value for column in range(left, right + 1)]
    if not all(isinstance(header, str) and header.strip() for header in headers):
        raise ToolError("All headers of a table must be text. Name the columns in the first row of the range.")
    if len({header.casefold() for header in headers}) < len(headers):
        raise ToolError("The headers of a table must be unique.")
    for other in sheet.tables.values():
        first, start, last, end = bounds_of(sheet, other.ref, used=False)
        if left <= last and first <= right and top <= end and start <= bottom:
            raise ToolError(f"The range overlaps the table {other.displayName}. Choose another.")


def _table_name(name: str, taken: set[str]) -> str:
    """Return a valid Excel table name: letters, digits and underscores, unlike a cell address."""
    plain = "".join(letter if letter.isalnum() or letter == "_" else "_" for letter in name.strip())
    if not re.fullmatch(r"[^\W\d]\w{3,}", plain) or re.fullmatch(r"[A-Za-z]{1,3}[0-9]+", plain):
        plain = f"Table_{plain}"
    free, number = plain, 2
    while free.casefold() in taken:
        free, number = f"{plain}_{number}", number + 1
    return free
