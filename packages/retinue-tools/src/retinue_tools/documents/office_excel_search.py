"""Excel workbooks: search for formulas and cells, and comparison."""

import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal

from openpyxl.utils import get_column_letter
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, tool
from retinue_tools.documents._office_excel_cells import SheetName, plain_value, sheet_of
from retinue_tools.documents._office_files import ExcelFile, workbook
from retinue_tools.documents._office_samples import NOT_OFFICE, xlsx
from retinue_tools.documents._samples import FILE, FILE_2
from retinue_tools.documents.office_excel_read import MOST_FOUND, STOCK

_REFERENCE = re.compile(
    r"(?:(?:'[^']+'|[A-Za-z0-9_.]+)!)?\$?[A-Z]{1,3}\$?[0-9]{1,7}(?::\$?[A-Z]{1,3}\$?[0-9]{1,7})?(?![\w(])"
)

AnySheet = Annotated[SheetName, About("Only this sheet; empty for all")]

_NEWER = xlsx(Stock=(("Item", "Price", "Total"), ("Pot", 13, "=B2*2"), ("Cup", 3)))


class Formula(TypedDict):
    """A formula."""

    sheet: Annotated[str, About("Sheet name")]
    cell: Annotated[str, About("Cell address")]
    formula: Annotated[str, About("Formula text")]
    value: Annotated[Any, About("Result that Excel saved; null if it was never calculated")]
    references: Annotated[list[str], About("Referenced cells and ranges")]


class Formulas(TypedDict):
    """The formulas of a workbook."""

    formulas: Annotated[list[Formula], About("Formulas, at most 2000")]
    count: Annotated[int, About("Number of formulas")]
    functions: Annotated[dict[str, int], About("Functions and the number of formulas that use them")]
    errors: Annotated[list[str], About("Cells whose saved result is an error, such as #REF!")]


class Found(TypedDict):
    """A cell that contains the search text."""

    sheet: Annotated[str, About("Sheet name")]
    cell: Annotated[str, About("Cell address")]
    value: Annotated[Any, About("Value of the cell")]


class Search(TypedDict):
    """Result of a search."""

    cells: Annotated[list[Found], About("Matching cells, at most 2000")]
    count: Annotated[int, About("Number of matching cells")]


class CellChange(TypedDict):
    """A cell that differs."""

    sheet: Annotated[str, About("Sheet name")]
    cell: Annotated[str, About("Cell address")]
    before: Annotated[Any, About("Value in the first workbook")]
    after: Annotated[Any, About("Value in the second")]


class Comparison(TypedDict):
    """Differences between two workbooks."""

    identical: Annotated[bool, About("Whether all cells are equal")]
    changes: Annotated[list[CellChange], About("Differing cells, at most 2000")]
    changed: Annotated[int, About("Number of differing cells")]
    only_before: Annotated[list[str], About("Sheets only in the first")]
    only_after: Annotated[list[str], About("Sheets only in the second")]


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
            files={FILE: STOCK},
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
        Refusal({"file": FILE, "sheet": "Sales"}, "no sheet Sales", files={FILE: STOCK}),
    ),
    reply={
        "errors": "Broken formulas are in {errors}. All formulas: {formulas}",
        "formulas": "I found {count|formula}: {formulas}",
        "": "There are no formulas in the workbook.",
    },
    tier="starter",
    pace="normal",
    memory_mb=2048,
)
def xlsx_list_formulas(file: ExcelFile, sheet: AnySheet = "") -> Formulas:
    """List the formulas of an Excel workbook or of one sheet, with the cells they use and their saved results.

    Use it to check or document a model. Also returns the functions in use and the cells with errors; nothing is
    recalculated.
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
        "formulas": found[:MOST_FOUND],
        "count": len(found),
        "functions": dict(sorted(functions.items())),
        "errors": errors[:MOST_FOUND],
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
            files={FILE: STOCK},
        ),
        Example(
            {"file": FILE, "query": "3", "whole_cell": True},
            {"cells": [{"sheet": "Stock", "cell": "B3", "value": 3}], "count": 1},
            source="by hand: the formula in C3 is not the whole 3",
            files={FILE: STOCK},
        ),
        Refusal({"file": FILE, "query": "x", "sheet": "Sales"}, "no sheet Sales", files={FILE: STOCK}),
    ),
    reply={
        "cells.1": "I found {count|cell}: {cells}",
        "cells": "It is in cell {cells.0.cell} of the sheet {cells.0.sheet}.",
        "": "\u201c{args.query}\u201d is in no cell.",
    },
    tier="starter",
    pace="normal",
    memory_mb=1024,
)
def xlsx_find_cells(
    file: ExcelFile,
    query: Annotated[str, About("Text or number to find, ignoring case", "Total", min_length=1, max_length=500)],
    sheet: AnySheet = "",
    whole_cell: Annotated[bool, About("Whether the whole cell must match")] = False,
) -> Search:
    """Find the cells of an Excel workbook that contain a text or number, in all sheets or in one.

    Use it to locate something before reading or changing it. Values and formulas are searched. Returns sheets, cells
    and values.
    """
    needle = query.strip().casefold() if whole_cell else query.casefold()
    found: list[Found] = []
    with workbook(file) as book:
        for one in [sheet_of(book, sheet)] if sheet.strip() else book.worksheets:
            for row in one.iter_rows():
                for cell in row:
                    value = plain_value(cell.value)
                    text = "" if value is None else str(value).casefold()
                    if text.strip() == needle if whole_cell else needle in text:
                        found.append({"sheet": one.title, "cell": cell.coordinate, "value": value})
    return {"cells": found[:MOST_FOUND], "count": len(found)}


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
            files={FILE: STOCK, FILE_2: _NEWER},
        ),
        Example(
            {"file": FILE, "other_file": FILE_2, "tolerance": 0.5, "compare": "results"},
            {"identical": False, "changes": [], "changed": 0},
            source="by hand: the price differs by no more than 0.5, formulas have no saved results; a sheet is missing",
            files={FILE: STOCK, FILE_2: _NEWER},
        ),
        Refusal(
            {"file": FILE, "other_file": FILE_2},
            "is not a valid Excel workbook (.xlsx)",
            files={FILE: STOCK, FILE_2: NOT_OFFICE},
        ),
    ),
    reply={
        "identical": "The workbooks are identical.",
        "changes": "{changed|cell} changed: {changes}",
        "only_before, only_after": (
            "Only in the first workbook is {only_before}, and only in the second {only_after}."
        ),
        "only_before": "The second workbook lacks {only_before}.",
        "only_after": "The second workbook has {only_after} in addition.",
        "": "The workbooks differ.",
    },
    tier="starter",
    pace="normal",
    memory_mb=2048,
)
def xlsx_compare_workbooks(
    file: ExcelFile,
    other_file: Annotated[ExcelFile, About("ID of the workbook to compare with", FILE_2)],
    compare: Annotated[Literal["formulas", "results"], About("Compare formulas or their saved results")] = "formulas",
    tolerance: Annotated[
        float, About("Numbers that differ by at most this count as equal", minimum=0, maximum=1e9)
    ] = 0,
) -> Comparison:
    """Compare two Excel workbooks cell by cell, sheets matched by their names.

    Use it for two versions of a workbook. Moved rows appear as changes; for tables with a key, compare the rows with
    table_diff. Returns the differing cells, and sheets that exist in only one workbook.
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
        "changes": changes[:MOST_FOUND],
        "changed": len(changes),
        "only_before": only_before,
        "only_after": only_after,
    }


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
    """Return a formula without its text literals."""
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
