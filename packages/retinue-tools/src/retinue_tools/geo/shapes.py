"""Shapes: simpler ones, hulls, middles, bounds and repairs."""

from math import cos, degrees, radians
from typing import Annotated, Any, Literal

import pyproj
import shapely
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.geo._features import (
    Feature,
    GeoJson,
    GeoJsonObject,
    GeometryObject,
    LocalPlane,
    collection_json,
    geometry_json,
    polygons,
    read_features,
    repair_shape,
)
from retinue_tools.geo._places import Places, Position
from retinue_tools.geo.distance import EARTH_RADIUS_KM

_SQUARE = {"type": "Polygon", "coordinates": [[[0, 0], [1, 0], [1, 1], [0, 1], [0, 0]]]}
_BOW_TIE = {"type": "Polygon", "coordinates": [[[0, 0], [1, 1], [1, 0], [0, 1], [0, 0]]]}
_SPIKED = {"type": "Polygon", "coordinates": [[[0, 0], [2, 0], [2, 2], [0, 2], [0, 4], [0, 2], [0, 0]]]}
_CLOUD = {"type": "MultiPoint", "coordinates": [[0, 0], [1, 0], [1, 1], [0, 1], [0.5, 0.5]]}
_KINKED = {"type": "LineString", "coordinates": [[0, 0], [0.5, 0.0001], [1, 0]]}


class Simplified(TypedDict):
    """A simpler shape."""

    geojson: GeoJsonObject
    points_before: Annotated[int, About("Vertices before")]
    points_after: Annotated[int, About("Vertices left")]


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
    pace="normal",
)
def geo_simplify_shapes(
    geojson: GeoJson,
    tolerance_m: Annotated[
        float, About("How far in metres the simpler shape may lie from the original", 50, minimum=0.01, maximum=100_000)
    ],
    keep_borders: Annotated[bool, About("Whether polygons that share borders shall go on sharing them")] = False,
) -> Simplified:
    """Reduce the vertices of lines and polygons within a tolerance in metres (Douglas-Peucker).

    Use it to shrink GeoJSON for maps or messages. With `keep_borders` neighbouring polygons stay gapless
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


class Enclosing(TypedDict):
    """A shape around others."""

    geometry: GeometryObject
    area_km2: Annotated[float, About("Area of it")]
    vertices: Annotated[int, About("Corners of it")]


@tool(
    tags="hull convex concave envelope outline enclosing rectangle circle around points footprint",
    use_when=(
        "Draw an outline around these points",
        "What is the convex hull of these coordinates?",
        "Smallest rotated rectangle or circle around this shape",
    ),
    examples=(
        Example(
            {"geojson": _CLOUD},
            {"vertices": 4, "area_km2": 12308.778},
            source="by hand: the hull is the one-degree cell",
            tolerance=1e-3,
        ),
        Example(
            {"geojson": _CLOUD, "kind": "bounding_box"},
            {"vertices": 4, "geometry": {"type": "Polygon"}},
            source="by hand: the four corners",
        ),
        Example(
            {"geojson": {"type": "MultiPoint", "coordinates": [[0, 0], [0.02, 0]]}, "kind": "circle"},
            {"area_km2": 3.8681, "vertices": 32},
            source="arithmetic: pi * 1.113195 km squared, times the share of a regular 32-gon, 0.99359",
            tolerance=3e-3,
        ),
        Refusal({"geojson": {"type": "Point", "coordinates": [1, 1]}}, "at least three"),
    ),
    pace="normal",
)
def geo_draw_hull(
    geojson: GeoJson,
    kind: Annotated[
        Literal["convex", "concave", "bounding_box", "rotated_box", "circle"], About("Which enclosing shape to draw")
    ] = "convex",
    tightness: Annotated[
        float, About("For concave hulls: 0 follows the points closely, 1 is convex", minimum=0, maximum=1)
    ] = 0.3,
) -> Enclosing:
    """Draw a shape around points, lines or polygons: convex or concave hull, box, rotated box or smallest circle.

    Use it for footprints and outlines of scattered points. Returns the polygon with its area.
    """
    features = read_features(geojson)
    plane = LocalPlane(feature.shape for feature in features)
    together = plane.to_metres(shapely.GeometryCollection([feature.shape for feature in features]))
    if kind == "bounding_box":
        around = shapely.box(*shapely.total_bounds([feature.shape for feature in features]))
    else:
        makers: dict[str, Any] = {
            "convex": shapely.convex_hull,
            "concave": lambda shape: shapely.concave_hull(shape, ratio=tightness),
            "rotated_box": shapely.oriented_envelope,
            "circle": shapely.minimum_bounding_circle,
        }
        around = plane.to_degrees(makers[kind](together))
    if around.geom_type != "Polygon" or around.area == 0:
        raise ToolError("Such a shape needs at least three points that are not on one line.")
    area, _ = pyproj.Geod(ellps="WGS84").geometry_area_perimeter(shapely.orient_polygons(around))
    return {"geometry": geometry_json(around), "area_km2": abs(area) / 1e6, "vertices": len(around.exterior.coords) - 1}


class Middle(TypedDict):
    """The middle of a shape."""

    name: Annotated[str | None, About("Property `name` of the feature")]
    centroid: Annotated[Position, About("Centre of mass; may lie outside")]
    label_point: Annotated[Position, About("A point that surely lies on the shape; of polygons far inside")]


class Middles(TypedDict):
    """Middles of shapes."""

    shapes: list[Middle]


@tool(
    tags="centroid label point interior representative polygon middle pole of inaccessibility centre",
    use_when=(
        "Where should I put the label of this polygon?",
        "Centroid of each district",
        "A point that is certainly inside this L-shaped area",
    ),
    examples=(
        Example(
            {"geojson": {"type": "Polygon", "coordinates": [[[0, 0], [2, 0], [2, 2], [0, 2], [0, 0]]]}},
            {"shapes": [{"centroid": {"latitude": 1.0, "longitude": 1.0}, "name": None}]},
            source="symmetry",
            tolerance=1e-3,
        ),
        Example(
            {"geojson": _SPIKED},
            {"shapes": [{"centroid": {"latitude": 1.0, "longitude": 1.0}}]},
            source="symmetry; the spike has no area",
            tolerance=1e-3,
        ),
        Refusal({"geojson": {"type": "Polygon", "coordinates": []}}, "empty"),
    ),
    pace="normal",
)
def geo_find_centroids(geojson: GeoJson) -> Middles:
    """Find the centroid and a good label point of each shape in GeoJSON.

    Use it to place labels or markers. The label point of a polygon is the centre of its largest inner circle.
    """
    features = read_features(geojson)
    middles: list[Middle] = []
    for feature in features:
        plane = LocalPlane([feature.shape])
        flat = repair_shape(plane.to_metres(feature.shape))
        name = feature.properties.get("name")
        middles.append(
            {
                "name": None if name is None else str(name),
                "centroid": _position(plane.to_degrees(shapely.centroid(flat))),
                "label_point": _position(plane.to_degrees(_label(flat))),
            }
        )
    return {"shapes": middles}


def _label(shape: Any) -> Any:
    if shape.area == 0:
        return shapely.point_on_surface(shape)
    width = max(shape.bounds[2] - shape.bounds[0], shape.bounds[3] - shape.bounds[1])
    return shapely.get_point(shapely.maximum_inscribed_circle(shape, tolerance=width / 1000), 0)


def _position(point: Any) -> Position:
    return {"latitude": float(point.y), "longitude": float(point.x)}


class Box(TypedDict):
    """A box of latitudes and longitudes."""

    west: Annotated[float, About("Least longitude; greater than `east` when the box crosses the date line")]
    south: Annotated[float, About("Least latitude")]
    east: Annotated[float, About("Greatest longitude")]
    north: Annotated[float, About("Greatest latitude")]
    bbox: Annotated[list[float], About("west, south, east, north, as RFC 7946 orders them")]


@tool(
    tags="bounding box bbox extent envelope radius around coordinate overpass query area geojson",
    use_when=(
        "Bounding box of 10 km around 52.52, 13.405",
        "What is the extent of these GeoJSON features?",
        "I need west, south, east, north for an API query around this point",
    ),
    examples=(
        Example(
            {"geojson": _CLOUD},
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
)
def geo_compute_bounding_box(
    geojson: GeoJson,
    margin_km: Annotated[float, About("Kilometres to add on all sides", minimum=0, maximum=5000)] = 0,
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
    """What was wrong with a shape, and how it looks repaired."""

    valid: Annotated[bool, About("Whether all shapes were right")]
    faults: Annotated[list[str], About("What was wrong, with the number of the feature from 0")]
    geojson: Annotated[GeoJsonObject, About("The features, repaired and wound by the right-hand rule")]


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
        Example({"geojson": _SQUARE}, {"valid": True, "faults": []}, source="RFC 7946: counter-clockwise ring"),
        Example(
            {"geojson": {"type": "Polygon", "coordinates": [[[0, 0], [0, 1], [1, 1], [0, 0]]]}},
            {"valid": False, "faults": ["Feature 0: the rings do not follow the right-hand rule of RFC 7946"]},
            source="RFC 7946, section 3.1.6: outer rings are counter-clockwise",
        ),
        Refusal({"geojson": {"type": "Polygon", "coordinates": [[[0, 0], [1, 1]]]}}, "malformed"),
    ),
)
def geo_repair_geojson(geojson: GeoJson) -> Repair:
    """Check GeoJSON against RFC 7946 and repair its geometries: self-crossings, winding order, repeated points.

    Use it when a map or database rejects a shape. Returns what was wrong and the repaired FeatureCollection.
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
        raise ToolError("geojson: a ring has fewer than three points that differ, so it cannot be repaired.") from error
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


class Regions(TypedDict):
    """The region of each place."""

    geojson: GeoJsonObject
    areas_km2: Annotated[dict[str, float], About("Area of each place's region")]


@tool(
    tags="voronoi thiessen service area catchment nearest territory regions sales partition",
    use_when=(
        "Which area is closest to each of our shops?",
        "Make Voronoi polygons around these stations",
        "Split the district into territories by the nearest depot",
    ),
    examples=(
        Example(
            {
                "places": [
                    {"name": "west", "latitude": 0.5, "longitude": 0.25},
                    {"name": "east", "latitude": 0.5, "longitude": 0.75},
                ],
                "within": _SQUARE,
            },
            {"areas_km2": {"west": 6154.389, "east": 6154.389}},
            source="symmetry: halves of the one-degree cell",
            tolerance=1e-3,
        ),
        Example(
            {
                "places": [
                    {"name": "a", "latitude": 0, "longitude": 0},
                    {"name": "b", "latitude": 0, "longitude": 1},
                ]
            },
            {"geojson": {"features": [{"properties": {"name": "a"}}, {"properties": {"name": "b"}}]}},
            source="by hand: one region for each place",
        ),
        Refusal({"places": [{"name": "a", "latitude": 0, "longitude": 0}]}, "two different places"),
    ),
    pace="normal",
)
def geo_draw_voronoi_regions(
    places: Places,
    within: Annotated[GeoJson | None, About("Polygon to cut the regions to", _SQUARE)] = None,
) -> Regions:
    """Draw for each place the region that is nearer to it than to any other (Voronoi or Thiessen polygons).

    Use it for territories and service areas by crow-fly distance. Without a boundary the regions end at a box around
    the places. Returns the regions with the place's name, and their areas.
    """
    spots = [shapely.Point(place["longitude"], place["latitude"]) for place in places]
    boundary = (
        None
        if within is None
        else shapely.union_all([area.shape for area in polygons(read_features(within), "A boundary")])
    )
    if len({(spot.x, spot.y) for spot in spots}) < len(spots) or len(spots) < 2:
        raise ToolError("Regions need at least two different places. Leave out those that repeat a position.")
    plane = LocalPlane([*spots, *([] if boundary is None else [boundary])])
    flat = [plane.to_metres(spot) for spot in spots]
    box = shapely.box(*shapely.total_bounds(flat))
    limit = shapely.buffer(box, max(box.length / 8, 1)) if boundary is None else plane.to_metres(boundary)
    try:
        cells = shapely.voronoi_polygons(shapely.MultiPoint(flat), extend_to=limit, ordered=True)
    except shapely.GEOSException as error:
        raise ToolError("Some of the places lie too close together to part the plane between them.") from error
    clipped = [shapely.intersection(cell, limit) for cell in shapely.get_parts(cells)]
    return {
        "geojson": collection_json(
            Feature(plane.to_degrees(cell), {"name": place["name"]})
            for place, cell in zip(places, clipped, strict=True)
            if not cell.is_empty
        ),
        "areas_km2": {place["name"]: cell.area / 1e6 for place, cell in zip(places, clipped, strict=True)},
    }
