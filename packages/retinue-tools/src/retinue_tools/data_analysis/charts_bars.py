"""Bar charts, Pareto charts and dumbbell charts."""

import math
from collections.abc import Sequence
from typing import Annotated, Any, Literal

import numpy as np
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.data_analysis._charts_axes import (
    NamedValues,
    Names,
    Numbers,
    check_lengths,
    figure_width,
    name_ticks,
)
from retinue_tools.data_analysis._charts_style import (
    FALL,
    GREY,
    INK,
    LIGHT,
    PALETTE,
    Around,
    FileFormat,
    Frame,
    Picture,
    Title,
    axes_of,
    colours,
    compact,
    draw,
    legend,
    number,
    percent,
    short,
    text_on,
)

_MOST_LABELS, _MOST_BARS = 60, 500
_ROW = 34

Bars = Annotated[
    list[NamedValues],
    About("Series of numbers", [{"name": "2026", "values": [12, 9.5, 7]}], min_items=1, max_items=12),
]


class BarChart(Picture):
    """A bar chart."""

    totals: Annotated[list[float], About("Sum of all series for each category, in chart order")]
    categories: Annotated[list[str], About("Categories in chart order")]
    largest: Annotated[str, About("Category with the largest sum")]
    total: Annotated[float, About("Sum of all numbers")]


class ParetoRow(TypedDict):
    """A category in a Pareto chart."""

    name: Annotated[str, About("Name of the category")]
    value: Annotated[float, About("Value of the category")]
    cumulative_percent: Annotated[float, About("Cumulative share, including all larger categories")]


class Pareto(Picture):
    """A Pareto chart."""

    rows: Annotated[list[ParetoRow], About("Categories, largest first")]
    vital: Annotated[list[str], About("Smallest set of categories that reaches the threshold")]


class Dumbbell(Picture):
    """A chart of two values for each name."""

    differences: Annotated[list[float], About("Second minus first, in chart order")]
    names: Annotated[list[str], About("Names in chart order")]


@tool(
    tags="chart bar column graph grouped stacked horizontal compare draw",
    use_when=(
        "Draw a bar chart of sales by region",
        "Compare 2025 and 2026 as grouped bars",
        "Make a horizontal stacked bar chart of the answers",
        "Make a bar graph of a few named values",
        "Bar graph for a school project",
    ),
    examples=(
        Example(
            {
                "names": ["North", "South"],
                "series": [{"name": "2025", "values": [3, 5]}, {"name": "2026", "values": [4, 6]}],
            },
            {"file": "bars.png", "totals": [7.0, 11.0], "largest": "South", "total": 18.0},
            source="added by hand",
        ),
        Example(
            {
                "names": ["A", "B", "C"],
                "series": [{"name": "n", "values": [2, 5, 3]}],
                "arrangement": "stacked",
                "direction": "horizontal",
                "sort": True,
                "file_format": "svg",
            },
            {"file": "bars.svg", "categories": ["B", "C", "A"], "totals": [5.0, 3.0, 2.0]},
            source="sorted by hand",
        ),
        Example(
            {
                "names": ["Apples", "Pears"],
                "series": [{"name": "apples", "values": [3]}, {"name": "pears", "values": [5]}],
            },
            {"totals": [3.0, 5.0], "largest": "Pears"},
            source="one series of two values was meant",
        ),
        Refusal({"names": ["A"], "series": [{"name": "n", "values": [1, 2]}]}, "n has 2 values for 1 categories"),
    ),
    reply="The bar chart; {largest} has the largest sum: {file}",
    tier="starter",
    credits=2,
    pace="normal",
    memory_mb=1024,
)
def chart_draw_bars(
    names: Names,
    series: Bars,
    title: Title = "",
    arrangement: Annotated[
        Literal["grouped", "stacked", "share"], About("Series side by side, stacked, or as shares of 100%")
    ] = "grouped",
    direction: Annotated[
        Literal["auto", "vertical", "horizontal"],
        About("Direction of the bars; auto decides by the length of the names"),
    ] = "auto",
    sort: Annotated[bool, About("Whether to sort by size, largest first; otherwise the given order is kept")] = False,
    layout: Around = None,
    file_format: FileFormat = "png",
) -> BarChart:
    """Draw a bar chart of one or more series by category: vertical or horizontal, grouped, stacked or as shares.

    Use it to compare categories. The axis begins at zero, and bars are labelled with their numbers if there is room.
    Returns the picture, the totals and the largest category.
    """
    series = _join_single_values(names, series)
    check_lengths(len(names), "categories", series)
    if len(names) * len(series) > _MOST_BARS:
        raise ToolError(f"A chart can have at most {_MOST_BARS} bars. Send fewer categories or series.")
    values = np.array([[value or 0.0 for value in one["values"]] for one in series], dtype=float)
    if arrangement == "share" and (values < 0).any():
        raise ToolError("Shares cannot be negative. Choose grouped or stacked.")
    order = np.argsort(-values.sum(axis=0), kind="stable") if sort else np.arange(len(names))
    values, ordered_names = values[:, order], [names[index] for index in order]
    across = direction == "horizontal" or (direction == "auto" and _is_crowded(ordered_names))
    size = (900, max(520, 130 + _thickness(len(series), arrangement) * len(names))) if across else (900, 520)
    totals = values.sum(axis=0)

    def plot(figure: Any) -> None:
        axes = axes_of(figure, "x" if across else "y")
        _bars(figure, axes, values, [one["name"] for one in series], arrangement, across=across)
        if across:
            axes.set_yticks(range(len(ordered_names)), [short(name, 34) for name in ordered_names])
            axes.invert_yaxis()
            axes.set_ylim(len(ordered_names) - 0.45, -0.55)
        else:
            name_ticks(axes, ordered_names)
            axes.set_xlim(-0.6, len(ordered_names) - 0.4)

    picture = draw("bars", Frame(title, layout, file_format), plot, size)
    return {
        **picture,
        "totals": [float(total) for total in totals],
        "categories": ordered_names,
        "largest": ordered_names[int(totals.argmax())],
        "total": math.fsum(totals),
    }


def _join_single_values(names: Sequence[str], series: list[NamedValues]) -> list[NamedValues]:
    """Return one series if each category was sent as a series of its own with one value, as language models do."""
    called = [one["name"].casefold() for one in series]
    if (
        len(names) > 1
        and called == [name.casefold() for name in names]
        and all(len(one["values"]) == 1 for one in series)
    ):
        return [{"name": "", "values": [one["values"][0] for one in series]}]
    return series


@tool(
    tags="chart pareto cumulative causes defects quality 80 20 draw",
    use_when=(
        "Draw a Pareto chart of the complaints",
        "Which few causes make 80% of the defects?",
        "Show the costs from the greatest with a cumulative line",
    ),
    examples=(
        Example(
            {"names": ["Scratch", "Dent", "Paint", "Other"], "values": [10, 60, 25, 5]},
            {
                "file": "pareto.png",
                "rows": [
                    {"name": "Dent", "value": 60.0, "cumulative_percent": 60.0},
                    {"name": "Paint", "value": 25.0, "cumulative_percent": 85.0},
                    {"name": "Scratch", "value": 10.0, "cumulative_percent": 95.0},
                    {"name": "Other", "value": 5.0, "cumulative_percent": 100.0},
                ],
                "vital": ["Dent", "Paint"],
            },
            source="by hand: the numbers sum to 100",
        ),
        Example(
            {"names": ["a", "b"], "values": [1, 3], "threshold_percent": 50, "file_format": "svg"},
            {"file": "pareto.svg", "vital": ["b"]},
            source="by hand: 75 percent",
        ),
        Refusal({"names": ["a"], "values": [-1]}, "negative"),
    ),
    reply="{vital} make up the largest part; the Pareto chart: {file}",
    tier="starter",
    credits=2,
    pace="normal",
    memory_mb=1024,
)
def chart_draw_pareto(
    names: Names,
    values: Numbers,
    threshold_percent: Annotated[
        float, About("Cumulative share that defines the vital few", minimum=1, maximum=100)
    ] = 80,
    title: Title = "",
    layout: Around = None,
    file_format: FileFormat = "png",
) -> Pareto:
    """Draw a Pareto chart: categories from the largest, with the line of their cumulative share.

    Use it to find the few causes behind most of an effect. Returns the picture, the shares, and the vital few.
    """
    check_same_length(names, values)
    if min(values) < 0 or not any(values):
        raise ToolError("A Pareto chart needs non-negative numbers, at least one of them above 0.")
    pairs = sorted(zip(names, map(float, values), strict=True), key=lambda pair: -pair[1])
    shares = np.cumsum([value for _, value in pairs]) / math.fsum(values)
    vital = int(np.searchsorted(shares, threshold_percent / 100 - 1e-12)) + 1

    def plot(figure: Any) -> None:
        axes = axes_of(figure)
        colour = [PALETTE[0] if place < vital else LIGHT for place in range(len(pairs))]
        axes.bar(range(len(pairs)), [value for _, value in pairs], color=colour, width=0.72)
        name_ticks(axes, [name for name, _ in pairs])
        second = axes.twinx()
        second.plot(range(len(pairs)), shares, color=FALL, marker="o", markersize=4.5, linewidth=1.8)
        second.axhline(threshold_percent / 100, color=GREY, linewidth=0.9, linestyle=(0, (4, 3)))
        second.set_ylim(0, 1.06)
        second.set_yticks([0, 0.2, 0.4, 0.6, 0.8, 1], ["0%", "20%", "40%", "60%", "80%", "100%"], color=FALL)
        second.tick_params(length=0)
        second.spines[:].set_visible(False)

    picture = draw("pareto", Frame(title, layout, file_format), plot)
    rows: list[ParetoRow] = [
        {"name": name, "value": value, "cumulative_percent": round(100 * float(share), 6)}
        for (name, value), share in zip(pairs, shares, strict=True)
    ]
    return {**picture, "rows": rows, "vital": [name for name, _ in pairs[:vital]]}


@tool(
    tags="chart dumbbell range gap before after compare two values dots draw",
    use_when=(
        "Show pay of women and men by job as a dumbbell chart",
        "Compare before and after for each team",
        "Which region changed most from 2020 to 2026?",
    ),
    examples=(
        Example(
            {"names": ["A", "B"], "first": [10, 20], "second": [15, 18], "first_name": "2025", "second_name": "2026"},
            {"file": "dumbbell.png", "names": ["A", "B"], "differences": [5.0, -2.0]},
            source="subtracted by hand",
        ),
        Example(
            {"names": ["A", "B"], "first": [10, 20], "second": [11, 28], "sort": True, "file_format": "svg"},
            {"names": ["B", "A"], "differences": [8.0, 1.0]},
            source="sorted by hand",
        ),
        Refusal({"names": ["A"], "first": [1], "second": [1, 2]}, "There are 1 names and 2 numbers"),
    ),
    reply="The dumbbell chart: {file}",
    tier="starter",
    credits=2,
    pace="normal",
    memory_mb=1024,
)
def chart_draw_dumbbell(
    names: Names,
    first: Annotated[Numbers, About("First value of each name", [10, 20])],
    second: Annotated[Numbers, About("Second value of each name", [15, 18])],
    first_name: Annotated[str, About("Label of the first values", max_length=60)] = "Before",
    second_name: Annotated[str, About("Label of the second values", max_length=60)] = "After",
    sort: Annotated[
        bool, About("Whether to sort by increase, largest first; otherwise the given order is kept")
    ] = False,
    title: Title = "",
    file_format: FileFormat = "png",
) -> Dumbbell:
    """Draw a dumbbell chart: two numbers for each name, joined by a line.

    Use it for before and after, or gaps between two groups. Returns the picture and the differences.
    """
    check_same_length(names, first)
    check_same_length(names, second)
    rows = list(zip(names, map(float, first), map(float, second), strict=True))
    if sort:
        rows.sort(key=lambda row: row[1] - row[2])

    def plot(figure: Any) -> None:
        axes = axes_of(figure, "x")
        places = range(len(rows))
        axes.hlines(places, [row[1] for row in rows], [row[2] for row in rows], color=LIGHT, linewidth=4)
        dots = [
            axes.scatter([row[column] for row in rows], places, s=85, color=colour, zorder=3)
            for column, colour in ((1, "#7A8794"), (2, PALETTE[0]))
        ]
        for place, (_, before, after) in enumerate(rows):
            for value, other in ((before, after), (after, before)):
                right = value > other or (value == other and value is after)
                axes.annotate(
                    number(value), (value, place), (9 if right else -9, 0), textcoords="offset points", size=8.5,
                    ha="left" if right else "right", va="center", color=GREY,
                )  # fmt: skip
        axes.set_yticks(places, [short(row[0], 34) for row in rows], color=INK)
        axes.set_ylim(len(rows) - 0.4, -0.6)
        axes.margins(x=0.1)
        legend(figure, dots, [first_name, second_name])

    size = (900, max(320, 140 + _ROW * len(rows)))
    picture = draw("dumbbell", Frame(title, None, file_format), plot, size)
    return {
        **picture,
        "names": [row[0] for row in rows],
        "differences": [round(row[2] - row[1], 12) for row in rows],
    }


def check_same_length(names: Sequence[str], values: Sequence[float]) -> None:
    if len(names) != len(values):
        raise ToolError(f"There are {len(names)} names and {len(values)} numbers. Give the same number of each.")


def _is_crowded(names: Sequence[str]) -> bool:
    """Return whether names would overlap below vertical bars."""
    return len(names) > 24 or max(map(len, names)) > 28 or sum(len(name) for name in names) > 120


def _thickness(series: int, arrangement: str) -> int:
    return max(24, 15 * series) + 8 if arrangement == "grouped" else 30


def _bars(figure: Any, axes: Any, values: Any, names: Sequence[str], arrangement: str, *, across: bool) -> None:
    """Draw the bars and write their numbers."""
    count, places = len(values), np.arange(values.shape[1])
    totals = values.sum(axis=0)
    if arrangement == "share":
        values = np.divide(values, totals, out=np.zeros_like(values), where=totals > 0)
        (axes.xaxis if across else axes.yaxis).set_major_formatter(lambda value, _: f"{100 * value:.0f}%")
    bar, stacked = axes.barh if across else axes.bar, arrangement != "grouped"
    thickness = 0.68 if stacked or count == 1 else 0.82 / count
    rises, falls = np.zeros(len(places)), np.zeros(len(places))
    handles = []
    for index, (row, colour) in enumerate(zip(values, colours(count), strict=True)):
        base = np.where(row >= 0, rises, falls) if stacked else np.zeros(len(places))
        shift = 0.0 if stacked else (index - (count - 1) / 2) * thickness
        thick = {"height" if across else "width": thickness * (1 if stacked or count == 1 else 0.94)}
        lines = {"edgecolor": "white", "linewidth": 0.8} if stacked and count > 1 else {}
        handles.append(
            bar(places + shift, row, **{"left" if across else "bottom": base}, color=colour, **thick, **lines)
        )
        rises, falls = rises + np.clip(row, 0, None), falls + np.clip(row, None, 0)
    (axes.axvline if across else axes.axhline)(0, color=LIGHT, linewidth=1)
    _write_numbers(axes, handles, values, arrangement, across=across)
    axes.margins(**{"x" if across else "y": 0.09 if arrangement != "share" else 0})
    if count > 1:
        legend(figure, handles, names)


def _write_numbers(axes: Any, handles: Sequence[Any], values: Any, arrangement: str, *, across: bool) -> None:
    """Write numbers at the ends of bars, or within stacked bars, if there is room."""
    room = figure_width(axes) * 0.88 / max(values.size if arrangement == "grouped" else values.shape[1], 1)
    if values.size > _MOST_LABELS or (not across and room < 34):
        return
    if arrangement == "grouped" or len(handles) == 1:
        for handle, row in zip(handles, values, strict=True):
            texts = [percent(value) if arrangement == "share" else compact(value) for value in row]
            axes.bar_label(handle, texts, padding=4, color=INK, size=8.5 if len(handles) > 1 else 9.5)
        return
    whole = np.abs(values).sum(axis=0).max()
    for handle, row in zip(handles, values, strict=True):
        texts = [percent(value) if arrangement == "share" else compact(value) for value in row]
        labels = [text if abs(value) >= whole * 0.06 else "" for text, value in zip(texts, row, strict=True)]
        axes.bar_label(handle, labels, label_type="center", color=text_on(handle.patches[0].get_facecolor()), size=8.5)
