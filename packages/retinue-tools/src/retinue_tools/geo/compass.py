"""Points of the compass."""

import re
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool

_POINTS = (
    "N", "NbE", "NNE", "NEbN", "NE", "NEbE", "ENE", "EbN",
    "E", "EbS", "ESE", "SEbE", "SE", "SEbS", "SSE", "SbE",
    "S", "SbW", "SSW", "SWbS", "SW", "SWbW", "WSW", "WbS",
    "W", "WbN", "WNW", "NWbW", "NW", "NWbN", "NNW", "NbW",
)  # fmt: skip
"""The rose of 32 points, clockwise; a b reads "by"."""
_STEP = 360 / len(_POINTS)
_WORDS = {"N": "north", "E": "east", "S": "south", "W": "west", "b": " by "}
_SHORT = {word.strip(): letter for letter, word in _WORDS.items()} | {letter.lower(): letter for letter in _WORDS}
_PARTS = re.compile(r"north|east|south|west|by|[neswb]")
_DEGREES = re.compile(r"(-?[0-9]+(?:\.[0-9]+)?)\s*(?:°|deg|degrees?)?(?:\s*true)?", re.IGNORECASE)
_QUADRANT = re.compile(r"([NS])\s*([0-9]+(?:\.[0-9]+)?)\s*(?:°|deg|degrees?)?\s*([EW])", re.IGNORECASE)


class CompassPoint(TypedDict):
    """A direction as degrees and as a point of the compass."""

    degrees: Annotated[float, About("Clockwise from north, 0 up to 360; as given, or of the point given")]
    point: Annotated[str, About("The point given, or the nearest of the rose, such as WSW")]
    name: Annotated[str, About("The same in words, such as west-southwest")]
    point_degrees: Annotated[float, About("Degrees of exactly that point")]
    quadrant_bearing: Annotated[str, About("As surveyors write it, such as S 67.5° W")]
    back_bearing_degrees: Annotated[float, About("The opposite direction")]


@tool(
    tags="compass point direction degrees bearing heading wind rose azimuth north east south west cardinal back",
    use_when=(
        "Which compass direction is 247.5 degrees?",
        "Convert 315 degrees to a compass point",
        "How many degrees is south-southwest?",
        "The wind comes from 200°, which direction is that?",
        "S 30° E as an azimuth",
        "What is the back bearing of 75 degrees?",
    ),
    examples=(
        Example(
            {"direction": "247.5"},
            {
                "point": "WSW",
                "name": "west-southwest",
                "quadrant_bearing": "S 67.5° W",
                "back_bearing_degrees": 67.5,
                "point_degrees": 247.5,
            },
            source="Wikipedia, Points of the compass",
        ),
        Example({"direction": "north-northeast"}, {"degrees": 22.5, "point": "NNE"}, source="Wikipedia, same table"),
        Example(
            {"direction": "213.75", "rose": "32"},
            {"point": "SWbS", "name": "southwest by south"},
            source="Wikipedia, same table",
        ),
        Example({"direction": "S 30° E"}, {"degrees": 150.0}, source="180 - 30"),
        Refusal({"direction": "up"}, "such as 247.5, WSW"),
    ),
)
def compass_convert_point(
    direction: Annotated[
        str,
        About(
            "Degrees from north, a point such as WSW or south-east, or S 30° E", "247.5", min_length=1, max_length=60
        ),
    ],
    rose: Annotated[Literal["8", "16", "32"], About("How many points the rose has")] = "16",
) -> CompassPoint:
    """Convert degrees to the nearest point of the compass, or a point of the compass to degrees.

    Use it for winds, headings and bearings. Returns name, quadrant bearing and opposite direction as well.
    """
    place = _place(direction)
    degrees = _read(direction.strip()) if place is None else place * _STEP
    if place is None:
        coarse = len(_POINTS) // int(rose)
        place = int(degrees / (_STEP * coarse) + 0.5) * coarse % len(_POINTS)
    return {
        "degrees": degrees,
        "point": _POINTS[place],
        "name": _name(_POINTS[place]),
        "point_degrees": place * _STEP,
        "quadrant_bearing": _quadrant(degrees),
        "back_bearing_degrees": (degrees + 180) % 360,
    }


def _read(direction: str) -> float:
    """Degrees from north, 0 up to 360. Raises `ToolError`."""
    if found := _DEGREES.fullmatch(direction):
        return float(found[1]) % 360 % 360
    if (found := _QUADRANT.fullmatch(direction)) and float(found[2]) <= 90:
        from_north = float(found[2]) if found[1] in "Nn" else 180 - float(found[2])
        return (from_north if found[3] in "Ee" else -from_north) % 360
    raise ToolError(f"{direction} is no direction. Give degrees or a point, such as 247.5, WSW or S 30° E.")


def _place(direction: str) -> int | None:
    """Where on the rose a point lies that is given by its letters or its name; None if it is none."""
    point = "".join(_SHORT[part] for part in _PARTS.findall(direction.lower()))
    if point not in _POINTS or _PARTS.sub("", direction.lower()).strip(" -.,"):
        return None
    return _POINTS.index(point)


def _name(point: str) -> str:
    """The name in words: of three letters, the first stands by itself."""
    words = "".join(_WORDS[letter] for letter in point)
    first = _WORDS[point[0]]
    return f"{first}-{words.removeprefix(first)}" if len(point) == 3 and "b" not in point else words


def _quadrant(degrees: float) -> str:
    """The angle from north or south, towards east or west."""
    pole = "N" if degrees <= 90 or degrees >= 270 else "S"
    angle = min(degrees, 360 - degrees) if pole == "N" else abs(180 - degrees)
    return f"{pole} {angle:.10g}° {'E' if degrees <= 180 else 'W'}"
