"""Charts and summaries in Excel workbooks."""

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Literal

from openpyxl.chart import AreaChart, BarChart, LineChart, PieChart, Reference, ScatterChart, Series
from openpyxl.styles import Font
from openpyxl.utils import get_column_letter
from typing_extensions import TypedDict

from retinue.sdk import About, Example, ExampleCall, OutputFile, Refusal, ToolError, tool
from retinue_tools.documents._office_excel_cells import (
    CellRange,
    Place,
    SheetName,
    bounds_of,
    fit_columns,
    plain_value,
    put,
    rows_in,
    sheet_of,
    style_header,
    unique_name,
)
from retinue_tools.documents._office_files import ExcelFile, save_document, workbook
from retinue_tools.documents._office_runs import xml_text
from retinue_tools.documents._office_samples import xlsx
from retinue_tools.documents._samples import FILE

_SALES = xlsx(
    Sales=(
        ("Region", "Year", "Amount"),
        ("North", 2025, 10),
        ("South", 2025, 4),
        ("North", 2026, 6),
        ("North", 2026, 1),
    )
)
_COLOURS = ("0B5CAD", "E07B39", "2A9D8F", "8E6BBF", "C44536", "7A8794")
_MOST_GROUPS = 5000

Column = Annotated[str, About("Column header", "Region", min_length=1, max_length=255)]
Group = tuple[Any, ...]


class Charted(TypedDict):
    """A workbook with a chart."""

    file: OutputFile
    sheet: Annotated[str, About("Sheet of the chart")]
    series: Annotated[list[str], About("Names of the series")]
    points: Annotated[int, About("Number of points in each series")]


class Pivoted(TypedDict):
    """A workbook with a summary sheet."""

    file: OutputFile
    sheet: Annotated[str, About("Name of the new sheet")]
    columns: Annotated[list[str], About("Headers of the summary")]
    records: Annotated[list[dict[str, Any]], About("Rows of the summary, at most 500, with the totals last")]


@tool(
    tags="xlsx excel chart add native bar line pie scatter area graph",
    use_when=(
        "Add a bar chart of the sales to this workbook",
        "Put a native Excel line chart next to the table",
        "Make a pie chart from A1:B6 inside the file",
        "Make a graph in Excel",
    ),
    examples=(
        Example(
            {"file": FILE, "cells": "A1:C3", "kind": "column", "title": "Sales"},
            {"file": "workbook.xlsx", "sheet": "Sales", "series": ["Year", "Amount"], "points": 2},
            source="the cells that the workbook was written with",
            files={FILE: _SALES},
            then=(ExampleCall("xlsx_list_sheets", {"file": "{made}"}, {"sheets": [{"charts": 1}]}),),
        ),
        Example(
            {"file": FILE, "cells": "B1:C5", "kind": "scatter", "place": "H2"},
            {"series": ["Amount"], "points": 4},
            source="by hand",
            files={FILE: _SALES},
        ),
        Refusal({"file": FILE, "cells": "A1:A5", "kind": "line"}, "two columns", files={FILE: _SALES}),
    ),
    reply="The workbook with the chart on the sheet {sheet}: {file}",
    tier="starter",
    credits=2,
    pace="normal",
    memory_mb=1024,
)
def xlsx_add_chart(
    file: ExcelFile,
    cells: CellRange,
    kind: Annotated[
        Literal["column", "bar", "stacked_column", "line", "area", "pie", "scatter"], About("Kind of chart")
    ] = "column",
    title: Annotated[str, About("Title above the chart", "Sales by region", max_length=200)] = "",
    place: Annotated[Place | None, About("Cell of the top left corner; default: right of the range", "F2")] = None,
    sheet: SheetName = "",
) -> Charted:
    """Add a native chart to an Excel workbook that follows its cells.

    Use it if the reader continues to work in Excel. The first row of the range names the series, the first column
    contains labels (for scatter the x values). Returns the new file and the charted series; chart_draw tools make
    pictures.
    """
    with workbook(file) as book:
        found = sheet_of(book, sheet)
        left, top, right, bottom = bounds = bounds_of(found, cells)
        if right <= left or bottom <= top:
            raise ToolError("A chart needs at least two columns and two rows: labels and values below a header.")
        chart = _chart(kind, found, bounds)
        if title.strip():
            chart.title = xml_text(title)
        found.add_chart(chart, place.upper() if place else f"{get_column_letter(min(right + 2, 16000))}{top}")
        names = [plain_value(found.cell(top, column).value) for column in range(left + 1, right + 1)]
        series_names = names[:1] if kind == "pie" else names
        return {
            "file": save_document(book, "workbook.xlsx"),
            "sheet": found.title,
            "series": ["" if name is None else str(name) for name in series_names],
            "points": bottom - top,
        }


@tool(
    tags="xlsx excel pivot summary group sum count average report totals sheet",
    use_when=(
        "Add a pivot summary of amount by region and year",
        "Summarise this workbook on a new sheet",
        "How much did each region sell? Put the totals into the file",
    ),
    examples=(
        Example(
            {"file": FILE, "rows_by": ["Region"], "columns_by": "Year", "value": "Amount"},
            {
                "file": "workbook.xlsx",
                "sheet": "Summary",
                "columns": ["Region", "2025", "2026", "Total"],
                "records": [
                    {"Region": "North", "2025": 10, "2026": 7, "Total": 17},
                    {"Region": "South", "2025": 4, "2026": None, "Total": 4},
                    {"Region": "Total", "2025": 14, "2026": 7, "Total": 21},
                ],
            },
            source="added by hand",
            files={FILE: _SALES},
            then=(
                ExampleCall("xlsx_read_sheet", {"file": "{made}", "sheet": "Summary", "cells": "D:D"},
                     {"records": [{"Total": 17}, {"Total": 4}, {"Total": 21}]}),
            ),
        ),
        Example(
            {"file": FILE, "rows_by": ["Year", "Region"], "value": "Amount", "compute": "average"},
            {
                "columns": ["Year", "Region", "Amount"],
                "records": [
                    {"Year": 2025, "Region": "North", "Amount": 10.0},
                    {"Year": 2025, "Region": "South", "Amount": 4.0},
                    {"Year": 2026, "Region": "North", "Amount": 3.5},
                    {"Year": "Total", "Region": None, "Amount": 5.25},
                ],
            },
            source="averages by hand: (6 + 1) / 2 and 21 / 4",
            files={FILE: _SALES},
        ),
        Refusal({"file": FILE, "rows_by": ["Town"], "value": "Amount"}, "no column Town", files={FILE: _SALES}),
    ),
    reply="The workbook with the summary on the sheet {sheet}: {file}",
    tier="starter",
    credits=2,
    pace="normal",
    memory_mb=1024,
)  # fmt: skip
def xlsx_add_pivot_sheet(
    file: ExcelFile,
    rows_by: Annotated[list[Column], About("Columns whose values become rows", ["Region"], min_items=1, max_items=4)],
    value: Annotated[Column, About("Column to summarise", "Amount")],
    columns_by: Annotated[
        str, About("Column whose values become columns; empty for none", "Year", max_length=255)
    ] = "",
    compute: Annotated[Literal["sum", "count", "average", "min", "max"], About("Function to compute")] = "sum",
    sheet: SheetName = "",
    name: Annotated[str, About("Name of the new sheet", "Summary", min_length=1, max_length=31)] = "Summary",
) -> Pivoted:
    """Add a sheet to an Excel workbook that summarises a table by one or more columns, like a pivot table.

    Use it for totals by region, month or product. The first row of the sheet must contain the headers. Returns the new
    file and the summary; its values are fixed numbers, and formulas count with their saved results.
    """
    with workbook(file, values=True) as results:
        groups, across = _groups(sheet_of(results, sheet), rows_by, columns_by, value)
    header, rows = _summary(groups, across, rows_by, value, _COMPUTE[compute])
    with workbook(file) as book:
        target = book.create_sheet(unique_name(book.sheetnames, name))
        for number, row in enumerate([header, *rows], 1):
            for column, cell in enumerate(row, 1):
                put(target.cell(number, column), cell)
                target.cell(number, column).font = Font(bold=number == len(rows) + 1)
        style_header(target, 1, len(header))
        target.freeze_panes = target.cell(2, len(rows_by) + 1).coordinate
        fit_columns(target)
        records = [
            dict(zip(header, row, strict=True)) for row in (rows if len(rows) <= 500 else [*rows[:499], rows[-1]])
        ]
        return {
            "file": save_document(book, "workbook.xlsx"),
            "sheet": target.title,
            "columns": header,
            "records": records,
        }


_COMPUTE: Mapping[str, Callable[[Sequence[float]], float]] = {
    "sum": sum,
    "count": len,
    "average": lambda values: sum(values) / len(values),
    "min": min,
    "max": max,
}


def _chart(kind: str, sheet: Any, bounds: tuple[int, int, int, int]) -> Any:
    left, top, right, bottom = bounds
    labels = Reference(sheet, min_col=left, min_row=top + 1, max_row=bottom)
    if kind == "scatter":
        chart = ScatterChart(scatterStyle="lineMarker")
        for column in range(left + 1, right + 1):
            values = Reference(sheet, min_col=column, min_row=top, max_row=bottom)
            chart.series.append(Series(values, labels, title_from_data=True))
        for series in chart.series:
            series.marker.symbol, series.graphicalProperties.line.noFill = "circle", True
    else:
        chart = {"line": LineChart, "area": AreaChart, "pie": PieChart}.get(kind, BarChart)()
        last = left + 1 if kind == "pie" else right
        values = Reference(sheet, min_col=left + 1, max_col=last, min_row=top, max_row=bottom)
        chart.add_data(values, titles_from_data=True)
        chart.set_categories(labels)
    if kind in ("column", "bar", "stacked_column"):
        chart.type = "bar" if kind == "bar" else "col"
        chart.gapWidth = 60
        if kind == "stacked_column":
            chart.grouping, chart.overlap = "stacked", 100
    if kind != "pie":
        _colour(chart, kind)
        chart.x_axis.delete = chart.y_axis.delete = False
        if len(chart.series) == 1:
            chart.legend = None
    chart.width, chart.height = 18, 9.5
    return chart


def _colour(chart: Any, kind: str) -> None:
    for number, series in enumerate(chart.series):
        colour = _COLOURS[number % len(_COLOURS)]
        if kind == "line":
            series.graphicalProperties.line.solidFill, series.smooth = colour, False
        elif kind == "scatter":
            series.marker.graphicalProperties.solidFill = colour
        else:
            series.graphicalProperties.solidFill = colour


def _groups(
    sheet: Any, rows_by: Sequence[str], columns_by: str, value: str
) -> tuple[dict[Group, dict[Any, list[float]]], list[Any]]:
    """Return the numbers of each row group by column value, and the column values in order."""
    header, *body = [row for row in rows_in(sheet, bounds_of(sheet, "")) if any(cell is not None for cell in row)] or [
        []
    ]
    known = {str(cell).strip().casefold(): place for place, cell in enumerate(header) if cell is not None}

    def place(column: str) -> int:
        if column.strip().casefold() not in known:
            columns = ", ".join(str(cell) for cell in header if cell is not None)
            raise ToolError(f"The sheet has no column {column}. Available columns: {columns[:500]}.")
        return known[column.strip().casefold()]

    keys, number = [place(column) for column in rows_by], place(value)
    across = place(columns_by) if columns_by.strip() else None
    groups: dict[Group, dict[Any, list[float]]] = {}
    for row in body:
        if isinstance(row[number], int | float) and not isinstance(row[number], bool):
            group = groups.setdefault(tuple(row[key] for key in keys), {})
            group.setdefault(None if across is None else _label(row[across]), []).append(row[number])
    if not groups:
        raise ToolError(
            f"The column {value} contains no numbers. Formulas count only if Excel has saved their results."
        )
    if len(groups) > _MOST_GROUPS:
        raise ToolError(f"That makes more than {_MOST_GROUPS:,} groups. Group by fewer or coarser columns.")
    names = {name for group in groups.values() for name in group}
    if len(names) > 200:
        raise ToolError(f"The column {columns_by} has more than 200 values. Put it into rows_by instead.")
    return groups, sorted(names, key=_order) if across is not None else []


def _summary(
    groups: Mapping[Group, Mapping[Any, list[float]]],
    across: Sequence[Any],
    rows_by: Sequence[str],
    value: str,
    compute: Callable[[Sequence[float]], float],
) -> tuple[list[str], list[list[Any]]]:
    """Return the header and the rows, with the totals last."""
    header = [*rows_by, *across, "Total" if across else value]

    def cells(group: Mapping[Any, list[float]]) -> list[Any]:
        every = [number for numbers in group.values() for number in numbers]
        return [
            *(plain_value(compute(group[name])) if name in group else None for name in across),
            plain_value(compute(every)),
        ]

    rows = [[*key, *cells(groups[key])] for key in sorted(groups, key=lambda key: [_order(part) for part in key])]
    together: dict[Any, list[float]] = {}
    for group in groups.values():
        for name, numbers in group.items():
            together.setdefault(name, []).extend(numbers)
    return header, [*rows, ["Total", *[None] * (len(rows_by) - 1), *cells(together)]]


def _label(value: Any) -> str:
    return "(empty)" if value is None else str(value)


def _order(value: Any) -> tuple[int, float, str]:
    """Sort numbers before texts, and texts before missing values."""
    if isinstance(value, int | float):
        return 0, value, ""
    return (2, 0, "") if value is None else (1, 0, str(value))
