"""Lines of points as maps on the web write them."""

from collections.abc import Iterator, Sequence
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Bounded, Example, Refusal, ToolError, tool

_FIRST, _LAST = 63, 126
_MORE = 0x20


class Point(TypedDict):
    """A point."""

    latitude: float
    longitude: float


class EncodedLine(TypedDict):
    """A line, encoded and as points."""

    polyline: str
    points: list[Point]
    count: int


@tool(
    tags="polyline encoded decode encode points route maps algorithm latitude longitude directions",
    use_when=(
        "Decode the polyline _p~iF~ps|U_ulLnnqC_mqNvxq`@ to points",
        "Encode the points 38.5,-120.2 and 40.7,-120.95 as a polyline",
    ),
    examples=(
        Example(
            {"polyline": "_p~iF~ps|U_ulLnnqC_mqNvxq`@"},
            {
                "points": [
                    {"latitude": 38.5, "longitude": -120.2},
                    {"latitude": 40.7, "longitude": -120.95},
                    {"latitude": 43.252, "longitude": -126.453},
                ],
                "count": 3,
            },
            source="the example in Google's description of the algorithm",
        ),
        Example(
            {"latitudes": [38.5, 40.7], "longitudes": [-120.2, -120.95]},
            {"polyline": "_p~iF~ps|U_ulLnnqC"},
            source="the same",
        ),
        Refusal({"polyline": "_p~iF~"}, "ends in the middle"),
        Refusal({}, "Give"),
    ),
)
def polyline_convert_points(
    polyline: Annotated[str | None, About("Encoded polyline", "_p~iF~ps|U", min_length=1, max_length=200_000)] = None,
    latitudes: Annotated[
        list[Bounded] | None, About("Latitudes of points to encode", [38.5, 40.7], max_items=20_000)
    ] = None,
    longitudes: Annotated[list[Bounded] | None, About("Their longitudes", [-120.2, -120.95], max_items=20_000)] = None,
    precision: Annotated[int, About("Decimals of a degree that it keeps", 5, minimum=1, maximum=9)] = 5,
) -> EncodedLine:
    """Decode an encoded polyline of a map service to points, or encode points as one.

    Use it for routes of map services; some keep six decimals. Give the polyline or the points.
    """
    scale = 10**precision
    points = _points(polyline, latitudes, longitudes, scale)
    return {
        "polyline": polyline if polyline is not None else _encode(points, scale),
        "points": [{"latitude": latitude, "longitude": longitude} for latitude, longitude in points],
        "count": len(points),
    }


Pairs = Sequence[tuple[float, float]]


def _points(
    line: str | None, latitudes: Sequence[float] | None, longitudes: Sequence[float] | None, scale: int
) -> Pairs:
    if line is not None:
        return _decode(line, scale)
    if not latitudes or not longitudes or len(latitudes) != len(longitudes):
        raise ToolError("Give a polyline, or as many longitudes as latitudes.")
    return list(zip(latitudes, longitudes, strict=True))


def _decode(line: str, scale: int) -> Pairs:
    steps = list(_numbers(line))
    if len(steps) % 2:
        raise ToolError("The polyline ends in the middle of a point. Give all of it.")
    place, points = [0, 0], []
    for north, east in zip(steps[::2], steps[1::2], strict=True):
        place = [place[0] + north, place[1] + east]
        points.append((place[0] / scale, place[1] / scale))
    return points


def _numbers(line: str) -> Iterator[int]:
    """The signed numbers, five bits a character, lowest first; a set sixth bit says that more follow."""
    value = shift = 0
    for character in line:
        bits = ord(character) - _FIRST
        if not 0 <= bits <= _LAST - _FIRST:
            raise ToolError(f"{character!r} is no character of a polyline.")
        value |= (bits & (_MORE - 1)) << shift
        shift += 5
        if not bits & _MORE:
            yield ~(value >> 1) if value & 1 else value >> 1
            value = shift = 0
    if shift:
        raise ToolError("The polyline ends in the middle of a number. Give all of it.")


def _encode(points: Pairs, scale: int) -> str:
    text, before = "", (0, 0)
    for latitude, longitude in points:
        here = (round(latitude * scale), round(longitude * scale))
        text += _render(here[0] - before[0]) + _render(here[1] - before[1])
        before = here
    return text


def _render(number: int) -> str:
    value, text = (~(number << 1) if number < 0 else number << 1), ""
    while value >= _MORE:
        text += chr((_MORE | (value & (_MORE - 1))) + _FIRST)
        value >>= 5
    return text + chr(value + _FIRST)
