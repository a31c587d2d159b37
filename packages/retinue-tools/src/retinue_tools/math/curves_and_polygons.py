"""Curves through points, roots of polynomials, polygons and triangles."""

import itertools
import math
from typing import Annotated, Any, Literal

import numpy as np
import scipy.interpolate
import shapely
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool

Coordinate = Annotated[float, About("Coordinate", 1.5, minimum=-1e9, maximum=1e9)]
Values = Annotated[list[Coordinate], About("Numbers", [0, 1, 2, 3], min_items=2, max_items=5000)]
Point = Annotated[list[Coordinate], About("x and y", [0, 0], min_items=2, max_items=2)]
Points = Annotated[list[Point], About("Vertices in order", [[0, 0], [4, 0], [4, 3]], min_items=3, max_items=5000)]


class Interpolated(TypedDict):
    """Interpolated values."""

    values: Annotated[list[float], About("Value at each requested position")]
    slopes: Annotated[list[float], About("Slope at each position")]
    extrapolated: Annotated[list[bool], About("Whether the position is outside the points")]


class Fit(TypedDict):
    """A fitted polynomial."""

    coefficients: Annotated[list[float], About("Coefficients: constant first, then of x, x^2 and so on")]
    r_squared: Annotated[float | None, About("Share of the variance that it explains; null for constant values")]
    rmse: Annotated[float, About("Root mean squared error")]
    fitted: Annotated[list[float], About("Fitted values at the points")]
    predicted: Annotated[list[float], About("Predicted values at the requested positions")]


class Roots(TypedDict):
    """The roots of a polynomial."""

    real: Annotated[list[float], About("Real roots in ascending order, repeated by multiplicity")]
    complex: Annotated[list[list[float]], About("Other roots as real and imaginary parts")]


class Polygon(TypedDict):
    """Measures of a polygon."""

    area: Annotated[float, About("Area")]
    perimeter: Annotated[float, About("Perimeter")]
    centroid: Point
    convex: Annotated[bool, About("Whether the polygon is convex")]
    orientation: Annotated[Literal["clockwise", "counterclockwise"], About("Orientation of the vertices")]
    hull: Annotated[list[Point], About("Vertices of the convex hull")]
    smallest_rectangle: Annotated[list[float], About("Sides of the smallest enclosing rectangle, shorter first")]


class Triangle(TypedDict):
    """A triangle; angle A is opposite side a."""

    sides: Annotated[list[float], About("a, b, c")]
    angles_deg: Annotated[list[float], About("A, B, C in degrees")]
    area: Annotated[float, About("Area")]
    perimeter: Annotated[float, About("Perimeter")]
    inradius: Annotated[float, About("Radius of the incircle")]
    circumradius: Annotated[float, About("Radius of the circumcircle")]


@tool(
    tags="interpolate spline cubic pchip linear between points table lookup",
    use_when=(
        "What is the value at 2.5 between these measurements?",
        "Draw a smooth curve through points with a spline",
    ),
    examples=(
        Example({"x": [0, 1, 2], "y": [0, 10, 40], "at": [0.5, 1.5]}, {"values": [5.0, 25.0]}, source="by hand"),
        Example(
            {"x": [0, 1, 2, 3], "y": [0, 1, 8, 27], "at": [1.5], "method": "cubic_spline"},
            {"values": [3.375], "slopes": [6.75]},
            source="a not-a-knot spline repeats the cubic x^3",
        ),
        Refusal({"x": [1, 1], "y": [0, 1], "at": [1]}, "must be ascending"),
    ),
    reply={
        "values.1": "The values are {values}.",
        "": "The value is {values.0}.",
    },
)
def math_interpolate_points(
    x: Values,
    y: Values,
    at: Annotated[list[Coordinate], About("Requested positions", [0.5], min_items=1, max_items=5000)],
    method: Annotated[
        Literal["linear", "cubic_spline", "monotone"], About("monotone (PCHIP) does not overshoot")
    ] = "linear",
) -> Interpolated:
    """Interpolate between points by straight lines, a cubic spline or monotone cubic pieces.

    Use it for tables and measurements. Returns values and slopes, and marks positions outside the points.
    """
    _pair(x, y)
    if any(after <= before for before, after in itertools.pairwise(x)):
        raise ToolError("The positions x must be ascending.")
    makers = {
        "linear": lambda: scipy.interpolate.make_interp_spline(x, y, 1),
        "cubic_spline": lambda: scipy.interpolate.CubicSpline(x, y),
        "monotone": lambda: scipy.interpolate.PchipInterpolator(x, y),
    }
    curve: Any = makers[method]()
    return {
        "values": _numbers(curve(at)),
        "slopes": _numbers(curve.derivative()(at)),
        "extrapolated": [not x[0] <= place <= x[-1] for place in at],
    }


def _pair(x: list[float], y: list[float]) -> None:
    if len(x) != len(y):
        raise ToolError("x and y must have the same number of values.")


def _numbers(values: Any) -> list[float]:
    if not np.isfinite(values).all():
        raise ToolError("The result is too large. Scale the numbers or stay closer to the points.")
    return [float(value) for value in values]


@tool(
    tags="polynomial fit regression least squares trend curve r squared",
    use_when=("Fit a parabola to these points", "Which cubic fits the measurements best?"),
    examples=(
        Example(
            {"x": [0, 1, 2, 3], "y": [1, 3, 9, 19], "degree": 2},
            {"coefficients": [1.0, 0.0, 2.0], "r_squared": 1.0},
            source="2x^2 + 1",
        ),
        Example({"x": [0, 1, 2], "y": [6, 0, 0]}, {"coefficients": [5.0, -3.0]}, source="Strang: the line 5 - 3t"),
        Example(
            {"x": [0, 1, 2], "y": [6, 0, 0], "at": [4]},
            {"predicted": [-7.0]},
            source="Strang: the line 5 - 3t at t = 4",
        ),
        Refusal({"x": [0, 1], "y": [1, 2], "degree": 2}, "more points"),
    ),
    reply={
        "predicted": (
            "The coefficients are {coefficients}, constant first, and the "
            "predicted values {predicted} (R\u00b2 = {r_squared})."
        ),
        "r_squared": "The coefficients are {coefficients}, constant first (R\u00b2 = {r_squared}).",
        "": "The coefficients are {coefficients}, constant first.",
    },
)
def math_fit_polynomial(
    x: Values,
    y: Values,
    degree: Annotated[int, About("Degree", minimum=0, maximum=15)] = 1,
    at: Annotated[list[Coordinate] | None, About("Positions at which to predict y", [12], max_items=5000)] = None,
) -> Fit:
    """Fit a polynomial to points by least squares.

    Use it for trends, calibration curves and predictions. Returns the coefficients, R squared and the error.
    """
    _pair(x, y)
    if len(set(x)) <= degree:
        raise ToolError("A polynomial of this degree needs more points with different x.")
    places, values = np.array(x, dtype=float), np.array(y, dtype=float)
    found = np.polynomial.Polynomial.fit(places, values, degree)
    coefficients = np.zeros(degree + 1)
    converted = found.convert().coef
    coefficients[: len(converted)] = converted
    scale = max(1.0, float(np.abs(values).max()))
    coefficients[np.abs(coefficients) < 1e-13 * scale] = 0.0
    errors = values - found(places)
    spread = float(((values - values.mean()) ** 2).sum())
    return {
        "coefficients": _numbers(coefficients),
        "r_squared": 1 - float((errors**2).sum()) / spread if spread else None,
        "rmse": float(np.sqrt((errors**2).mean())),
        "fitted": _numbers(found(places)),
        "predicted": _numbers(found(np.array(at or [], dtype=float))),
    }


@tool(
    tags="polynomial roots zeros complex numeric coefficients",
    use_when=("What are all roots of x^5 - x - 1?", "Find the complex zeros of a polynomial with these coefficients"),
    examples=(
        Example({"coefficients": [1, 0, 1]}, {"real": [], "complex": [[0.0, -1.0], [0.0, 1.0]]}, source="x^2 + 1"),
        Example({"coefficients": [1, -6, 11, -6]}, {"real": [1.0, 2.0, 3.0]}, source="(x-1)(x-2)(x-3)"),
        Refusal({"coefficients": [0, 0]}, "must not be zero"),
    ),
    reply={
        "real, complex": "The real roots are {real}. The complex ones, with real and imaginary part: {complex}",
        "real": "The roots are {real}.",
        "complex": "There are no real roots. The complex ones, with real and imaginary part: {complex}",
        "": "The polynomial has no roots.",
    },
)
def polynomial_find_roots(
    coefficients: Annotated[
        list[Coordinate], About("Coefficients, highest power first", [1, -6, 11, -6], min_items=2, max_items=100)
    ],
) -> Roots:
    """Find all real and complex roots of a polynomial numerically from its coefficients.

    Use it for polynomials of any degree up to 99; repeated roots are less exact.
    """
    if not any(coefficients[:-1]):
        raise ToolError("A coefficient of x or a higher power must not be zero.")
    try:
        found = np.roots(coefficients)
    except np.linalg.LinAlgError as error:
        raise ToolError("The coefficients differ too much in size for their roots to be computed.") from error
    real = [root for root in found if abs(root.imag) <= 1e-9 * max(1.0, abs(root))]
    rest = sorted((root for root in found if root not in real), key=lambda one: (round(one.real, 9), one.imag))
    return {
        "real": sorted(float(root.real) for root in real),
        "complex": [[float(root.real), float(root.imag)] for root in rest],
    }


@tool(
    tags="polygon area perimeter centroid convex hull shoelace geometry",
    use_when=(
        "What is the area of the polygon (0,0), (4,0), (4,3)?",
        "Find the centroid of this plot",
        "Is this outline convex?",
    ),
    examples=(
        Example(
            {"corners": [[0, 0], [4, 0], [4, 3]]},
            {
                "area": 6.0,
                "perimeter": 12.0,
                "convex": True,
                "orientation": "counterclockwise",
                "centroid": [2.6666666666666665, 1.0],
                "hull": [[0.0, 0.0], [4.0, 3.0], [4.0, 0.0]],
                "smallest_rectangle": [2.4000000000000004, 5.0],
            },
            source="the 3-4-5 triangle",
        ),
        Refusal({"corners": [[0, 0], [2, 2], [2, 0], [0, 2]]}, "intersects itself"),
    ),
    reply=(
        "The polygon has an area of {area} and a perimeter of {perimeter}; its centroid is "
        "({centroid.0}, {centroid.1})."
    ),
)
def geometry_measure_polygon(corners: Points) -> Polygon:
    """Measure a plane polygon: area, perimeter, centroid, convexity, orientation, hull and smallest rectangle.

    Use it for plots and outlines in plane coordinates, in any unit of length.
    """
    figure = shapely.Polygon(corners)
    if not figure.is_valid or not figure.area:
        raise ToolError("The outline intersects itself or has no area. Give the vertices in order.")
    hull = list(figure.convex_hull.exterior.coords)[:-1]
    corner, *others = list(figure.minimum_rotated_rectangle.exterior.coords)
    return {
        "area": float(figure.area),
        "perimeter": float(figure.length),
        "centroid": [float(figure.centroid.x), float(figure.centroid.y)],
        "convex": bool(figure.convex_hull.area <= figure.area * (1 + 1e-12)),
        "orientation": "counterclockwise" if figure.exterior.is_ccw else "clockwise",
        "hull": [[float(x), float(y)] for x, y in hull],
        "smallest_rectangle": sorted([math.dist(corner, others[0]), math.dist(others[0], others[1])]),
    }


@tool(
    tags="triangle solve sides angles trigonometry law of cosines sines area",
    use_when=(
        "A triangle has sides 3, 4 and 5: what are its angles?",
        "Two sides 7 and 9 enclose 40 degrees: find the third",
    ),
    examples=(
        Example(
            {"a": 3, "b": 4, "c": 5},
            {
                "angles_deg": [36.86989764584402, 53.13010235415598, 90.0],
                "area": 6.0,
                "inradius": 1.0,
                "circumradius": 2.5,
                "perimeter": 12.0,
            },
            source="the 3-4-5 triangle, tan A = 3/4",
        ),
        Example({"a": 1, "b": 1, "angle_c": 60}, {"sides": [1.0, 1.0, 1.0]}, source="equilateral"),
        Example(
            {"a": 1, "angle_a": 30, "angle_b": 60},
            {"sides": [1.0, 1.7320508075688772, 2.0]},
            source="half an equilateral triangle",
        ),
        Refusal({"a": 1, "b": 1, "c": 5}, "no triangle"),
        Refusal({"a": 1, "b": 1}, "three"),
    ),
    reply="The sides are {sides}, and the angles {angles_deg} degrees; the area is {area}.",
)
def geometry_solve_triangle(
    a: Annotated[float | None, About("Side a", 3, exclusive_minimum=0, maximum=1e9)] = None,
    b: Annotated[float | None, About("Side b", 4, exclusive_minimum=0, maximum=1e9)] = None,
    c: Annotated[float | None, About("Side c", 5, exclusive_minimum=0, maximum=1e9)] = None,
    angle_a: Annotated[
        float | None, About("Angle opposite a in degrees", 37, exclusive_minimum=0, maximum=179.99)
    ] = None,
    angle_b: Annotated[
        float | None, About("Angle opposite b in degrees", 53, exclusive_minimum=0, maximum=179.99)
    ] = None,
    angle_c: Annotated[
        float | None, About("Angle opposite c in degrees", 90, exclusive_minimum=0, maximum=179.99)
    ] = None,
) -> Triangle:
    """Solve a triangle from three sides, two sides and the angle between them, or a side and two angles.

    Use it for surveying and geometry. Two sides with an angle that is not between them are ambiguous and rejected.
    """
    sides, angles = [a, b, c], [angle_a, angle_b, angle_c]
    if sum(one is not None for one in sides + angles) != 3 or sides == [None] * 3:
        raise ToolError("Give exactly three of the sides and angles, at least one of them a side.")
    found = _sides(sides, angles)
    if max(found) * 2 >= sum(found):
        raise ToolError("There is no triangle with these sides: one is at least as long as the other two together.")
    half = sum(found) / 2
    area = math.sqrt(half * math.prod(half - side for side in found))
    if not area:
        raise ToolError("The triangle is too flat or too small to be computed.")
    return {
        "sides": found,
        "angles_deg": [_angle(found[k], found[k - 1], found[k - 2]) for k in range(3)],
        "area": area,
        "perimeter": 2 * half,
        "inradius": area / half,
        "circumradius": math.prod(found) / (4 * area),
    }


def _sides(sides: list[float | None], angles: list[float | None]) -> list[float]:
    known = [(place, side) for place, side in enumerate(sides) if side is not None]
    if len(known) == 2:
        third = 3 - known[0][0] - known[1][0]
        between = angles[third]
        if between is None:
            raise ToolError("The angle must be between the two sides: opposite the third side.")
        one, other = known[0][1], known[1][1]
        opposite = math.sqrt(max(0.0, one**2 + other**2 - 2 * one * other * math.cos(math.radians(between))))
        return [opposite if side is None else float(side) for side in sides]
    if len(known) == 1:
        given = [180 - sum(one for one in angles if one is not None) if one is None else one for one in angles]
        if min(given) <= 0:
            raise ToolError("There is no triangle with these angles: their sum is 180 degrees or more.")
        ratio = known[0][1] / math.sin(math.radians(given[known[0][0]]))
        return [ratio * math.sin(math.radians(one)) for one in given]
    return [float(side) for _, side in known]


def _angle(opposite: float, one: float, other: float) -> float:
    """Return an angle in degrees by the law of cosines."""
    cosine = (one**2 + other**2 - opposite**2) / (2 * one * other)
    return math.degrees(math.acos(max(-1.0, min(1.0, cosine))))
