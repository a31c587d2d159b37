"""Lines: snapping, splitting, and grids of cells."""

from collections.abc import Iterator
from math import ceil, sqrt
from typing import Annotated, Any, Literal

import pyproj
import shapely
from shapely import ops
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.geo._features import (
    Feature,
    GeoJson,
    GeoJsonObject,
    LocalPlane,
    collection_json,
    lines,
    polygons,
    read_features,
)
from retinue_tools.geo._places import Places, Position

_LINE = {"type": "LineString", "coordinates": [[0, 0], [1, 0]]}
_SQUARE = {"type": "Polygon", "coordinates": [[[0, 0], [0.1, 0], [0.1, 0.1], [0, 0.1], [0, 0]]]}
_MOST_CELLS = 5000


class Snapped(TypedDict):
    """A place and the nearest point on a line."""

    name: Annotated[str, About("Name of the place")]
    line: Annotated[int, About("Index of the nearest line, from 0")]
    nearest: Annotated[Position, About("Nearest point on the line")]
    offset_m: Annotated[float, About("Distance from the place to the line")]
    along_km: Annotated[float, About("Distance from the start of the line to that point")]


class Snapping(TypedDict):
    """Places snapped to lines."""

    places: list[Snapped]


@tool(
    tags="snap nearest point on line linear referencing map matching offset chainage road kilometre post",
    use_when=(
        "How far is each house from the road line?",
        "At which kilometre of the route lies this point?",
        "Snap these GPS points to the nearest line",
    ),
    examples=(
        Example(
            {"geojson": _LINE, "places": [{"name": "p", "latitude": 0.001, "longitude": 0.5}]},
            {"places": [{"line": 0, "offset_m": 110.574, "along_km": 55.6597, "nearest": {"longitude": 0.5}}]},
            source="WGS 84: a degree of latitude at the equator is 110.574 km, half a degree of the equator 55.660 km",
            tolerance=1e-4,
        ),
        Refusal({"geojson": _SQUARE, "places": [{"name": "p", "latitude": 0, "longitude": 0}]}, "needs lines"),
    ),
    reply={
        "places.1": "The nearest points on the line: {places}",
        "": (
            "The nearest point on the line is {places.0.offset_m} m away, at "
            "{places.0.nearest.latitude}, {places.0.nearest.longitude}."
        ),
    },
    pace="normal",
)
def geo_snap_to_line(geojson: GeoJson, places: Places) -> Snapping:
    """Find for each place the nearest point on lines, its distance from the line, and its kilometre along the line.

    Use it for chainage, road posts and simple map matching. Distances are on the ground.
    """
    shapes = [feature.shape for feature in lines(read_features(geojson), "Snapping")]
    spots = [shapely.Point(place["longitude"], place["latitude"]) for place in places]
    plane = LocalPlane([*shapes, *spots])
    flat = [plane.to_metres(shape) for shape in shapes]
    tree = shapely.STRtree(flat)
    found: list[Snapped] = []
    for place, spot in zip(places, spots, strict=True):
        number = int(tree.nearest(plane.to_metres(spot)))
        along = float(shapely.line_locate_point(flat[number], plane.to_metres(spot)))
        near = plane.to_degrees(shapely.line_interpolate_point(flat[number], along))
        offset = pyproj.Geod(ellps="WGS84").line_length([spot.x, near.x], [spot.y, near.y])
        found.append(
            {
                "name": place["name"],
                "line": number,
                "nearest": {"latitude": float(near.y), "longitude": float(near.x)},
                "offset_m": float(offset),
                "along_km": along / 1000,
            }
        )
    return {"places": found}


class Pieces(TypedDict):
    """Pieces of lines."""

    geojson: Annotated[GeoJsonObject, About("Pieces with their length and starting kilometre")]
    pieces: Annotated[int, About("Number of pieces")]
    length_km: Annotated[float, About("Length of all lines")]


@tool(
    tags="split line segments equal pieces divide length linestring measure lines",
    use_when=(
        "Cut this route into pieces of 5 km",
        "Divide the line into 10 equal segments",
        "How long are these GeoJSON lines?",
    ),
    examples=(
        Example(
            {"geojson": _LINE, "piece_km": 30},
            {
                "pieces": 4,
                "length_km": 111.3195,
                "geojson": {
                    "features": [
                        {"properties": {"from_km": 0.0, "length_km": 30.0}},
                        {"properties": {"from_km": 30.0}},
                        {"properties": {"from_km": 60.0}},
                        {"properties": {"length_km": 21.3195}},
                    ]
                },
            },
            source="arithmetic: a degree of the equator is 111.3195 km",
            tolerance=1e-4,
        ),
        Example({"geojson": _LINE, "parts": 2}, {"pieces": 2}, source="by hand"),
        Refusal({"geojson": _LINE}, "either piece_km or parts"),
    ),
    reply="The line of {length_km} km is cut into {pieces|piece}: {geojson}",
    pace="normal",
)
def geo_split_line(
    geojson: GeoJson,
    piece_km: Annotated[float | None, About("Length of a piece", 5, minimum=0.001, maximum=10_000)] = None,
    parts: Annotated[int | None, About("Number of equal pieces", 10, minimum=1, maximum=_MOST_CELLS)] = None,
) -> Pieces:
    """Measure lines and cut each into pieces of a given length or into equal parts.

    Use it for sections of routes, pipes or borders. Returns the pieces as GeoJSON with length and starting kilometre.
    """
    if (piece_km is None) == (parts is None):
        raise ToolError("Give either piece_km or parts, not both.")
    shapes = [feature.shape for feature in lines(read_features(geojson), "Splitting")]
    plane = LocalPlane(shapes)
    flat = [plane.to_metres(shape) for shape in shapes]
    counts = [parts or max(1, ceil(line.length / ((piece_km or 1) * 1000) - 1e-9)) for line in flat]
    if sum(counts) > _MOST_CELLS:
        raise ToolError(f"The result has more than {_MOST_CELLS} pieces. Choose longer ones.")
    pieces = [
        Feature(plane.to_degrees(piece), {"line": number, "from_km": start / 1000, "length_km": piece.length / 1000})
        for number, (line, count) in enumerate(zip(flat, counts, strict=True))
        for start, piece in _cut(line, line.length / count if parts else (piece_km or 1) * 1000, count)
    ]
    return {
        "geojson": collection_json(pieces),
        "pieces": len(pieces),
        "length_km": sum(line.length for line in flat) / 1000,
    }


def _cut(line: Any, step: float, count: int) -> Iterator[tuple[float, Any]]:
    for number in range(count):
        start, end = number * step, line.length if number == count - 1 else (number + 1) * step
        piece = ops.substring(line, start, end)
        if piece.geom_type == "LineString":
            yield start, piece


class Cells(TypedDict):
    """A grid over an area."""

    geojson: Annotated[GeoJsonObject, About("Cells of the grid; with points, each with its number of points")]
    cells: Annotated[int, About("Number of cells")]
    busiest: Annotated[int, About("Maximum number of points in a cell")]


@tool(
    tags="grid hexagon square fishnet tessellation density heatmap count points cells binning",
    use_when=(
        "Cover this area with a grid of 500 m squares",
        "Count the incidents per hexagon of 1 km",
        "Make a fishnet over this polygon",
    ),
    examples=(
        Example(
            {
                "geojson": _SQUARE,
                "cell_m": 4000,
                "count": [
                    {"name": "a", "latitude": 0.01, "longitude": 0.01},
                    {"name": "b", "latitude": 0.011, "longitude": 0.011},
                ],
            },
            {"cells": 9, "busiest": 2},
            source="by hand: 11.1 km by 11.1 km hold three by three squares of 4 km, two points in one corner",
        ),
        Example(
            {"geojson": _SQUARE, "cell_m": 100000, "shape": "hexagon"},
            {"cells": 1, "busiest": 0},
            source="by hand: a hexagon of 100 km width holds 11 km",
        ),
        Refusal({"geojson": _SQUARE, "cell_m": 10}, "more than 5000 cells"),
    ),
    reply={
        "busiest": "The grid has {cells|cell}, and the busiest holds {busiest|point}: {geojson}",
        "": "The grid has {cells|cell}: {geojson}",
    },
    pace="normal",
)
def geo_make_grid(
    geojson: GeoJson,
    cell_m: Annotated[float, About("Width of a cell in metres", 500, minimum=1, maximum=500_000)],
    shape: Annotated[Literal["square", "hexagon"], About("Shape of the cells")] = "square",
    count: Annotated[Places | None, About("Points to count in each cell")] = None,
) -> Cells:
    """Cover polygons with a grid of squares or hexagons of a given width, and count points in its cells.

    Use it for density maps and sampling. Returns the cells that touch the polygons, as GeoJSON.
    """
    area = shapely.union_all([part.shape for part in polygons(read_features(geojson), "A grid")])
    plane = LocalPlane([area])
    flat = plane.to_metres(area)
    centres = _hexagon_centres(flat.bounds, cell_m) if shape == "hexagon" else _square_centres(flat.bounds, cell_m)
    outline = _hexagon if shape == "hexagon" else _square
    cells = [cell for centre in centres if (cell := outline(*centre, cell_m)).intersects(flat)]
    spots = [plane.to_metres(shapely.Point(place["longitude"], place["latitude"])) for place in count or ()]
    tree = shapely.STRtree(spots)
    counts = [len(tree.query(cell, predicate="intersects")) for cell in cells]
    features = [
        Feature(plane.to_degrees(cell), {"count": number} if count else {})
        for cell, number in zip(cells, counts, strict=True)
    ]
    return {"geojson": collection_json(features), "cells": len(cells), "busiest": max(counts, default=0)}


Bounds = tuple[float, float, float, float]


def _square_centres(bounds: Bounds, width: float) -> list[tuple[float, float]]:
    west, south, east, north = bounds
    columns, rows = ceil((east - west) / width), ceil((north - south) / width)
    _check(columns, rows)
    return [
        (west + (column + 0.5) * width, south + (row + 0.5) * width) for row in range(rows) for column in range(columns)
    ]


def _hexagon_centres(bounds: Bounds, width: float) -> list[tuple[float, float]]:
    """Rows of upright hexagons, every other row shifted by half a width."""
    west, south, east, north = bounds
    rise = width * sqrt(3) / 2
    columns, rows = ceil((east - west) / width + 0.5), ceil((north - south) / rise + 1 / 3)
    _check(columns, rows)
    middle_x, middle_y = (west + east - (columns - 1) * width) / 2, (south + north - (rows - 1) * rise) / 2
    return [
        (middle_x + (column + (row % 2) / 2) * width, middle_y + row * rise)
        for row in range(rows)
        for column in range(-1 if row % 2 else 0, columns)
    ]


def _check(columns: int, rows: int) -> None:
    if columns * rows > _MOST_CELLS:
        raise ToolError(f"The result has more than {_MOST_CELLS} cells. Choose wider cells or a smaller area.")


def _square(x: float, y: float, width: float) -> Any:
    return shapely.box(x - width / 2, y - width / 2, x + width / 2, y + width / 2)


def _hexagon(x: float, y: float, width: float) -> Any:
    side, half = width / sqrt(3), width / 2
    corners = ((0, side), (half, side / 2), (half, -side / 2), (0, -side), (-half, -side / 2), (-half, side / 2))
    return shapely.Polygon([(x + right, y + up) for right, up in corners])
