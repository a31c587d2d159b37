"""How Excel workbooks look and behave: formats, tables, filters, drop-down lists, protection."""

import re
from datetime import date
from typing import Annotated, Any, Literal

from openpyxl.formatting.rule import CellIsRule, ColorScaleRule, DataBarRule, FormulaRule, IconSetRule
from openpyxl.styles import Alignment, Border, Font, PatternFill, Protection, Side
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.datavalidation import DataValidation
from openpyxl.worksheet.table import Table, TableStyleInfo
from typing_extensions import TypedDict

from retinue.sdk import About, Call, Example, MadeFile, Refusal, ToolError, tool
from retinue_tools.documents._office_excel_cells import (
    CellRange,
    SheetName,
    bounds_of,
    fit_columns,
    range_text,
    sheet_of,
)
from retinue_tools.documents._office_files import ExcelFile, save_document, workbook
from retinue_tools.documents._office_runs import xml_text
from retinue_tools.documents._office_samples import xlsx
from retinue_tools.documents._samples import FILE

_STOCK = xlsx(Stock=(("Item", "Price"), ("Pot", 12.5), ("Cup", 3)))
_COLOURS = {
    "green": ("C6EFCE", "006100"),
    "yellow": ("FFEB9C", "7F6000"),
    "red": ("FFC7CE", "9C0006"),
    "blue": ("DDEBF7", "1F4E79"),
}
_OPERATORS = {"greater_than": "greaterThan", "less_than": "lessThan", "equal_to": "equal", "between": "between"}
_WHOLE = re.compile(r"-?\d{1,15}")
_DECIMAL = re.compile(r"-?\d{1,15}(\.\d{1,15})?")
_KINDS = {"whole_number": "whole", "decimal": "decimal", "date": "date", "text_length": "textLength"}


class Format(TypedDict, total=False):
    """What to change of the looks of cells; what is not given stays."""

    bold: Annotated[bool, About("Bold", True)]
    italic: Annotated[bool, About("Italic", True)]
    size: Annotated[float, About("Size of the letters in points", 11, minimum=4, maximum=96)]
    colour: Annotated[str, About("Colour of the letters as RRGGBB", "1F4E79", pattern="^[0-9A-Fa-f]{6}$", max_length=6)]
    fill: Annotated[str, About("Colour behind as RRGGBB", "DDEBF7", pattern="^[0-9A-Fa-f]{6}$", max_length=6)]
    align: Annotated[Literal["left", "center", "right"], About("Where the text stands", "right")]
    wrap: Annotated[bool, About("Break long text", True)]
    number_format: Annotated[str, About("Number format of Excel", "#,##0.00", max_length=100)]
    border: Annotated[Literal["none", "thin", "medium"], About("Lines around each cell", "thin")]
    column_width: Annotated[float, About("Width of the columns in characters", 18, minimum=1, maximum=255)]


class Formatted(TypedDict):
    """A workbook with other looks."""

    file: MadeFile
    sheet: Annotated[str, About("The sheet that was changed")]
    range: Annotated[str, About("The range that was changed")]


class ViewSet(TypedDict):
    """A workbook with panes, filters and widths set."""

    file: MadeFile
    sheets: Annotated[list[str], About("The sheets that were changed")]


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
            files={FILE: _STOCK},
            then=(Call("xlsx_read_sheet", {"file": "{made}"}, {"rows": 2}),),
        ),
        Example(
            {"file": FILE, "look": {"fill": "DDEBF7", "column_width": 20}, "sheet": "stock"},
            {"range": "A1:B3"},
            source="the cells in use",
            files={FILE: _STOCK},
        ),
        Refusal({"file": FILE, "look": {}}, "Nothing to change", files={FILE: _STOCK}),
    ),
    tier="starter",
    pace="normal",
    memory_mb=1024,
)
def xlsx_format_range(
    file: ExcelFile,
    look: Annotated[Format, About("What to change", {"bold": True, "fill": "DDEBF7"})],
    cells: CellRange = "",
    sheet: SheetName = "",
) -> Formatted:
    """Format a range of an Excel workbook: letters, colours, alignment, number format, borders, widths.

    Use it to make a sheet readable. What is not given stays as it is. Returns the new file and the range.
    """
    if not look:
        raise ToolError("Nothing to change: give at least one of bold, fill, number_format and so on.")
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
    ),
    examples=(
        Example(
            {"file": FILE, "cells": "B2:B3", "rule": "greater_than", "value": 10, "colour": "red"},
            {"file": "workbook.xlsx", "range": "B2:B3"},
            source="by hand",
            files={FILE: _STOCK},
            then=(Call("xlsx_list_sheets", {"file": "{made}"}, {"sheets": [{"conditional_formats": ["B2:B3"]}]}),),
        ),
        Example(
            {"file": FILE, "cells": "B2:B3", "rule": "colour_scale"},
            {"sheet": "Stock"},
            source="by hand",
            files={FILE: _STOCK},
        ),
        Refusal({"file": FILE, "cells": "B2:B3", "rule": "less_than"}, "Give value", files={FILE: _STOCK}),
    ),
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
        About("What makes a cell stand out"),
    ],
    value: Annotated[str | float | None, About("Number or text to compare with", 100, max_length=200)] = None,
    other_value: Annotated[float | None, About("The upper end, for between", 200)] = None,
    colour: Annotated[Literal["green", "yellow", "red", "blue"], About("Colour of cells that stand out")] = "yellow",
    sheet: SheetName = "",
) -> Formatted:  # fmt: skip
    """Add a conditional format to a range of an Excel workbook: thresholds, texts, duplicates, colours, data bars.

    Use it to let values stand out; Excel keeps it up to date when they change. Returns the new file and the range.
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
            files={FILE: _STOCK},
            then=(Call("xlsx_list_sheets", {"file": "{made}"}, {"sheets": [{"tables": ["Prices_2026 A1:B3"]}]}),),
        ),
        Example(
            {"file": FILE, "name": "T", "cells": "A1:A3", "style": "dark", "number": 3, "banded": False},
            {"range": "A1:A3"},
            source="by hand",
            files={FILE: _STOCK},
        ),
        Refusal({"file": FILE, "name": "T", "cells": "A1:B1"}, "at least one row", files={FILE: _STOCK}),
    ),
    tier="starter",
    pace="normal",
    memory_mb=1024,
)
def xlsx_add_table(
    file: ExcelFile,
    name: Annotated[str, About("Name of the table", "Sales", min_length=1, max_length=100)],
    cells: CellRange = "",
    style: Annotated[Literal["light", "medium", "dark"], About("How strong its colours are")] = "medium",
    number: Annotated[
        int, About("Number of the style: light to 21, medium to 28, dark to 11", minimum=1, maximum=28)
    ] = 2,
    banded: Annotated[bool, About("Shade every other row")] = True,
    sheet: SheetName = "",
) -> Formatted:
    """Make a range of an Excel workbook a named table with a style, banded rows and filter buttons.

    Use it so that formulas can name columns and new rows join by themselves. The first row of the range must hold the
    headers. Returns the new file and the range.
    """
    if number > {"light": 21, "medium": 28, "dark": 11}[style]:
        raise ToolError(f"There is no {style} style {number}. Light goes to 21, medium to 28, dark to 11.")
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


@tool(
    tags="xlsx excel freeze panes filter autofit columns zoom print view header",
    use_when=(
        "Freeze the header row and add filters",
        "Make the columns as wide as their content",
        "Set this workbook to print in landscape on one page width",
    ),
    examples=(
        Example(
            {"file": FILE},
            {"file": "workbook.xlsx", "sheets": ["Stock"]},
            source="by hand",
            files={FILE: _STOCK},
            then=(Call("xlsx_list_sheets", {"file": "{made}"}, {"sheets": [{"frozen_at": "A2"}]}),),
        ),
        Example(
            {"file": FILE, "freeze_rows": 2, "freeze_columns": 1, "filters": False, "landscape": True},
            {"sheets": ["Stock"]},
            source="by hand",
            files={FILE: _STOCK},
            then=(Call("xlsx_list_sheets", {"file": "{made}"}, {"sheets": [{"frozen_at": "B3"}]}),),
        ),
        Refusal({"file": FILE, "sheet": "Sales"}, "no sheet Sales", files={FILE: _STOCK}),
    ),
    tier="starter",
    pace="normal",
    memory_mb=1024,
)
def xlsx_set_view(
    file: ExcelFile,
    freeze_rows: Annotated[int, About("Rows on top that stay while scrolling", minimum=0, maximum=100)] = 1,
    freeze_columns: Annotated[int, About("Columns at the left that stay", minimum=0, maximum=100)] = 0,
    filters: Annotated[bool, About("Filter buttons in the last frozen row")] = True,
    fit_widths: Annotated[bool, About("Make columns as wide as their content")] = True,
    landscape: Annotated[bool, About("Print in landscape, all columns on one page")] = False,
    sheet: Annotated[str, About("Only this sheet; empty for all", "Sales", max_length=31)] = "",
) -> ViewSet:
    """Freeze panes, add filters, fit column widths and set up printing in an Excel workbook, for all sheets or one.

    Use it to make a raw export pleasant to work with. Returns the new file.
    """
    with workbook(file) as book:
        chosen = [sheet_of(book, sheet)] if sheet.strip() else book.worksheets
        for one in chosen:
            one.freeze_panes = f"{get_column_letter(freeze_columns + 1)}{freeze_rows + 1}"
            if filters and not one.tables:
                one.auto_filter.ref = range_text((1, max(freeze_rows, 1), max(one.max_column, 1), max(one.max_row, 1)))
            if fit_widths:
                fit_columns(one)
            if landscape:
                one.page_setup.orientation, one.page_setup.fitToHeight = "landscape", 0
                one.sheet_properties.pageSetUpPr.fitToPage = True
        return {"file": save_document(book, "workbook.xlsx"), "sheets": [one.title for one in chosen]}


@tool(
    tags="xlsx excel data validation dropdown list restrict input choices",
    use_when=(
        "Add a drop-down list with Yes and No to column C",
        "Allow only whole numbers from 1 to 10 in B2:B50",
        "Restrict the date column to this year",
    ),
    examples=(
        Example(
            {"file": FILE, "cells": "C2:C50", "choices": ["Yes", "No"]},
            {"file": "workbook.xlsx", "sheet": "Stock", "range": "C2:C50"},
            source="by hand",
            files={FILE: _STOCK},
            then=(Call("xlsx_list_sheets", {"file": "{made}"}, {"sheets": [{"validations": ["list C2:C50"]}]}),),
        ),
        Example(
            {"file": FILE, "cells": "B2:B3", "kind": "decimal", "minimum": "0", "maximum": "100"},
            {"range": "B2:B3"},
            source="by hand",
            files={FILE: _STOCK},
        ),
        Refusal({"file": FILE, "cells": "C2", "choices": ["x" * 300]}, "255", files={FILE: _STOCK}),
        Refusal({"file": FILE, "cells": "C2"}, "Give choices", files={FILE: _STOCK}),
    ),
    tier="starter",
    pace="normal",
    memory_mb=1024,
)
def xlsx_add_validation(
    file: ExcelFile,
    cells: CellRange,
    kind: Annotated[
        Literal["list", "whole_number", "decimal", "date", "text_length"], About("What the cells may hold")
    ] = "list",
    choices: Annotated[
        list[Annotated[str, About("Choice", "Yes", min_length=1, max_length=255)]] | None,
        About("Choices of a list; or one range that holds them, as in =Lists!$A$1:$A$9", ["Yes", "No"], max_items=100),
    ] = None,
    minimum: Annotated[str | None, About("Least number, date (YYYY-MM-DD) or length", "0", max_length=30)] = None,
    maximum: Annotated[str | None, About("Greatest number, date (YYYY-MM-DD) or length", "100", max_length=30)] = None,
    message: Annotated[str, About("What Excel says to a wrong entry", "Choose from the list.", max_length=225)] = "",
    sheet: SheetName = "",
) -> Formatted:
    """Restrict what may be entered into cells of an Excel workbook: a drop-down list, or numbers and dates in bounds.

    Use it for forms and shared lists. Excel refuses other entries with your message. Returns file and range.
    """
    with workbook(file) as book:
        found = sheet_of(book, sheet)
        bounds = bounds_of(found, cells, used=False)
        rule = _validation(kind, choices or [], minimum, maximum)
        rule.error = xml_text(message) or "This value is not allowed here."
        rule.showErrorMessage = True
        rule.add(range_text(bounds))
        found.add_data_validation(rule)
        return {"file": save_document(book, "workbook.xlsx"), "sheet": found.title, "range": range_text(bounds)}


@tool(
    tags="xlsx excel protect unprotect lock sheet password cells read only",
    use_when=(
        "Protect this sheet but leave B2:B20 editable",
        "Lock all formulas in the workbook",
        "Remove the protection of the sheet Budget",
    ),
    examples=(
        Example(
            {"file": FILE, "editable": "B2:B3"},
            {"file": "workbook.xlsx", "sheets": ["Stock"]},
            source="by hand",
            files={FILE: _STOCK},
            then=(Call("xlsx_list_sheets", {"file": "{made}"}, {"sheets": [{"protected": True}]}),),
        ),
        Example(
            {"file": FILE, "action": "unprotect"},
            {"sheets": ["Stock"]},
            source="by hand",
            files={FILE: _STOCK},
            then=(Call("xlsx_list_sheets", {"file": "{made}"}, {"sheets": [{"protected": False}]}),),
        ),
        Refusal({"file": FILE, "sheet": "Sales"}, "no sheet Sales", files={FILE: _STOCK}),
    ),
    tier="starter",
    pace="normal",
    memory_mb=1024,
)
def xlsx_protect_sheets(
    file: ExcelFile,
    action: Annotated[Literal["protect", "unprotect"], About("Whether to put or take away protection")] = "protect",
    editable: Annotated[str, About("Range that stays editable in each sheet", "B2:B20", max_length=40)] = "",
    password: Annotated[str, About("Password that Excel asks for to lift it", "", max_length=100)] = "",
    sheet: Annotated[str, About("Only this sheet; empty for all", "Budget", max_length=31)] = "",
) -> ViewSet:
    """Protect sheets of an Excel workbook against changes, but for cells that stay editable, or lift the protection.

    Use it against accidental edits: it is no encryption, and everyone can read the cells. Returns the new file.
    """
    with workbook(file) as book:
        chosen = [sheet_of(book, sheet)] if sheet.strip() else book.worksheets
        for one in chosen:
            if editable.strip():
                for row in one[range_text(bounds_of(one, editable, used=False))]:
                    for cell in row:
                        cell.protection = Protection(locked=action == "unprotect")
            one.protection.sheet = action == "protect"
            if password and action == "protect":
                one.protection.password = password
        return {"file": save_document(book, "workbook.xlsx"), "sheets": [one.title for one in chosen]}


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
    """The rule of a conditional format (ECMA-376, part 1, section 18.3.1.10)."""
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
        raise ToolError("Give value, what to compare with; for between also other_value.")
    if rule == "contains_text":
        return FormulaRule([f"ISNUMBER(SEARCH({_literal(str(value))},{corner}))"], **looks)
    formula = [_literal(value), *([str(other)] if rule == "between" else [])]
    return CellIsRule(operator=_OPERATORS[rule], formula=formula, **looks)


def _literal(value: str | float) -> str:
    """A value as a formula writes it."""
    return '"' + xml_text(value).replace('"', '""') + '"' if isinstance(value, str) else str(value)


def _check_table(book: Any, sheet: Any, bounds: tuple[int, int, int, int]) -> None:
    """Refuse a range that cannot be a table."""
    left, top, right, bottom = bounds
    if bottom <= top:
        raise ToolError("A table needs a row of headers and at least one row below it.")
    headers = [sheet.cell(top, column).value for column in range(left, right + 1)]
    if not all(isinstance(header, str) and header.strip() for header in headers):
        raise ToolError("Every header of a table must be a text. Name the columns in the first row of the range.")
    if len({header.casefold() for header in headers}) < len(headers):
        raise ToolError("The headers of a table must differ from each other.")
    for other in sheet.tables.values():
        first, start, last, end = bounds_of(sheet, other.ref, used=False)
        if left <= last and first <= right and top <= end and start <= bottom:
            raise ToolError(f"The range overlaps the table {other.displayName}. Choose another.")


def _table_name(name: str, taken: set[str]) -> str:
    """A name that Excel allows for a table: letters, digits and underscores, unlike a cell's."""
    plain = "".join(letter if letter.isalnum() or letter == "_" else "_" for letter in name.strip())
    if not re.fullmatch(r"[^\W\d]\w{3,}", plain) or re.fullmatch(r"[A-Za-z]{1,3}[0-9]+", plain):
        plain = f"Table_{plain}"
    free, number = plain, 2
    while free.casefold() in taken:
        free, number = f"{plain}_{number}", number + 1
    return free


def _validation(kind: str, choices: list[str], minimum: str | None, maximum: str | None) -> Any:
    if kind == "list":
        if not choices:
            raise ToolError("Give choices, the entries of the drop-down list.")
        if len(choices) == 1 and choices[0].startswith("="):
            return DataValidation("list", formula1=xml_text(choices[0][1:]), allow_blank=True)
        listed = xml_text(",".join(choices)).replace('"', '""')
        if len(listed) > 255 or any("," in choice for choice in choices):
            raise ToolError(
                "The choices of a list may have 255 characters in all and no commas. Write them into cells, and give "
                "one choice such as =Lists!$A$1:$A$50."
            )
        return DataValidation("list", formula1=f'"{listed}"', allow_blank=True)
    low, high = (_bound_formula(kind, text) for text in (minimum, maximum))
    if low is None and high is None:
        raise ToolError("Give minimum, maximum or both.")
    operator = "between" if low and high else "greaterThanOrEqual" if low else "lessThanOrEqual"
    return DataValidation(
        _KINDS[kind], operator=operator, formula1=low or high, formula2=high if low else None, allow_blank=True
    )


def _bound_formula(kind: str, text: str | None) -> str | None:
    """A bound as a formula, or `ToolError`."""
    if text is None or not text.strip():
        return None
    if kind != "date" and (_DECIMAL if kind == "decimal" else _WHOLE).fullmatch(text.strip()):
        return text.strip()
    try:
        day = date.fromisoformat(text.strip() if kind == "date" else "")
    except ValueError as error:
        raise ToolError(f"{text} is no bound for this kind. Write a number, or a date as YYYY-MM-DD.") from error
    return f"DATE({day.year},{day.month},{day.day})"
