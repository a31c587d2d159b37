"""GeoJSON (RFC 7946) as shapes with properties, and local planes for measuring in metres."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

import numpy
import pyproj
import shapely

from retinue.sdk import About, ToolError

_MOST_POINTS = 100_000
_WIDEST_DEGREES = 40
_SQUARE = {"type": "Polygon", "coordinates": [[[13.3, 52.4], [13.5, 52.4], [13.5, 52.6], [13.3, 52.6], [13.3, 52.4]]]}

GeoJson = Annotated[
    dict[str, Any] | str,
    About("GeoJSON geometry, Feature or FeatureCollection, as an object or as text", _SQUARE, max_length=500_000),
]
GeoJsonObject = Annotated[dict[str, Any], About("GeoJSON FeatureCollection")]
GeometryObject = Annotated[dict[str, Any], About("GeoJSON geometry")]


@dataclass(frozen=True, slots=True)
class Feature:
    """A shape with its properties."""

    shape: Any
    properties: Mapping[str, Any] = field(default_factory=dict)


def read_features(document: Mapping[str, Any] | str) -> list[Feature]:
    """Return the features of any GeoJSON object, at least one, with coordinates in degrees."""
    features = list(_features(_load(document)))
    if not features:
        raise ToolError("There is no feature in this GeoJSON. Send at least one geometry.")
    if sum(shapely.get_num_coordinates(feature.shape) for feature in features) > _MOST_POINTS:
        raise ToolError(f"This GeoJSON has more than {_MOST_POINTS} points. Simplify it, or send a part.")
    for feature in features:
        check_degrees(feature.shape)
    return features


def _load(document: Mapping[str, Any] | str) -> Mapping[str, Any]:
    if isinstance(document, str):
        try:
            document = json.loads(document)
        except (ValueError, RecursionError) as error:
            raise ToolError("This text is not JSON. Send a GeoJSON object.") from error
    if not isinstance(document, Mapping):
        raise ToolError("GeoJSON is an object with a type, such as Feature or Polygon.")
    return document


def _features(document: Mapping[str, Any]) -> Iterable[Feature]:
    if document.get("type") == "FeatureCollection":
        members = document.get("features")
        if not isinstance(members, list) or not all(isinstance(member, Mapping) for member in members):
            raise ToolError("A FeatureCollection needs a list `features` of Feature objects.")
        for member in members:
            yield from _features(member)
    elif document.get("type") == "Feature":
        properties = document.get("properties")
        geometry = document.get("geometry")
        if isinstance(geometry, Mapping):
            yield Feature(_shape(geometry), properties if isinstance(properties, Mapping) else {})
    else:
        yield Feature(_shape(document))


def _shape(geometry: Mapping[str, Any]) -> Any:
    try:
        shape = shapely.from_geojson(json.dumps(geometry))
    except (shapely.errors.GEOSException, ValueError, RecursionError) as error:
        kind = geometry.get("type")
        raise ToolError(
            f"The geometry of type {kind} is malformed. Coordinates are [longitude, latitude], and the rings of a "
            "polygon end at their first point."
        ) from error
    if shape is None or shape.is_empty:
        raise ToolError("A geometry is empty. Give its coordinates.")
    return shapely.force_2d(shape)


def check_degrees(shape: Any) -> None:
    """Raise `ToolError` unless the coordinates are longitudes and latitudes."""
    west, south, east, north = shape.bounds
    if not (west >= -360 and east <= 360 and south >= -90 and north <= 90):
        raise ToolError("Coordinates must be [longitude, latitude] in degrees. Transform projected coordinates first.")


def polygons(features: Iterable[Feature], purpose: str) -> list[Feature]:
    """Return the features that are areas, at least one, with self-intersections repaired."""
    areas = [
        Feature(repair_shape(feature.shape), feature.properties)
        for feature in features
        if feature.shape.geom_type in ("Polygon", "MultiPolygon")
    ]
    if not areas:
        raise ToolError(f"{purpose} needs polygons, and there are none.")
    return areas


def repair_shape(shape: Any) -> Any:
    """Return a shape without self-intersections. Lines and points that remain from a repaired area are dropped."""
    valid = shapely.make_valid(shape)
    return shapely.buffer(valid, 0) if valid.geom_type == "GeometryCollection" and valid.area else valid


def lines(features: Iterable[Feature], purpose: str) -> list[Feature]:
    """Return the features that are lines, at least one."""
    found = [
        Feature(part, feature.properties)
        for feature in features
        for part in shapely.get_parts(feature.shape)
        if part.geom_type in ("LineString", "LinearRing")
    ]
    if not found:
        raise ToolError(f"{purpose} needs lines, and there are none.")
    return found


def geometry_json(shape: Any) -> dict[str, Any]:
    """Format a geometry as GeoJSON, to 7 decimals (a centimetre), with the ring orientation of RFC 7946."""
    rounded = shapely.transform(shape, lambda points: numpy.round(points, 7) + 0.0)
    geometry: dict[str, Any] = json.loads(shapely.to_geojson(shapely.orient_polygons(rounded)))
    return geometry


def collection_json(features: Iterable[Feature]) -> dict[str, Any]:
    """Return features as a GeoJSON FeatureCollection."""
    return {
        "type": "FeatureCollection",
        "features": [
            {"type": "Feature", "geometry": geometry_json(feature.shape), "properties": dict(feature.properties)}
            for feature in features
        ],
    }


class LocalPlane:
    """A plane that touches the ellipsoid at the centre of shapes: accurate to about 0.1 % within 500 km."""

    def __init__(self, shapes: Iterable[Any]) -> None:
        """Raises `ToolError` if the extent of the shapes is too large for a plane."""
        west, south, east, north = shapely.total_bounds(numpy.array(list(shapes), dtype=object))
        if east - west > _WIDEST_DEGREES or north - south > _WIDEST_DEGREES:
            raise ToolError(f"The extent of these shapes exceeds {_WIDEST_DEGREES} degrees. Use a smaller area.")
        projection = f"+proj=aeqd +lat_0={(south + north) / 2} +lon_0={(west + east) / 2} +datum=WGS84 +units=m"
        self._there = pyproj.Transformer.from_crs("EPSG:4326", projection, always_xy=True)

    def to_metres(self, shape: Any) -> Any:
        """Project a shape in degrees onto the plane."""
        return shapely.transform(shape, lambda points: numpy.column_stack(self._there.transform(*points.T)))

    def to_degrees(self, shape: Any) -> Any:
        """Convert a shape on the plane to degrees."""
        return shapely.transform(
            shape, lambda points: numpy.column_stack(self._there.transform(*points.T, direction="INVERSE"))
        )
