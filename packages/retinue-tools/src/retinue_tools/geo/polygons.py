"""Polygons: measuring, containment, and operations on areas."""

from typing import Annotated, Any, Literal

import pyproj
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
from retinue_tools.geo._places import NamedPlace, Places

_SQUARE = {"type": "Polygon", "coordinates": [[[0, 0], [1, 0], [1, 1], [0, 1], [0, 0]]]}
_EAST = {"type": "Polygon", "coordinates": [[[0.5, 0], [1.5, 0], [1.5, 1], [0.5, 1], [0.5, 0]]]}
_LEAST_M = 1e-6
_POINT = {"type": "Point", "coordinates": [13.4, 52.5]}
_KM2_PER_ACRE = 0.0040468564224


class Measured(TypedDict):
    """Size of a polygon."""

    name: Annotated[str | None, About("Property `name` of the feature")]
    area_km2: Annotated[float, About("Area in square kilometres, without holes")]
    area_ha: Annotated[float, About("Area in hectares")]
    area_acres: Annotated[float, About("Area in acres")]
    perimeter_km: Annotated[float, About("Perimeter: length of all edges")]


class Sizes(TypedDict):
    """Sizes of polygons."""

    polygons: list[Measured]
    total_km2: Annotated[float, About("Sum of the areas")]


@tool(
    tags="area perimeter polygon size hectares acres square kilometres geodesic geojson land plot",
    use_when=(
        "How many hectares is this GeoJSON polygon?",
        "What is the area and perimeter of this field outline?",
        "Compare the size of these districts",
    ),
    examples=(
        Example(
            {"geojson": _SQUARE},
            {"polygons": [{"area_km2": 12308.77836, "perimeter_km": 443.7705}]},
            source="the one-degree cell at the equator of WGS 84 as commonly tabulated: 12,308.778 km2",
            tolerance=1e-5,
        ),
        Example(
            {"geojson": {"type": "MultiPolygon", "coordinates": [_SQUARE["coordinates"]]}},
            {"total_km2": 12308.77836, "polygons": [{"area_ha": 1230877.836}]},
            source="the same cell; a square kilometre has 100 hectares",
            tolerance=1e-5,
        ),
        Refusal({"geojson": _POINT}, "needs polygons"),
        Refusal({"geojson": "{"}, "not JSON"),
    ),
    reply={
        "polygons.1": "The polygons have {total_km2} km\u00b2 in all: {polygons}",
        "": (
            "The polygon has {polygons.0.area_km2} km\u00b2 ({polygons.0.area_ha} hectares) and "
            "a perimeter of {polygons.0.perimeter_km} km."
        ),
    },
)
def geo_measure_polygon(geojson: GeoJson) -> Sizes:
    """Measure area and perimeter of polygons in GeoJSON on the WGS 84 ellipsoid.

    Use it for land, districts and outlines. Edges are geodesics; holes are excluded. Returns square kilometres,
    hectares, acres and kilometres for each polygon.
    """
    geod = pyproj.Geod(ellps="WGS84")
    found: list[Measured] = []
    for feature in polygons(read_features(geojson), "Measuring an area"):
        area, perimeter = geod.geometry_area_perimeter(shapely.orient_polygons(feature.shape))
        found.append(
            {
                "name": _name(feature),
                "area_km2": abs(area) / 1e6,
                "area_ha": abs(area) / 1e4,
                "area_acres": abs(area) / 1e6 / _KM2_PER_ACRE,
                "perimeter_km": abs(perimeter) / 1000,
            }
        )
    return {"polygons": found, "total_km2": sum(size["area_km2"] for size in found)}


def _name(feature: Feature) -> str | None:
    name = feature.properties.get("name")
    return None if name is None else str(name)


class Held(TypedDict):
    """A point and the polygons that contain it."""

    name: Annotated[str, About("Name of the point")]
    polygons: Annotated[list[str], About("Names of the polygons that contain it, or their numbers from 0")]
    distance_km: Annotated[float | None, About("Distance to the nearest polygon edge if none contains it")]


class Holding(TypedDict):
    """Containment of points in polygons."""

    points: list[Held]
    inside: Annotated[int, About("Number of points inside some polygon")]


@tool(
    tags="point in polygon geofence contains inside zone district spatial join lookup",
    use_when=(
        "Is 52.5, 13.4 inside this polygon?",
        "Which delivery zone does each customer belong to?",
        "Check whether these GPS points are within the geofence",
        "Does a point lie within an area?",
    ),
    examples=(
        Example(
            {
                "geojson": {"type": "Feature", "properties": {"name": "zone"}, "geometry": _SQUARE},
                "points": [
                    {"name": "in", "latitude": 0.5, "longitude": 0.5},
                    {"name": "edge", "latitude": 0, "longitude": 0.5},
                    {"name": "out", "latitude": 0, "longitude": 2},
                ],
            },
            {
                "inside": 2,
                "points": [
                    {"polygons": ["zone"], "distance_km": None},
                    {"polygons": ["zone"]},
                    {"polygons": [], "distance_km": 111.319},
                ],
            },
            source="by hand: the unit square; a degree of the equator is 111.319 km",
            tolerance=2e-3,
        ),
        Refusal({"geojson": _POINT, "points": [{"name": "a", "latitude": 0, "longitude": 0}]}, "needs polygons"),
    ),
    reply={
        "points.1": "{inside|point} inside a polygon: {points}",
        "inside": "Yes, the point is inside {points.0.polygons}.",
        "inside, not points.0.polygons": "Yes, the point is inside.",
        "points.0.distance_km": "No, the point is outside, {points.0.distance_km} km away.",
        "": "No, the point is outside.",
    },
    pace="normal",
)
def geo_find_containing_polygons(geojson: GeoJson, points: Places) -> Holding:
    """Find which polygons (zones, districts, geofences) contain which points; edges count as inside.

    Use it to assign places to areas. Returns for each point the polygons by their property `name`, or the distance to
    the nearest one if it is outside all.
    """
    areas = polygons(read_features(geojson), "Looking for points inside")
    names = [_name(area) or str(number) for number, area in enumerate(areas)]
    tree = shapely.STRtree([area.shape for area in areas])
    results = [_hold(point, areas, names, tree) for point in points]
    return {"points": results, "inside": sum(bool(point["polygons"]) for point in results)}


def _hold(point: NamedPlace, areas: list[Feature], names: list[str], tree: Any) -> Held:
    spot = shapely.Point(point["longitude"], point["latitude"])
    inside = sorted(int(number) for number in tree.query(spot, predicate="intersects"))
    distance = None
    if not inside:
        nearest = areas[int(tree.nearest(spot))].shape
        distance = pyproj.Geod(ellps="WGS84").geometry_length(shapely.shortest_line(spot, nearest)) / 1000
    return {"name": point["name"], "polygons": [names[number] for number in inside], "distance_km": distance}


class Shapes(TypedDict):
    """Resulting shapes."""

    geojson: GeoJsonObject
    area_km2: Annotated[float, About("Total area")]


def _shapes(features: list[Feature]) -> Shapes:
    geod = pyproj.Geod(ellps="WGS84")
    filled = [feature for feature in features if not feature.shape.is_empty]
    area = sum(abs(geod.geometry_area_perimeter(shapely.orient_polygons(feature.shape))[0]) for feature in filled)
    return {"geojson": collection_json(filled), "area_km2": area / 1e6}


@tool(
    tags="buffer zone radius around points lines polygons metres circle catchment",
    use_when=(
        "Draw a 500 m zone around this road",
        "Make a circle of 10 km around 52.52, 13.405 as GeoJSON",
        "Shrink this polygon by 20 metres",
    ),
    examples=(
        Example(
            {"geojson": _POINT, "distance_m": 1000, "segments": 64},
            {"area_km2": 3.1413},
            source="arithmetic: pi square kilometres, less the sagittas of 256 edges",
            tolerance=2e-4,
        ),
        Example(
            {"geojson": {"type": "LineString", "coordinates": [[0, 0], [0.1, 0]]}, "distance_m": 100, "merge": True},
            {"area_km2": 2.2577},
            source="arithmetic: a strip of 11.13195 km by 200 m and a circle of 100 m",
            tolerance=2e-3,
        ),
        Refusal({"geojson": _POINT, "distance_m": -5}, "Nothing is left"),
        Refusal({"geojson": _POINT, "distance_m": 5e-324}, "less than a micrometre"),
    ),
    reply="The zone has an area of {area_km2} km\u00b2: {geojson}",
    pace="normal",
    memory_mb=1024,
)
def geo_buffer_shapes(
    geojson: GeoJson,
    distance_m: Annotated[
        float, About("Width of the zone in metres; negative shrinks polygons", 500, minimum=-500_000, maximum=500_000)
    ],
    merge: Annotated[bool, About("Whether to merge zones that touch")] = False,
    segments: Annotated[int, About("Number of edges per quarter circle", minimum=1, maximum=64)] = 16,
) -> Shapes:
    """Make zones of a given width around points, lines or polygons, or shrink polygons.

    Use it for radius circles, protection strips and catchments. Distances are metres on the ground around the centre of
    the shapes. Returns polygons as GeoJSON with their area.
    """
    if 0 < abs(distance_m) < _LEAST_M:
        raise ToolError("The distance is less than a micrometre. Choose a larger one.")
    features = read_features(geojson)
    plane = LocalPlane(feature.shape for feature in features)
    zones = [shapely.buffer(plane.to_metres(feature.shape), distance_m, quad_segs=segments) for feature in features]
    if all(zone.is_empty for zone in zones):
        raise ToolError(
            "Nothing is left after shrinking by this distance. Choose a smaller distance, or send polygons."
        )
    if merge:
        return _shapes([Feature(plane.to_degrees(shapely.union_all(zones)))])
    buffered = [Feature(plane.to_degrees(zone), old.properties) for zone, old in zip(zones, features, strict=True)]
    return _shapes(buffered)


class Overlaid(Shapes):
    """Result of an overlay of two layers."""

    share_of_first_percent: Annotated[float | None, About("Area in percent of the first layer")]


@tool(
    tags="overlay intersection union difference clip subtract polygons overlap symmetric",
    use_when=(
        "Where do these two areas overlap, and how much?",
        "Cut the lake out of the municipality polygon",
        "Unite these two GeoJSON layers into one outline",
    ),
    examples=(
        Example(
            {"first": _SQUARE, "second": _EAST, "operation": "intersection"},
            {"area_km2": 6154.389, "share_of_first_percent": 50.0},
            source="by hand: the half of the one-degree cell at the equator",
            tolerance=1e-4,
        ),
        Example(
            {"first": _SQUARE, "second": _EAST, "operation": "union"},
            {"area_km2": 18463.17, "share_of_first_percent": 150.0},
            source="by hand: one and a half one-degree cells at the equator",
            tolerance=1e-4,
        ),
        Refusal({"first": _SQUARE, "second": _POINT, "operation": "union"}, "needs polygons"),
    ),
    reply={
        "share_of_first_percent": (
            "The resulting area is {area_km2} km\u00b2, which is {share_of_first_percent} % of the first."
        ),
        "": "The resulting area is {area_km2} km\u00b2.",
    },
    pace="normal",
    memory_mb=1024,
)
def geo_overlay_polygons(
    first: GeoJson,
    second: GeoJson,
    operation: Annotated[
        Literal["intersection", "union", "difference", "symmetric_difference"],
        About(
            "Part to keep: the intersection, the union, the first without the second, or the parts in only one of them"
        ),
    ],
) -> Overlaid:
    """Intersect, unite or subtract two layers of polygons.

    Use it for overlaps, clipping and cut-outs. Returns the resulting shape as GeoJSON, its area, and its share of the
    first layer's area.
    """
    one, other = (
        shapely.union_all([area.shape for area in polygons(read_features(layer), "An overlay")])
        for layer in (first, second)
    )
    by = {
        "intersection": shapely.intersection,
        "union": shapely.union,
        "difference": shapely.difference,
        "symmetric_difference": shapely.symmetric_difference,
    }
    overlay = _shapes([Feature(by[operation](one, other))])
    whole = _shapes([Feature(one)])["area_km2"]
    return {**overlay, "share_of_first_percent": 100 * overlay["area_km2"] / whole if whole else None}


@tool(
    tags="dissolve merge polygons by attribute group union aggregate districts regions",
    use_when=(
        "Merge these municipalities by their county",
        "Dissolve the polygons with the same value of region",
        "Turn many adjoining parcels into one outline",
    ),
    examples=(
        Example(
            {
                "geojson": {
                    "type": "FeatureCollection",
                    "features": [
                        {"type": "Feature", "properties": {"region": "A"}, "geometry": _SQUARE},
                        {"type": "Feature", "properties": {"region": "A"}, "geometry": _EAST},
                    ],
                },
                "attribute": "region",
            },
            {
                "area_km2": 18463.17,
                "geojson": {"features": [{"properties": {"region": "A", "merged": 2}}]},
            },
            source="by hand: one and a half one-degree cells at the equator",
            tolerance=1e-4,
        ),
        Example({"geojson": _SQUARE}, {"area_km2": 12308.778}, "the one-degree cell of WGS 84", 1e-4),
        Refusal({"geojson": _SQUARE, "attribute": "county"}, "No polygon has a property county"),
    ),
    reply="The merged polygons have an area of {area_km2} km\u00b2: {geojson}",
    pace="normal",
    memory_mb=1024,
)
def geo_dissolve_polygons(
    geojson: GeoJson,
    attribute: Annotated[
        str | None, About("Property to group by; if omitted, all are merged", "region", max_length=100)
    ] = None,
) -> Shapes:
    """Merge polygons that share the value of a property, or all of them, into common outlines.

    Use it to combine districts into regions. Returns one feature for each value, with the number of polygons merged.
    """
    areas = polygons(read_features(geojson), "Dissolving")
    if attribute is not None and not any(attribute in area.properties for area in areas):
        raise ToolError(f"No polygon has a property {attribute}. Check the properties of the features.")
    groups: dict[str, list[Feature]] = {}
    for area in areas:
        groups.setdefault("" if attribute is None else str(area.properties.get(attribute)), []).append(area)
    merged = []
    for group in groups.values():
        value = {} if attribute is None else {attribute: group[0].properties.get(attribute)}
        merged.append(Feature(shapely.union_all([area.shape for area in group]), {**value, "merged": len(group)}))
    return _shapes(merged)
