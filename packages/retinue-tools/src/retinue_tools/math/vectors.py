"""Vectors of numbers: products, angles and projections."""

import math
from fractions import Fraction
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool

Vector = Annotated[
    list[Annotated[float, About("Component", 3, minimum=-1e100, maximum=1e100)]],
    About("Components of the vector", [1, 2, 3], min_items=1, max_items=1000),
]
_Exact = list[Fraction]


class PairOfVectors(TypedDict):
    """Results for two vectors."""

    dot_product: float
    cross_product: Annotated[
        list[float] | None, About("Cross product of vectors with 2 or 3 components; those of 2 have z = 0")
    ]
    angle_degrees: Annotated[float | None, About("Angle between them; null if one is zero")]
    angle_radians: float | None
    first_magnitude: Annotated[float, About("Length of the first vector")]
    second_magnitude: float
    projection: Annotated[
        list[float] | None, About("Projection of the first onto the second; null if the second is zero")
    ]
    scalar_projection: Annotated[
        float | None, About("Length of the projection, negative if it points in the opposite direction")
    ]
    sum: list[float]
    difference: Annotated[list[float], About("First minus second")]
    distance: Annotated[float, About("Length of the difference")]
    parallel: Annotated[bool, About("Whether they are parallel")]
    perpendicular: Annotated[bool, About("Whether they are perpendicular")]


class OneVector(TypedDict):
    """Length and direction of a vector."""

    magnitude: Annotated[float, About("Length")]
    unit_vector: list[float]
    direction_degrees: Annotated[
        float | None, About("For 2 components: angle from the x axis, anticlockwise, 0 to 360")
    ]
    angles_to_axes_degrees: list[float]


@tool(
    tags="vector cross product dot scalar product angle between projection magnitude perpendicular parallel orthogonal",
    use_when=(
        "What is the cross product of (1, 2, 3) and (4, 5, 6)?",
        "Dot product of (1, 2, 3) and (4, -5, 6)",
        "What is the angle between the vectors (3, 4) and (5, 12)?",
        "Project the vector (2, 3) onto (1, 0)",
        "Are these vectors perpendicular?",
    ),
    examples=(
        Example(
            {"first": [1, 2, 3], "second": [4, 5, 6]},
            {"dot_product": 32.0, "cross_product": [-3.0, 6.0, -3.0], "perpendicular": False},
            source="by hand: 2*6 - 3*5, 3*4 - 1*6, 1*5 - 2*4",
        ),
        Example(
            {"first": [3, 4], "second": [10, 0]},
            {"angle_degrees": 53.13010235415598, "projection": [3.0, 0.0], "scalar_projection": 3.0},
            source="the 3-4-5 triangle: acos(3/5)",
        ),
        Example(
            {"first": [1, 0, 2], "second": [-4, 5, 2]},
            {"angle_degrees": 90.0, "perpendicular": True},
            source="-4 + 0 + 4 = 0, by hand",
        ),
        Refusal({"first": [1, 2, 3], "second": [1, 2]}, "the same number"),
    ),
    reply={
        "cross_product": (
            "The dot product is {dot_product}, the cross product "
            "({cross_product.0}, {cross_product.1}, {cross_product.2}) and the "
            "angle {angle_degrees}\u00b0."
        ),
        "angle_degrees": "The dot product is {dot_product} and the angle {angle_degrees}\u00b0.",
        "": "The dot product is {dot_product}.",
    },
)
def vector_compute_pair(first: Vector, second: Vector) -> PairOfVectors:
    """Compute dot and cross product, angle, magnitudes, projection, sum and distance of two vectors.

    Use it for geometry and physics. Returns all of them at once.
    """
    if len(first) != len(second):
        raise ToolError(f"Both vectors need the same number of components, not {len(first)} and {len(second)}.")
    one, other = _exact(first), _exact(second)
    dot, cross = _dot(one, other), _cross(one, other)
    difference = [a - b for a, b in zip(one, other, strict=True)]
    square, angle = _dot(other, other), _angle(one, other)
    return {
        "dot_product": float(dot),
        "cross_product": None if cross is None else _floats(cross),
        "angle_degrees": None if angle is None else _settle(math.degrees(angle)),
        "angle_radians": angle,
        "first_magnitude": _length(one),
        "second_magnitude": _length(other),
        "projection": _floats([dot / square * part for part in other]) if square else None,
        "scalar_projection": float(dot) / _length(other) if square else None,
        "sum": _floats([a + b for a, b in zip(one, other, strict=True)]),
        "difference": _floats(difference),
        "distance": _length(difference),
        "parallel": dot * dot == _dot(one, one) * square,
        "perpendicular": not dot,
    }


@tool(
    tags="vector magnitude length norm unit vector normalize direction angle components",
    use_when=(
        "What is the magnitude of the vector (3, 4, 12)?",
        "Normalize the vector (1, 2, 2)",
        "Direction angle of the vector (-1, 1)",
    ),
    examples=(
        Example({"vector": [3, 4, 12]}, {"magnitude": 13.0, "direction_degrees": None}, source="9 + 16 + 144 = 169"),
        Example(
            {"vector": [-1, 1]},
            {"direction_degrees": 135.0, "unit_vector": [-0.7071067811865476, 0.7071067811865476]},
            source="half of the second quadrant",
        ),
        Refusal({"vector": [0, 0]}, "no direction"),
    ),
    reply={
        "direction_degrees": (
            "The magnitude is {magnitude}, and the direction "
            "{direction_degrees}\u00b0; the unit vector is {unit_vector}."
        ),
        "unit_vector": "The magnitude is {magnitude}, and the unit vector {unit_vector}.",
        "": "The magnitude is {magnitude}.",
    },
)
def vector_describe_direction(vector: Vector) -> OneVector:
    """Describe a vector by its magnitude, its unit vector and its direction.

    Use it to normalise a vector. Also returns the angles to all axes.
    """
    length = _length(_exact(vector))
    if not length:
        raise ToolError("The zero vector has no direction, and its magnitude is 0. Give a non-zero vector.")
    unit = [part / length for part in vector]
    return {
        "magnitude": length,
        "unit_vector": unit,
        "direction_degrees": _settle(math.degrees(math.atan2(vector[1], vector[0])) % 360)
        if len(vector) == 2
        else None,
        "angles_to_axes_degrees": [_settle(math.degrees(math.acos(max(-1.0, min(1.0, part))))) for part in unit],
    }


def _exact(vector: list[float]) -> _Exact:
    """Return components as their exact decimal values, so that sums of products are not rounded."""
    return [Fraction(repr(part)) for part in vector]


def _floats(vector: _Exact) -> list[float]:
    return [float(part) for part in vector]


def _dot(one: _Exact, other: _Exact) -> Fraction:
    return sum((a * b for a, b in zip(one, other, strict=True)), Fraction(0))


def _cross(one: _Exact, other: _Exact) -> _Exact | None:
    """Return the cross product in space; a plane vector has z = 0."""
    if len(one) not in (2, 3):
        return None
    (a, b, c), (d, e, f) = ([*vector, Fraction(0)][:3] for vector in (one, other))
    return [b * f - c * e, c * d - a * f, a * e - b * d]


def _length(vector: _Exact) -> float:
    return math.hypot(*_floats(vector))


def _angle(one: _Exact, other: _Exact) -> float | None:
    """Return the angle in radians from sine and cosine, which is exact for small and right angles."""
    dot, squares = _dot(one, other), _dot(one, one) * _dot(other, other)
    if not squares:
        return None
    share = dot * dot / squares
    return math.atan2(math.sqrt(1 - share), math.copysign(math.sqrt(share), dot))


def _settle(degrees: float) -> float:
    """Round off the last digit of a double, which is only a rounding error: 60 rather than 59.99999999999999."""
    return float(f"{degrees:.14g}")
