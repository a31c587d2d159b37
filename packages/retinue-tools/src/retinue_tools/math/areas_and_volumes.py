"""Areas and perimeters of plane shapes, volumes and surfaces of solids."""

from collections.abc import Callable, Mapping, Sequence
from math import hypot, pi, sqrt, tan
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.tidy import tidy

_MOST = 1e15
_FEWEST_SIDES = 3
PlaneShapeKind = Literal[
    "rectangle", "square", "triangle", "parallelogram", "trapezoid", "rhombus", "ellipse", "regular polygon"
]


class PlaneShape(TypedDict):
    """A plane shape."""

    area: Annotated[float, About("Area in the unit of the lengths squared")]
    perimeter: Annotated[float | None, About("Perimeter; null if the lengths do not determine it")]
    diagonal: Annotated[float | None, About("Diagonal of a rectangle or square")]
    interior_angle_degrees: Annotated[float | None, About("Interior angle of a regular polygon")]
    apothem: Annotated[float | None, About("Apothem of a regular polygon: from its centre to the middle of a side")]


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
    """Return its perimeter by Ramanujan's second formula, whose error is less than a millionth for common ellipses."""
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


_PLANE_SHAPES: Mapping[str, tuple[Callable[..., PlaneShape], Sequence[str]]] = {
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
        "Size of a room",
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
    reply={
        "diagonal": (
            "The {args.shape} has an area of {area}, a perimeter of {perimeter} and a diagonal of {diagonal}."
        ),
        "perimeter": "The {args.shape} has an area of {area} and a perimeter of {perimeter}.",
        "args.shape": "The {args.shape} has an area of {area}.",
        "": "The shape has an area of {area}.",
    },
)
def geometry_measure_shape(
    shape: Annotated[PlaneShapeKind, About("Kind of shape", "trapezoid")],
    length: Annotated[
        float | None,
        About("A side, the base, a diagonal of a rhombus, or an axis of an ellipse", 8, minimum=1e-30, maximum=_MOST),
    ] = None,
    width: Annotated[
        float | None, About("The other side, parallel side, diagonal or axis", 12, minimum=1e-30, maximum=_MOST)
    ] = None,
    height: Annotated[float | None, About("Height above the base", 5, minimum=1e-30, maximum=_MOST)] = None,
    sides: Annotated[
        int | None, About("Number of sides of a regular polygon", 6, minimum=_FEWEST_SIDES, maximum=1_000_000)
    ] = None,
) -> PlaneShape:
    """Measure a flat shape: area, perimeter and diagonal of a rectangle, trapezoid, rhombus, ellipse, polygon and more.

    Use it for rooms, fields and plates. All lengths must be in one unit; results are in that unit.
    """
    sizes = {"length": length, "width": width, "height": height, "sides": sides}
    measure, names = _PLANE_SHAPES[shape]
    if missing := [name for name in names if sizes[name] is None]:
        raise ToolError(f"{shape} needs {', '.join(missing)}.")
    return measure(*(sizes[name] for name in names))


SolidKind = Literal["sphere", "hemisphere", "cylinder", "cone", "frustum", "box", "cube", "pyramid", "prism", "tube"]


class Solid(TypedDict):
    """A solid."""

    volume: Annotated[float, About("Volume in the unit of the lengths cubed")]
    surface: Annotated[float, About("Total surface, in the unit squared")]
    lateral_surface: Annotated[float, About("Lateral surface, without bottom and top")]
    diagonal: Annotated[float | None, About("Longest straight line inside a box or cube")]
    mass: Annotated[float | None, About("Mass: volume times the density, if given")]


Measures = tuple[float, float, float]
"""Volume, total surface, and lateral surface."""


def _sphere(radius: float) -> Measures:
    return 4 / 3 * pi * radius**3, 4 * pi * radius**2, 4 * pi * radius**2


def _hemisphere(radius: float) -> Measures:
    return 2 / 3 * pi * radius**3, 3 * pi * radius**2, 2 * pi * radius**2


def _cylinder(radius: float, height: float) -> Measures:
    side = 2 * pi * radius * height
    return pi * radius**2 * height, side + 2 * pi * radius**2, side


def _cone(radius: float, height: float) -> Measures:
    side = pi * radius * hypot(radius, height)
    return pi * radius**2 * height / 3, side + pi * radius**2, side


def _frustum(radius: float, top_radius: float, height: float) -> Measures:
    side = pi * (radius + top_radius) * hypot(radius - top_radius, height)
    volume = pi * height / 3 * (radius**2 + radius * top_radius + top_radius**2)
    return volume, side + pi * (radius**2 + top_radius**2), side


def _box(length: float, width: float, height: float) -> Measures:
    side = 2 * height * (length + width)
    return length * width * height, side + 2 * length * width, side


def _cube(length: float) -> Measures:
    return _box(length, length, length)


def _pyramid(length: float, width: float, height: float) -> Measures:
    """An upright pyramid over a rectangle: two pairs of triangles, with their slant heights."""
    side = length * hypot(height, width / 2) + width * hypot(height, length / 2)
    return length * width * height / 3, side + length * width, side


def _prism(length: float, width: float, height: float) -> Measures:
    """A prism over an isosceles triangle with `width` as base and `height`, and `length` long."""
    legs = 2 * sqrt((width / 2) ** 2 + height**2)
    side = (width + legs) * length
    return width * height / 2 * length, side + width * height, side


def _tube(radius: float, inner_radius: float, height: float) -> Measures:
    ring = pi * (radius**2 - inner_radius**2)
    side = 2 * pi * (radius + inner_radius) * height
    return ring * height, side + 2 * ring, side


_SOLIDS: Mapping[str, tuple[Callable[..., Measures], Sequence[str]]] = {
    "sphere": (_sphere, ("radius",)),
    "hemisphere": (_hemisphere, ("radius",)),
    "cylinder": (_cylinder, ("radius", "height")),
    "cone": (_cone, ("radius", "height")),
    "frustum": (_frustum, ("radius", "second_radius", "height")),
    "box": (_box, ("length", "width", "height")),
    "cube": (_cube, ("length",)),
    "pyramid": (_pyramid, ("length", "width", "height")),
    "prism": (_prism, ("length", "width", "height")),
    "tube": (_tube, ("radius", "second_radius", "height")),
}


@tool(
    tags="volume surface area sphere ball cylinder cone box cuboid cube pyramid prism tube pipe frustum solid tank",
    use_when=(
        "Volume of a cylinder with radius 3 cm and height 10 cm",
        "Surface area of a box 3 by 4 by 5",
        "How much holds a cone of 8 cm diameter and 12 cm height?",
        "Volume and surface of a ball with a diameter of 22 cm",
    ),
    examples=(
        Example(
            {"shape": "box", "length": 3, "width": 4, "height": 12},
            {"volume": 144.0, "surface": 192.0, "diagonal": 13.0},
            source="arithmetic: 3 * 4 * 12; 2 (12 + 36 + 48); sqrt(9 + 16 + 144)",
        ),
        Example(
            {"shape": "cylinder", "diameter": 6, "height": 10},
            {"volume": 282.743338823, "lateral_surface": 188.495559215},
            source="90 pi and 60 pi",
        ),
        Example({"shape": "cone", "radius": 3, "height": 4}, {"surface": 75.3982236862}, source="15 pi + 9 pi"),
        Example(
            {"shape": "pyramid", "length": 6, "width": 6, "height": 4},
            {"volume": 48.0, "surface": 96.0},
            source="36 * 4 / 3; 36 + 4 triangles of 6 by 5 halved",
        ),
        Example({"shape": "cube", "length": 0.1, "density": 7850}, {"mass": 7.85}, source="arithmetic: 0.001 * 7850"),
        Refusal({"shape": "cylinder", "radius": 3}, "needs height"),
        Refusal({"shape": "tube", "radius": 3, "second_radius": 4, "height": 1}, "smaller"),
    ),
    reply={
        "mass": "The {args.shape} has a volume of {volume}, a surface of {surface} and a mass of {mass}.",
        "args.shape": "The {args.shape} has a volume of {volume} and a surface of {surface}.",
        "": "The solid has a volume of {volume} and a surface of {surface}.",
    },
)
def geometry_measure_solid(
    shape: Annotated[
        SolidKind, About("box for anything with right angles; prism is triangular; tube is hollow", "cylinder")
    ],
    radius: Annotated[float | None, About("Radius, at the bottom and outside", 3, minimum=1e-30, maximum=_MOST)] = None,
    diameter: Annotated[float | None, About("Diameter, instead of a radius", 22, minimum=1e-30, maximum=_MOST)] = None,
    height: Annotated[float | None, About("Height", 10, minimum=1e-30, maximum=_MOST)] = None,
    length: Annotated[
        float | None, About("Length, or the edge of a cube or of a square base", 4, minimum=1e-30, maximum=_MOST)
    ] = None,
    width: Annotated[float | None, About("Width; default: the length", 5, minimum=1e-30, maximum=_MOST)] = None,
    second_radius: Annotated[
        float | None,
        About("Inner radius of a tube, or radius at the top of a frustum", 2.5, minimum=1e-30, maximum=_MOST),
    ] = None,
    density: Annotated[
        float | None, About("Density: mass per unit of volume", 7850, minimum=1e-30, maximum=_MOST)
    ] = None,
) -> Solid:
    """Measure a solid: volume and surface of a ball (sphere), cylinder, cone, box, pyramid, prism, tube or frustum.

    Use it for tanks, cans and pieces of material. All lengths must be in one unit; results are in that unit.
    """
    sizes = {
        "radius": radius or (diameter and diameter / 2),
        "height": height,
        "length": length,
        "width": width or length,
        "second_radius": second_radius,
    }
    volume, surface, lateral = _measures(shape, sizes)
    sides = [sizes[name] or 0.0 for name in ("length", "width", "height")] if shape == "box" else []
    sides = [length] * 3 if shape == "cube" and length else sides
    return {
        "volume": tidy(volume),
        "surface": tidy(surface),
        "lateral_surface": tidy(lateral),
        "diagonal": tidy(hypot(*sides)) if sides else None,
        "mass": density and tidy(volume * density),
    }


def _measures(shape: str, sizes: Mapping[str, float | None]) -> Measures:
    measure, names = _SOLIDS[shape]
    if missing := [name for name in names if sizes[name] is None]:
        raise ToolError(f"{shape} needs {', '.join(missing)}.")
    if shape == "tube" and (sizes["second_radius"] or 0) >= (sizes["radius"] or 0):
        raise ToolError("The inner radius of a tube must be smaller than its radius.")
    return measure(*(sizes[name] for name in names))
