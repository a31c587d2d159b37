"""Destinations, paths, centers and horizons on the WGS 84 ellipsoid (Karney, Algorithms for geodesics, 2013)."""

from math import acos, asin, atan2, cos, degrees, hypot, radians, sin, sqrt
from typing import Annotated, Literal

from geographiclib.geodesic import Geodesic
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Latitude, Longitude, Refusal, ToolError, tool
from retinue_tools.geo._places import Points, Position, position
from retinue_tools.geo.distances_and_bearings import EARTH_RADIUS_KM
from retinue_tools.geo.route_distances import NEW_YORK, distance_and_bearing

_SINGAPORE = {"latitude": 1.3667, "longitude": 103.9833}


class Destination(TypedDict):
    """Destination of a course."""

    latitude: Latitude
    longitude: Longitude
    final_bearing_degrees: Annotated[float, About("Course on arrival, clockwise from north")]


@tool(
    tags="destination bearing azimuth course distance coordinate dead reckoning geodesic waypoint",
    use_when=(
        "Where do I end up 120 km north-east of 52.52, 13.405?",
        "Which coordinate lies 500 m from here on bearing 270?",
        "I sail 40 km on course 225 from 43.3, 5.4: what is my position?",
    ),
    examples=(
        Example(
            {"latitude": -32.06, "longitude": 115.74, "bearing_degrees": 225, "distance_km": 20000},
            {"latitude": 32.11195529, "longitude": -63.95925278},
            source="documentation of GeographicLib: 20,000 km south-west of Perth",
            tolerance=1e-9,
        ),
        Example(
            {"latitude": 0, "longitude": 179, "bearing_degrees": 90, "distance_km": 222.63898158654715},
            {"latitude": 0.0, "longitude": -179.0},
            source="arithmetic: two degrees of the equator, 6378.137 km * pi / 90",
        ),
        Refusal(
            {"latitude": 0, "longitude": 0, "bearing_degrees": 45, "distance_km": -3},
            "distance_km must be at least 0",
        ),
    ),
    reply=(
        "The destination is at {latitude}, {longitude}, and the course on arrival is {final_bearing_degrees}\u00b0."
    ),
)
def geo_find_destination(
    latitude: Latitude,
    longitude: Longitude,
    bearing_degrees: Annotated[float, About("Initial course, clockwise from north", 45, minimum=-360, maximum=360)],
    distance_km: Annotated[float, About("Distance to travel", 120, minimum=0, maximum=20_000)],
) -> Destination:
    """Find the point that is reached from a coordinate by going a distance on an initial bearing.

    Use it for dead reckoning, offsets and waypoints. It follows the geodesic of the WGS 84 ellipsoid. Returns the
    coordinate and the course on arrival.
    """
    end = Geodesic.WGS84.Direct(latitude, longitude, bearing_degrees, distance_km * 1000)
    return {**position(end["lat2"], end["lon2"]), "final_bearing_degrees": end["azi2"] % 360}


class Waypoint(TypedDict):
    """A point of a geodesic."""

    latitude: Latitude
    longitude: Longitude
    distance_km: Annotated[float, About("Distance from the start")]
    bearing_degrees: Annotated[float, About("Course at this point, clockwise from north")]


class Interpolation(TypedDict):
    """Points between two others."""

    distance_km: Annotated[float, About("Total length")]
    points: Annotated[list[Waypoint], About("Start, equally spaced points between, and end")]


@tool(
    tags="midpoint halfway interpolate geodesic great-circle waypoints intermediate points path",
    use_when=(
        "What is the midpoint between Berlin and Lisbon by coordinates?",
        "Give me 10 waypoints on the shortest path from New York to Singapore",
        "Which coordinate is halfway between 52.5, 13.4 and 48.9, 2.35?",
    ),
    examples=(
        Example(
            {"start": {"latitude": 0, "longitude": 170}, "end": {"latitude": 0, "longitude": -170}},
            {
                "distance_km": 2226.3898158654715,
                "points": [{"longitude": 170.0}, {"latitude": 0.0}, {"longitude": -170.0}],
            },
            source="arithmetic: twenty degrees of the equator across the date line",
        ),
        Example(
            {"start": {"latitude": 10, "longitude": 20}, "end": {"latitude": 50, "longitude": 20}, "parts": 4},
            {"points": [{"longitude": 20.0}, {"longitude": 20.0}, {"longitude": 20.0}, {"longitude": 20.0}, {}]},
            source="a meridian is a geodesic",
        ),
        Refusal({"start": NEW_YORK, "end": _SINGAPORE, "parts": 1}, "parts must be at least 2"),
    ),
    reply={
        "points.3": "The path of {distance_km} km leads over these points: {points}",
        "points.2": (
            "The midpoint is at {points.1.latitude}, {points.1.longitude}; the whole path is {distance_km} km long."
        ),
        "": "The path of {distance_km} km leads over these points: {points}",
    },
)
def geo_interpolate_path(
    start: Annotated[Position, About("Start of the path", NEW_YORK)],
    end: Annotated[Position, About("End of the path", _SINGAPORE)],
    parts: Annotated[int, About("Number of equal parts; 2 gives the midpoint", minimum=2, maximum=1000)] = 2,
) -> Interpolation:
    """Find the midpoint, or equally spaced waypoints, of the shortest path (way) between two coordinates.

    Use it to draw a flight path or to split a leg. Returns the length and the points with distance and course.
    """
    line = Geodesic.WGS84.InverseLine(start["latitude"], start["longitude"], end["latitude"], end["longitude"])
    found = [line.Position(line.s13 * part / parts) for part in range(parts + 1)]
    return {
        "distance_km": line.s13 / 1000,
        "points": [
            {
                **position(point["lat2"], point["lon2"]),
                "distance_km": line.s13 * part / parts / 1000,
                "bearing_degrees": point["azi2"] % 360,
            }
            for part, point in enumerate(found)
        ],
    }


class Center(TypedDict):
    """Centre of points."""

    latitude: Latitude
    longitude: Longitude
    farthest_km: Annotated[float, About("Distance to the farthest point")]
    mean_km: Annotated[float, About("Mean distance of the points")]


@tool(
    tags="centre center centroid middle meeting point average coordinates geographic mean median",
    use_when=(
        "Where is the geographic centre of our five offices?",
        "Which meeting point is central for all of us?",
        "Average these coordinates properly across the date line",
    ),
    examples=(
        Example(
            {"points": [{"latitude": 0, "longitude": 170}, {"latitude": 0, "longitude": -170}]},
            {"latitude": 0.0, "longitude": 180.0, "farthest_km": 1113.1949079327358, "mean_km": 1113.1949079327358},
            source="symmetry: half way across the date line; ten degrees of the equator",
        ),
        Example(
            {
                "points": [
                    {"latitude": 0, "longitude": 10},
                    {"latitude": 0, "longitude": 10},
                    {"latitude": 0, "longitude": 19},
                ],
                "kind": "least_travel",
            },
            {"latitude": 0.0, "longitude": 10.0},
            source="a point that holds more than half of all is the geometric median",
            tolerance=1e-4,
        ),
        Refusal({"points": [{"latitude": 90, "longitude": 0}, {"latitude": -90, "longitude": 0}]}, "no centre"),
    ),
    reply="The centre is at {latitude}, {longitude}; the farthest point is {farthest_km} km away.",
)
def geo_find_center(
    points: Points,
    kind: Annotated[
        Literal["mean", "least_travel"],
        About("Mean of the points, or the point with the smallest sum of distances to them"),
    ] = "mean",
) -> Center:
    """Find the geographic centre of points, or the meeting point with the least total travel.

    Use it for meeting places and the middle of a set of sites. It averages directions in space, so it is correct across
    the date line and near the poles.
    """
    directions = [_direction(point) for point in points]
    middle = _mean(directions, [1.0] * len(points))
    if kind == "least_travel":
        for _ in range(200):
            middle = _mean(directions, [1 / max(_angle(middle, way), 1e-12) for way in directions])
    latitude, longitude = degrees(asin(max(-1.0, min(1.0, middle[2])))), degrees(atan2(middle[1], middle[0]))
    lengths = [distance_and_bearing(position(latitude, longitude), point)[0] for point in points]
    return {
        **position(latitude, longitude),
        "farthest_km": max(lengths),
        "mean_km": sum(lengths) / len(lengths),
    }


Vector = tuple[float, float, float]


def _direction(point: Position) -> Vector:
    north, east = radians(point["latitude"]), radians(point["longitude"])
    return cos(north) * cos(east), cos(north) * sin(east), sin(north)


def _mean(directions: list[Vector], weights: list[float]) -> Vector:
    x, y, z = (sum(weight * way[axis] for way, weight in zip(directions, weights, strict=True)) for axis in range(3))
    length = hypot(x, y, z)
    if length < 1e-9 * sum(weights):
        raise ToolError("These points have no centre: they are spread evenly around the globe.")
    return x / length, y / length, z / length


def _angle(one: Vector, other: Vector) -> float:
    """Return radians between two directions, exact for small angles (Kahan)."""
    difference = hypot(*(a - b for a, b in zip(one, other, strict=True)))
    total = hypot(*(a + b for a, b in zip(one, other, strict=True)))
    return 2 * atan2(difference, total)


class Horizon(TypedDict):
    """Distance to the horizon."""

    horizon_km: Annotated[float, About("Distance to the horizon along the ground")]
    visible_km: Annotated[float, About("Maximum distance at which the target is visible or reachable")]
    hidden_m: Annotated[float | None, About("Metres of the target below the horizon at the given distance")]
    visible: Annotated[bool | None, About("Whether any part of the target is visible at the given distance")]


@tool(
    tags="horizon visibility line of sight radio range lighthouse curvature refraction hidden height",
    use_when=(
        "How far away is the horizon from a 30 m cliff?",
        "From how far can a 60 m lighthouse be seen from a boat?",
        "How much of a 200 m tower is hidden by the curvature at 50 km?",
        "What is the VHF radio range between antennas of 20 m and 5 m?",
    ),
    examples=(
        Example(
            {"eye_height_m": 1.8, "refraction": "none"},
            {"horizon_km": 4.789141, "visible_km": 4.789115396105811},
            source="R * acos(R / (R + h)) with R = 6371.0088 km; nearly sqrt(2 R h) = 4.789 km",
            tolerance=1e-5,
        ),
        Example(
            {"eye_height_m": 100, "refraction": "radio"},
            {"horizon_km": 41.22},
            source="ITU-R P.310: 4/3 Earth; the customary 4.12 * sqrt(h)",
            tolerance=1e-3,
        ),
        Example(
            {"eye_height_m": 0, "target_height_m": 10, "distance_km": 5, "refraction": "none"},
            {"hidden_m": 1.96201, "visible": True},
            source="the drop d^2 / 2R of 5 km: 25e6 / (2 * 6371008.8) m",
            tolerance=1e-4,
        ),
        Refusal({"eye_height_m": -1}, "eye_height_m must be at least 0"),
    ),
    reply={
        "visible, hidden_m": (
            "The target can be seen, but {hidden_m} m of it are hidden; the horizon is {horizon_km} km away."
        ),
        "visible": "The target can be seen whole; the horizon is {horizon_km} km away.",
        "args.distance_km": "The target is hidden; it can be seen from up to {visible_km} km.",
        "args.target_height_m": (
            "The horizon is {horizon_km} km away, and the target can be seen from up to {visible_km} km."
        ),
        "": "The horizon is {horizon_km} km away.",
    },
)
def geo_compute_horizon(
    eye_height_m: Annotated[float, About("Height of the eye or antenna above the ground", 30, minimum=0, maximum=1e6)],
    target_height_m: Annotated[float, About("Height of the target", minimum=0, maximum=1e6)] = 0,
    distance_km: Annotated[
        float | None, About("Distance of the target, to compute how much of it is hidden", 50, minimum=0, maximum=5000)
    ] = None,
    refraction: Annotated[
        Literal["light", "radio", "none"], About("Refraction: of light (7/6), of radio waves (4/3), or none")
    ] = "light",
) -> Horizon:
    """Compute the distance to the horizon, the visibility range of a target, and how much of it the Earth's curvature
    hides.

    Use it for lookouts, lighthouses and radio links over flat ground or sea, with the usual effective Earth radii.
    """
    radius = EARTH_RADIUS_KM * {"light": 7 / 6, "radio": 4 / 3, "none": 1.0}[refraction]
    eye, target = (radius * acos(radius / (radius + height / 1000)) for height in (eye_height_m, target_height_m))
    hidden = None if distance_km is None else _hidden_m(max(0.0, distance_km - eye), radius)
    return {
        "horizon_km": eye,
        "visible_km": eye + target,
        "hidden_m": hidden,
        "visible": None if hidden is None else hidden <= target_height_m,
    }


def _hidden_m(beyond_km: float, radius_km: float) -> float:
    """Return the height in metres that the Earth hides at this distance beyond the horizon."""
    angle = beyond_km / radius_km
    return 1000 * radius_km * 2 * sin(angle / 2) ** 2 / max(cos(angle), sqrt(1e-9))
