"""Tiles of web maps (Web Mercator, the XYZ scheme)."""

from math import asinh, atan, cos, degrees, floor, pi, radians, sinh, tan
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Latitude, Longitude, Refusal, ToolError, tool

_EQUATOR_M = 2 * pi * 6378137.0
_MOST_TILES = 5000
_EDGE = 85.0511287798066
"""Latitude at which Web Mercator ends: its map is a square."""

Zoom = Annotated[int, About("Zoom level", 12, minimum=0, maximum=24)]


class Tile(TypedDict):
    """A map tile and what it covers."""

    tile: Annotated[str, About("zoom/x/y")]
    x: Annotated[int, About("Column from the west")]
    y: Annotated[int, About("Row from the north")]
    y_tms: Annotated[int, About("Row from the south, as TMS counts")]
    quadkey: Annotated[str, About("Quadkey")]
    west: float
    south: float
    east: float
    north: float
    metres_per_pixel: Annotated[float, About("Resolution in the middle of a tile of 256 pixels")]


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
)
def tile_find_at_point(latitude: Latitude, longitude: Longitude, zoom: Zoom) -> Tile:
    """Find the web-map tile that shows a coordinate at a zoom level, with its bounds and quadkey.

    Use it to fetch or cache map tiles, or to learn the ground resolution of a zoom level.
    """
    if abs(latitude) > _EDGE:
        raise ToolError("Web maps end at 85.05 degrees of latitude. Choose a point nearer to the equator.")
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
)
def tile_describe_bounds(
    tile: Annotated[str, About("Tile as zoom/x/y, or a quadkey", "10/511/340", min_length=1, max_length=40)],
) -> Tile:
    """Describe the area that a web-map tile covers, given as zoom/x/y or as a quadkey.

    Use it to see where a tile lies. Returns bounds in degrees, TMS row, quadkey and resolution.
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
    count: Annotated[int, About("How many tiles")]
    columns: Annotated[int, About("Tiles side by side")]
    rows: Annotated[int, About("Tiles one above the other")]


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
)
def tile_cover_box(west: Longitude, south: Latitude, east: Longitude, north: Latitude, zoom: Zoom) -> Tiles:
    """List the web-map tiles that cover a box of latitudes and longitudes at a zoom level.

    Use it to plan downloads or caches. A box whose west is greater than its east crosses the date line.
    """
    if south > north:
        raise ToolError("The south of the box lies north of its north. Exchange them.")
    low, high = max(south, -_EDGE), min(north, _EDGE)
    left, bottom = _tile(min(low, _EDGE), west, zoom)
    right, top = _tile(max(high, -_EDGE), east, zoom)
    size = 2**zoom
    columns = right - left + 1 if east >= west else (right - left) % size + 1
    rows = bottom - top + 1
    if columns * rows > _MOST_TILES:
        raise ToolError(f"That are more than {_MOST_TILES} tiles. Choose a lower zoom or a smaller box.")
    tiles = [f"{zoom}/{(left + column) % size}/{row}" for row in range(top, bottom + 1) for column in range(columns)]
    return {"tiles": tiles, "count": len(tiles), "columns": columns, "rows": rows}


def _tile(latitude: float, longitude: float, zoom: int) -> tuple[int, int]:
    size = 2**zoom
    x = floor((longitude + 180) / 360 * size)
    y = floor((1 - asinh(tan(radians(latitude))) / pi) / 2 * size)
    return min(max(x, 0), size - 1), min(max(y, 0), size - 1)


def describe(x: int, y: int, zoom: int) -> Tile:
    """The tile of a column and row."""
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
