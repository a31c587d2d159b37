"""Circles and their parts."""

from math import pi, radians, sin, sqrt
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, tool
from retinue_tools.science._relations import Rule, complete
from retinue_tools.tidy import tidy

_MOST = 1e30


class Circle(TypedDict):
    """A circle, and the part that an angle cuts out."""

    radius: float
    diameter: float
    circumference: float
    area: float
    arc_length: Annotated[float | None, About("Length of the arc over the angle")]
    sector_area: Annotated[float | None, About("Area of the slice between two radii")]
    sector_perimeter: Annotated[float | None, About("Arc and both radii")]
    chord: Annotated[float | None, About("Straight line between the ends of the arc")]
    segment_area: Annotated[float | None, About("Area between chord and arc")]


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
        Refusal({}, "Too little"),
        Refusal({"radius": 2, "diameter": 5}, "contradict"),
    ),
)
def geometry_measure_circle(
    radius: Annotated[float | None, About("Radius in any unit", 7.5, minimum=1e-30, maximum=_MOST)] = None,
    diameter: Annotated[float | None, About("Diameter in any unit", 66, minimum=1e-30, maximum=_MOST)] = None,
    circumference: Annotated[float | None, About("Length around it", 207.3, minimum=1e-30, maximum=_MOST)] = None,
    area: Annotated[float | None, About("Area in that unit squared", 50, minimum=1e-30, maximum=_MOST)] = None,
    angle_degrees: Annotated[
        float | None, About("Angle of a slice at the centre", 72, minimum=1e-30, maximum=360)
    ] = None,
) -> Circle:
    """Measure a circle from its radius, diameter, circumference or area; with an angle its sector, arc and chord too.

    Use it for wheels, plates and slices. Results are in the unit of the input.
    """
    given = {"radius": radius, "diameter": diameter, "circumference": circumference, "area": area}
    found = complete(given, _ROUND)
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
