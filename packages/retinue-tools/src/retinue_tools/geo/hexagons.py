"""H3 cells, the hexagonal grid of the globe."""

import re
from typing import Annotated, Any

import h3
import shapely
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Latitude, Longitude, Refusal, ToolError, tool
from retinue_tools.geo._features import GeoJson, GeometryObject, polygons, read_features
from retinue_tools.geo._places import Position

_MOST_CELLS = 20_000
_BUSY = "8928308280fffff"
_HEXADECIMAL = re.compile("0?[0-9A-Fa-f]{15}")
"""The library also accepts signs and underscores, like Python's integers."""

Cell = Annotated[str, About("H3 cell", _BUSY, min_length=15, max_length=16)]
Cells = Annotated[list[Cell], About("H3 cells", [_BUSY], min_items=1, max_items=_MOST_CELLS)]
Resolution = Annotated[int, About("Resolution: 0 (1,100 km wide) to 15 (1 m)", 9, minimum=0, maximum=15)]


class Hexagon(TypedDict):
    """An H3 cell."""

    cell: Annotated[str, About("Index of the cell")]
    resolution: Annotated[int, About("Resolution, 0 to 15")]
    center: Annotated[Position, About("Centre of the cell")]
    boundary: GeometryObject
    area_km2: Annotated[float, About("Area of the cell")]
    parent: Annotated[str | None, About("Parent cell of the next coarser resolution")]
    pentagon: Annotated[bool, About("Whether it is one of the twelve pentagons of its resolution")]


def _check(cell: str) -> str:
    if not _HEXADECIMAL.fullmatch(cell) or not h3.is_valid_cell(cell):
        raise ToolError(f"{cell[:40]} is not an H3 cell. It has 15 hexadecimal digits, such as {_BUSY}.")
    return cell.lower()


def _describe(cell: str) -> Hexagon:
    latitude, longitude = h3.cell_to_latlng(cell)
    ring = [[longitude, latitude] for latitude, longitude in h3.cell_to_boundary(cell)]
    resolution = h3.get_resolution(cell)
    return {
        "cell": cell,
        "resolution": resolution,
        "center": {"latitude": latitude, "longitude": longitude},
        "boundary": {"type": "Polygon", "coordinates": [[*ring, ring[0]]]},
        "area_km2": h3.cell_area(cell, unit="km^2"),
        "parent": h3.cell_to_parent(cell, resolution - 1) if resolution else None,
        "pentagon": h3.is_pentagon(cell),
    }


@tool(
    tags="h3 hexagon index cell coordinate uber encode resolution spatial index",
    use_when=(
        "Which H3 cell holds 37.7753, -122.4183 at resolution 9?",
        "Convert this coordinate to an H3 index",
        "Show the H3 hexagon around 48.2, 16.37 as a polygon",
    ),
    examples=(
        Example(
            {"latitude": 37.775938728915946, "longitude": -122.41795063018799, "resolution": 9},
            {"cell": _BUSY, "resolution": 9, "pentagon": False},
            source="documentation of H3: latLngToCell, San Francisco",
        ),
        Example(
            {"latitude": 37.3615593, "longitude": -122.0553238, "resolution": 5},
            {"cell": "85283473fffffff"},
            source="documentation of H3: the example of its quick start",
        ),
        Refusal({"latitude": 1, "longitude": 1, "resolution": 16}, "resolution must be at most 15"),
    ),
    reply=("It is in the H3 cell {cell} of resolution {resolution}, which has an area of {area_km2} km\u00b2."),
)
def h3_find_cell(latitude: Latitude, longitude: Longitude, resolution: Resolution = 9) -> Hexagon:
    """Find the H3 cell that contains a coordinate at a resolution.

    Use it to index or bucket points by hexagon. Returns the cell with its centre, boundary, area and parent.
    """
    return _describe(h3.latlng_to_cell(latitude, longitude, resolution))


@tool(
    tags="h3 cell decode boundary center parent area hexagon inspect",
    use_when=(
        "Where is H3 cell 8928308280fffff?",
        "What resolution and area has this H3 index?",
        "Give me the boundary of an H3 hexagon as GeoJSON",
    ),
    examples=(
        Example(
            {"cell": "85283473fffffff"},
            {"resolution": 5, "center": {"latitude": 37.34579337536848, "longitude": -121.9763759725512}},
            source="documentation of H3: cellToLatLng",
        ),
        Refusal({"cell": "zzzzzzzzzzzzzzz"}, "not an H3 cell"),
        Refusal({"cell": "-5283473fffffff"}, "15 hexadecimal digits"),
    ),
    reply=(
        "The cell {cell} of resolution {resolution} has its centre at {center.latitude}, "
        "{center.longitude} and an area of {area_km2} km\u00b2."
    ),
)
def h3_describe_cell(cell: Cell) -> Hexagon:
    """Describe an H3 cell: its location, its boundary as GeoJSON, resolution, area and parent cell.

    Use it to understand an H3 index that you have.
    """
    return _describe(_check(cell))


class Near(TypedDict):
    """Cells around a cell."""

    rings: Annotated[list[list[str]], About("Cells by distance: the cell itself, its neighbours, and so on")]
    cells: Annotated[int, About("Number of cells")]


@tool(
    tags="h3 neighbors neighbours ring k-ring grid disk surrounding hexagons",
    use_when=(
        "Which H3 cells surround 8928308280fffff?",
        "All hexagons within 2 steps of this cell",
        "k-ring of an H3 index",
    ),
    examples=(
        Example({"cell": _BUSY, "steps": 2}, {"cells": 19}, source="1 + 3 k (k + 1) hexagons within k steps"),
        Example({"cell": _BUSY}, {"cells": 7}, source="1 + 3 k (k + 1) hexagons within k steps"),
        Refusal({"cell": "8928308280ffff0"}, "not an H3 cell"),
    ),
    reply="The {cells|cell} by distance: {rings}",
)
def h3_list_neighbors(cell: Cell, steps: Annotated[int, About("Number of rings", minimum=1, maximum=50)] = 1) -> Near:
    """List the H3 cells within a number of steps of a cell, ring by ring.

    Use it for proximity searches and smoothing over hexagons.
    """
    middle = _check(cell)
    disks = [set(h3.grid_disk(middle, step)) for step in range(steps + 1)]
    rings = [sorted(disk - before) for disk, before in zip(disks, [set(), *disks], strict=False)]
    return {"rings": rings, "cells": len(disks[-1])}


class Cover(TypedDict):
    """Cells that cover a shape."""

    cells: Annotated[list[str], About("Cells, sorted")]
    count: Annotated[int, About("Number of cells")]
    resolution: Annotated[int, About("Resolution of the cells")]


@tool(
    tags="h3 polyfill cover polygon cells area hexagons fill region",
    use_when=(
        "Which H3 cells of resolution 8 cover this district polygon?",
        "Fill the city outline with hexagons",
        "Polyfill this GeoJSON",
    ),
    examples=(
        Example(
            {
                "geojson": {
                    "type": "Polygon",
                    "coordinates": [
                        [
                            [-122.4089866999972145, 37.813318999983238],
                            [-122.3544736999993603, 37.7198061999978478],
                            [-122.4798767000009008, 37.8151571999998453],
                            [-122.4089866999972145, 37.813318999983238],
                        ]
                    ],
                },
                "resolution": 1,
                "whole": True,
            },
            {"count": 1, "resolution": 1},
            source="by hand: a cell of resolution 1 is 400 km wide",
        ),
        Example(
            {
                "geojson": {
                    "type": "Polygon",
                    "coordinates": [
                        [
                            [-122.4089866999972145, 37.813318999983238],
                            [-122.3805436999997056, 37.7866302000007224],
                            [-122.3544736999993603, 37.7198061999978478],
                            [-122.5123436999983966, 37.7076131999975672],
                            [-122.5247187000021967, 37.7835871999971715],
                            [-122.4798767000009008, 37.8151571999998453],
                            [-122.4089866999972145, 37.813318999983238],
                        ]
                    ],
                },
                "resolution": 9,
            },
            {"count": 1253},
            source="tests of H3: polygonToCells of San Francisco at resolution 9",
        ),
        Refusal({"geojson": {"type": "Point", "coordinates": [1, 1]}, "resolution": 5}, "needs polygons"),
    ),
    reply={
        "cells": "It is covered by {count|cell} of resolution {resolution}: {cells}",
        "": "No cell of resolution {resolution} has its centre in the polygon.",
    },
    pace="normal",
)
def h3_cover_polygon(
    geojson: GeoJson,
    resolution: Resolution = 8,
    whole: Annotated[
        bool, About("Whether to include every cell that touches it, not only those with their centre in it")
    ] = False,
) -> Cover:
    """Cover polygons with H3 cells of a resolution.

    Use it to turn an area into hexagons for joins and statistics. Includes cells with their centre inside, or all that
    touch.
    """
    areas = polygons(read_features(geojson), "A cover")
    size_km2 = sum(shapely.box(*area.shape.bounds).area for area in areas) * 12_400
    if size_km2 / h3.average_hexagon_area(resolution, unit="km^2") > 20 * _MOST_CELLS:
        raise ToolError("The result has too many cells. Choose a coarser resolution or a smaller area.")
    mode = "overlap" if whole else "center"
    cells: set[str] = set()
    for area in areas:
        try:
            cells |= set(h3.h3shape_to_cells_experimental(h3.geo_to_h3shape(area.shape), resolution, contain=mode))
        except (h3.H3BaseException, ValueError) as error:
            raise ToolError("H3 cannot cover this polygon. Repair or simplify it first.") from error
    if len(cells) > _MOST_CELLS:
        raise ToolError(f"The result has more than {_MOST_CELLS} cells. Choose a coarser resolution.")
    return {"cells": sorted(cells), "count": len(cells), "resolution": resolution}


class Changed(TypedDict):
    """Cells of other resolutions for the same area."""

    cells: Annotated[list[str], About("Cells, sorted")]
    count: Annotated[int, About("Number of cells")]


@tool(
    tags="h3 compact uncompact expand children parent resolution merge cells",
    use_when=(
        "Compact this list of H3 cells",
        "Expand these H3 cells to resolution 10",
        "Roll these hexagons up to resolution 6",
    ),
    examples=(
        Example(
            {"cells": ["85283473fffffff"], "resolution": 6},
            {"count": 7},
            source="aperture 7: a hexagon has seven children",
        ),
        Example({"cells": [_BUSY, _BUSY]}, {"count": 1, "cells": [_BUSY]}, source="by hand: one cell named twice"),
        Example(
            {"cells": ["85283473fffffff"], "resolution": 4},
            {"cells": ["8428347ffffffff"]},
            source="documentation of H3",
        ),
        Refusal({"cells": ["85283473fffffff"], "resolution": 15}, "more than"),
    ),
    reply={
        "cells": "{count|cell}: {cells}",
        "": "There are no such cells.",
    },
)
def h3_change_resolution(
    cells: Cells,
    resolution: Annotated[
        int | None,
        About("Target resolution; if omitted, cells are merged into parents that they fill", 6, minimum=0, maximum=15),
    ] = None,
) -> Changed:
    """Convert H3 cells to one resolution (children or parents), or compact them to the fewest cells that cover the same
    area.

    Use it to combine data of different resolutions or to shorten a list of cells.
    """
    known = {_check(cell) for cell in cells}
    converted = _compact(known) if resolution is None else _bring(known, resolution)
    return {"cells": sorted(converted), "count": len(converted)}


def _compact(cells: set[str]) -> set[str]:
    if len({h3.get_resolution(cell) for cell in cells}) > 1:
        raise ToolError("Compacting needs cells of one resolution. Convert them to one resolution first.")
    return set(h3.compact_cells(cells))


def _bring(cells: set[str], resolution: int) -> set[Any]:
    if sum(7 ** max(0, resolution - h3.get_resolution(cell)) for cell in cells) > _MOST_CELLS:
        raise ToolError(f"The result has more than {_MOST_CELLS} cells. Choose a coarser resolution.")
    converted: set[Any] = set()
    for cell in cells:
        if h3.get_resolution(cell) <= resolution:
            converted |= set(h3.cell_to_children(cell, resolution))
        else:
            converted.add(h3.cell_to_parent(cell, resolution))
    return converted
