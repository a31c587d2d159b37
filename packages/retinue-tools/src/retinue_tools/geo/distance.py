"""Distances on the globe: great circles between two points."""

from math import asin, atan2, cos, degrees, radians, sin, sqrt
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Latitude, Longitude, Refusal, tool

EARTH_RADIUS_KM = 6371.0088
"""Mean radius of the Earth (IUGG)."""
_KM_PER_MILE, _KM_PER_NAUTICAL_MILE = 1.609344, 1.852


class Distance(TypedDict):
    """The shortest way over the globe."""

    kilometres: Annotated[float, About("Length in kilometres")]
    miles: Annotated[float, About("Length in statute miles")]
    nautical_miles: Annotated[float, About("Length in nautical miles")]
    initial_bearing_degrees: Annotated[float, About("Course at the start, clockwise from north")]


@tool(
    tags="distance coordinates latitude longitude great-circle haversine bearing kilometres miles",
    use_when=(
        "How far is it from 52.52, 13.405 to 48.8566, 2.3522?",
        "What is the distance between two coordinates?",
        "In which direction lies one latitude and longitude from another?",
        "Which compass direction is it from one city to another?",
        "How far apart are two cities in a straight line?",
    ),
    examples=(
        Example(
            {"from_latitude": 33.95, "from_longitude": -118.4, "to_latitude": 40.633333, "to_longitude": -73.783333},
            {
                "kilometres": 3972.8655,
                "initial_bearing_degrees": 65.89215,
                "miles": 2468.622801808603,
                "nautical_miles": 2145.174564985888,
            },
            source="Williams, Aviation Formulary: Los Angeles to New York, 0.623585 and 1.150035 radians",
            tolerance=1e-6,
        ),
        Example(
            {"from_latitude": 0, "from_longitude": 0, "to_latitude": 0, "to_longitude": 180},
            {"kilometres": 20015.115},
            source="half a circumference: pi times 6371.0088 km",
            tolerance=1e-7,
        ),
        Refusal(
            {"from_latitude": 95, "from_longitude": 0, "to_latitude": 0, "to_longitude": 0},
            "from_latitude must be at most 90",
        ),
    ),
)
def geo_measure_distance(
    from_latitude: Latitude, from_longitude: Longitude, to_latitude: Latitude, to_longitude: Longitude
) -> Distance:
    """Measure the great-circle distance between two points given by latitude and longitude in degrees.

    Use it for distances as the crow flies, correct to 0.6 %. Returns kilometres, miles, nautical miles and the bearing.
    """
    north, south = radians(from_latitude), radians(to_latitude)
    east = radians(to_longitude - from_longitude)
    half_chord = sin((south - north) / 2) ** 2 + cos(north) * cos(south) * sin(east / 2) ** 2
    kilometres = 2 * EARTH_RADIUS_KM * asin(min(1.0, sqrt(half_chord)))
    course = atan2(sin(east) * cos(south), cos(north) * sin(south) - sin(north) * cos(south) * cos(east))
    return {
        "kilometres": kilometres,
        "miles": kilometres / _KM_PER_MILE,
        "nautical_miles": kilometres / _KM_PER_NAUTICAL_MILE,
        "initial_bearing_degrees": degrees(course) % 360,
    }
