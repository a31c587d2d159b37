"""Creation of Excel workbooks from rows or CSV, and merging."""

import re
from collections.abc import Mapping, Sequence
from copy import copy
from pathlib import Path
from typing import Annotated, Any, Literal, NotRequired

from openpyxl import Workbook
from openpyxl.utils import get_column_letter
from typing_extensions import TypedDict

from retinue.sdk import About, Example, ExampleCall, File, OutputFile, Refusal, ToolError, tool
from retinue_tools.data_formats._delimiters import parse_rows, split_hint
from retinue_tools.data_formats._text_encodings import decode
from retinue_tools.documents._office_excel_cells import (
    MOST_CELLS,
    MOST_COLUMNS,
    MOST_ROWS,
    CellRows,
    fit_columns,
    put,
    style_header,
    unique_name,
)
from retinue_tools.documents._office_files import ExcelFile, refusing_damage, save_document, workbook
from retinue_tools.documents._office_runs import xml_text
from retinue_tools.documents._office_samples import NOT_OFFICE, xlsx
from retinue_tools.documents._samples import FILE, FILE_2, encode
from retinue_tools.documents.office_excel_formats import STOCK

_DELIMITERS = {"comma": ",", "semicolon": ";", "tab": "\t", "pipe": "|"}
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,14})(?:\.[0-9]{1,15})?")

_OTHER = xlsx(Stock=(("Item", "Price"), ("Jar", 5)))


class NewSheet(TypedDict):
    """A sheet to make."""

    name: Annotated[str, About("Name of the sheet", "Sales", min_length=1, max_length=31)]
    rows: Annotated[
        CellRows, About("Rows, the first one is the header", [["Item", "Price"], ["Pot", 12.5]], max_items=50_000)
    ]
    number_formats: NotRequired[
        Annotated[
            dict[str, Annotated[str, About("Number format", "#,##0.00", max_length=100)]],
            About("Number formats of Excel by column letter", {"B": "#,##0.00"}),
        ]
    ]


class MadeWorkbook(TypedDict):
    """A created workbook."""

    file: OutputFile
    sheets: Annotated[list[str], About("Names of the sheets")]
    cells: Annotated[int, About("Number of written cells")]


class MergedWorkbook(TypedDict):
    """A merged workbook."""

    file: OutputFile
    sheets: Annotated[list[str], About("Names of the sheets")]
    rows: Annotated[int, About("Number of copied rows")]


@tool(
    tags="xlsx excel create workbook spreadsheet write table export sheets",
    use_when=(
        "Make an Excel file from these rows",
        "Write the figures to an .xlsx with two sheets",
        "Create a spreadsheet with a total formula",
        "Make a spreadsheet",
        "Make a budget in Excel",
    ),
    examples=(
        Example(
            {
                "sheets": [
                    {
                        "name": "Stock",
                        "rows": [["Item", "Price", "Since"], ["Pot", 12.5, "2026-01-31"], ["Sum", "=SUM(B2:B2)", None]],
                        "number_formats": {"B": "#,##0.00"},
                    }
                ]
            },
            {"file": "workbook.xlsx", "sheets": ["Stock"], "cells": 8},
            source="by hand",
            then=(
                ExampleCall(
                    "xlsx_read_sheet",
                    {"file": "{made}", "formulas": True},
                    {
                        "records": [
                            {"Item": "Pot", "Price": 12.5, "Since": "2026-01-31"},
                            {"Item": "Sum", "Price": "=SUM(B2:B2)", "Since": None},
                        ]
                    },
                ),
                ExampleCall("xlsx_list_sheets", {"file": "{made}"}, {"sheets": [{"frozen_at": "A2", "formulas": 1}]}),
            ),
        ),
        Example(
            {"sheets": [{"name": "A/B", "rows": [[1]]}, {"name": "a b", "rows": [[2]]}], "header": False},
            {"sheets": ["A B", "a b (2)"], "cells": 2},
            source="by hand: names of sheets have no slash, and differ in more than case",
        ),
        Refusal({"sheets": [{"name": "A", "rows": []}]}, "has no rows"),
    ),
    reply="The workbook with {sheets}: {file}",
    tier="starter",
    credits=2,
    pace="normal",
    memory_mb=1024,
)
def xlsx_create_workbook(
    sheets: Annotated[
        list[NewSheet],
        About(
            "Sheets in order",
            [{"name": "Stock", "rows": [["Item", "Price"], ["Pot", 12.5]]}],
            min_items=1,
            max_items=50,
        ),
    ],
    header: Annotated[
        bool, About("Whether to format the first row of each sheet as a header, freeze it, and add filters")
    ] = True,
) -> MadeWorkbook:
    """Create an Excel workbook from rows, with formulas, dates, number formats and fitting column widths.

    Use it to share figures as a spreadsheet. Text that begins with = becomes a formula, text such as 2026-11-21 a date.
    Returns the file, the names of the sheets and the number of written cells.
    """
    book = Workbook()
    book.remove(book.active)
    cells = 0
    for content in sheets:
        if not any(content["rows"]):
            raise ToolError(f"The sheet {content['name']} has no rows. Give at least one.")
        sheet = book.create_sheet(unique_name(book.sheetnames, content["name"]))
        cells += _fill(sheet, content["rows"], cells)
        _format_columns(sheet, content.get("number_formats", {}))
        _finish(sheet, header=header)
    return {"file": save_document(book, "workbook.xlsx"), "sheets": book.sheetnames, "cells": cells}


@tool(
    tags="csv excel xlsx convert import spreadsheet tsv text",
    use_when=(
        "Convert this CSV file to Excel",
        "Open the semicolon separated export as .xlsx",
        "Put several CSV files into one workbook",
    ),
    examples=(
        Example(
            {"files": [FILE, FILE_2]},
            {"file": "workbook.xlsx", "sheets": ["Table 1", "Table 2"], "cells": 8},
            source="by hand; leading zeros are not a number's in JSON (RFC 8259, section 6)",
            files={FILE: encode("Item,Code\nPot,007\n"), FILE_2: encode("A;B\n=1+1;2.5\n")},
            then=(
                ExampleCall("xlsx_read_sheet", {"file": "{made}"}, {"records": [{"Item": "Pot", "Code": "007"}]}),
                ExampleCall(
                    "xlsx_read_sheet", {"file": "{made}", "sheet": "Table 2"}, {"records": [{"A": "=1+1", "B": 2.5}]}
                ),
                ExampleCall("xlsx_list_formulas", {"file": "{made}"}, {"count": 0}),
            ),
        ),
        Example(
            {"files": [FILE], "names": ["Prices"], "delimiter": "pipe", "types": False},
            {"sheets": ["Prices"], "cells": 2},
            source="by hand",
            files={FILE: encode("1|2\n")},
        ),
        Refusal({"files": [FILE]}, "is empty", files={FILE: encode("\n")}),
    ),
    reply="The workbook with {sheets}: {file}",
    tier="starter",
    credits=2,
    pace="normal",
    memory_mb=1024,
)
def xlsx_create_from_csv(
    files: Annotated[list[File], About("IDs of CSV files, one for each sheet", [FILE], min_items=1, max_items=20)],
    names: Annotated[
        list[Annotated[str, About("Name", "Sales", max_length=31)]] | None,
        About("Names of the sheets", ["Sales"], max_items=20),
    ] = None,
    delimiter: Annotated[Literal["auto", "comma", "semicolon", "tab", "pipe"], About("Field separator")] = "auto",
    types: Annotated[bool, About("Whether to convert numbers and dates; otherwise all values are text")] = True,
) -> MadeWorkbook:
    """Convert CSV files to one Excel workbook, a sheet for each, with a styled header and filters.

    Use it for exports that people open in a spreadsheet. Codes with leading zeros stay text, and text that begins with
    = never becomes a formula. Returns the file, its sheets and the number of written cells.
    """
    book = Workbook()
    book.remove(book.active)
    cells = 0
    for number, file in enumerate(files):
        name = names[number] if names and number < len(names) else f"Table {number + 1}"
        sheet = book.create_sheet(unique_name(book.sheetnames, name))
        rows = _csv_rows(file, delimiter)
        if not rows:
            raise ToolError(f"File {number + 1} is empty. Its first row must be the header.")
        cells += _fill(
            sheet, [[_type_of(field) if types else field for field in row] for row in rows], cells, literal=True
        )
        _finish(sheet, header=True)
    return {"file": save_document(book, "workbook.xlsx"), "sheets": book.sheetnames, "cells": cells}


@tool(
    tags="xlsx excel merge combine join workbooks sheets stack consolidate",
    use_when=(
        "Combine these Excel files into one workbook",
        "Stack the monthly sheets below each other",
        "Merge twelve workbooks with the same columns into one table",
        "Put several Excel files into one",
    ),
    examples=(
        Example(
            {"files": [FILE, FILE_2]},
            {"file": "merged.xlsx", "sheets": ["Stock", "Stock (2)"], "rows": 5},
            source="by hand: three rows and two",
            files={FILE: STOCK, FILE_2: _OTHER},
        ),
        Example(
            {"files": [FILE, FILE_2], "how": "stack_rows"},
            {"sheets": ["Merged"], "rows": 3},
            source="by hand: two rows and one, below one header",
            files={FILE: STOCK, FILE_2: _OTHER},
            then=(
                ExampleCall(
                    "xlsx_read_sheet",
                    {"file": "{made}"},
                    {
                        "records": [
                            {"Item": "Pot", "Price": 12.5},
                            {"Item": "Cup", "Price": 3},
                            {"Item": "Jar", "Price": 5},
                        ]
                    },
                ),
            ),
        ),
        Refusal(
            {"files": [FILE, FILE_2]}, "is not a valid Excel workbook (.xlsx)", files={FILE: STOCK, FILE_2: NOT_OFFICE}
        ),
    ),
    reply="The combined workbook with {rows|row} on {sheets}: {file}",
    tier="starter",
    credits=2,
    pace="normal",
    memory_mb=2048,
)
def xlsx_merge_workbooks(
    files: Annotated[list[ExcelFile], About("IDs of workbooks in order", [FILE, FILE_2], min_items=2, max_items=30)],
    how: Annotated[
        Literal["keep_sheets", "stack_rows"],
        About(
            "One sheet for each sheet, or the rows of all first sheets in one, with columns matched by their headers"
        ),
    ] = "keep_sheets",
) -> MergedWorkbook:
    """Combine Excel workbooks: all their sheets in one file, or the rows of their first sheets in one table.

    Use it for monthly reports or exports. Values, formulas, formats and widths of kept sheets are copied, charts and
    pictures are not. Returns the file, its sheets and the number of copied rows.
    """
    target = Workbook()
    target.remove(target.active)
    rows = 0
    if how == "stack_rows":
        rows = _stack(target.create_sheet("Merged"), files)
        _finish(target.worksheets[0], header=True)
    for file in files if how == "keep_sheets" else ():
        with workbook(file) as source:
            for sheet in source.worksheets:
                rows += _copy(sheet, target.create_sheet(unique_name(target.sheetnames, sheet.title)))
    with refusing_damage("xlsx"):
        return {"file": save_document(target, "merged.xlsx"), "sheets": target.sheetnames, "rows": rows}


def _fill(sheet: Any, rows: Sequence[Sequence[Any]], before: int, *, literal: bool = False) -> int:
    """Write rows from the top. Returns the number of non-empty cells."""
    if before + sum(map(len, rows)) > MOST_CELLS:
        raise ToolError(f"That is more than {MOST_CELLS:,} cells. Create several workbooks.")
    written = 0
    for number, row in enumerate(rows, 1):
        for column, value in enumerate(row, 1):
            if value is not None and value != "":
                put(sheet.cell(number, column), value, literal=literal and not _is_date(value))
                written += 1
    return written


def _is_date(value: Any) -> bool:
    return isinstance(value, str) and bool(re.fullmatch(r"\d{4}-\d{2}-\d{2}", value))


def _finish(sheet: Any, *, header: bool) -> None:
    """Format the header, filter and widths."""
    if header and sheet.max_row:
        style_header(sheet, 1, sheet.max_column)
        sheet.freeze_panes = "A2"
        sheet.auto_filter.ref = sheet.dimensions
    fit_columns(sheet)


def _format_columns(sheet: Any, formats: Mapping[str, str]) -> None:
    for letter, number_format in formats.items():
        if not re.fullmatch("[A-Za-z]{1,2}", letter.strip()):
            raise ToolError(f"{letter} is not a column letter, such as B.")
        for row in range(2, sheet.max_row + 1):
            sheet[f"{letter.strip().upper()}{row}"].number_format = xml_text(number_format)


def _csv_rows(file: str, delimiter: str) -> list[list[str]]:
    hint, text = split_hint(decode(Path(file).read_bytes()).text)
    text = text.strip("\r\n")
    first = text.partition("\n")[0]
    mark = _DELIMITERS.get(delimiter) or hint or max(_DELIMITERS.values(), key=first.count)
    rows = parse_rows(text, mark)
    if len(rows) > MOST_ROWS or max(map(len, rows), default=0) > MOST_COLUMNS:
        raise ToolError("A file has more rows or columns than a sheet can hold.")
    return rows


def _type_of(field: str) -> str | float:
    return field if not _NUMBER.fullmatch(field) else int(field) if field.lstrip("-").isdecimal() else float(field)


def fold_header(name: Any) -> str:
    return str(name).strip().casefold()


def columns_by_header(sheet: Any, row: int) -> dict[str, int]:
    """Return columns by their case-folded headers."""
    return {fold_header(cell.value): cell.column for cell in sheet[row] if cell.value is not None}


def _stack(target: Any, files: Sequence[str]) -> int:
    """Write the rows of the first sheets below one header. Returns their number."""
    columns: dict[str, int] = {}
    row = 1
    for file in files:
        with workbook(file, values=True) as source:
            sheet = source.worksheets[0]
            for name, column in columns_by_header(sheet, 1).items():
                if name not in columns:
                    columns[name] = len(columns) + 1
                    target.cell(1, columns[name], sheet.cell(1, column).value)
            places = {column: columns[name] for name, column in columns_by_header(sheet, 1).items()}
            for cells in sheet.iter_rows(min_row=2):
                if any(cell.value is not None for cell in cells):
                    row += 1
                    for cell in cells:
                        if cell.column in places and cell.value is not None:
                            new = target.cell(row, places[cell.column], cell.value)
                            new.number_format = cell.number_format
    return row - 1


def _copy(sheet: Any, target: Any) -> int:
    """Copy values, formulas, formats and widths. Returns the number of rows."""
    for row in sheet.iter_rows():
        for cell in row:
            if cell.value is None and not cell.has_style:
                continue
            new = target.cell(cell.row, cell.column, cell.value)
            if cell.has_style:
                for part in ("font", "border", "fill", "alignment"):
                    setattr(new, part, copy(getattr(cell, part)))
                new.number_format = cell.number_format
    for column in range(1, sheet.max_column + 1):
        letter = get_column_letter(column)
        target.column_dimensions[letter].width = sheet.column_dimensions[letter].width
    for merged in sheet.merged_cells.ranges:
        target.merge_cells(merged.coord)
    target.freeze_panes = sheet.freeze_panes
    return int(sheet.max_row)
