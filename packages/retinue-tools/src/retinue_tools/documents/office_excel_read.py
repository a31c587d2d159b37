"""Reading of Excel workbooks: sheets, rows and conversion to other formats."""

import csv
import io
from typing import Annotated, Any, Literal

import orjson
from openpyxl.utils import get_column_letter
from typing_extensions import TypedDict

from retinue.sdk import About, Example, OutputFile, Refusal, save, tool
from retinue_tools.documents._office_excel_cells import CellRange, SheetName, bounds_of, range_text, rows_in, sheet_of
from retinue_tools.documents._office_files import ExcelFile, workbook
from retinue_tools.documents._office_samples import NOT_OFFICE, xlsx
from retinue_tools.documents._samples import FILE

_MOST_SHOWN, MOST_FOUND = 20_000, 2000
_DELIMITERS = {"comma": ",", "semicolon": ";", "tab": "\t"}

STOCK = xlsx(Stock=(("Item", "Price", "Total"), ("Pot", 12.5, "=B2*2"), ("Cup", 3, "=B3*Rates!A1")), Rates=((2,),))


class SheetFacts(TypedDict):
    """Properties of a sheet."""

    name: Annotated[str, About("Name of the sheet")]
    rows: Annotated[int, About("Last used row")]
    columns: Annotated[int, About("Last used column")]
    header: Annotated[list[str], About("Texts of the first row, at most 100")]
    hidden: Annotated[bool, About("Whether the sheet is hidden")]
    protected: Annotated[bool, About("Whether the sheet is protected")]
    formulas: Annotated[int, About("Number of cells with formulas")]
    tables: Annotated[list[str], About("Named tables with their ranges")]
    conditional_formats: Annotated[list[str], About("Ranges with conditional formats")]
    validations: Annotated[list[str], About("Data validation rules, each with its kind and range")]
    merged: Annotated[int, About("Number of merged ranges")]
    charts: Annotated[int, About("Number of charts")]
    frozen_at: Annotated[str | None, About("First scrolling cell, if panes are frozen")]


class Workbook(TypedDict):
    """Content of a workbook."""

    sheets: Annotated[list[SheetFacts], About("Sheets in order")]
    defined_names: Annotated[dict[str, str], About("Defined names and their references")]
    title: Annotated[str | None, About("Title")]
    author: Annotated[str | None, About("Author")]
    modified: Annotated[str | None, About("Time of the last change")]


class SheetRows(TypedDict):
    """Rows of a sheet."""

    sheet: Annotated[str, About("Sheet that was read")]
    range: Annotated[str, About("Range that was read")]
    columns: Annotated[list[str], About("Column names")]
    records: Annotated[list[dict[str, Any]], About("One object for each non-empty row")]
    rows: Annotated[int, About("Number of non-empty rows, whether returned or not")]
    truncated: Annotated[bool, About("Whether rows were omitted because of limit")]


class TextFile(TypedDict):
    """A sheet as a text file."""

    file: OutputFile
    rows: Annotated[int, About("Number of rows below the header")]
    columns: Annotated[list[str], About("Column names")]
    preview: Annotated[str, About("First 2000 characters of the file")]


@tool(
    tags="xlsx excel workbook sheets list names size overview structure",
    use_when=(
        "Which sheets has this Excel file?",
        "How many rows are in each sheet of budget.xlsx?",
        "Show the structure of the workbook before I read it",
    ),
    examples=(
        Example(
            {"file": FILE},
            {
                "sheets": [
                    {"name": "Stock", "rows": 3, "columns": 3, "header": ["Item", "Price", "Total"], "formulas": 2},
                    {"name": "Rates", "rows": 1, "columns": 1, "header": ["2"], "formulas": 0},
                ],
                "defined_names": {},
            },
            source="the cells that the workbook was written with",
            files={FILE: STOCK},
        ),
        Refusal({"file": FILE}, "is not a valid Excel workbook (.xlsx)", files={FILE: NOT_OFFICE}),
    ),
    reply="The sheets: {sheets}",
    tier="starter",
    pace="normal",
    memory_mb=1024,
)
def xlsx_list_sheets(file: ExcelFile) -> Workbook:
    """List the sheets of an Excel workbook with sizes, headers, formulas, tables and charts.

    Use it first, to learn the content of a workbook. Also returns its defined names, title and author.
    """
    with workbook(file) as book:
        core = book.properties
        return {
            "sheets": [_facts(sheet) for sheet in book.worksheets],
            "defined_names": {str(name): str(defined.attr_text) for name, defined in book.defined_names.items()},
            "title": core.title,
            "author": core.creator,
            "modified": core.modified.isoformat() if core.modified else None,
        }


@tool(
    tags="xlsx excel read rows records sheet range values cells table",
    use_when=(
        "Read the first sheet of this Excel file",
        "What stands in A1:D20 of the sheet Sales?",
        "Give me the rows of budget.xlsx as records",
    ),
    examples=(
        Example(
            {"file": FILE, "cells": "A:B"},
            {
                "sheet": "Stock",
                "range": "A1:B3",
                "columns": ["Item", "Price"],
                "records": [{"Item": "Pot", "Price": 12.5}, {"Item": "Cup", "Price": 3}],
                "truncated": False,
            },
            source="the cells that the workbook was written with",
            files={FILE: STOCK},
        ),
        Example(
            {"file": FILE, "sheet": "stock", "header": False, "formulas": True, "limit": 2},
            {
                "records": [{"A": "Item", "B": "Price", "C": "Total"}, {"A": "Pot", "B": 12.5, "C": "=B2*2"}],
                "rows": 3,
                "truncated": True,
            },
            source="by hand",
            files={FILE: STOCK},
        ),
        Refusal({"file": FILE, "sheet": "Sales"}, "The workbook has no sheet Sales", files={FILE: STOCK}),
        Refusal({"file": FILE, "cells": "1A"}, "not a range", files={FILE: STOCK}),
    ),
    reply={
        "truncated, records": "The first rows of {sheet}, which has {rows|row}: {records}",
        "records": "The rows of {sheet}: {records}",
        "": "There are no rows in {sheet}.",
    },
    tier="starter",
    pace="normal",
    memory_mb=1024,
)
def xlsx_read_sheet(
    file: ExcelFile,
    sheet: SheetName = "",
    cells: CellRange = "",
    header: Annotated[bool, About("Whether the first row of the range contains the column names")] = True,
    formulas: Annotated[bool, About("Whether to return formulas instead of the results that Excel saved")] = False,
    limit: Annotated[int, About("Maximum number of rows", minimum=1, maximum=_MOST_SHOWN)] = 1000,
) -> SheetRows:
    """Read rows of a sheet or range of an Excel workbook as records.

    Use it to work with the figures of an .xlsx file. Dates are returned as ISO 8601, and formulas as their saved
    results unless requested; a workbook that no spreadsheet program has saved has no results. Without a header the
    columns are A, B, C.
    """
    with workbook(file, values=not formulas) as book:
        found = sheet_of(book, sheet)
        bounds = bounds_of(found, cells)
        columns, rows = _table(found, bounds, header=header)
    records = [dict(zip(columns, row, strict=True)) for row in rows[:limit]]
    return {
        "sheet": found.title,
        "range": range_text(bounds),
        "columns": columns,
        "records": records,
        "rows": len(rows),
        "truncated": len(rows) > limit,
    }


@tool(
    tags="xlsx excel csv json convert export sheet tsv ndjson",
    use_when=(
        "Convert this Excel sheet to CSV",
        "Export budget.xlsx as JSON records",
        "Save the sheet Sales as semicolon separated text",
        "Turn an Excel file into CSV",
    ),
    examples=(
        Example(
            {"file": FILE, "cells": "A1:B3"},
            {"file": "Stock.csv", "rows": 2, "preview": "Item,Price\r\nPot,12.5\r\nCup,3\r\n"},
            source="RFC 4180",
            files={FILE: STOCK},
        ),
        Example(
            {"file": FILE, "cells": "A1:B3", "to": "json"},
            {"file": "Stock.json", "preview": '[{"Item":"Pot","Price":12.5},{"Item":"Cup","Price":3}]'},
            source="RFC 8259, by hand",
            files={FILE: STOCK},
        ),
        Example(
            {"file": FILE, "sheet": "Rates", "to": "csv", "delimiter": "tab"},
            {"file": "Rates.csv", "rows": 0, "columns": ["2"], "preview": "2\r\n"},
            source="by hand",
            files={FILE: STOCK},
        ),
        Refusal({"file": FILE, "sheet": "Sales"}, "no sheet Sales", files={FILE: STOCK}),
    ),
    reply="The file with {rows|row}: {file}",
    tier="starter",
    pace="normal",
    memory_mb=1024,
)
def xlsx_convert_sheet(
    file: ExcelFile,
    sheet: SheetName = "",
    cells: CellRange = "",
    to: Annotated[Literal["csv", "json", "ndjson"], About("Output format")] = "csv",
    delimiter: Annotated[Literal["comma", "semicolon", "tab"], About("Field separator of CSV")] = "comma",
) -> TextFile:
    """Convert a sheet of an Excel workbook to a CSV, JSON or newline-delimited JSON file.

    Use it to pass a sheet to another program. The first row contains the column names; formulas are replaced by the
    results that Excel saved, and dates are ISO 8601.
    """
    with workbook(file, values=True) as book:
        found = sheet_of(book, sheet)
        columns, rows = _table(found, bounds_of(found, cells), header=True)
    if to == "csv":
        text = io.StringIO(newline="")
        csv.writer(text, delimiter=_DELIMITERS[delimiter]).writerows([columns, *rows])
        content = text.getvalue()
    else:
        records = [orjson.dumps(dict(zip(columns, row, strict=True))).decode() for row in rows]
        content = f"[{','.join(records)}]" if to == "json" else "".join(f"{record}\n" for record in records)
    return {
        "file": save(f"{found.title}.{to}", content.encode()),
        "rows": len(rows),
        "columns": columns,
        "preview": content[:2000],
    }


def _facts(sheet: Any) -> SheetFacts:
    first = next(rows_in(sheet, (1, 1, min(max(sheet.max_column, 1), 100), 1)), [])
    return {
        "name": sheet.title,
        "rows": int(sheet.max_row),
        "columns": int(sheet.max_column),
        "header": ["" if value is None else str(value)[:200] for value in first],
        "hidden": sheet.sheet_state != "visible",
        "protected": bool(sheet.protection.sheet),
        "formulas": sum(cell.data_type == "f" for row in sheet.iter_rows() for cell in row),
        "tables": [f"{table.displayName} {table.ref}" for table in sheet.tables.values()],
        "conditional_formats": [str(found.sqref) for found in sheet.conditional_formatting],
        "validations": [f"{rule.type} {rule.sqref}" for rule in sheet.data_validations.dataValidation],
        "merged": len(sheet.merged_cells.ranges),
        "charts": len(sheet._charts),
        "frozen_at": sheet.freeze_panes,
    }


def _table(sheet: Any, bounds: tuple[int, int, int, int], *, header: bool) -> tuple[list[str], list[list[Any]]]:
    """Return the column names, and the non-empty rows."""
    rows = [row for row in rows_in(sheet, bounds) if any(value is not None for value in row)]
    letters = [get_column_letter(column) for column in range(bounds[0], bounds[2] + 1)]
    if not header or not rows:
        return letters, rows
    columns: list[str] = []
    for letter, value in zip(letters, rows[0], strict=True):
        name = str(value).strip() if value is not None else letter
        columns.append(name if name and name not in columns else f"{name} {letter}".strip())
    return columns, rows[1:]
