"""Contour plots and surfaces of functions of two variables."""

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.data_analysis._charts_expressions import evaluate, expression_of
from retinue_tools.data_analysis._charts_style import (
    GRID,
    INK,
    Around,
    FileFormat,
    Frame,
    Picture,
    Title,
    axes_of,
    compact,
    draw,
)
from retinue_tools.data_analysis.charts_heatmaps import draw_colour_bar

Formula = Annotated[
    str, About("Expression in x and y, with + - * / ^ and sin, exp, sqrt and so on", "sin(x) * cos(y)", max_length=200)
]
Range = Annotated[
    list[Annotated[float, About("Limit", 3, minimum=-1e9, maximum=1e9)]],
    About("Limits of the axis", [-3, 3], min_items=2, max_items=2),
]


class Field(Picture):
    """A contour or surface chart."""

    minimum: Annotated[float, About("Least value on the grid")]
    maximum: Annotated[float, About("Greatest value on the grid")]
    minimum_at: Annotated[list[float], About("x and y of the least value on the grid")]
    maximum_at: Annotated[list[float], About("x and y of the greatest value on the grid")]


@tool(
    tags="chart contour level lines height map function two variables draw",
    use_when=(
        "Draw the contour lines of x^2 + 3*y^2",
        "Plot sin(x)*cos(y) as a height map",
        "Where is the minimum of this function of two variables?",
    ),
    examples=(
        Example(
            {"formula": "(x-1)^2 + y^2", "x_range": [-2, 2], "y_range": [-2, 2]},
            {"file": "contour.png", "minimum": 0.0, "minimum_at": [1.0, 0.0], "maximum": 13.0},
            source="by hand: 3 * 3 + 2 * 2 in a corner",
        ),
        Example(
            {"formula": "x*y", "x_range": [0, 1], "y_range": [0, 2], "levels": 5, "file_format": "svg"},
            {"file": "contour.svg", "maximum": 2.0, "maximum_at": [1.0, 2.0]},
            source="by hand",
        ),
        Refusal({"formula": "x +", "x_range": [0, 1], "y_range": [0, 1]}, "cannot be parsed"),
    ),
    reply=(
        "The contour chart; the values run from {minimum} at ({minimum_at.0}, "
        "{minimum_at.1}) to {maximum} at ({maximum_at.0}, {maximum_at.1}): {file}"
    ),
    tier="starter",
    credits=2,
    pace="normal",
    memory_mb=1024,
)
def chart_draw_contour(
    formula: Formula,
    x_range: Range,
    y_range: Range,
    levels: Annotated[int, About("Number of contour levels", minimum=3, maximum=30)] = 12,
    title: Title = "",
    layout: Around = None,
    file_format: FileFormat = "png",
) -> Field:
    """Draw a contour chart of a function of x and y: coloured steps of height with labelled level lines.

    Use it to see hills, valleys and minima. Returns the picture and the positions of the extremes on a grid of 161 by
    161.
    """
    x, y, z = _field(formula, x_range, y_range, 161)

    def plot(figure: Any) -> None:
        axes = axes_of(figure, "none")
        if np.nanmin(z) == np.nanmax(z):
            axes.pcolormesh(x, y, z, cmap="YlGnBu")
            return
        areas = axes.contourf(x, y, z, levels, cmap="YlGnBu")
        lines = axes.contour(x, y, z, areas.levels, colors=INK, linewidths=0.6, alpha=0.55)
        axes.clabel(lines, fontsize=8, fmt=compact)
        draw_colour_bar(figure, axes, areas)

    picture = draw("contour", Frame(title, layout, file_format), plot, (760, 600))
    return {**picture, **_extremes(x, y, z)}


@tool(
    tags="chart surface 3d three dimensional function plot mesh draw",
    use_when=(
        "Draw sin(sqrt(x^2 + y^2)) as a 3D surface",
        "Plot this function of two variables in 3D",
        "Show the saddle x^2 - y^2",
    ),
    examples=(
        Example(
            {"formula": "x^2 - y^2", "x_range": [-1, 1], "y_range": [-2, 2]},
            {"file": "surface.png", "minimum": -4.0, "maximum": 1.0},
            source="by hand: at the middles of the edges",
        ),
        Example(
            {"formula": "3", "x_range": [0, 1], "y_range": [0, 1], "turn_degrees": 20},
            {"minimum": 3.0, "maximum": 3.0},
            source="by hand",
        ),
        Refusal({"formula": "sqrt(-1-x^2)", "x_range": [0, 1], "y_range": [0, 1]}, "no real value"),
    ),
    reply=(
        "The surface; the values run from {minimum} at ({minimum_at.0}, {minimum_at.1}) to "
        "{maximum} at ({maximum_at.0}, {maximum_at.1}): {file}"
    ),
    tier="starter",
    credits=2,
    pace="normal",
    memory_mb=1024,
)
def chart_draw_surface(
    formula: Formula,
    x_range: Range,
    y_range: Range,
    turn_degrees: Annotated[float, About("Azimuth of the view", minimum=-360, maximum=360)] = -55,
    tilt_degrees: Annotated[float, About("Elevation of the view", minimum=0, maximum=90)] = 28,
    title: Title = "",
    layout: Around = None,
    file_format: FileFormat = "png",
) -> Field:
    """Draw a function of x and y as a surface in three dimensions.

    Use it to get an idea of a shape; chart_draw_contour can be read more exactly. Returns the picture and the positions
    of the extremes on a grid of 81 by 81.
    """
    x, y, z = _field(formula, x_range, y_range, 81)

    def plot(figure: Any) -> None:
        axes = figure.add_subplot(projection="3d")
        axes.plot_surface(
            x, y, z, cmap="YlGnBu_r", linewidth=0.15, edgecolor=INK, rcount=60, ccount=60, antialiased=True
        )
        axes.view_init(tilt_degrees, turn_degrees)
        for axis in (axes.xaxis, axes.yaxis, axes.zaxis):
            axis.set_pane_color((1, 1, 1, 0))
            axis.line.set_color(GRID)
        axes.tick_params(labelsize=8)
        axes.set_box_aspect(None, zoom=0.92)

    picture = draw("surface", Frame(title, layout, file_format), plot, (760, 620))
    return {**picture, **_extremes(x, y, z)}


def _field(formula: str, x_range: Sequence[float], y_range: Sequence[float], count: int) -> tuple[Any, Any, Any]:
    """Return the grid and the values on it. Raises `ToolError`."""
    if not (x_range[0] < x_range[1] and y_range[0] < y_range[1]):
        raise ToolError("The first end of each range must be less than the second.")
    x, y = np.meshgrid(*(np.linspace(first, last, count) for first, last in (x_range, y_range)))
    z = evaluate(expression_of(formula, ("x", "y")), {"x": x, "y": y})
    if not np.isfinite(z).any():
        raise ToolError(f"{formula} has no real value in these ranges.")
    return x, y, z


class _Extremes(TypedDict):
    minimum: float
    maximum: float
    minimum_at: list[float]
    maximum_at: list[float]


def _extremes(x: Any, y: Any, z: Any) -> _Extremes:
    least, most = int(np.nanargmin(z)), int(np.nanargmax(z))
    return {
        "minimum": float(z.flat[least]),
        "maximum": float(z.flat[most]),
        "minimum_at": [round(float(x.flat[least]), 9), round(float(y.flat[least]), 9)],
        "maximum_at": [round(float(x.flat[most]), 9), round(float(y.flat[most]), 9)],
    }
