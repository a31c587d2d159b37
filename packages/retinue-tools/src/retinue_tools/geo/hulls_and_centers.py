"""Hulls, centroids and Voronoi regions."""

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
from retinue_tools.geo.shapes import CLOUD, SQUARE

_SPIKED = {"type": "Polygon", "coordinates": [[[0, 0], [2, 0], [2, 2], [0, 2], [0, 4], [0, 2], [0, 0]]]}


class Enclosing(TypedDict):
    """An enclosing shape."""

    geometry: GeometryObject
    area_km2: Annotated[float, About("Area of the shape")]
    vertices: Annotated[int, About("Number of corners of the shape")]


@tool(
    tags="hull convex concave envelope outline enclosing rectangle circle around points footprint",
    use_when=(
        "Draw an outline around these points",
        "What is the convex hull of these coordinates?",
        "Smallest rotated rectangle or circle around this shape",
    ),
    examples=(
        Example(
            {"geojson": CLOUD},
            {"vertices": 4, "area_km2": 12308.778},
            source="by hand: the hull is the one-degree cell",
            tolerance=1e-3,
        ),
        Example(
            {"geojson": CLOUD, "kind": "bounding_box"},
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
    reply="The shape has {vertices|corner} and an area of {area_km2} km\u00b2: {geometry}",
    pace="normal",
)
def geo_draw_hull(
    geojson: GeoJson,
    kind: Annotated[
        Literal["convex", "concave", "bounding_box", "rotated_box", "circle"], About("Kind of enclosing shape")
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
    """Centre of a shape."""

    name: Annotated[str | None, About("Property `name` of the feature")]
    centroid: Annotated[Position, About("Centre of mass; may lie outside")]
    label_point: Annotated[Position, About("A point that is certainly on the shape; for polygons, far inside")]


class Middles(TypedDict):
    """Centres of shapes."""

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
    reply={
        "shapes.1": "The centroids and label points: {shapes}",
        "": (
            "The centroid is at {shapes.0.centroid.latitude}, "
            "{shapes.0.centroid.longitude}; a label fits at "
            "{shapes.0.label_point.latitude}, {shapes.0.label_point.longitude}."
        ),
    },
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


class Regions(TypedDict):
    """Regions of places."""

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
                "within": SQUARE,
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
    reply="The area of each region in km\u00b2: {areas_km2}",
    pace="normal",
)
def geo_draw_voronoi_regions(
    places: Places,
    within: Annotated[GeoJson | None, About("Polygon to clip the regions to, as GeoJSON", SQUARE)] = None,
) -> Regions:
    """Draw for each place the region that is nearer to it than to any other place (Voronoi or Thiessen polygons).

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
        raise ToolError("Regions need at least two different places. Omit places with a repeated position.")
    plane = LocalPlane([*spots, *([] if boundary is None else [boundary])])
    flat = [plane.to_metres(spot) for spot in spots]
    box = shapely.box(*shapely.total_bounds(flat))
    limit = shapely.buffer(box, max(box.length / 8, 1)) if boundary is None else plane.to_metres(boundary)
    try:
        cells = shapely.voronoi_polygons(shapely.MultiPoint(flat), extend_to=limit, ordered=True)
    except shapely.GEOSException as error:
        raise ToolError("Some of the places are too close together to divide the plane between them.") from error
    clipped = [shapely.intersection(cell, limit) for cell in shapely.get_parts(cells)]
    return {
        "geojson": collection_json(
            Feature(plane.to_degrees(cell), {"name": place["name"]})
            for place, cell in zip(places, clipped, strict=True)
            if not cell.is_empty
        ),
        "areas_km2": {place["name"]: cell.area / 1e6 for place, cell in zip(places, clipped, strict=True)},
    }
