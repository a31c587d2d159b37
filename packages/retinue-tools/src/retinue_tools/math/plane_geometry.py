"""Circles, right-angled triangles and straight lines from partial measures."""

from fractions import Fraction
from math import atan2, cos, degrees, hypot, pi, radians, sin, sqrt, tan
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.science._relations import Rule, complete
from retinue_tools.tidy import tidy

_MOST_RADIUS = 1e30


class Circle(TypedDict):
    """A circle, and optionally a sector."""

    radius: float
    diameter: float
    circumference: float
    area: float
    arc_length: Annotated[float | None, About("Length of the arc of the sector")]
    sector_area: Annotated[float | None, About("Area of the sector")]
    sector_perimeter: Annotated[float | None, About("Perimeter of the sector: arc and both radii")]
    chord: Annotated[float | None, About("Chord: straight line between the ends of the arc")]
    segment_area: Annotated[float | None, About("Area of the segment between chord and arc")]


_ROUND: tuple[Rule, ...] = (
    ("radius", lambda diameter: diameter / 2),
    ("radius", lambda circumference: circumference / (2 * pi)),
    ("radius", lambda area: sqrt(area / pi)),
    ("diameter", lambda radius: 2 * radius),
    ("circumference", lambda radius: 2 * pi * radius),
    ("area", lambda radius: pi * radius**2),
)


@tool(
    tags="circle radius diameter circumference area sector arc chord segment pi geometry pizza slice",
    use_when=(
        "Area of a circle with radius 7.5 cm",
        "What is the circumference of a wheel with a diameter of 66 cm?",
        "Arc length and area of a sector of 72 degrees in a circle of radius 10",
        "Radius of a circle with an area of 50 m2",
    ),
    examples=(
        Example(
            {"diameter": 66},
            {"circumference": 207.345115137, "radius": 33.0, "diameter": 66.0, "area": 3421.19439976},
            source="66 pi",
            tolerance=1e-9,
        ),
        Example(
            {"radius": 10, "angle_degrees": 90},
            {
                "arc_length": 15.7079632679,
                "sector_area": 78.5398163397,
                "chord": 14.1421356237,
                "sector_perimeter": 35.7079632679,
                "segment_area": 28.5398163397,
            },
            source="a quarter: 5 pi, 25 pi and 10 sqrt(2)",
        ),
        Refusal({}, "Too few values are given to compute area,"),
        Refusal({"radius": 2, "diameter": 5}, "contradict"),
    ),
    reply={
        "arc_length": "The arc is {arc_length} long, the chord {chord}, and the sector has an area of {sector_area}.",
        "": (
            "The circle has a radius of {radius}, a diameter of {diameter}, a circumference "
            "of {circumference} and an area of {area}."
        ),
    },
)
def geometry_measure_circle(
    radius: Annotated[float | None, About("Radius in any unit", 7.5, minimum=1e-30, maximum=_MOST_RADIUS)] = None,
    diameter: Annotated[float | None, About("Diameter in any unit", 66, minimum=1e-30, maximum=_MOST_RADIUS)] = None,
    circumference: Annotated[float | None, About("Circumference", 207.3, minimum=1e-30, maximum=_MOST_RADIUS)] = None,
    area: Annotated[float | None, About("Area in that unit squared", 50, minimum=1e-30, maximum=_MOST_RADIUS)] = None,
    angle_degrees: Annotated[float | None, About("Central angle of a sector", 72, minimum=1e-30, maximum=360)] = None,
) -> Circle:
    """Measure a circle from its radius, diameter, circumference or area; and, with an angle, its sector, arc and chord.

    Use it for wheels, plates and slices. Results are in the unit of the input.
    """
    values = {"radius": radius, "diameter": diameter, "circumference": circumference, "area": area}
    found = complete(values, _ROUND)
    return {
        "radius": tidy(found["radius"]),
        "diameter": tidy(found["diameter"]),
        "circumference": tidy(found["circumference"]),
        "area": tidy(found["area"]),
        **_slice(found["radius"], angle_degrees),
    }


class _Slice(TypedDict):
    arc_length: float | None
    sector_area: float | None
    sector_perimeter: float | None
    chord: float | None
    segment_area: float | None


def _slice(radius: float, degrees: float | None) -> _Slice:
    if degrees is None:
        return {
            "arc_length": None,
            "sector_area": None,
            "sector_perimeter": None,
            "chord": None,
            "segment_area": None,
        }
    angle = radians(degrees)
    return {
        "arc_length": tidy(radius * angle),
        "sector_area": tidy(radius**2 * angle / 2),
        "sector_perimeter": tidy(radius * (angle + 2)),
        "chord": tidy(2 * radius * abs(sin(angle / 2))),
        "segment_area": tidy(radius**2 * (angle - sin(angle)) / 2),
    }


_MOST = 1e15
_RIGHT = 90.0


class RightTriangle(TypedDict):
    """A right-angled triangle."""

    height: Annotated[float, About("Height: the vertical leg")]
    base: Annotated[float, About("Base: the horizontal leg")]
    hypotenuse: Annotated[float, About("Hypotenuse: the longest side")]
    angle_degrees: Annotated[float, About("Angle between base and hypotenuse")]
    other_angle_degrees: float
    area: float
    perimeter: float
    slope_percent: Annotated[float, About("Slope: height in percent of the base")]


_RULES: tuple[Rule, ...] = (
    ("hypotenuse", lambda height, base: sqrt(height**2 + base**2)),
    ("height", lambda hypotenuse, base: sqrt((hypotenuse - base) * (hypotenuse + base))),
    ("base", lambda hypotenuse, height: sqrt((hypotenuse - height) * (hypotenuse + height))),
    ("height", lambda base, angle: base * tan(radians(angle))),
    ("base", lambda height, angle: height / tan(radians(angle))),
    ("height", lambda hypotenuse, angle: hypotenuse * sin(radians(angle))),
    ("base", lambda hypotenuse, angle: hypotenuse * cos(radians(angle))),
    ("angle", lambda height, base: degrees(atan2(height, base))),
)


@tool(
    tags="right triangle pythagoras hypotenuse leg ladder ramp slope height shadow angle elevation trigonometry tan",
    use_when=(
        "A 6 m ladder stands 1.8 m from the wall: how high does it reach?",
        "Hypotenuse of a right triangle with legs 5 and 12",
        "A tree's shadow is 14 m long and the sun stands at 38 degrees. How tall is the tree?",
        "A ramp rises 0.9 m over 7.5 m: its length and its angle",
        "Pythagoras",
    ),
    examples=(
        Example(
            {"height": 5, "base": 12},
            {
                "hypotenuse": 13.0,
                "area": 30.0,
                "perimeter": 30.0,
                "slope_percent": 41.6666666667,
                "base": 12.0,
                "angle_degrees": 22.619864948,
            },
            source="5^2 + 12^2 = 13^2",
        ),
        Example({"hypotenuse": 10, "base": 6}, {"height": 8.0}, source="6^2 + 8^2 = 10^2"),
        Example({"base": 4, "angle_degrees": 45}, {"height": 4.0, "other_angle_degrees": 45.0}, source="tan 45 = 1"),
        Refusal({"height": 4}, "Too few values are given to compute angle, base,"),
        Refusal({"height": 5, "hypotenuse": 4}, "longest"),
    ),
    reply=(
        "The height is {height}, the base {base} and the hypotenuse {hypotenuse}, at an angle of {angle_degrees}\u00b0."
    ),
)
def geometry_solve_right_triangle(
    height: Annotated[float | None, About("Height: the vertical leg", 5, minimum=1e-9, maximum=_MOST)] = None,
    base: Annotated[
        float | None, About("Base: the horizontal leg, adjacent to the angle", 12, minimum=1e-9, maximum=_MOST)
    ] = None,
    hypotenuse: Annotated[
        float | None, About("Hypotenuse: ladder, ramp, line of sight", 13, minimum=1e-9, maximum=_MOST)
    ] = None,
    angle_degrees: Annotated[float | None, About("Angle above the base", 38, minimum=0.001, maximum=89.999)] = None,
) -> RightTriangle:
    """Solve a right-angled triangle (Pythagoras, tangent) from two of height, base, hypotenuse and angle.

    Use it for ladders, ramps, shadows and diagonals. All lengths are in the same unit. Also returns area, angles and
    slope.
    """
    if hypotenuse is not None and hypotenuse <= max(height or 0, base or 0):
        raise ToolError("The hypotenuse must be the longest side.")
    values = {"height": height, "base": base, "hypotenuse": hypotenuse, "angle": angle_degrees}
    found = complete(values, _RULES)
    return {
        "height": tidy(found["height"]),
        "base": tidy(found["base"]),
        "hypotenuse": tidy(found["hypotenuse"]),
        "angle_degrees": tidy(found["angle"]),
        "other_angle_degrees": tidy(_RIGHT - found["angle"]),
        "area": tidy(found["height"] * found["base"] / 2),
        "perimeter": tidy(found["height"] + found["base"] + found["hypotenuse"]),
        "slope_percent": tidy(found["height"] / found["base"] * 100),
    }


_FAR = 1e15
_UPRIGHT = 1e-12
Coordinate = Annotated[float, About("Coordinate", 3, minimum=-_FAR, maximum=_FAR)]


class Line(TypedDict):
    """The line through two points, and the segment between them."""

    slope: Annotated[float | None, About("Slope; null for a vertical line")]
    slope_fraction: str | None
    intercept: Annotated[float | None, About("y-intercept")]
    equation: Annotated[str, About("Equation as y = m x + b, or x = a for a vertical line")]
    distance: Annotated[float, About("Distance between the two points")]
    midpoint: list[float]
    angle_degrees: Annotated[float, About("Angle to the x axis, from the first point to the second")]
    y_at_x: Annotated[float | None, About("y at the given x")]


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
    reply={
        "y_at_x": (
            "The line is {equation}, with a slope of {slope} and y = {y_at_x} there; the points are {distance} apart."
        ),
        "slope": "The line is {equation}, with a slope of {slope}; the points are {distance} apart.",
        "": "The line {equation} is vertical; the points are {distance} apart.",
    },
)
def line_describe_points(
    x1: Coordinate,
    y1: Coordinate,
    x2: Coordinate,
    y2: Coordinate,
    at_x: Annotated[float | None, About("x at which to compute y", 10, minimum=-_FAR, maximum=_FAR)] = None,
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
