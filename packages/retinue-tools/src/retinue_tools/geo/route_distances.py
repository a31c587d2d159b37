"""Distances along a route and between many places, on the WGS 84 ellipsoid."""

from itertools import accumulate, pairwise
from typing import Annotated

from geographiclib.geodesic import Geodesic
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.geo._places import Path, Places, Position

_MOST_PAIRS = 10_000
NEW_YORK = {"latitude": 40.6, "longitude": -73.8}


class Leg(TypedDict):
    """The way from one point to the next."""

    distance_km: Annotated[float, About("Length of the leg")]
    bearing_degrees: Annotated[float, About("Initial course, clockwise from north")]
    total_km: Annotated[float, About("Distance from the start of the route to the end of the leg")]


class Route(TypedDict):
    """A route through points."""

    distance_km: Annotated[float, About("Length of the whole route")]
    direct_km: Annotated[float, About("Distance between its ends, as the crow flies")]
    hours: Annotated[float | None, About("Travel time at the given speed")]
    legs: Annotated[list[Leg], About("Legs between consecutive points")]


@tool(
    tags="route length path distance legs itinerary waypoints bearing travel time precise ellipsoid",
    use_when=(
        "How long is my route through these five coordinates?",
        "What is the length of each leg of this flight plan, and the course?",
        "How many hours does a boat at 12 km/h need along these waypoints?",
    ),
    examples=(
        Example(
            {"points": [{"latitude": -41.32, "longitude": 174.81}, {"latitude": 40.96, "longitude": -5.5}]},
            {"distance_km": 19959.67926735382, "legs": [{"bearing_degrees": 161.06766998615873}]},
            source="documentation of GeographicLib: Wellington to Salamanca",
        ),
        Example(
            {
                "points": [
                    {"latitude": 0, "longitude": 0},
                    {"latitude": 0, "longitude": 1},
                    {"latitude": 0, "longitude": 0},
                ],
                "speed_km_h": 100,
                "close": True,
            },
            {"distance_km": 222.63898158654715, "direct_km": 0.0, "hours": 2.2263898158654715},
            source="arithmetic: a degree of the equator and back is 6378.137 km * pi / 90",
        ),
        Refusal({"points": [NEW_YORK]}, "at least 2"),
    ),
    reply={
        "legs.1, hours": "The route is {distance_km} km long and takes {hours} hours: {legs}",
        "legs.1": "The route is {distance_km} km long: {legs}",
        "hours": "The route is {distance_km} km long and takes {hours} hours.",
        "": "The route is {distance_km} km long.",
    },
)
def geo_measure_route(
    points: Path,
    speed_km_h: Annotated[
        float | None, About("Speed for the travel time", 12, exclusive_minimum=0.001, maximum=1e6)
    ] = None,
    close: Annotated[bool, About("Whether to return to the first point")] = False,
) -> Route:
    """Measure the length of a route through coordinates, leg by leg, on the WGS 84 ellipsoid.

    Use it for exact distances, courses and travel times along waypoints, with the crow-fly distance for comparison.
    """
    closing = [points[0]] if close and points[0] != points[-1] else []
    way = [*points, *closing]
    solved = [distance_and_bearing(one, other) for one, other in pairwise(way)]
    totals = list(accumulate(length for length, _ in solved))
    return {
        "distance_km": totals[-1],
        "direct_km": distance_and_bearing(way[0], way[-1])[0],
        "hours": totals[-1] / speed_km_h if speed_km_h else None,
        "legs": [
            {"distance_km": length, "bearing_degrees": course, "total_km": total}
            for (length, course), total in zip(solved, totals, strict=True)
        ],
    }


def distance_and_bearing(one: Position, other: Position) -> tuple[float, float]:
    """Return kilometres and initial bearing."""
    solved = Geodesic.WGS84.Inverse(one["latitude"], one["longitude"], other["latitude"], other["longitude"])
    return solved["s12"] / 1000, solved["azi1"] % 360


class Matrix(TypedDict):
    """Distances between the places of two lists."""

    rows: Annotated[list[str], About("Names of the origins")]
    columns: Annotated[list[str], About("Names of the destinations")]
    distances_km: Annotated[list[list[float]], About("A row for each place of `rows`")]


@tool(
    tags="distance matrix table pairwise origins destinations geodesic",
    use_when=(
        "Make a table of the distances between these six cities",
        "How far is each customer from each warehouse?",
        "Distance matrix of these coordinates in kilometres",
    ),
    examples=(
        Example(
            {
                "origins": [
                    {"name": "A", "latitude": 0, "longitude": 0},
                    {"name": "B", "latitude": 0, "longitude": 1},
                ]
            },
            {"columns": ["A", "B"], "distances_km": [[0.0, 111.31949079327357], [111.31949079327357, 0.0]]},
            source="arithmetic: a degree of the equator",
        ),
        Example(
            {
                "origins": [{"name": "W", "latitude": -41.32, "longitude": 174.81}],
                "destinations": [{"name": "S", "latitude": 40.96, "longitude": -5.5}],
            },
            {"rows": ["W"], "columns": ["S"], "distances_km": [[19959.67926735382]]},
            source="documentation of GeographicLib: Wellington to Salamanca",
        ),
        Refusal({"origins": []}, "at least 1"),
    ),
    reply={
        "args.destinations": "The distances in km, from {rows} (rows) to {columns}: {distances_km}",
        "": "The distances in km between {rows}: {distances_km}",
    },
    pace="normal",
)
def geo_build_distance_matrix(
    origins: Places,
    destinations: Annotated[Places | None, About("Destinations; default: the origins")] = None,
) -> Matrix:
    """Build the table of crow-fly distances between named places, or from one list of places to another.

    Use it to compare sites, plan deliveries or feed a solver. Returns names and kilometres, row by row.
    """
    targets = destinations or origins
    if len(origins) * len(targets) > _MOST_PAIRS:
        raise ToolError(f"There are more than {_MOST_PAIRS} pairs. Send fewer places at a time.")
    return {
        "rows": [place["name"] for place in origins],
        "columns": [place["name"] for place in targets],
        "distances_km": [
            [
                distance_and_bearing(
                    {"latitude": one["latitude"], "longitude": one["longitude"]},
                    {"latitude": other["latitude"], "longitude": other["longitude"]},
                )[0]
                for other in targets
            ]
            for one in origins
        ],
    }
