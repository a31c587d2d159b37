"""Scatter charts and pair plots."""

import math
from collections.abc import Sequence
from typing import Annotated, Any, Literal

import numpy as np
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.data_analysis._charts_axes import Numbers
from retinue_tools.data_analysis._charts_style import (
    GREY,
    INK,
    LIGHT,
    Around,
    FileFormat,
    Frame,
    Picture,
    Title,
    Value,
    axes_of,
    colours,
    draw,
    dress,
    legend,
    short,
)

_MOST_NAMED = 40
_DEGREES = {"linear": 1, "quadratic": 2, "cubic": 3}


class Trend(TypedDict):
    """A fitted curve."""

    coefficients: Annotated[list[float], About("Coefficients, highest power first")]
    equation: Annotated[str, About("Equation of the curve")]
    r_squared: Annotated[float, About("Share of the variance that it explains")]


class Scatter(Picture):
    """A scatter chart."""

    points: Annotated[int, About("Number of points drawn")]
    correlation: Annotated[float | None, About("Pearson correlation; null if one of the two is constant")]
    trend: Annotated[Trend | None, About("Fitted curve, if requested and possible")]


class Column(TypedDict):
    """A numeric column."""

    name: Annotated[str, About("Name of the column", "height", max_length=60)]
    values: Annotated[list[Value], About("Values of the column", [1.2, 3.4], min_items=2, max_items=5000)]


class PairPlot(Picture):
    """Scatter charts of all pairs."""

    correlations: Annotated[list[list[float | None]], About("Pearson correlations, in the order of the columns")]
    strongest: Annotated[list[str], About("The two columns with the strongest correlation, regardless of sign")]


@tool(
    tags="chart scatter bubble points correlation trend regression plot draw",
    use_when=(
        "Draw a scatter plot of price against size",
        "Plot these points with a trend line",
        "Show income and life expectancy as bubbles",
    ),
    examples=(
        Example(
            {"x": [1, 2, 3, 4], "y": [3, 5, 7, 9], "trend": "linear"},
            {
                "file": "scatter.png",
                "points": 4,
                "correlation": 1.0,
                "trend": {"coefficients": [2.0, 1.0], "r_squared": 1.0, "equation": "y = 2x + 1"},
            },
            source="the points lie on y = 2x + 1",
            tolerance=1e-6,
        ),
        Example(
            {"x": [1, 2], "y": [5, 5], "names": ["a", "b"], "groups": ["g", "h"], "sizes": [1, 4]},
            {"file": "scatter.png", "correlation": None, "trend": None},
            source="y is constant",
        ),
        Refusal({"x": [1, 2], "y": [1]}, "must have the same number of items"),
    ),
    reply={
        "trend": "The scatter chart; the trend is {trend.equation}: {file}",
        "correlation": "The scatter chart; the correlation is {correlation}: {file}",
        "": "The scatter chart: {file}",
    },
    tier="starter",
    credits=2,
    pace="normal",
    memory_mb=1024,
)
def chart_draw_scatter(
    x: Numbers,
    y: Numbers,
    names: Annotated[
        list[str] | None, About("Names of the points, shown for up to 40 points", ["A", "B"], max_items=50_000)
    ] = None,
    groups: Annotated[
        list[str] | None, About("Group of each point, which determines its colour", ["g", "h"], max_items=50_000)
    ] = None,
    sizes: Annotated[Numbers | None, About("Values shown as the areas of the points", [1, 4])] = None,
    trend: Annotated[Literal["none", "linear", "quadratic", "cubic"], About("Curve to fit by least squares")] = "none",
    title: Title = "",
    layout: Around = None,
) -> Scatter:
    """Draw a scatter or bubble chart of two columns, with groups in colours and an optional fitted trend curve.

    Use it to see how two things are related. Returns the picture, the correlation and the fitted equation.
    """
    for what, other in (("y", y), ("names", names), ("groups", groups), ("sizes", sizes)):
        if other is not None and len(other) != len(x):
            raise ToolError(f"x and {what} must have the same number of items.")
    if sizes is not None and min(sizes) < 0:
        raise ToolError("sizes cannot be negative.")
    fitted = _fit(x, y, _DEGREES[trend]) if trend != "none" else None
    areas = _areas(sizes, len(x))

    def plot(figure: Any) -> None:
        axes = axes_of(figure, "both")
        kinds = list(dict.fromkeys(groups or [""]))
        handles = []
        for kind, colour in zip(kinds, colours(len(kinds)), strict=True):
            chosen = [index for index in range(len(x)) if groups is None or groups[index] == kind]
            handles.append(
                axes.scatter(
                    [x[i] for i in chosen], [y[i] for i in chosen], s=[areas[i] for i in chosen], color=colour,
                    alpha=0.75 if len(x) < 2000 else 0.35, edgecolors="white", linewidths=0.6,
                )
            )  # fmt: skip
        if fitted:
            line = np.linspace(min(x), max(x), 200)
            axes.plot(line, np.polyval(fitted["coefficients"], line), color=INK, linewidth=1.6, linestyle=(0, (5, 3)))
            note = f"{fitted['equation']}   R\u00b2 = {fitted['r_squared']:.3f}"
            axes.text(0.99, 1.015, note, transform=axes.transAxes, ha="right", color=GREY, size=9)
        if names is not None and len(names) <= _MOST_NAMED:
            for name, left, up, area in zip(names, x, y, areas, strict=True):
                beside = math.sqrt(area) / 2 + 3
                axes.annotate(
                    short(name, 20),
                    (left, up),
                    (beside, 0),
                    textcoords="offset points",
                    va="center",
                    size=8.5,
                    color=GREY,
                )
        if len(kinds) > 1:
            legend(figure, handles[:24], kinds[:24])

    picture = draw("scatter", Frame(title, layout, "png"), plot)
    return {**picture, "points": len(x), "correlation": _correlation(x, y), "trend": fitted}


@tool(
    tags="chart pair plot matrix scatter columns correlation explore draw",
    use_when=(
        "Draw pairwise scatter plots of these columns",
        "Which of the measurements go together?",
        "Show a scatter matrix of the data",
    ),
    examples=(
        Example(
            {
                "columns": [
                    {"name": "a", "values": [1, 2, 3]},
                    {"name": "b", "values": [2, 4, 6]},
                    {"name": "c", "values": [1, 0, 1]},
                ]
            },
            {
                "file": "pairs.png",
                "correlations": [[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
                "strongest": ["a", "b"],
            },
            source="b is twice a, c is symmetric about its middle",
            tolerance=1e-6,
        ),
        Example(
            {
                "columns": [{"name": "a", "values": [1, 2]}, {"name": "b", "values": [2, 1]}],
                "groups": ["x", "y"],
                "file_format": "svg",
            },
            {"correlations": [[1.0, -1.0], [-1.0, 1.0]]},
            source="by hand",
            tolerance=1e-6,
        ),
        Refusal(
            {"columns": [{"name": "a", "values": [1, 2]}, {"name": "b", "values": [2, 1, 3]}]},
            "must have the same number of items",
        ),
    ),
    reply="{strongest} go together most closely; the pairwise charts: {file}",
    tier="starter",
    credits=2,
    pace="normal",
    memory_mb=1024,
)
def chart_draw_pair_plot(
    columns: Annotated[
        list[Column],
        About("Columns", [{"name": "a", "values": [1, 2]}, {"name": "b", "values": [2, 4]}], min_items=2, max_items=7),
    ],
    groups: Annotated[
        list[str] | None, About("Group of each row, which determines its colour", ["x", "y"], max_items=5000)
    ] = None,
    title: Title = "",
    layout: Around = None,
    file_format: FileFormat = "png",
) -> PairPlot:
    """Draw a matrix of scatter charts for each pair of columns, with histograms on the diagonal.

    Use it to explore a table of numbers. Returns the picture and all correlations.
    """
    count = len(columns)
    rows = len(columns[0]["values"])
    if any(len(column["values"]) != rows for column in columns) or (groups is not None and len(groups) != rows):
        raise ToolError("All columns, and groups if given, must have the same number of items.")
    table = [[_correlation(one["values"], other["values"]) for other in columns] for one in columns]
    kinds = list(dict.fromkeys(groups or [""]))
    colour = dict(zip(kinds, colours(len(kinds)), strict=True))
    shades = [colour[kind] for kind in groups or [""] * rows]

    def plot(figure: Any) -> None:
        grid = figure.subplots(count, count, squeeze=False)
        for (row, column), axes in np.ndenumerate(grid):
            dress(axes, "none")
            axes.spines["left"].set_visible(True)
            if row == column:
                axes.hist(columns[row]["values"], bins=min(20, max(5, rows // 8)), color=LIGHT)
            else:
                axes.scatter(columns[column]["values"], columns[row]["values"], s=16, c=shades, alpha=0.7, linewidths=0)
            axes.locator_params(nbins=4)
            axes.tick_params(labelsize=8, labelbottom=row == count - 1, labelleft=column == 0 and row > 0)
            if row == count - 1:
                axes.set_xlabel(short(columns[column]["name"], 22), color=INK)
            if column == 0:
                axes.set_ylabel(short(columns[row]["name"], 22), color=INK)
        if len(kinds) > 1:
            legend(figure, [grid[0, 0].scatter([], [], color=colour[kind]) for kind in kinds[:24]], kinds[:24])

    side = 220 * count + 60
    picture = draw("pairs", Frame(title, layout, file_format), plot, (side, side))
    pairs = [(abs(table[i][j] or 0.0), -i, -j) for i in range(count) for j in range(i + 1, count)]
    _, first, second = max(pairs)
    return {**picture, "correlations": table, "strongest": [columns[-first]["name"], columns[-second]["name"]]}


def _areas(sizes: Sequence[float] | None, count: int) -> list[float]:
    """Return areas of the points in square points."""
    if sizes is None:
        return [46.0 if count <= 200 else 22.0 if count <= 2000 else 8.0] * count
    greatest = max(sizes) or 1
    return [14 + 900 * size / greatest for size in sizes]


def _correlation(x: Sequence[float], y: Sequence[float]) -> float | None:
    if len(x) < 2 or min(x) == max(x) or min(y) == max(y):
        return None
    found = float(np.corrcoef(x, y)[0, 1])
    return round(found, 12) if math.isfinite(found) else None


def _fit(x: Sequence[float], y: Sequence[float], degree: int) -> Trend:
    if len(set(x)) <= degree:
        raise ToolError(f"A curve of degree {degree} needs {degree + 1} or more different x values.")
    fitted = np.polynomial.Polynomial.fit(x, y, degree)
    coefficients = [float(part) for part in reversed(fitted.convert().coef)]
    coefficients = [0.0] * (degree + 1 - len(coefficients)) + coefficients
    rest, spread = np.sum((np.array(y) - fitted(np.array(x))) ** 2), np.sum((np.array(y) - np.mean(y)) ** 2)
    explained = float(1 - rest / spread) if spread else 1.0
    return {"coefficients": coefficients, "equation": _equation(coefficients), "r_squared": round(explained, 9)}


def _equation(coefficients: Sequence[float]) -> str:
    powers = {0: "", 1: "x", 2: "x\u00b2", 3: "x\u00b3"}
    text = ""
    for power, part in zip(range(len(coefficients) - 1, -1, -1), coefficients, strict=True):
        size = f"{abs(part):.4g}"
        term = powers[power] if size == "1" and power else size + powers[power]
        if size != "0":
            text += f" {'-' if part < 0 else '+'} {term}" if text else f"{'-' if part < 0 else ''}{term}"
    return f"y = {text or '0'}"
