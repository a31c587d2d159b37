"""Charts of functions, and polar charts."""

import math
from typing import Annotated, Any, Literal

import numpy as np
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.data_analysis._charts_axes import Numbers, label_ends
from retinue_tools.data_analysis._charts_expressions import evaluate, expression_of
from retinue_tools.data_analysis._charts_style import (
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
    number,
    short,
)


class Polar(Picture):
    """A polar chart."""

    mean_direction: Annotated[float | None, About("Mean direction in degrees; null if there is none")]
    total: Annotated[float, About("Sum of the values")]


class Curve(TypedDict):
    """Properties of a drawn function."""

    expression: Annotated[str, About("The function")]
    minimum: Annotated[float, About("Least value drawn")]
    maximum: Annotated[float, About("Greatest value drawn")]
    zeros: Annotated[list[float], About("Zero crossings, at most 20, to about six digits")]


class Functions(Picture):
    """A chart of functions."""

    curves: Annotated[list[Curve], About("Properties of each function")]


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
    reply={
        "mean_direction": "The polar chart; the mean direction is {mean_direction}\u00b0: {file}",
        "": "The polar chart: {file}",
    },
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

    Use it for wind, headings, or hours as multiples of 15 degrees. Returns the picture and the mean direction.
    """
    if len(directions) != len(values):
        raise ToolError("directions and values must have the same number of items.")
    if min(values) < 0:
        raise ToolError("The values cannot be negative: they are distances from the centre.")
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
        Refusal({"expressions": ["open(x)"], "start": 0, "end": 1}, "open is unknown"),
    ),
    reply="The graph: {file}",
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

    Use it to visualise a formula. Angles are radians; gaps show where a function has no real value. Returns the picture
    and, for each function, its range and its zeros.
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
    """Return the range of the vertical axis, chosen so that poles do not flatten the rest."""
    finite = values[np.isfinite(values)]
    low, high = (float(edge) for edge in np.quantile(finite, [0.02, 0.98]))
    if finite.max() - finite.min() <= 6 * (high - low):
        low, high = float(finite.min()), float(finite.max())
    room = (high - low) * 0.06 or 1.0
    return low - room, high + room
