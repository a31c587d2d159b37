"""Solids: their volume and surface."""

from collections.abc import Callable, Mapping, Sequence
from math import hypot, pi, sqrt
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.tidy import tidy

_MOST = 1e15
Shape = Literal["sphere", "hemisphere", "cylinder", "cone", "frustum", "box", "cube", "pyramid", "prism", "tube"]


class Solid(TypedDict):
    """A solid."""

    volume: Annotated[float, About("In the unit of the lengths cubed")]
    surface: Annotated[float, About("All of the surface, in the unit squared")]
    lateral_surface: Annotated[float, About("Without bottom and top")]
    diagonal: Annotated[float | None, About("Longest straight line inside a box or cube")]
    mass: Annotated[float | None, About("Volume times the density, where one was given")]


Measures = tuple[float, float, float]
"""Volume, surface, and surface without bottom and top."""


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
    """Upright over a rectangle: two pairs of triangles, each as high as its slant."""
    side = length * hypot(height, width / 2) + width * hypot(height, length / 2)
    return length * width * height / 3, side + length * width, side


def _prism(length: float, width: float, height: float) -> Measures:
    """Over a triangle with `width` as base and `height`, with equal legs, `length` long."""
    legs = 2 * sqrt((width / 2) ** 2 + height**2)
    side = (width + legs) * length
    return width * height / 2 * length, side + width * height, side


def _tube(radius: float, inner_radius: float, height: float) -> Measures:
    ring = pi * (radius**2 - inner_radius**2)
    side = 2 * pi * (radius + inner_radius) * height
    return ring * height, side + 2 * ring, side


_SHAPES: Mapping[str, tuple[Callable[..., Measures], Sequence[str]]] = {
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
)
def geometry_measure_solid(
    shape: Annotated[
        Shape, About("box for anything with right angles; prism is triangular; tube is hollow", "cylinder")
    ],
    radius: Annotated[float | None, About("Radius, at the bottom and outside", 3, minimum=1e-30, maximum=_MOST)] = None,
    diameter: Annotated[float | None, About("Diameter, in place of a radius", 22, minimum=1e-30, maximum=_MOST)] = None,
    height: Annotated[float | None, About("Height", 10, minimum=1e-30, maximum=_MOST)] = None,
    length: Annotated[
        float | None, About("Length, or the edge of a cube or of a square base", 4, minimum=1e-30, maximum=_MOST)
    ] = None,
    width: Annotated[
        float | None, About("Width; that of the length where none is given", 5, minimum=1e-30, maximum=_MOST)
    ] = None,
    second_radius: Annotated[
        float | None,
        About("Inner radius of a tube, or radius at the top of a frustum", 2.5, minimum=1e-30, maximum=_MOST),
    ] = None,
    density: Annotated[
        float | None, About("Mass of one unit of volume, for the mass", 7850, minimum=1e-30, maximum=_MOST)
    ] = None,
) -> Solid:
    """Measure a solid: volume and surface of a ball, cylinder, cone, box, pyramid, prism, tube or frustum.

    Use it for tanks, cans and pieces of material. All lengths must be in one unit; results are in that unit.
    """
    given = {
        "radius": radius or (diameter and diameter / 2),
        "height": height,
        "length": length,
        "width": width or length,
        "second_radius": second_radius,
    }
    volume, surface, lateral = _measures(shape, given)
    sides = [given[name] or 0.0 for name in ("length", "width", "height")] if shape == "box" else []
    sides = [length] * 3 if shape == "cube" and length else sides
    return {
        "volume": tidy(volume),
        "surface": tidy(surface),
        "lateral_surface": tidy(lateral),
        "diagonal": tidy(hypot(*sides)) if sides else None,
        "mass": density and tidy(volume * density),
    }


def _measures(shape: str, given: Mapping[str, float | None]) -> Measures:
    measure, names = _SHAPES[shape]
    if missing := [name for name in names if given[name] is None]:
        raise ToolError(f"A {shape} needs {', '.join(missing)}.")
    if shape == "tube" and (given["second_radius"] or 0) >= (given["radius"] or 0):
        raise ToolError("The inner radius of a tube must be smaller than its radius.")
    return measure(*(given[name] for name in names))
