"""Charts of the columns of a table."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from retinue.sdk import About, Example, ExampleCall, Refusal, ToolError, tool
from retinue_tools.data_analysis._charts_axes import NamedValues
from retinue_tools.data_analysis._charts_style import Around, Layout, Picture, Title
from retinue_tools.data_analysis._loading import quote
from retinue_tools.data_analysis._tables import (
    Column,
    Noted,
    Rows,
    TableFile,
    column,
    encode,
    numeric,
    open_table,
    records,
    table_tool,
)
from retinue_tools.data_analysis.charts_bars import chart_draw_bars
from retinue_tools.data_analysis.charts_lines import chart_draw_area, chart_draw_line
from retinue_tools.data_analysis.charts_scatter import chart_draw_scatter

_FILE = "file_01k9z4m2n8q6r5t3v7w1x0y2za"
_SALES = "month,region,amount\n2026-02,South,1\n2026-01,North,2\n2026-01,North,3\n2026-02,North,4\n"
_MOST_GROUPS, _MOST_POINTS = 200, 20_000
_COMPUTE = {"sum": "sum({})", "mean": "avg({})", "median": "median({})", "min": "min({})", "max": "max({})"}


class TableChart(Picture, Noted):
    """A chart of a table."""

    x: Annotated[list[str | float], About("Positions of the points in chart order, at most 200")]
    series: Annotated[dict[str, list[float | None]], About("Values by series, at most 200 each")]
    points: Annotated[int, About("Number of points drawn")]


@tool(
    tags="chart table csv excel file column plot group aggregate draw bar line",
    use_when=(
        "Chart the amount by month from this CSV file",
        "Plot sales per region out of the Excel upload",
        "Draw price against size from the table",
    ),
    examples=(
        Example(
            {"file": _FILE, "kind": "line", "x": "month", "y": ["amount"]},
            {"file": "line.png", "x": ["2026-01", "2026-02"], "series": {"amount": [5.0, 5.0]}, "points": 2},
            source="summed by hand, in order of the months",
            files={_FILE: encode(_SALES)},
        ),
        Example(
            {"rows": [{"a": "q", "n": 1}, {"a": "p", "n": 3}, {"a": "p", "n": 5}], "kind": "bars", "x": "a", "y": ["n"],
             "compute": "mean"},
            {"file": "bars.png", "x": ["p", "q"], "series": {"n": [4.0, 1.0]}},
            source="means by hand, from the greatest",
            then=(ExampleCall("file_detect_type", {"file": "{made}"}, {"media_type": "image/png"}),),
        ),
        Refusal(
            {"file": _FILE, "kind": "bars", "x": "town", "y": ["amount"]},
            "no column town",
            files={_FILE: encode(_SALES)},
        ),
    ),
    reply={
        "notes": "The chart with {points|point}; note: {notes.0} The picture: {file}",
        "": "The chart with {points|point}: {file}",
    },
    tier="starter",
    credits=2,
    pace="normal",
    memory_mb=1536,
)  # fmt: skip
@table_tool
def chart_draw_from_table(
    kind: Annotated[Literal["bars", "line", "area", "scatter"], About("Kind of chart")],
    x: Annotated[Column, About("Column along the axis: categories, dates or numbers", "month")],
    y: Annotated[list[Column], About("Numeric columns; one for scatter", ["amount"], min_items=1, max_items=8)],
    file: TableFile | None = None,
    rows: Rows | None = None,
    compute: Annotated[
        Literal["sum", "mean", "median", "min", "max"], About("Aggregation of rows with the same value of x")
    ] = "sum",
    title: Title = "",
    layout: Around = None,
) -> TableChart:
    """Draw a chart of columns of a CSV, Excel, JSON or Parquet file, or of rows; rows that share an x are combined.

    Use it if the numbers are in a table, instead of copying them. Bars are sorted with the largest first, lines by x;
    scatter draws every row. Returns the picture and the numbers drawn.
    """
    table = open_table(file, rows)
    place, numbers = column(table, x), [numeric(table, name) for name in y]
    if kind == "scatter":
        picture, drawn, points = _scatter(table, numeric(table, x), numbers[0], title, layout)
        return {
            "file": picture["file"],
            "width": picture["width"],
            "height": picture["height"],
            "x": [],
            "series": drawn,
            "points": points,
        }
    places, series = _combine(table, place, numbers, compute)
    if kind == "bars":
        order = sorted(range(len(places)), key=lambda at: -sum(one["values"][at] or 0.0 for one in series))
        places = [places[at] for at in order]
        series = [{"name": one["name"], "values": [one["values"][at] for at in order]} for one in series]
        picture = chart_draw_bars([str(value) for value in places], series, title, layout=layout)
    else:
        picture = (chart_draw_line if kind == "line" else chart_draw_area)(places, series, title, layout=layout)
    return {
        "file": picture["file"],
        "width": picture["width"],
        "height": picture["height"],
        "x": places[:200],
        "series": {one["name"]: list(one["values"][:200]) for one in series},
        "points": len(places),
    }


def _combine(
    table: Any, place: str, numbers: Sequence[str], compute: str
) -> tuple[list[str | float], list[NamedValues]]:
    """Return the values of x in order, and the aggregated values of each numeric column."""
    parts = [f"{_COMPUTE[compute].format(quote(name))} AS {quote(f'y{at}')}" for at, name in enumerate(numbers)]
    groups = table.filter(f"{quote(place)} IS NOT NULL").aggregate(
        f"{quote(place)} AS x, {', '.join(parts)}", quote(place)
    )
    found = records(groups.order("x").limit(_MOST_GROUPS + 1))
    if not found:
        raise ToolError(f"The column {place} has no values.")
    if len(found) > _MOST_GROUPS:
        raise ToolError(f"The column {place} has more than {_MOST_GROUPS} values. Choose a coarser one, or scatter.")
    places = [_place(record["x"]) for record in found]
    return places, [{"name": name, "values": [record[f"y{at}"] for record in found]} for at, name in enumerate(numbers)]


def _scatter(
    table: Any, x: str, y: str, title: str, layout: Around
) -> tuple[Picture, dict[str, list[float | None]], int]:
    """Return the chart, the first values of y, and the number of points."""
    known = table.filter(f"{quote(x)} IS NOT NULL AND {quote(y)} IS NOT NULL")
    found = records(known.project(f"{quote(x)} AS x, {quote(y)} AS y").limit(_MOST_POINTS))
    if not found:
        raise ToolError(f"No row has both {x} and {y}.")
    across, upward = [record["x"] for record in found], [record["y"] for record in found]
    axis_labels: Layout = {"x_label": x[:100], "y_label": y[:100]}
    around: Layout = {**axis_labels, **(layout or {})}
    picture = chart_draw_scatter(across, upward, title=title, layout=around)
    result: Picture = {"file": picture["file"], "width": picture["width"], "height": picture["height"]}
    return result, {y: upward[:200]}, len(found)


def _place(value: Any) -> str | float:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else str(value)
