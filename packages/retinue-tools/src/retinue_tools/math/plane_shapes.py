"""Flat shapes: their area and perimeter."""

from collections.abc import Callable, Mapping, Sequence
from math import hypot, pi, sqrt, tan
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.tidy import tidy

_MOST = 1e15
_FEWEST_SIDES = 3
Shape = Literal[
    "rectangle", "square", "triangle", "parallelogram", "trapezoid", "rhombus", "ellipse", "regular polygon"
]


class PlaneShape(TypedDict):
    """A flat shape."""

    area: Annotated[float, About("In the unit of the lengths squared")]
    perimeter: Annotated[float | None, About("Length around it; null where the lengths do not tell it")]
    diagonal: Annotated[float | None, About("Of a rectangle or square")]
    interior_angle_degrees: Annotated[float | None, About("Of a regular polygon")]
    apothem: Annotated[float | None, About("From the middle of a regular polygon to the middle of a side")]


def _shape(area: float, perimeter: float | None, diagonal: float | None = None) -> PlaneShape:
    return {
        "area": tidy(area),
        "perimeter": perimeter and tidy(perimeter),
        "diagonal": diagonal and tidy(diagonal),
        "interior_angle_degrees": None,
        "apothem": None,
    }


def _rectangle(length: float, width: float) -> PlaneShape:
    return _shape(length * width, 2 * (length + width), hypot(length, width))


def _square(length: float) -> PlaneShape:
    return _rectangle(length, length)


def _triangle(length: float, height: float) -> PlaneShape:
    return _shape(length * height / 2, None)


def _parallelogram(length: float, height: float) -> PlaneShape:
    return _shape(length * height, None)


def _trapezoid(length: float, width: float, height: float) -> PlaneShape:
    return _shape((length + width) / 2 * height, None)


def _rhombus(length: float, width: float) -> PlaneShape:
    return _shape(length * width / 2, 2 * hypot(length, width))


def _ellipse(length: float, width: float) -> PlaneShape:
    """Its perimeter after Ramanujan, whose second formula errs by less than a millionth for common ellipses."""
    major, minor = length / 2, width / 2
    unlike = ((major - minor) / (major + minor)) ** 2
    around = pi * (major + minor) * (1 + 3 * unlike / (10 + sqrt(4 - 3 * unlike)))
    return _shape(pi * major * minor, around)


def _polygon(length: float, sides: int) -> PlaneShape:
    apothem = length / (2 * tan(pi / sides))
    return {
        **_shape(sides * length * apothem / 2, sides * length),
        "interior_angle_degrees": tidy(180 - 360 / sides),
        "apothem": tidy(apothem),
    }


_SHAPES: Mapping[str, tuple[Callable[..., PlaneShape], Sequence[str]]] = {
    "rectangle": (_rectangle, ("length", "width")),
    "square": (_square, ("length",)),
    "triangle": (_triangle, ("length", "height")),
    "parallelogram": (_parallelogram, ("length", "height")),
    "trapezoid": (_trapezoid, ("length", "width", "height")),
    "rhombus": (_rhombus, ("length", "width")),
    "ellipse": (_ellipse, ("length", "width")),
    "regular polygon": (_polygon, ("length", "sides")),
}


@tool(
    tags="area perimeter rectangle square trapezoid trapezium parallelogram rhombus ellipse polygon hexagon diagonal",
    use_when=(
        "Area of a trapezium with parallel sides of 8 and 12 cm, 5 cm apart",
        "Perimeter and diagonal of a 4 by 7 m room",
        "Area of a regular hexagon with sides of 6 cm, and its interior angle",
        "Area of an ellipse 10 long and 6 wide",
    ),
    examples=(
        Example(
            {"shape": "trapezoid", "length": 8, "width": 12, "height": 5}, {"area": 50.0}, source="(8 + 12) / 2 * 5"
        ),
        Example(
            {"shape": "rectangle", "length": 3, "width": 4},
            {"area": 12.0, "perimeter": 14.0, "diagonal": 5.0},
            source="by hand",
        ),
        Example(
            {"shape": "regular polygon", "sides": 6, "length": 2},
            {"area": 10.3923048454, "perimeter": 12.0, "interior_angle_degrees": 120.0, "apothem": 1.73205080757},
            source="6 sqrt(3)",
        ),
        Example({"shape": "ellipse", "length": 10, "width": 6}, {"area": 47.1238898038}, source="15 pi"),
        Refusal({"shape": "trapezoid", "length": 8}, "needs width, height"),
    ),
)
def geometry_measure_shape(
    shape: Annotated[Shape, About("What shape it is", "trapezoid")],
    length: Annotated[
        float | None,
        About("A side, the base, a diagonal of a rhombus, or an axis of an ellipse", 8, minimum=1e-30, maximum=_MOST),
    ] = None,
    width: Annotated[
        float | None, About("The other side, parallel side, diagonal or axis", 12, minimum=1e-30, maximum=_MOST)
    ] = None,
    height: Annotated[float | None, About("Height over the base", 5, minimum=1e-30, maximum=_MOST)] = None,
    sides: Annotated[
        int | None, About("How many sides a regular polygon has", 6, minimum=_FEWEST_SIDES, maximum=1_000_000)
    ] = None,
) -> PlaneShape:
    """Measure a flat shape: area, perimeter and diagonal of a rectangle, trapezoid, rhombus, ellipse, polygon and more.

    Use it for rooms, fields and plates. All lengths must be in one unit; results are in that unit.
    """
    given = {"length": length, "width": width, "height": height, "sides": sides}
    measure, names = _SHAPES[shape]
    if missing := [name for name in names if given[name] is None]:
        raise ToolError(f"A {shape} needs {', '.join(missing)}.")
    return measure(*(given[name] for name in names))
