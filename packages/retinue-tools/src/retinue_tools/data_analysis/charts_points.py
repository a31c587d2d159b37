"""Charts of points: scatter, pairs of columns, directions, and functions."""

import math
from collections.abc import Sequence
from typing import Annotated, Any, Literal

import numpy as np
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.data_analysis._charts_axes import Numbers, label_ends
from retinue_tools.data_analysis._charts_expressions import evaluate, expression_of
from retinue_tools.data_analysis._charts_style import (
    GREY,
    INK,
    LIGHT,
    PALETTE,
    Around,
    FileFormat,
    Frame,
    Picture,
    Title,
    Value,
    axes_of,
    colours,
    compact,
    draw,
    dress,
    legend,
    number,
    short,
)

_MOST_NAMED = 40
_DEGREES = {"linear": 1, "quadratic": 2, "cubic": 3}


class Trend(TypedDict):
    """A fitted curve."""

    coefficients: Annotated[list[float], About("Coefficients, that of the highest power first")]
    equation: Annotated[str, About("The curve as an equation")]
    r_squared: Annotated[float, About("Share of the variance that it explains")]


class Scatter(Picture):
    """A scatter chart."""

    points: Annotated[int, About("How many points are drawn")]
    correlation: Annotated[float | None, About("Pearson's correlation; null where one of the two is constant")]
    trend: Annotated[Trend | None, About("The fitted curve, if wanted and possible")]


class Column(TypedDict):
    """A column of numbers."""

    name: Annotated[str, About("Its name", "height", max_length=60)]
    values: Annotated[list[Value], About("Its numbers", [1.2, 3.4], min_items=2, max_items=5000)]


class PairPlot(Picture):
    """Scatter charts of all pairs."""

    correlations: Annotated[list[list[float | None]], About("Pearson's correlations, columns as given")]
    strongest: Annotated[list[str], About("The two columns that correlate most, whatever the sign")]


class Polar(Picture):
    """A chart of directions."""

    mean_direction: Annotated[float | None, About("Mean direction in degrees; null where none stands out")]
    total: Annotated[float, About("Sum of the values")]


class Curve(TypedDict):
    """What is known of a drawn function."""

    expression: Annotated[str, About("The function")]
    minimum: Annotated[float, About("Least value drawn")]
    maximum: Annotated[float, About("Greatest value drawn")]
    zeros: Annotated[list[float], About("Where its sign changes, at most 20, to about six digits")]


class Functions(Picture):
    """A chart of functions."""

    curves: Annotated[list[Curve], About("Facts of each function")]


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
        Refusal({"x": [1, 2], "y": [1]}, "as many"),
    ),
    tier="starter",
    credits=2,
    pace="normal",
    memory_mb=1024,
)
def chart_draw_scatter(
    x: Numbers,
    y: Numbers,
    names: Annotated[
        list[str] | None, About("Names of the points, written beside up to 40", ["A", "B"], max_items=50_000)
    ] = None,
    groups: Annotated[
        list[str] | None, About("Group of each point, which gives its colour", ["g", "h"], max_items=50_000)
    ] = None,
    sizes: Annotated[Numbers | None, About("Numbers that the areas of the points show", [1, 4])] = None,
    trend: Annotated[Literal["none", "linear", "quadratic", "cubic"], About("Curve to fit by least squares")] = "none",
    title: Title = "",
    layout: Around = None,
) -> Scatter:
    """Draw a scatter or bubble chart of two columns, with groups in colours and a fitted trend curve if wanted.

    Use it to see how two things go together. Returns the picture, the correlation and the fitted equation.
    """
    for what, other in (("y", y), ("names", names), ("groups", groups), ("sizes", sizes)):
        if other is not None and len(other) != len(x):
            raise ToolError(f"x and {what} must have as many items.")
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
        Refusal({"columns": [{"name": "a", "values": [1, 2]}, {"name": "b", "values": [2, 1, 3]}]}, "as many"),
    ),
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
        list[str] | None, About("Group of each row, which gives its colour", ["x", "y"], max_items=5000)
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
        raise ToolError("All columns, and groups if given, must have as many items.")
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


@tool(
    tags="chart polar rose wind direction compass angle circular draw",
    use_when=(
        "Draw a wind rose of these directions",
        "Plot the values by compass direction",
        "Show activity by hour of the day on a circle",
    ),
    examples=(
        Example(
            {"directions": [0, 90, 180, 270], "values": [1, 3, 1, 0]},
            {"file": "polar.png", "mean_direction": 90.0, "total": 5.0},
            source="north and south cancel out, east is left",
            tolerance=1e-6,
        ),
        Example(
            {"directions": [0, 180], "values": [1, 1], "show": "line"},
            {"mean_direction": None, "total": 2.0},
            source="opposite directions cancel out",
        ),
        Refusal({"directions": [0], "values": [-1]}, "negative"),
    ),
    tier="starter",
    credits=2,
    pace="normal",
    memory_mb=1024,
)
def chart_draw_polar(
    directions: Annotated[
        list[Annotated[float, About("Degrees", 90, minimum=-3600, maximum=3600)]],
        About("Directions in degrees, 0 for north, clockwise", [0, 90, 180, 270], min_items=1, max_items=5000),
    ],
    values: Numbers,
    show: Annotated[Literal["bars", "line", "points"], About("Bars as in a wind rose, a line, or points")] = "bars",
    title: Title = "",
    layout: Around = None,
    file_format: FileFormat = "png",
) -> Polar:
    """Draw values by direction on a circle: a wind rose, a curve or points, north on top.

    Use it for wind, headings, or hours as 15 degrees each. Returns the picture and the mean direction.
    """
    if len(directions) != len(values):
        raise ToolError("directions and values must have as many items.")
    if min(values) < 0:
        raise ToolError("The values cannot be negative: they are distances from the middle.")
    turns = np.radians(directions)
    sums = float((np.sin(turns) * values).sum()), float((np.cos(turns) * values).sum())
    clear = math.hypot(*sums) > 1e-9 * max(math.fsum(values), 1e-300)

    def plot(figure: Any) -> None:
        axes = figure.add_subplot(projection="polar")
        axes.set_theta_zero_location("N")
        axes.set_theta_direction(-1)
        axes.spines["polar"].set_color(LIGHT)
        axes.set_xticks(np.radians(range(0, 360, 45)), ["N", "NE", "E", "SE", "S", "SW", "W", "NW"])
        axes.yaxis.set_major_formatter(lambda value, _: compact(value))
        axes.tick_params(axis="y", labelsize=8)
        axes.set_rlabel_position(22.5)
        if show == "bars":
            width = 2 * np.pi / max(len(set(directions)), 8) * 0.86
            axes.bar(turns, values, width=width, color=PALETTE[0], alpha=0.85)
        elif show == "line":
            axes.plot(np.append(turns, turns[0]), [*values, values[0]], color=PALETTE[0])
        else:
            axes.scatter(turns, values, color=PALETTE[0], s=30, alpha=0.75, linewidths=0)
        axes.set_ylim(0, None)

    picture = draw("polar", Frame(title, layout, file_format), plot, (600, 560))
    mean = round(math.degrees(math.atan2(*sums)) % 360, 6) if clear else None
    return {**picture, "mean_direction": mean, "total": math.fsum(values)}


@tool(
    tags="chart function plot curve graph equation formula math draw",
    use_when=(
        "Plot sin(x)/x from -20 to 20",
        "Draw the graphs of x^2 and 2^x",
        "Where does x^3 - 2x - 5 cross zero?",
    ),
    examples=(
        Example(
            {"expressions": ["x^2 - 4"], "start": -3, "end": 3},
            {"file": "function.png", "curves": [{"minimum": -4.0, "maximum": 5.0, "zeros": [-2.0, 2.0]}]},
            source="by hand",
            tolerance=1e-5,
        ),
        Example(
            {"expressions": ["exp(x)", "1/x"], "start": -1, "end": 1, "file_format": "svg"},
            {"curves": [{"expression": "exp(x)", "maximum": 2.718281828459045, "zeros": []}, {"zeros": []}]},
            source="e to the power of 1; 1/x jumps at 0 and has no zero",
        ),
        Refusal({"expressions": ["open(x)"], "start": 0, "end": 1}, "open is not known"),
    ),
    tier="starter",
    credits=2,
    pace="normal",
    memory_mb=1024,
)
def chart_draw_functions(
    expressions: Annotated[
        list[Annotated[str, About("Expression in x", "sin(x)/x", min_length=1, max_length=200)]],
        About(
            "Functions of x with + - * / ^ and sqrt, sin, exp, log and so on", ["sin(x)/x"], min_items=1, max_items=8
        ),
    ],
    start: Annotated[float, About("Left end", -10, minimum=-1e9, maximum=1e9)],
    end: Annotated[float, About("Right end", 10, minimum=-1e9, maximum=1e9)],
    title: Title = "",
    layout: Around = None,
    file_format: FileFormat = "png",
) -> Functions:
    """Draw the graphs of one or more functions of x.

    Use it to see a formula. Angles are radians; gaps show where a function has no real value. Returns the picture and,
    for each function, its range and its zeros.
    """
    if not start < end:
        raise ToolError("start must be less than end.")
    x = np.linspace(start, end, 2401)
    values = [evaluate(expression_of(text, ("x",)), {"x": x}) for text in expressions]
    curves = [_curve(text, x, row) for text, row in zip(expressions, values, strict=True)]

    def plot(figure: Any) -> None:
        axes = axes_of(figure, "both")
        low, high = _window(np.concatenate(values))
        for row, colour in zip(values, colours(len(values)), strict=True):
            jumps = np.abs(np.diff(row, prepend=row[0])) > (high - low) * 0.9
            axes.plot(x, np.where(jumps, np.nan, row), color=colour)
        for line in (axes.axhline, axes.axvline):
            line(0, color=LIGHT, linewidth=1.2, zorder=0)
        axes.set_xlim(start, end)
        axes.set_ylim(low, high)
        if len(values) > 1:
            ends = [float(np.clip(row[np.isfinite(row)][-1], low, high)) for row in values]
            names = [short(text, 26) for text in expressions]
            label_ends(figure, axes, list(zip(names, ends, colours(len(values)), strict=True)))

    picture = draw("function", Frame(title, layout, file_format), plot)
    return {**picture, "curves": curves}


def _areas(sizes: Sequence[float] | None, count: int) -> list[float]:
    """Areas of the points in square points."""
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
        shown = powers[power] if size == "1" and power else size + powers[power]
        if size != "0":
            text += f" {'-' if part < 0 else '+'} {shown}" if text else f"{'-' if part < 0 else ''}{shown}"
    return f"y = {text or '0'}"


def _curve(text: str, x: Any, row: Any) -> Curve:
    finite = np.isfinite(row)
    if not finite.any():
        raise ToolError(f"{text} has no real value between {number(float(x[0]))} and {number(float(x[-1]))}.")
    signs = np.sign(np.where(finite, row, np.nan))
    step = np.abs(np.diff(row))
    typical = np.nanmedian(step) * 200 + 1e-12
    crossings = np.flatnonzero((signs[:-1] * signs[1:] < 0) & (step < max(typical, 1e-9)))
    zeros = [float(x[i] - row[i] * (x[i + 1] - x[i]) / (row[i + 1] - row[i])) for i in crossings[:20]]
    zeros += [float(x[i]) for i in np.flatnonzero(signs == 0)[: 20 - len(zeros)]]
    return {
        "expression": text,
        "minimum": float(row[finite].min()),
        "maximum": float(row[finite].max()),
        "zeros": sorted(round(zero, 6) for zero in zeros),
    }


def _window(values: Any) -> tuple[float, float]:
    """The range of the vertical axis: poles do not flatten the rest."""
    finite = values[np.isfinite(values)]
    low, high = (float(edge) for edge in np.quantile(finite, [0.02, 0.98]))
    if finite.max() - finite.min() <= 6 * (high - low):
        low, high = float(finite.min()), float(finite.max())
    room = (high - low) * 0.06 or 1.0
    return low - room, high + room
