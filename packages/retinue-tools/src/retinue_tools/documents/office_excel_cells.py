"""Cells of Excel workbooks: updating, appending and replacing."""

from copy import copy
from typing import Annotated, Any

from openpyxl.utils import coordinate_to_tuple
from typing_extensions import TypedDict

from retinue.sdk import About, Example, ExampleCall, OutputFile, Refusal, ToolError, tool
from retinue_tools.documents._office_excel_cells import MOST_COLUMNS, MOST_ROWS, CellValue, SheetName, put, sheet_of
from retinue_tools.documents._office_files import ExcelFile, save_document, workbook
from retinue_tools.documents._office_runs import text_pattern, xml_text
from retinue_tools.documents._samples import FILE
from retinue_tools.documents.office_excel_create import columns_by_header, fold_header
from retinue_tools.documents.office_excel_formats import STOCK


class CellChange(TypedDict):
    """A cell to write."""

    cell: Annotated[str, About("Cell address", "B2", min_length=2, max_length=10, pattern=r"^[A-Za-z]{1,3}[0-9]{1,7}$")]
    value: CellValue


class ChangedWorkbook(TypedDict):
    """A changed workbook."""

    file: OutputFile
    sheet: Annotated[str, About("Changed sheet")]
    changed: Annotated[int, About("Number of written cells")]


class AppendedRows(TypedDict):
    """A workbook with appended rows."""

    file: OutputFile
    sheet: Annotated[str, About("Extended sheet")]
    first_row: Annotated[int, About("Number of the first added row")]
    added: Annotated[int, About("Number of added rows")]
    unknown_fields: Annotated[list[str], About("Omitted fields, for which the sheet has no column")]


class ReplacedCells(TypedDict):
    """A workbook with replaced texts."""

    file: OutputFile
    cells: Annotated[int, About("Number of changed cells")]
    places: Annotated[list[str], About("Changed cells, at most 500")]


@tool(
    tags="xlsx excel update change write cells formula value set",
    use_when=(
        "Change B2 to 15 in this Excel file",
        "Write a SUM formula below the price column",
        "Update these cells of budget.xlsx",
    ),
    examples=(
        Example(
            {"file": FILE, "changes": [{"cell": "B2", "value": 15}, {"cell": "b4", "value": "=SUM(B2:B3)"}]},
            {"file": "workbook.xlsx", "sheet": "Stock", "changed": 2},
            source="by hand",
            files={FILE: STOCK},
            then=(
                ExampleCall(
                    "xlsx_read_sheet",
                    {"file": "{made}", "cells": "B2:B4", "header": False, "formulas": True},
                    {"records": [{"B": 15}, {"B": 3}, {"B": "=SUM(B2:B3)"}]},
                ),
            ),
        ),
        Example(
            {"file": FILE, "changes": [{"cell": "A2", "value": None}], "sheet": "stock"},
            {"changed": 1},
            source="by hand",
            files={FILE: STOCK},
            then=(ExampleCall("xlsx_read_sheet", {"file": "{made}", "cells": "A:A"}, {"records": [{"Item": "Cup"}]}),),
        ),
        Refusal({"file": FILE, "changes": [{"cell": "ZZZ1", "value": 1}]}, "outside a sheet", files={FILE: STOCK}),
    ),
    reply="I changed {changed|cell} on {sheet}: {file}",
    tier="starter",
    pace="normal",
    memory_mb=1024,
)
def xlsx_update_cells(
    file: ExcelFile,
    changes: Annotated[
        list[CellChange], About("Cells to write", [{"cell": "B2", "value": 15}], min_items=1, max_items=20_000)
    ],
    sheet: SheetName = "",
) -> ChangedWorkbook:
    """Write values or formulas into cells of an Excel workbook and keep everything else, including formats.

    Use it to correct or complete a workbook; null empties a cell. Excel calculates formulas when it opens the file.
    """
    with workbook(file) as book:
        found = sheet_of(book, sheet)
        for change in changes:
            row, column = _place(change["cell"])
            put(_unmerged_paths(found, row, column), change["value"])
        return {"file": save_document(book, "workbook.xlsx"), "sheet": found.title, "changed": len(changes)}


@tool(
    tags="xlsx excel append add rows records table extend log",
    use_when=(
        "Append these rows to the Excel sheet",
        "Add a new expense to expenses.xlsx",
        "Put the new records below the table",
    ),
    examples=(
        Example(
            {"file": FILE, "records": [{"price": 4, "Item": "Jar", "Colour": "red"}]},
            {"file": "workbook.xlsx", "first_row": 4, "added": 1, "unknown_fields": ["Colour"]},
            source="by hand",
            files={FILE: STOCK},
            then=(ExampleCall("xlsx_read_sheet", {"file": "{made}", "cells": "A4:B4", "header": False},
                       {"records": [{"A": "Jar", "B": 4}]}),),
        ),
        Example(
            {"file": FILE, "records": [{"Colour": "red"}], "add_columns": True},
            {"unknown_fields": []},
            source="by hand",
            files={FILE: STOCK},
            then=(
                ExampleCall(
                    "xlsx_list_sheets", {"file": "{made}"}, {"sheets": [{"header": ["Item", "Price", "Colour"]}]}
                ),
            ),
        ),
        Refusal({"file": FILE, "records": [{"Colour": "red"}]}, "None of the fields", files={FILE: STOCK}),
    ),
    reply={
        "unknown_fields": "I added {added|row} from row {first_row} on, without {unknown_fields}: {file}",
        "": "I added {added|row} from row {first_row} on: {file}",
    },
    tier="starter",
    pace="normal",
    memory_mb=1024,
    idempotent=False,
)  # fmt: skip
def xlsx_append_rows(
    file: ExcelFile,
    records: Annotated[
        list[dict[str, CellValue]],
        About(
            "One object for each row, with headers as keys",
            [{"Item": "Jar", "Price": 4}],
            min_items=1,
            max_items=10_000,
        ),
    ],
    sheet: SheetName = "",
    header_row: Annotated[int, About("Row with the headers", minimum=1, maximum=1000)] = 1,
    add_columns: Annotated[bool, About("Whether to add columns for fields without a header")] = False,
) -> AppendedRows:
    """Append records below the last row of a sheet, each field under its header, in the format of the row above.

    Use it to keep a list or log in a workbook. Headers are matched regardless of case. Returns the new file and the
    rows.
    """
    with workbook(file) as book:
        found = sheet_of(book, sheet)
        columns = columns_by_header(found, header_row)
        unknown = list(dict.fromkeys(name for record in records for name in record if fold_header(name) not in columns))
        if add_columns:
            for name in unknown:
                columns[fold_header(name)] = max(columns.values(), default=0) + 1
                put(found.cell(header_row, columns[fold_header(name)]), name)
            unknown = []
        if not any(fold_header(name) in columns for record in records for name in record):
            raise ToolError(f"None of the fields is a header in row {header_row}. xlsx_list_sheets lists the headers.")
        first = max(_last_row(found), header_row) + 1
        for offset, record in enumerate(records):
            for name, value in record.items():
                if fold_header(name) in columns:
                    _extend(found, first + offset, columns[fold_header(name)], value, header_row)
        return {
            "file": save_document(book, "workbook.xlsx"),
            "sheet": found.title,
            "first_row": first,
            "added": len(records),
            "unknown_fields": unknown,
        }


@tool(
    tags="xlsx excel find replace text substitute cells workbook",
    use_when=(
        "Replace 'Ltd' with 'Limited' in all sheets of this workbook",
        "Find and replace in an Excel file",
        "Rename the product everywhere in prices.xlsx",
    ),
    examples=(
        Example(
            {"file": FILE, "find": "po", "replace": "To"},
            {"file": "workbook.xlsx", "cells": 1, "places": ["Stock!A2"]},
            source="by hand: Pot becomes Tot",
            files={FILE: STOCK},
            then=(
                ExampleCall("xlsx_read_sheet", {"file": "{made}", "cells": "A1:A2"}, {"records": [{"Item": "Tot"}]}),
            ),
        ),
        Example(
            {
                "file": FILE,
                "find": "Item",
                "replace": "Ware",
                "match_case": True,
                "whole_words": True,
                "sheet": "Stock",
            },
            {"cells": 1, "places": ["Stock!A1"]},
            source="by hand",
            files={FILE: STOCK},
        ),
        Refusal({"file": FILE, "find": "gin", "replace": "rum"}, "No cell contains", files={FILE: STOCK}),
    ),
    reply={
        "cells": "I changed {cells|cell}: {file}",
        "": "There was nothing to replace: {file}",
    },
    tier="starter",
    pace="normal",
    memory_mb=1024,
)
def xlsx_replace_text(
    file: ExcelFile,
    find: Annotated[str, About("Text to replace", "Ltd", min_length=1, max_length=1000)],
    replace: Annotated[str, About("Replacement text", "Limited", max_length=5000)],
    sheet: Annotated[str, About("Only this sheet; empty for all", "Sales", max_length=31)] = "",
    match_case: Annotated[bool, About("Whether to match case")] = False,
    whole_words: Annotated[bool, About("Whether to match whole words only")] = False,
) -> ReplacedCells:
    """Replace a text in the cells of an Excel workbook, in all sheets or in one; formulas and numbers are not changed.

    Use it for names and terms. Returns the new file and the changed cells.
    """
    pattern = text_pattern(find, match_case=match_case, whole_words=whole_words)
    places = []
    with workbook(file) as book:
        for one in [sheet_of(book, sheet)] if sheet.strip() else book.worksheets:
            for row in one.iter_rows():
                for cell in row:
                    if cell.data_type == "s" and pattern.search(str(cell.value)):
                        put(cell, pattern.sub(lambda _: xml_text(replace), str(cell.value)), literal=True)
                        places.append(f"{one.title}!{cell.coordinate}")
        if not places:
            raise ToolError(f"No cell contains the text {find[:100]}. Check its spelling, or match_case.")
        return {"file": save_document(book, "workbook.xlsx"), "cells": len(places), "places": places[:500]}


def _place(cell: str) -> tuple[int, int]:
    """Parse the row and column of a cell. Raises `ToolError`."""
    try:
        row, column = coordinate_to_tuple(cell.upper())
    except ValueError as error:
        raise ToolError(f"{cell} is not a cell. Write it as B2.") from error
    if not (1 <= row <= MOST_ROWS and 1 <= column <= MOST_COLUMNS):
        raise ToolError(f"{cell} is outside a sheet, which ends at XFD1048576.")
    return row, column


def _unmerged_paths(sheet: Any, row: int, column: int) -> Any:
    """Return the cell to write: in a merged range, only the first cell can have a value."""
    for merged in sheet.merged_cells.ranges:
        if merged.min_row <= row <= merged.max_row and merged.min_col <= column <= merged.max_col:
            return sheet.cell(merged.min_row, merged.min_col)
    return sheet.cell(row, column)


def _last_row(sheet: Any) -> int:
    """Return the last row with a value; formats are ignored."""
    for row in range(sheet.max_row, 0, -1):
        if any(cell.value is not None for cell in sheet[row]):
            return row
    return 0


def _extend(sheet: Any, row: int, column: int, value: Any, header_row: int) -> None:
    cell, above = sheet.cell(row, column), sheet.cell(row - 1, column)
    put(cell, value)
    if row - 1 > header_row and above.has_style:
        number_format = cell.number_format
        cell._style = copy(above._style)
        if cell.is_date and above.number_format == "General":
            cell.number_format = number_format
