"""Right-angled triangles from two of their parts."""

from math import atan2, cos, degrees, radians, sin, sqrt, tan
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.science._relations import Rule, complete
from retinue_tools.tidy import tidy

_MOST = 1e15
_RIGHT = 90.0


class RightTriangle(TypedDict):
    """A right-angled triangle."""

    height: Annotated[float, About("The upright side")]
    base: Annotated[float, About("The level side")]
    hypotenuse: Annotated[float, About("The slope: the longest side")]
    angle_degrees: Annotated[float, About("Angle between base and hypotenuse")]
    other_angle_degrees: float
    area: float
    perimeter: float
    slope_percent: Annotated[float, About("Height in percent of the base")]


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
        Refusal({"height": 4}, "Too little"),
        Refusal({"height": 5, "hypotenuse": 4}, "longest"),
    ),
)
def geometry_solve_right_triangle(
    height: Annotated[float | None, About("The upright side", 5, minimum=1e-9, maximum=_MOST)] = None,
    base: Annotated[float | None, About("The level side, beside the angle", 12, minimum=1e-9, maximum=_MOST)] = None,
    hypotenuse: Annotated[
        float | None, About("The longest side: ladder, ramp, line of sight", 13, minimum=1e-9, maximum=_MOST)
    ] = None,
    angle_degrees: Annotated[float | None, About("Angle above the base", 38, minimum=0.001, maximum=89.999)] = None,
) -> RightTriangle:
    """Solve a right-angled triangle (Pythagoras, tangent) from two of height, base, hypotenuse and angle.

    Use it for ladders, ramps, shadows and diagonals. All lengths are in one unit. Returns area, angles and slope too.
    """
    if hypotenuse is not None and hypotenuse <= max(height or 0, base or 0):
        raise ToolError("The hypotenuse must be the longest side.")
    given = {"height": height, "base": base, "hypotenuse": hypotenuse, "angle": angle_degrees}
    found = complete(given, _RULES)
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
