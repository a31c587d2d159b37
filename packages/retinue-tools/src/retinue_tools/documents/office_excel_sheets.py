"""Sheets of Excel workbooks: views, order, validation and protection."""

import re
from datetime import date
from typing import Annotated, Any, Literal

from openpyxl.styles import Protection
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.datavalidation import DataValidation
from typing_extensions import TypedDict

from retinue.sdk import About, Example, ExampleCall, OutputFile, Refusal, ToolError, tool
from retinue_tools.documents._office_excel_cells import (
    CellRange,
    SheetName,
    bounds_of,
    fit_columns,
    range_text,
    sheet_of,
    unique_name,
)
from retinue_tools.documents._office_files import ExcelFile, save_document, workbook
from retinue_tools.documents._office_runs import xml_text
from retinue_tools.documents._samples import FILE
from retinue_tools.documents.office_excel_formats import STOCK, Formatted

_WHOLE = re.compile(r"-?\d{1,15}")
_DECIMAL = re.compile(r"-?\d{1,15}(\.\d{1,15})?")
_KINDS = {"whole_number": "whole", "decimal": "decimal", "date": "date", "text_length": "textLength"}


class ViewSet(TypedDict):
    """A workbook with panes, filters and widths."""

    file: OutputFile
    sheets: Annotated[list[str], About("Changed sheets")]


@tool(
    tags="xlsx excel freeze panes filter autofit columns zoom print view header",
    use_when=(
        "Freeze the header row and add filters",
        "Make the columns as wide as their content",
        "Set this workbook to print in landscape on one page width",
        "Keep the heading visible when I scroll in Excel",
        "Freeze the first row of a spreadsheet",
    ),
    examples=(
        Example(
            {"file": FILE},
            {"file": "workbook.xlsx", "sheets": ["Stock"]},
            source="by hand",
            files={FILE: STOCK},
            then=(ExampleCall("xlsx_list_sheets", {"file": "{made}"}, {"sheets": [{"frozen_at": "A2"}]}),),
        ),
        Example(
            {"file": FILE, "freeze_rows": 2, "freeze_columns": 1, "filters": False, "landscape": True},
            {"sheets": ["Stock"]},
            source="by hand",
            files={FILE: STOCK},
            then=(ExampleCall("xlsx_list_sheets", {"file": "{made}"}, {"sheets": [{"frozen_at": "B3"}]}),),
        ),
        Refusal({"file": FILE, "sheet": "Sales"}, "no sheet Sales", files={FILE: STOCK}),
    ),
    reply={
        "sheets": "The workbook with the new view of {sheets}: {file}",
        "": "The workbook: {file}",
    },
    tier="starter",
    pace="normal",
    memory_mb=1024,
)
def xlsx_set_view(
    file: ExcelFile,
    freeze_rows: Annotated[int, About("Number of frozen rows at the top", minimum=0, maximum=100)] = 1,
    freeze_columns: Annotated[int, About("Number of frozen columns at the left", minimum=0, maximum=100)] = 0,
    filters: Annotated[bool, About("Whether to add filter buttons to the last frozen row")] = True,
    fit_widths: Annotated[bool, About("Whether to fit column widths to the content")] = True,
    landscape: Annotated[bool, About("Whether to print in landscape, with all columns on one page")] = False,
    sheet: Annotated[str, About("Only this sheet; empty for all", "Sales", max_length=31)] = "",
) -> ViewSet:
    """Freeze panes, add filters, fit column widths and set up printing in an Excel workbook, for all sheets or one.

    Use it to make a raw export easier to read. Returns the new file.
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
            files={FILE: STOCK},
            then=(ExampleCall("xlsx_list_sheets", {"file": "{made}"}, {"sheets": [{"validations": ["list C2:C50"]}]}),),
        ),
        Example(
            {"file": FILE, "cells": "B2:B3", "kind": "decimal", "minimum": "0", "maximum": "100"},
            {"range": "B2:B3"},
            source="by hand",
            files={FILE: STOCK},
        ),
        Refusal({"file": FILE, "cells": "C2", "choices": ["x" * 300]}, "255", files={FILE: STOCK}),
        Refusal({"file": FILE, "cells": "C2"}, "Give choices", files={FILE: STOCK}),
    ),
    reply="The workbook with the restriction on {range}: {file}",
    tier="starter",
    pace="normal",
    memory_mb=1024,
)
def xlsx_add_validation(
    file: ExcelFile,
    cells: CellRange,
    kind: Annotated[
        Literal["list", "whole_number", "decimal", "date", "text_length"], About("Kind of allowed values")
    ] = "list",
    choices: Annotated[
        list[Annotated[str, About("Choice", "Yes", min_length=1, max_length=255)]] | None,
        About(
            "Choices of a list; or one range with the choices, such as =Lists!$A$1:$A$9", ["Yes", "No"], max_items=100
        ),
    ] = None,
    minimum: Annotated[str | None, About("Minimum number, date (YYYY-MM-DD) or length", "0", max_length=30)] = None,
    maximum: Annotated[str | None, About("Maximum number, date (YYYY-MM-DD) or length", "100", max_length=30)] = None,
    message: Annotated[str, About("Error message for invalid entries", "Choose from the list.", max_length=225)] = "",
    sheet: SheetName = "",
) -> Formatted:
    """Restrict what may be entered into cells of an Excel workbook: a drop-down list, or numbers and dates in bounds.

    Use it for forms and shared lists. Excel rejects other entries with your message. Returns file and range.
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
            files={FILE: STOCK},
            then=(ExampleCall("xlsx_list_sheets", {"file": "{made}"}, {"sheets": [{"protected": True}]}),),
        ),
        Example(
            {"file": FILE, "action": "unprotect"},
            {"sheets": ["Stock"]},
            source="by hand",
            files={FILE: STOCK},
            then=(ExampleCall("xlsx_list_sheets", {"file": "{made}"}, {"sheets": [{"protected": False}]}),),
        ),
        Refusal({"file": FILE, "sheet": "Sales"}, "no sheet Sales", files={FILE: STOCK}),
    ),
    reply={
        "sheets": "The protection of {sheets} is changed: {file}",
        "": "The workbook: {file}",
    },
    tier="starter",
    pace="normal",
    memory_mb=1024,
)
def xlsx_protect_sheets(
    file: ExcelFile,
    action: Annotated[Literal["protect", "unprotect"], About("Whether to add or remove protection")] = "protect",
    editable: Annotated[str, About("Range that stays editable in each sheet", "B2:B20", max_length=40)] = "",
    password: Annotated[str, About("Password for removing the protection in Excel", "", max_length=100)] = "",
    sheet: Annotated[str, About("Only this sheet; empty for all", "Budget", max_length=31)] = "",
) -> ViewSet:
    """Protect sheets of an Excel workbook against changes, except for cells that stay editable, or remove the
    protection.

    Use it against accidental edits: it is not encryption, and everyone can read the cells. Returns the new file.
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


def _validation(kind: str, choices: list[str], minimum: str | None, maximum: str | None) -> Any:
    if kind == "list":
        if not choices:
            raise ToolError("Give choices, the entries of the drop-down list.")
        if len(choices) == 1 and choices[0].startswith("="):
            return DataValidation("list", formula1=xml_text(choices[0][1:]), allow_blank=True)
        listed = xml_text(",".join(choices)).replace('"', '""')
        if len(listed) > 255 or any("," in choice for choice in choices):
            raise ToolError(
                "The choices of a list may have at most 255 characters in total and no commas. Write them into "
                "cells, and give one choice such as =Lists!$A$1:$A$50."
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
    """Format a bound as a formula. Raises `ToolError`."""
    if text is None or not text.strip():
        return None
    if kind != "date" and (_DECIMAL if kind == "decimal" else _WHOLE).fullmatch(text.strip()):
        return text.strip()
    try:
        day = date.fromisoformat(text.strip() if kind == "date" else "")
    except ValueError as error:
        raise ToolError(
            f"{text} is not a valid bound for this kind. Write a number, or a date as YYYY-MM-DD."
        ) from error
    return f"DATE({day.year},{day.month},{day.day})"


class SheetChange(TypedDict, total=False):
    """A change of sheets."""

    action: Annotated[
        Literal["add", "rename", "delete", "copy", "hide", "show", "move_first", "move_last"], About("Operation")
    ]
    sheet: Annotated[str, About("Sheet; for add, the name of the new one", "Draft", min_length=1, max_length=31)]
    new_name: Annotated[str, About("New name, for rename and copy", "Final", max_length=31)]


class SheetsChanged(TypedDict):
    """A workbook with changed sheets."""

    file: OutputFile
    sheets: Annotated[list[str], About("Sheet names in order")]
    hidden: Annotated[list[str], About("Hidden sheets")]


@tool(
    tags="xlsx excel sheets rename delete copy add hide move order worksheet",
    use_when=(
        "Rename the sheet Draft to Final",
        "Delete the hidden sheet from this workbook",
        "Copy the sheet January as February",
    ),
    examples=(
        Example(
            {
                "file": FILE,
                "changes": [
                    {"action": "copy", "sheet": "Stock", "new_name": "New"},
                    {"action": "hide", "sheet": "stock"},
                    {"action": "move_first", "sheet": "New"},
                    {"action": "add", "sheet": "Notes"},
                ],
            },
            {"file": "workbook.xlsx", "sheets": ["New", "Stock", "Notes"], "hidden": ["Stock"]},
            source="by hand",
            files={FILE: STOCK},
        ),
        Refusal(
            {"file": FILE, "changes": [{"action": "delete", "sheet": "Stock"}]},
            "last visible sheet",
            files={FILE: STOCK},
        ),
    ),
    reply="The workbook with {sheets}: {file}",
    tier="starter",
    pace="normal",
    memory_mb=1024,
)
def xlsx_arrange_sheets(
    file: ExcelFile,
    changes: Annotated[
        list[SheetChange],
        About(
            "Changes, made in order",
            [{"action": "rename", "sheet": "Draft", "new_name": "Final"}],
            min_items=1,
            max_items=50,
        ),
    ],
) -> SheetsChanged:
    """Add, rename, delete, copy, hide, show or move sheets of an Excel workbook.

    Use it to tidy a workbook. Formulas that refer to a sheet are not changed when it is renamed. Returns the file and
    its sheets in order.
    """
    with workbook(file) as book:
        for change in changes:
            _arrange(book, change)
        visible = [sheet for sheet in book.worksheets if sheet.sheet_state == "visible"]
        if not visible:
            raise ToolError("That would remove the last visible sheet. A workbook needs at least one.")
        book.active = book.index(visible[0])
        hidden = [sheet.title for sheet in book.worksheets if sheet.sheet_state != "visible"]
        return {"file": save_document(book, "workbook.xlsx"), "sheets": book.sheetnames, "hidden": hidden}


def _arrange(book: Any, change: SheetChange) -> None:
    action, name, new_name = change.get("action"), change.get("sheet", ""), change.get("new_name", "")
    if action == "add":
        book.create_sheet(unique_name(book.sheetnames, name or new_name))
        return
    sheet = sheet_of(book, name)
    if action in ("rename", "copy") and not new_name.strip():
        raise ToolError(f"Give new_name, the name for the sheet {name}.")
    match action:
        case "rename":
            others = [title for title in book.sheetnames if title != sheet.title]
            sheet.title = unique_name(others, new_name)
        case "copy":
            book.copy_worksheet(sheet).title = unique_name(book.sheetnames, new_name)
        case "delete":
            book.remove(sheet)
        case "hide" | "show":
            sheet.sheet_state = "hidden" if action == "hide" else "visible"
        case "move_first":
            book.move_sheet(sheet, -book.index(sheet))
        case "move_last":
            book.move_sheet(sheet, len(book.sheetnames))
