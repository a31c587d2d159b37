"""Heat maps and calendar charts."""

import calendar
import math
from collections.abc import Sequence
from datetime import date, timedelta
from typing import Annotated, Any, Literal

import matplotlib as mpl
import numpy as np
from matplotlib.collections import PatchCollection
from matplotlib.patches import Rectangle
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.data_analysis._charts_style import (
    GREY,
    INK,
    Around,
    FileFormat,
    Frame,
    Gap,
    Picture,
    Title,
    axes_of,
    compact,
    draw,
    short,
    text_on,
)

_MOST_CELLS = 10_000

Labels = Annotated[
    list[Annotated[str, About("Label", "Mon", max_length=60)]],
    About("Labels", ["Mon", "Tue"], min_items=1, max_items=366),
]
Grid = Annotated[
    list[Annotated[list[Gap], About("A row", [1, 2], min_items=1, max_items=500)]],
    About("Rows of numbers; null for a gap", [[1, 2], [3, 4]], min_items=1, max_items=500),
]


class HeatMap(Picture):
    """A heat map."""

    minimum: Annotated[float, About("Least value")]
    maximum: Annotated[float, About("Greatest value")]
    maximum_at: Annotated[list[str], About("Row and column of the largest value")]


class Day(TypedDict):
    """Value of a day."""

    date: Annotated[str, About("The day", "2026-03-01", pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$", max_length=10)]
    value: Annotated[float, About("Value of the day", 5, minimum=-1e15, maximum=1e15)]


class CalendarMap(Picture):
    """A calendar heat map."""

    days: Annotated[int, About("Number of days with a value")]
    total: Annotated[float, About("Sum of the values")]
    best_day: Annotated[str, About("Day with the largest value")]
    by_weekday: Annotated[dict[str, float | None], About("Mean of the values by weekday")]


@tool(
    tags="chart heat map heatmap matrix correlation table colours grid draw",
    use_when=(
        "Draw a heat map of visits by weekday and hour",
        "Show this correlation matrix in colours",
        "Colour the table of numbers",
    ),
    examples=(
        Example(
            {"rows": ["Mon", "Tue"], "columns": ["a", "b"], "values": [[1, 2], [5, None]]},
            {"file": "heatmap.png", "minimum": 1.0, "maximum": 5.0, "maximum_at": ["Tue", "a"]},
            source="by hand",
        ),
        Example(
            {"rows": ["x"], "columns": ["y"], "values": [[-1]], "colours": "diverging", "file_format": "svg"},
            {"file": "heatmap.svg", "maximum": -1.0},
            source="by hand",
        ),
        Refusal({"rows": ["Mon"], "columns": ["a"], "values": [[1, 2]]}, "as many"),
    ),
    reply="The heat map; the largest value is {maximum}, at {maximum_at}: {file}",
    tier="starter",
    credits=2,
    pace="normal",
    memory_mb=1024,
)
def chart_draw_heatmap(
    rows: Labels,
    columns: Labels,
    values: Grid,
    colours: Annotated[
        Literal["sequential", "diverging"], About("Light to dark, or two colours diverging from zero")
    ] = "sequential",
    title: Title = "",
    layout: Around = None,
    file_format: FileFormat = "png",
) -> HeatMap:
    """Draw a heat map: a table of numbers as colours, with the numbers in the cells if there is room.

    Use it for two-way tables and correlation matrices. Returns the picture, the range, and the position of the largest
    value.
    """
    if len(values) != len(rows) or any(len(row) != len(columns) for row in values):
        raise ToolError(
            "values must have as many rows as there are row labels, and each row as many numbers as there are column "
            "labels."
        )
    if len(rows) * len(columns) > _MOST_CELLS:
        raise ToolError(f"A heat map can have at most {_MOST_CELLS:,} cells.")
    grid = np.array([[math.nan if value is None else value for value in row] for row in values], dtype=float)
    if not np.isfinite(grid).any():
        raise ToolError("The table has no numbers.")
    low, high = float(np.nanmin(grid)), float(np.nanmax(grid))
    reach = max(abs(low), abs(high)) or 1.0

    def plot(figure: Any) -> None:
        axes = axes_of(figure, "none")
        axes.spines["bottom"].set_visible(False)
        scale = mpl.colors.Normalize(-reach, reach) if colours == "diverging" else mpl.colors.Normalize(low, high)
        colour_map = mpl.colormaps["RdBu_r" if colours == "diverging" else "YlGnBu"]
        edges = {"edgecolors": "white", "linewidth": 1.5 if len(columns) <= 60 else 0}
        mesh = axes.pcolormesh(grid, cmap=colour_map, norm=scale, **edges)
        axes.set_facecolor("#F0F2F4")
        _label_cells(axes, rows, columns)
        if len(columns) <= 16 and len(rows) <= 26:
            for (row, column), value in np.ndenumerate(grid):
                if np.isfinite(value):
                    ink = text_on(colour_map(scale(value)))
                    axes.text(column + 0.5, row + 0.5, compact(value), ha="center", va="center", color=ink, size=9)
        draw_colour_bar(figure, axes, mesh)

    size = (max(520, min(56 * len(columns) + 260, 1600)), max(320, min(36 * len(rows) + 130, 1600)))
    picture = draw("heatmap", Frame(title, layout, file_format), plot, size)
    row, column = np.unravel_index(int(np.nanargmax(grid)), grid.shape)
    return {**picture, "minimum": low, "maximum": high, "maximum_at": [rows[int(row)], columns[int(column)]]}


@tool(
    tags="chart calendar heat map year days activity daily contributions draw",
    use_when=(
        "Draw a calendar of my runs in 2026",
        "Show the daily orders of the year as a heat map",
        "On which weekdays is most going on?",
    ),
    examples=(
        Example(
            {
                "days": [
                    {"date": "2026-03-02", "value": 4},
                    {"date": "2026-03-09", "value": 2},
                    {"date": "2026-03-03", "value": 9},
                ]
            },
            {
                "file": "calendar.png",
                "days": 3,
                "total": 15.0,
                "best_day": "2026-03-03",
                "by_weekday": {"Monday": 3.0, "Tuesday": 9.0, "Sunday": None},
            },
            source="2026-03-02 was a Monday (ISO 8601 calendar); by hand",
        ),
        Example(
            {"days": [{"date": "2024-02-29", "value": 1}], "file_format": "svg"},
            {"file": "calendar.svg", "days": 1},
            source="by hand",
        ),
        Refusal({"days": [{"date": "2026-02-30", "value": 1}]}, "not a valid date"),
    ),
    reply="The calendar; the best day was {best_day}, and the total is {total}: {file}",
    tier="starter",
    credits=2,
    pace="normal",
    memory_mb=1024,
)
def chart_draw_calendar(
    days: Annotated[
        list[Day], About("Values by day", [{"date": "2026-03-01", "value": 5}], min_items=1, max_items=3700)
    ],
    title: Title = "",
    layout: Around = None,
    file_format: FileFormat = "png",
) -> CalendarMap:
    """Draw a calendar heat map: each day of a year as a square whose colour is its value, a row for each year.

    Use it for daily activity over up to six years. Several values of a day are added up. Returns the picture, the
    total, and means by weekday.
    """
    sums: dict[date, float] = {}
    for day in days:
        try:
            when = date.fromisoformat(day["date"])
        except ValueError as error:
            raise ToolError(f"{day['date']} is not a valid date.") from error
        sums[when] = sums.get(when, 0.0) + day["value"]
    years = sorted({day.year for day in sums})
    if len(years) > 6:
        raise ToolError("A calendar shows at most six years. Send fewer.")
    scale = mpl.colors.Normalize(min(*sums.values(), 0), max(sums.values()) or 1)

    def plot(figure: Any) -> None:
        colour_map = mpl.colormaps["YlGnBu"]
        for axes, year in zip(np.atleast_1d(figure.subplots(len(years), 1)), years, strict=True):
            _year(axes, year, sums, lambda value: colour_map(0.12 + 0.88 * scale(value)))

    picture = draw("calendar", Frame(title, layout, file_format), plot, (980, 70 + 165 * len(years)))
    weekday = [[value for day, value in sums.items() if day.weekday() == number] for number in range(7)]
    return {
        **picture,
        "days": len(sums),
        "total": math.fsum(sums.values()),
        "best_day": max(sums, key=lambda day: sums[day]).isoformat(),
        "by_weekday": {
            name: math.fsum(part) / len(part) if part else None
            for name, part in zip(calendar.day_name, weekday, strict=True)
        },
    }


def _label_cells(axes: Any, rows: Sequence[str], columns: Sequence[str]) -> None:
    down, across = max(1, len(rows) // 40), max(1, len(columns) // 24)
    axes.set_yticks(np.arange(0.5, len(rows), down), [short(name, 26) for name in rows[::down]], color=INK)
    longest = max(map(len, columns))
    turned = {"rotation": 40, "ha": "right", "rotation_mode": "anchor"} if longest > 9 else {}
    axes.set_xticks(
        np.arange(0.5, len(columns), across), [short(name, 22) for name in columns[::across]], color=INK, **turned
    )
    axes.invert_yaxis()


def draw_colour_bar(figure: Any, axes: Any, mapped: Any) -> None:
    bar = figure.colorbar(mapped, ax=axes, pad=0.02, aspect=28, format=lambda value, _: compact(value))
    bar.outline.set_visible(False)
    bar.ax.tick_params(length=0, labelsize=8.5)


def _year(axes: Any, year: int, values: dict[date, float], colour: Any) -> None:
    """Draw the squares of a year, with a column for each week, beginning on Monday."""
    axes.axis("off")
    axes.set_aspect("equal")
    first = date(year, 1, 1)
    shift = first.weekday()
    months: dict[int, float] = {}
    squares, shades = [], []
    for number_of_day in range(366 if calendar.isleap(year) else 365):
        day = first + timedelta(number_of_day)
        week, weekday = divmod(number_of_day + shift, 7)
        squares.append(Rectangle((week + 0.07, weekday + 0.07), 0.86, 0.86))
        shades.append(colour(values[day]) if day in values else "#EEF1F4")
        if day.day == 1:
            months[day.month] = week + (1 if weekday > 3 else 0)
    axes.add_collection(PatchCollection(squares, facecolors=shades), autolim=False)
    for month, column in months.items():
        axes.text(column + 0.1, -0.35, calendar.month_abbr[month], color=GREY, size=8.5)
    for weekday, name in ((0, "Mon"), (2, "Wed"), (4, "Fri")):
        axes.text(-0.4, weekday + 0.5, name, color=GREY, size=8, ha="right", va="center")
    axes.text(-3.4, 3.5, str(year), size=10.5, weight="bold", ha="right", va="center")
    axes.set_xlim(-6.4, 53.5)
    axes.set_ylim(7.2, -1.2)
