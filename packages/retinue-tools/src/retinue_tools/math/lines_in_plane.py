"""Straight lines through two points of a plane."""

from fractions import Fraction
from math import atan2, degrees, hypot
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.tidy import tidy

_FAR = 1e15
_UPRIGHT = 1e-12
Coordinate = Annotated[float, About("Coordinate", 3, minimum=-_FAR, maximum=_FAR)]


class Line(TypedDict):
    """The line through two points, and the piece between them."""

    slope: Annotated[float | None, About("Null for an upright line")]
    slope_fraction: str | None
    intercept: Annotated[float | None, About("Where it crosses the y axis")]
    equation: Annotated[str, About("As y = m x + b, or x = a for an upright line")]
    distance: Annotated[float, About("Between the two points")]
    midpoint: list[float]
    angle_degrees: Annotated[float, About("To the x axis, from the first point to the second")]
    y_at_x: Annotated[float | None, About("Its height at the x that was asked for")]


@tool(
    tags="line slope gradient intercept equation distance midpoint two points coordinates straight geometry",
    use_when=(
        "Slope and equation of the line through (2, 3) and (6, 11)",
        "How far apart are the points (-2, 5) and (6, -1)?",
        "Midpoint of (1, 4) and (7, -2)",
        "A line goes through (1, 2) and (3, 8). What is y at x = 10?",
    ),
    examples=(
        Example(
            {"x1": 2, "y1": 3, "x2": 6, "y2": 11},
            {"slope": 2.0, "intercept": -1.0, "equation": "y = 2x - 1", "midpoint": [4.0, 7.0]},
            source="by hand",
        ),
        Example(
            {"x1": -2, "y1": 5, "x2": 6, "y2": -1}, {"distance": 10.0, "slope_fraction": "-3/4"}, source="by hand: 8, 6"
        ),
        Example({"x1": 1, "y1": 2, "x2": 3, "y2": 8, "at_x": 10}, {"y_at_x": 29.0}, source="y = 3x - 1"),
        Example({"x1": 2, "y1": 0, "x2": 2, "y2": 5}, {"equation": "x = 2", "slope": None}, source="by hand"),
        Refusal({"x1": 1, "y1": 1, "x2": 1, "y2": 1}, "two different points"),
    ),
)
def line_describe_points(
    x1: Coordinate,
    y1: Coordinate,
    x2: Coordinate,
    y2: Coordinate,
    at_x: Annotated[float | None, About("An x at which y is asked for", 10, minimum=-_FAR, maximum=_FAR)] = None,
) -> Line:
    """Describe the straight line through two points: slope, intercept, equation, distance, midpoint and angle.

    Use it for coordinates in a plane; for places on Earth use geo_measure_distance.
    """
    if (x1, y1) == (x2, y2):
        raise ToolError("Give two different points.")
    up = y2 - y1
    across = x2 - x1 if abs(x2 - x1) > _UPRIGHT else 0.0
    slope = Fraction(str(y2 - y1)) / Fraction(str(x2 - x1)) if across else None
    intercept = None if slope is None else float(Fraction(str(y1)) - slope * Fraction(str(x1)))
    return {
        "slope": slope if slope is None else tidy(float(slope)),
        "slope_fraction": slope if slope is None else str(slope.limit_denominator(1_000_000)),
        "intercept": intercept if intercept is None else tidy(intercept),
        "equation": _equation(slope, intercept, x1),
        "distance": tidy(hypot(across, up)),
        "midpoint": [tidy((x1 + x2) / 2), tidy((y1 + y2) / 2)],
        "angle_degrees": tidy(degrees(atan2(up, across))),
        "y_at_x": None if at_x is None or slope is None else tidy(y1 + float(slope) * (at_x - x1)),
    }


def _equation(slope: Fraction | None, intercept: float | None, x: float) -> str:
    if slope is None or intercept is None:
        return f"x = {x:g}"
    steep = {0.0: "", 1.0: "x", -1.0: "-x"}.get(float(slope), f"{float(slope):.10g}x")
    if not steep:
        return f"y = {intercept:.10g}"
    return f"y = {steep}" + (f" {'-' if intercept < 0 else '+'} {abs(intercept):.10g}" if intercept else "")
