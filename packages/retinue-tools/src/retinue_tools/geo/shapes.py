"""Simplification and repair of shapes, and bounding boxes."""

from math import cos, degrees, radians
from typing import Annotated, Any

import shapely
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.geo._features import (
    Feature,
    GeoJson,
    GeoJsonObject,
    LocalPlane,
    collection_json,
    polygons,
    read_features,
)
from retinue_tools.geo.distances_and_bearings import EARTH_RADIUS_KM

SQUARE = {"type": "Polygon", "coordinates": [[[0, 0], [1, 0], [1, 1], [0, 1], [0, 0]]]}
_BOW_TIE = {"type": "Polygon", "coordinates": [[[0, 0], [1, 1], [1, 0], [0, 1], [0, 0]]]}

CLOUD = {"type": "MultiPoint", "coordinates": [[0, 0], [1, 0], [1, 1], [0, 1], [0.5, 0.5]]}
_KINKED = {"type": "LineString", "coordinates": [[0, 0], [0.5, 0.0001], [1, 0]]}


class Simplified(TypedDict):
    """A simplified shape."""

    geojson: GeoJsonObject
    points_before: Annotated[int, About("Vertices before")]
    points_after: Annotated[int, About("Vertices after")]


@tool(
    tags="simplify generalize reduce vertices douglas-peucker tolerance geojson smaller line polygon coverage",
    use_when=(
        "Make this GeoJSON smaller, 50 m accuracy is enough",
        "Reduce the vertices of this coastline",
        "Simplify neighbouring districts without making gaps between them",
    ),
    examples=(
        Example(
            {"geojson": _KINKED, "tolerance_m": 20},
            {"points_before": 3, "points_after": 2},
            source="by hand: the kink is 0.0001 degrees or 11 m off the line",
        ),
        Example(
            {"geojson": _KINKED, "tolerance_m": 5},
            {"points_after": 3},
            source="by hand: the kink is 11 m off the line",
        ),
        Refusal({"geojson": _KINKED, "tolerance_m": 5, "keep_borders": True}, "needs polygons"),
    ),
    reply="It now has {points_after|point} instead of {points_before}: {geojson}",
    pace="normal",
)
def geo_simplify_shapes(
    geojson: GeoJson,
    tolerance_m: Annotated[
        float, About("Maximum deviation from the original in metres", 50, minimum=0.01, maximum=100_000)
    ],
    keep_borders: Annotated[bool, About("Whether polygons with common borders keep them")] = False,
) -> Simplified:
    """Reduce the vertices of lines and polygons within a tolerance in metres (Douglas-Peucker).

    Use it to shrink GeoJSON for maps or messages. With `keep_borders`, neighbouring polygons stay without gaps
    (Visvalingam-Whyatt). Returns the simpler GeoJSON and the number of vertices before and after.
    """
    features = read_features(geojson)
    if keep_borders:
        features = polygons(features, "Keeping common borders")
    plane = LocalPlane(feature.shape for feature in features)
    flat = [plane.to_metres(feature.shape) for feature in features]
    if keep_borders:
        simpler = shapely.coverage_simplify(flat, tolerance_m)
    else:
        simpler = [shapely.simplify(shape, tolerance_m) for shape in flat]
    return {
        "geojson": collection_json(
            Feature(plane.to_degrees(shape), old.properties) for shape, old in zip(simpler, features, strict=True)
        ),
        "points_before": sum(int(shapely.get_num_coordinates(shape)) for shape in flat),
        "points_after": sum(int(shapely.get_num_coordinates(shape)) for shape in simpler),
    }


class Box(TypedDict):
    """A bounding box."""

    west: Annotated[float, About("Smallest longitude; greater than `east` if the box crosses the date line")]
    south: Annotated[float, About("Smallest latitude")]
    east: Annotated[float, About("Largest longitude")]
    north: Annotated[float, About("Largest latitude")]
    bbox: Annotated[list[float], About("west, south, east, north, in the order of RFC 7946")]


@tool(
    tags="bounding box bbox extent envelope radius around coordinate overpass query area geojson",
    use_when=(
        "Bounding box of 10 km around 52.52, 13.405",
        "What is the extent of these GeoJSON features?",
        "I need west, south, east, north for an API query around this point",
    ),
    examples=(
        Example(
            {"geojson": CLOUD},
            {"bbox": [0.0, 0.0, 1.0, 1.0]},
            source="by hand",
        ),
        Example(
            {"geojson": {"type": "Point", "coordinates": [10, 0]}, "margin_km": 111.19508},
            {"west": 9.0, "north": 1.0},
            source="arithmetic: a degree of a sphere of 6371.0088 km is 111.19508 km",
            tolerance=1e-4,
        ),
        Refusal({"geojson": {"type": "Point", "coordinates": [500000, 5800000]}}, "in degrees"),
    ),
    reply="The box goes from {west} to {east} in longitude and from {south} to {north} in latitude.",
)
def geo_compute_bounding_box(
    geojson: GeoJson,
    margin_km: Annotated[float, About("Margin in kilometres on all sides", minimum=0, maximum=5000)] = 0,
) -> Box:
    """Compute the box of latitudes and longitudes around a point or any GeoJSON, with a margin in kilometres.

    Use it to query map services or to crop. Near a pole it spans all longitudes.
    """
    west, south, east, north = (
        float(edge) for edge in shapely.total_bounds([feature.shape for feature in read_features(geojson)])
    )
    up = degrees(margin_km / EARTH_RADIUS_KM)
    south, north = max(-90.0, south - up), min(90.0, north + up)
    narrowest = cos(radians(max(abs(south), abs(north))))
    aside = up / narrowest if narrowest > up / 180 else 180.0
    west, east = (-180.0, 180.0) if east - west + 2 * aside >= 360 else (_wrap(west - aside), _wrap(east + aside))
    return {"west": west, "south": south, "east": east, "north": north, "bbox": [west, south, east, north]}


def _wrap(longitude: float) -> float:
    return longitude if -180 <= longitude <= 180 else (longitude + 180) % 360 - 180


class Repair(TypedDict):
    """Result of repairing shapes."""

    valid: Annotated[bool, About("Whether all shapes were valid")]
    faults: Annotated[list[str], About("Problems, with the index of the feature from 0")]
    geojson: Annotated[GeoJsonObject, About("Repaired features, oriented by the right-hand rule")]


@tool(
    tags="validate repair fix geometry self-intersection geojson lint winding order invalid polygon",
    use_when=(
        "Is this GeoJSON valid?",
        "Fix the self-intersections in my polygon",
        "Why does the map library reject this GeoJSON?",
    ),
    examples=(
        Example(
            {"geojson": _BOW_TIE},
            {"valid": False, "geojson": {"features": [{"geometry": {"type": "MultiPolygon"}}]}},
            source="a bow tie crosses itself, and is repaired as two triangles",
        ),
        Example({"geojson": SQUARE}, {"valid": True, "faults": []}, source="RFC 7946: counter-clockwise ring"),
        Example(
            {"geojson": {"type": "Polygon", "coordinates": [[[0, 0], [0, 1], [1, 1], [0, 0]]]}},
            {"valid": False, "faults": ["Feature 0: the rings do not follow the right-hand rule of RFC 7946"]},
            source="RFC 7946, section 3.1.6: outer rings are counter-clockwise",
        ),
        Refusal({"geojson": {"type": "Polygon", "coordinates": [[[0, 0], [1, 1]]]}}, "malformed"),
    ),
    reply={
        "valid": "The GeoJSON is valid.",
        "faults": "The GeoJSON had faults ({faults}) and is repaired: {geojson}",
        "": "The repaired GeoJSON: {geojson}",
    },
)
def geo_repair_geojson(geojson: GeoJson) -> Repair:
    """Check GeoJSON against RFC 7946 and repair its geometries: self-crossings, winding order, repeated points.

    Use it if a map or database rejects a shape. Returns the problems and the repaired FeatureCollection.
    """
    features = read_features(geojson)
    try:
        faults = [
            f"Feature {number}: {fault}" for number, feature in enumerate(features) for fault in _faults(feature.shape)
        ]
        repaired = [
            Feature(shapely.make_valid(shapely.remove_repeated_points(feature.shape)), feature.properties)
            for feature in features
        ]
    except shapely.errors.GEOSException as error:
        raise ToolError("geojson: a ring has fewer than three distinct points, so it cannot be repaired.") from error
    return {"valid": not faults, "faults": faults, "geojson": collection_json(repaired)}


def _faults(shape: Any) -> list[str]:
    faults = []
    if not shapely.is_valid(shape):
        faults.append(str(shapely.is_valid_reason(shape)))
    elif not shapely.equals_identical(shapely.orient_polygons(shape), shape):
        faults.append("the rings do not follow the right-hand rule of RFC 7946")
    west, _, east, _ = shape.bounds
    if west < -180 or east > 180:
        faults.append("longitudes lie beyond 180 degrees")
    if shapely.get_num_coordinates(shapely.remove_repeated_points(shape)) < shapely.get_num_coordinates(shape):
        faults.append("points repeat")
    return faults
