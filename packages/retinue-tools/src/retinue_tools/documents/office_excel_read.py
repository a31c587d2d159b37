"""Reading Excel workbooks."""

import csv
import io
import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal

import orjson
from openpyxl.utils import get_column_letter
from typing_extensions import TypedDict

from retinue.sdk import About, Example, MadeFile, Refusal, save, tool
from retinue_tools.documents._office_excel_cells import (
    CellRange,
    SheetName,
    bounds_of,
    plain_value,
    range_text,
    rows_in,
    sheet_of,
)
from retinue_tools.documents._office_files import ExcelFile, workbook
from retinue_tools.documents._office_samples import NOT_OFFICE, xlsx
from retinue_tools.documents._samples import FILE, FILE_2

_MOST_SHOWN, _MOST_FOUND = 20_000, 2000
_DELIMITERS = {"comma": ",", "semicolon": ";", "tab": "\t"}
_REFERENCE = re.compile(
    r"(?:(?:'[^']+'|[A-Za-z0-9_.]+)!)?\$?[A-Z]{1,3}\$?[0-9]{1,7}(?::\$?[A-Z]{1,3}\$?[0-9]{1,7})?(?![\w(])"
)
_STOCK = xlsx(Stock=(("Item", "Price", "Total"), ("Pot", 12.5, "=B2*2"), ("Cup", 3, "=B3*Rates!A1")), Rates=((2,),))
_NEWER = xlsx(Stock=(("Item", "Price", "Total"), ("Pot", 13, "=B2*2"), ("Cup", 3)))


class SheetFacts(TypedDict):
    """What a workbook says of a sheet."""

    name: Annotated[str, About("Its name")]
    rows: Annotated[int, About("Last row in use")]
    columns: Annotated[int, About("Last column in use")]
    header: Annotated[list[str], About("Texts of the first row, at most 100")]
    hidden: Annotated[bool, About("Whether it is hidden")]
    protected: Annotated[bool, About("Whether it is protected")]
    formulas: Annotated[int, About("Cells with formulas")]
    tables: Annotated[list[str], About("Named tables with their ranges")]
    conditional_formats: Annotated[list[str], About("Ranges with conditional formats")]
    validations: Annotated[list[str], About("Rules for entries, each its kind and range")]
    merged: Annotated[int, About("Merged ranges")]
    charts: Annotated[int, About("Charts")]
    frozen_at: Annotated[str | None, About("First cell that scrolls, where panes are frozen")]


class Workbook(TypedDict):
    """What a workbook holds."""

    sheets: Annotated[list[SheetFacts], About("Its sheets in order")]
    defined_names: Annotated[dict[str, str], About("Defined names and what they stand for")]
    title: Annotated[str | None, About("Title")]
    author: Annotated[str | None, About("Author")]
    modified: Annotated[str | None, About("When it was changed last")]


class SheetRows(TypedDict):
    """Rows of a sheet."""

    sheet: Annotated[str, About("The sheet")]
    range: Annotated[str, About("The range that was read")]
    columns: Annotated[list[str], About("Names of the columns")]
    records: Annotated[list[dict[str, Any]], About("One object for each row that is not empty")]
    rows: Annotated[int, About("Rows that are not empty, whether returned or not")]
    truncated: Annotated[bool, About("Whether rows were left out because of limit")]


class TextFile(TypedDict):
    """A sheet as a text file."""

    file: MadeFile
    rows: Annotated[int, About("Rows below the header")]
    columns: Annotated[list[str], About("Names of the columns")]
    preview: Annotated[str, About("The first 2000 characters of the file")]


class Formula(TypedDict):
    """A formula."""

    sheet: Annotated[str, About("Its sheet")]
    cell: Annotated[str, About("Its cell")]
    formula: Annotated[str, About("The formula")]
    value: Annotated[Any, About("The result that Excel saved; null where it never computed it")]
    references: Annotated[list[str], About("Cells and ranges that it uses")]


class Formulas(TypedDict):
    """The formulas of a workbook."""

    formulas: Annotated[list[Formula], About("At most 2000")]
    count: Annotated[int, About("How many there are")]
    functions: Annotated[dict[str, int], About("Functions and how many formulas use them")]
    errors: Annotated[list[str], About("Cells whose saved result is an error, such as #REF!")]


class Found(TypedDict):
    """A cell that holds what was searched."""

    sheet: Annotated[str, About("Its sheet")]
    cell: Annotated[str, About("Its place")]
    value: Annotated[Any, About("Its value")]


class Search(TypedDict):
    """What a search found."""

    cells: Annotated[list[Found], About("At most 2000")]
    count: Annotated[int, About("How many cells hold it")]


class CellChange(TypedDict):
    """A cell that differs."""

    sheet: Annotated[str, About("Its sheet")]
    cell: Annotated[str, About("Its place")]
    before: Annotated[Any, About("Value in the first workbook")]
    after: Annotated[Any, About("Value in the second")]


class Comparison(TypedDict):
    """How two workbooks differ."""

    identical: Annotated[bool, About("Whether all cells are the same")]
    changes: Annotated[list[CellChange], About("Cells that differ, at most 2000")]
    changed: Annotated[int, About("How many cells differ")]
    only_before: Annotated[list[str], About("Sheets only in the first")]
    only_after: Annotated[list[str], About("Sheets only in the second")]


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
            files={FILE: _STOCK},
        ),
        Refusal({"file": FILE}, "is no Excel workbook", files={FILE: NOT_OFFICE}),
    ),
    tier="starter",
    pace="normal",
    memory_mb=1024,
)
def xlsx_list_sheets(file: ExcelFile) -> Workbook:
    """List the sheets of an Excel workbook with sizes, headers, formulas, tables and charts.

    Use it first, to learn what a workbook holds. Returns also its defined names, title and author.
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
            files={FILE: _STOCK},
        ),
        Example(
            {"file": FILE, "sheet": "stock", "header": False, "formulas": True, "limit": 2},
            {
                "records": [{"A": "Item", "B": "Price", "C": "Total"}, {"A": "Pot", "B": 12.5, "C": "=B2*2"}],
                "rows": 3,
                "truncated": True,
            },
            source="by hand",
            files={FILE: _STOCK},
        ),
        Refusal({"file": FILE, "sheet": "Sales"}, "no sheet Sales. It has: Stock, Rates", files={FILE: _STOCK}),
        Refusal({"file": FILE, "cells": "1A"}, "not a range", files={FILE: _STOCK}),
    ),
    tier="starter",
    pace="normal",
    memory_mb=1024,
)
def xlsx_read_sheet(
    file: ExcelFile,
    sheet: SheetName = "",
    cells: CellRange = "",
    header: Annotated[bool, About("Whether the first row of the range names the columns")] = True,
    formulas: Annotated[bool, About("Return formulas instead of the results that Excel saved")] = False,
    limit: Annotated[int, About("Most rows to return", minimum=1, maximum=_MOST_SHOWN)] = 1000,
) -> SheetRows:
    """Read rows of a sheet or range of an Excel workbook as records.

    Use it to work on the figures of an .xlsx file. Dates come as ISO 8601, formulas as their saved results unless asked
    for; a workbook that no spreadsheet program has saved has none. Without a header the columns are A, B, C.
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
    ),
    examples=(
        Example(
            {"file": FILE, "cells": "A1:B3"},
            {"file": "Stock.csv", "rows": 2, "preview": "Item,Price\r\nPot,12.5\r\nCup,3\r\n"},
            source="RFC 4180",
            files={FILE: _STOCK},
        ),
        Example(
            {"file": FILE, "cells": "A1:B3", "to": "json"},
            {"file": "Stock.json", "preview": '[{"Item":"Pot","Price":12.5},{"Item":"Cup","Price":3}]'},
            source="RFC 8259, by hand",
            files={FILE: _STOCK},
        ),
        Example(
            {"file": FILE, "sheet": "Rates", "to": "csv", "delimiter": "tab"},
            {"file": "Rates.csv", "rows": 0, "columns": ["2"], "preview": "2\r\n"},
            source="by hand",
            files={FILE: _STOCK},
        ),
        Refusal({"file": FILE, "sheet": "Sales"}, "no sheet Sales", files={FILE: _STOCK}),
    ),
    tier="starter",
    pace="normal",
    memory_mb=1024,
)
def xlsx_convert_sheet(
    file: ExcelFile,
    sheet: SheetName = "",
    cells: CellRange = "",
    to: Annotated[Literal["csv", "json", "ndjson"], About("Format of the file")] = "csv",
    delimiter: Annotated[
        Literal["comma", "semicolon", "tab"], About("What stands between the fields of CSV")
    ] = "comma",
) -> TextFile:
    """Convert a sheet of an Excel workbook to a CSV, JSON or newline-delimited JSON file.

    Use it to hand a sheet to another program. The first row names the columns; formulas are written as the results that
    Excel saved, dates as ISO 8601.
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


@tool(
    tags="xlsx excel formulas list audit references functions errors",
    use_when=(
        "Which formulas are in this workbook?",
        "Find broken formulas (#REF!) in budget.xlsx",
        "Which cells does the total depend on?",
    ),
    examples=(
        Example(
            {"file": FILE},
            {
                "formulas": [
                    {"cell": "C2", "formula": "=B2*2", "references": ["B2"], "value": None},
                    {"cell": "C3", "formula": "=B3*Rates!A1", "references": ["B3", "Rates!A1"]},
                ],
                "count": 2,
                "functions": {},
            },
            source="the formulas that the workbook was written with",
            files={FILE: _STOCK},
        ),
        Example(
            {"file": FILE, "sheet": "A"},
            {
                "formulas": [{"formula": '=SUM(B1:$B$3)+IF(LOG10(A1)>0,"A9",1)', "references": ["B1:$B$3", "A1"]}],
                "functions": {"IF": 1, "LOG10": 1, "SUM": 1},
            },
            source="by hand: A9 stands in quotes, and LOG10 is a function",
            files={FILE: xlsx(A=((1, '=SUM(B1:$B$3)+IF(LOG10(A1)>0,"A9",1)'),))},
        ),
        Refusal({"file": FILE, "sheet": "Sales"}, "no sheet Sales", files={FILE: _STOCK}),
    ),
    tier="starter",
    pace="normal",
    memory_mb=2048,
)
def xlsx_list_formulas(file: ExcelFile, sheet: SheetName = "") -> Formulas:
    """List the formulas of an Excel workbook or of one sheet, with the cells they use and their saved results.

    Use it to check or document a model. Returns also which functions are used and which cells hold errors; it computes
    nothing anew.
    """
    with workbook(file) as book, workbook(file, values=True) as saved_results:
        sheets = [sheet_of(book, sheet)] if sheet.strip() else book.worksheets
        found = [
            _formula(cell, saved_results[one.title][cell.coordinate].value)
            for one in sheets
            for row in one.iter_rows()
            for cell in row
            if cell.data_type == "f"
        ]
        errors = [
            f"{one.title}!{cell.coordinate}"
            for one in sheets
            for row in saved_results[one.title].iter_rows()
            for cell in row
            if cell.data_type == "e"
        ]
    functions: dict[str, int] = {}
    for formula in found:
        for name in set(re.findall(r"([A-Z][A-Z0-9.]*)\(", _unquote(formula["formula"]))):
            functions[name] = functions.get(name, 0) + 1
    return {
        "formulas": found[:_MOST_FOUND],
        "count": len(found),
        "functions": dict(sorted(functions.items())),
        "errors": errors[:_MOST_FOUND],
    }


@tool(
    tags="xlsx excel find search text value cell where",
    use_when=(
        "In which cell of the workbook stands 'Total'?",
        "Find the customer 4711 in this Excel file",
        "Search all sheets for the word tea",
    ),
    examples=(
        Example(
            {"file": FILE, "query": "cu"},
            {"cells": [{"sheet": "Stock", "cell": "A3", "value": "Cup"}], "count": 1},
            source="the cells that the workbook was written with",
            files={FILE: _STOCK},
        ),
        Example(
            {"file": FILE, "query": "3", "whole_cell": True},
            {"cells": [{"sheet": "Stock", "cell": "B3", "value": 3}], "count": 1},
            source="by hand: the formula in C3 is not the whole 3",
            files={FILE: _STOCK},
        ),
        Refusal({"file": FILE, "query": "x", "sheet": "Sales"}, "no sheet Sales", files={FILE: _STOCK}),
    ),
    tier="starter",
    pace="normal",
    memory_mb=1024,
)
def xlsx_find_cells(
    file: ExcelFile,
    query: Annotated[str, About("Text or number to find, whatever its case", "Total", min_length=1, max_length=500)],
    sheet: SheetName = "",
    whole_cell: Annotated[bool, About("Find only cells that hold nothing else")] = False,
) -> Search:
    """Find the cells of an Excel workbook that hold a text or number, in all sheets or in one.

    Use it to locate something before reading or changing it. Values and formulas are searched. Returns sheets, cells
    and values.
    """
    wanted = query.strip().casefold() if whole_cell else query.casefold()
    found: list[Found] = []
    with workbook(file) as book:
        for one in [sheet_of(book, sheet)] if sheet.strip() else book.worksheets:
            for row in one.iter_rows():
                for cell in row:
                    value = plain_value(cell.value)
                    text = "" if value is None else str(value).casefold()
                    if text.strip() == wanted if whole_cell else wanted in text:
                        found.append({"sheet": one.title, "cell": cell.coordinate, "value": value})
    return {"cells": found[:_MOST_FOUND], "count": len(found)}


@tool(
    tags="xlsx excel compare diff changes versions workbooks sheets cells",
    use_when=(
        "What changed between these two Excel files?",
        "Compare budget v1.xlsx and v2.xlsx cell by cell",
        "Which prices differ from last month's workbook?",
    ),
    examples=(
        Example(
            {"file": FILE, "other_file": FILE_2},
            {
                "identical": False,
                "changes": [
                    {"sheet": "Stock", "cell": "B2", "before": 12.5, "after": 13},
                    {"sheet": "Stock", "cell": "C3", "before": "=B3*Rates!A1", "after": None},
                ],
                "changed": 2,
                "only_before": ["Rates"],
                "only_after": [],
            },
            source="the cells that the workbooks were written with",
            files={FILE: _STOCK, FILE_2: _NEWER},
        ),
        Example(
            {"file": FILE, "other_file": FILE_2, "tolerance": 0.5, "compare": "results"},
            {"identical": False, "changes": [], "changed": 0},
            source="by hand: the price differs by no more than 0.5, formulas have no saved results; a sheet is missing",
            files={FILE: _STOCK, FILE_2: _NEWER},
        ),
        Refusal({"file": FILE, "other_file": FILE_2}, "is no Excel workbook", files={FILE: _STOCK, FILE_2: NOT_OFFICE}),
    ),
    tier="starter",
    pace="normal",
    memory_mb=2048,
)
def xlsx_compare_workbooks(
    file: ExcelFile,
    other_file: Annotated[ExcelFile, About("Id of the workbook to compare with", FILE_2)],
    compare: Annotated[Literal["formulas", "results"], About("Compare formulas or their saved results")] = "formulas",
    tolerance: Annotated[float, About("Numbers that differ by no more count as equal", minimum=0, maximum=1e9)] = 0,
) -> Comparison:
    """Compare two Excel workbooks cell by cell, sheets matched by their names.

    Use it for two versions of a workbook. Rows that moved show as changes; for tables with a key compare the rows with
    table_diff. Returns the cells that differ, and sheets that only one has.
    """
    values = compare == "results"
    with workbook(file, values=values) as first, workbook(other_file, values=values) as second:
        before = {sheet.title: sheet for sheet in first.worksheets}
        after = {sheet.title: sheet for sheet in second.worksheets}
        changes = [
            change
            for name in before.keys() & after.keys()
            for change in _changes(name, _cells(before[name]), _cells(after[name]), tolerance)
        ]
    only_before, only_after = sorted(before.keys() - after.keys()), sorted(after.keys() - before.keys())
    return {
        "identical": not changes and not only_before and not only_after,
        "changes": changes[:_MOST_FOUND],
        "changed": len(changes),
        "only_before": only_before,
        "only_after": only_after,
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
    """Names of the columns, and the rows that hold anything."""
    rows = [row for row in rows_in(sheet, bounds) if any(value is not None for value in row)]
    letters = [get_column_letter(column) for column in range(bounds[0], bounds[2] + 1)]
    if not header or not rows:
        return letters, rows
    columns: list[str] = []
    for letter, value in zip(letters, rows[0], strict=True):
        name = str(value).strip() if value is not None else letter
        columns.append(name if name and name not in columns else f"{name} {letter}".strip())
    return columns, rows[1:]


def _formula(cell: Any, result: Any) -> Formula:
    text = str(plain_value(cell.value))
    return {
        "sheet": cell.parent.title,
        "cell": cell.coordinate,
        "formula": text,
        "value": plain_value(result),
        "references": list(dict.fromkeys(_REFERENCE.findall(_unquote(text)))),
    }


def _unquote(formula: str) -> str:
    """A formula without its texts."""
    return re.sub(r'"[^"]*"', '""', formula)


def _cells(sheet: Any) -> dict[tuple[int, int], Any]:
    return {
        (cell.row, cell.column): plain_value(cell.value)
        for row in sheet.iter_rows()
        for cell in row
        if cell.value is not None
    }


def _changes(
    sheet: str, before: Mapping[tuple[int, int], Any], after: Mapping[tuple[int, int], Any], tolerance: float
) -> Iterator[CellChange]:
    for row, column in sorted(before.keys() | after.keys()):
        old, new = before.get((row, column)), after.get((row, column))
        if not _same(old, new, tolerance):
            yield {"sheet": sheet, "cell": f"{get_column_letter(column)}{row}", "before": old, "after": new}


def _same(old: Any, new: Any, tolerance: float) -> bool:
    if isinstance(old, int | float) and isinstance(new, int | float):
        return abs(old - new) <= tolerance
    return type(old) is type(new) and bool(old == new)
