"""Web maps: tiles (Web Mercator, the XYZ scheme) and encoded polylines."""

from collections.abc import Iterator, Sequence
from math import asinh, atan, cos, degrees, floor, pi, radians, sinh, tan
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, BoundedNumber, Example, Latitude, Longitude, Refusal, ToolError, tool

_EQUATOR_M = 2 * pi * 6378137.0
_MOST_TILES = 5000
_EDGE = 85.0511287798066
"""Latitude limit of Web Mercator, whose map is a square."""

Zoom = Annotated[int, About("Zoom level", 12, minimum=0, maximum=24)]


class Tile(TypedDict):
    """A map tile and its area."""

    tile: Annotated[str, About("zoom/x/y")]
    x: Annotated[int, About("Column from the west")]
    y: Annotated[int, About("Row from the north")]
    y_tms: Annotated[int, About("Row from the south, as in TMS")]
    quadkey: Annotated[str, About("Quadkey")]
    west: float
    south: float
    east: float
    north: float
    metres_per_pixel: Annotated[float, About("Resolution at the centre of a tile of 256 pixels")]


@tool(
    tags="map tile xyz slippy zoom quadkey web mercator coordinate to tile osm",
    use_when=(
        "Which map tile shows 51.5, -0.12 at zoom 10?",
        "Quadkey of a coordinate at zoom 14",
        "What is the resolution in metres per pixel at zoom 12 in Oslo?",
    ),
    examples=(
        Example(
            {"latitude": 41.85, "longitude": -87.64999999999998, "zoom": 7},
            {"x": 32, "y": 47},
            source="the widely used worked example of tile coordinates: Chicago at zoom 7",
        ),
        Example(
            {"latitude": 0, "longitude": 0, "zoom": 3},
            {"tile": "3/4/4", "quadkey": "300", "west": 0.0, "north": 0.0, "y_tms": 3},
            source="by hand: the tile south-east of the origin",
        ),
        Refusal({"latitude": 89, "longitude": 0, "zoom": 3}, "85.05"),
    ),
    reply="It is on the tile {tile}, with the quadkey {quadkey}.",
)
def tile_find_at_point(latitude: Latitude, longitude: Longitude, zoom: Zoom) -> Tile:
    """Find the web-map tile that shows a coordinate at a zoom level, with its bounds and quadkey.

    Use it to fetch or cache map tiles, or to find the ground resolution of a zoom level.
    """
    if abs(latitude) > _EDGE:
        raise ToolError("Web maps end at 85.05 degrees of latitude. Choose a point closer to the equator.")
    return describe(*_tile(latitude, longitude, zoom), zoom)


@tool(
    tags="map tile bounds quadkey xyz tms to coordinates box extent",
    use_when=(
        "Which area does tile 10/511/340 cover?",
        "Bounds of quadkey 120203",
        "Corner coordinates of an OSM tile",
    ),
    examples=(
        Example(
            {"tile": "1/0/0"},
            {"west": -180.0, "east": 0.0, "south": 0.0, "north": 85.0511287798066, "quadkey": "0"},
            source="by hand: the north-western quarter of the map",
        ),
        Example({"tile": "213"}, {"tile": "3/3/5"}, source="the published example of quadkeys: tile 3, 5 at level 3"),
        Refusal({"tile": "2/9/0"}, "does not exist"),
    ),
    reply=(
        "The tile {tile} goes from {west} to {east} in longitude and from {south} to "
        "{north} in latitude; its quadkey is {quadkey}."
    ),
)
def tile_describe_bounds(
    tile: Annotated[str, About("Tile as zoom/x/y, or a quadkey", "10/511/340", min_length=1, max_length=40)],
) -> Tile:
    """Describe the area that a web-map tile covers, given as zoom/x/y or as a quadkey.

    Use it to locate a tile. Returns bounds in degrees, TMS row, quadkey and resolution.
    """
    parts = tile.strip().split("/")
    if len(parts) == 3 and all(part.isascii() and part.isdecimal() for part in parts):
        zoom, x, y = map(int, parts)
    elif len(tile) <= 24 and set(tile) <= set("0123"):
        zoom = len(tile)
        x, y = (int("".join(str(int(digit) >> bit & 1) for digit in tile), 2) for bit in (0, 1))
    else:
        raise ToolError("Write a tile as zoom/x/y, such as 10/511/340, or as a quadkey of the digits 0 to 3.")
    if zoom > 24 or x >= 2**zoom or y >= 2**zoom:
        raise ToolError("That tile does not exist: x and y are below 2 to the power of the zoom, which is at most 24.")
    return describe(x, y, zoom)


class Tiles(TypedDict):
    """Tiles that cover a box."""

    tiles: Annotated[list[str], About("zoom/x/y, row by row from the north-west")]
    count: Annotated[int, About("Number of tiles")]
    columns: Annotated[int, About("Number of columns")]
    rows: Annotated[int, About("Number of rows")]


@tool(
    tags="map tiles cover bounding box list download offline count zoom",
    use_when=(
        "Which tiles cover Berlin at zoom 11?",
        "How many tiles do I need for this bounding box at zoom 14?",
        "List all XYZ tiles between two corners",
    ),
    examples=(
        Example(
            {"west": -180, "south": -85, "east": 179.9, "north": 85, "zoom": 2},
            {"count": 16, "columns": 4, "rows": 4},
            source="4 to the power of 2 tiles show the world",
        ),
        Refusal({"west": 0, "south": 0, "east": 90, "north": 80, "zoom": 20}, "more than 5000"),
    ),
    reply={
        "tiles": "It takes {count|tile}, {columns} x {rows}: {tiles}",
        "": "It takes {count|tile}, {columns} x {rows}.",
    },
)
def tile_cover_box(west: Longitude, south: Latitude, east: Longitude, north: Latitude, zoom: Zoom) -> Tiles:
    """List the web-map tiles that cover a box of latitudes and longitudes at a zoom level.

    Use it to plan downloads or caches. A box whose west is greater than its east crosses the date line.
    """
    if south > north:
        raise ToolError("The south of the box is north of its north. Swap them.")
    low, high = max(south, -_EDGE), min(north, _EDGE)
    left, bottom = _tile(min(low, _EDGE), west, zoom)
    right, top = _tile(max(high, -_EDGE), east, zoom)
    size = 2**zoom
    columns = right - left + 1 if east >= west else (right - left) % size + 1
    rows = bottom - top + 1
    if columns * rows > _MOST_TILES:
        raise ToolError(f"The box contains more than {_MOST_TILES} tiles. Choose a lower zoom or a smaller box.")
    tiles = [f"{zoom}/{(left + column) % size}/{row}" for row in range(top, bottom + 1) for column in range(columns)]
    return {"tiles": tiles, "count": len(tiles), "columns": columns, "rows": rows}


def _tile(latitude: float, longitude: float, zoom: int) -> tuple[int, int]:
    size = 2**zoom
    x = floor((longitude + 180) / 360 * size)
    y = floor((1 - asinh(tan(radians(latitude))) / pi) / 2 * size)
    return min(max(x, 0), size - 1), min(max(y, 0), size - 1)


def describe(x: int, y: int, zoom: int) -> Tile:
    """Return the tile of a column and row."""
    size = 2**zoom
    north, south = (degrees(atan(sinh(pi * (1 - 2 * row / size)))) for row in (y, y + 1))
    return {
        "tile": f"{zoom}/{x}/{y}",
        "x": x,
        "y": y,
        "y_tms": size - 1 - y,
        "quadkey": "".join(str((x >> bit & 1) + 2 * (y >> bit & 1)) for bit in reversed(range(zoom))),
        "west": x / size * 360 - 180,
        "south": south,
        "east": (x + 1) / size * 360 - 180,
        "north": north,
        "metres_per_pixel": _EQUATOR_M * cos(radians((north + south) / 2)) / 256 / size,
    }


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
    reply={
        "args.polyline": "The polyline has {count|point}: {points}",
        "count": "The polyline of {count|point}: {polyline}",
        "": "The polyline: {polyline}",
    },
)
def polyline_convert_points(
    polyline: Annotated[str | None, About("Encoded polyline", "_p~iF~ps|U", min_length=1, max_length=200_000)] = None,
    latitudes: Annotated[
        list[BoundedNumber] | None, About("Latitudes of points to encode", [38.5, 40.7], max_items=20_000)
    ] = None,
    longitudes: Annotated[
        list[BoundedNumber] | None, About("Longitudes of points to encode", [-120.2, -120.95], max_items=20_000)
    ] = None,
    precision: Annotated[int, About("Number of decimals of a degree", 5, minimum=1, maximum=9)] = 5,
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
        raise ToolError("Give a polyline, or the same number of longitudes and latitudes.")
    return list(zip(latitudes, longitudes, strict=True))


def _decode(line: str, scale: int) -> Pairs:
    steps = list(_numbers(line))
    if len(steps) % 2:
        raise ToolError("The polyline ends in the middle of a point. Give the complete polyline.")
    place, points = [0, 0], []
    for north, east in zip(steps[::2], steps[1::2], strict=True):
        place = [place[0] + north, place[1] + east]
        points.append((place[0] / scale, place[1] / scale))
    return points


def _numbers(line: str) -> Iterator[int]:
    """Decode the signed numbers, five bits per character, lowest first; a set sixth bit means that more follow."""
    value = shift = 0
    for character in line:
        bits = ord(character) - _FIRST
        if not 0 <= bits <= _LAST - _FIRST:
            raise ToolError(f"{character!r} is not a character of a polyline.")
        value |= (bits & (_MORE - 1)) << shift
        shift += 5
        if not bits & _MORE:
            yield ~(value >> 1) if value & 1 else value >> 1
            value = shift = 0
    if shift:
        raise ToolError("The polyline ends in the middle of a number. Give the complete polyline.")


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
