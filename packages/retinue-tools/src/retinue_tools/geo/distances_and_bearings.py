"""Distances and bearings on the globe: great circles, rhumb lines, compass points, wind correction."""

import re
from math import asin, atan2, cos, degrees, hypot, log, pi, radians, sin, sqrt, tan
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Latitude, Longitude, Refusal, ToolError, tool
from retinue_tools.tidy import tidy

EARTH_RADIUS_KM = 6371.0088
"""Mean radius of the Earth (IUGG)."""
_KM_PER_MILE, _KM_PER_NAUTICAL_MILE = 1.609344, 1.852


class Distance(TypedDict):
    """Shortest distance on the globe."""

    kilometres: Annotated[float, About("Length in kilometres")]
    miles: Annotated[float, About("Length in statute miles")]
    nautical_miles: Annotated[float, About("Length in nautical miles")]
    initial_bearing_degrees: Annotated[float, About("Initial course, clockwise from north")]


@tool(
    tags="distance coordinates latitude longitude great-circle haversine bearing kilometres miles",
    use_when=(
        "How far is it from 52.52, 13.405 to 48.8566, 2.3522?",
        "What is the distance between two coordinates?",
        "In which direction lies one latitude and longitude from another?",
        "Which compass direction is it from one city to another?",
        "How far apart are two cities in a straight line?",
        "How far is it between two places?",
        "Which compass direction do I go from here to Athens?",
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
    reply=(
        "The distance is {kilometres} km ({miles} miles), with an initial bearing of {initial_bearing_degrees}\u00b0."
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


_EARTH_KM = 6371.0088
"""Mean radius of the Earth (IUGG)."""
_MILE_KM, _NAUTICAL_KM = 1.609344, 1.852
_STRAIGHT = 1e-12

DegreesNorth = Annotated[float, About("Degrees north, negative south", 50, minimum=-90, maximum=90)]
DegreesEast = Annotated[float, About("Degrees east, negative west", -5, minimum=-180, maximum=180)]


class WindTriangle(TypedDict):
    """Solution of a wind triangle."""

    heading_degrees: Annotated[float, About("Heading to steer")]
    ground_speed: Annotated[float, About("Speed over ground, in the unit of the speeds")]
    drift_degrees: Annotated[float, About("Wind correction angle, negative to the left")]
    head_wind: Annotated[float, About("Headwind, negative from behind")]
    cross_wind: Annotated[float, About("Crosswind, positive from the right")]


@tool(
    tags="wind triangle heading ground speed drift crosswind headwind airspeed track course navigation flight",
    use_when=(
        "Track 040, airspeed 110 knots, wind from 320 at 25 knots: heading and ground speed?",
        "Crosswind and headwind on runway 27 with wind 310 at 20 knots",
        "True course 085, wind 320/25, TAS 110: which heading must I fly?",
    ),
    examples=(
        Example(
            {"course_degrees": 0, "speed": 100, "wind_from_degrees": 90, "wind_speed": 20},
            {"heading_degrees": 11.536959, "ground_speed": 97.9795897, "cross_wind": 20.0},
            source="asin(0.2); sqrt(100^2 - 20^2)",
            tolerance=1e-7,
        ),
        Example(
            {"course_degrees": 270, "wind_from_degrees": 310, "wind_speed": 20, "speed": 100},
            {"head_wind": 15.3208889, "cross_wind": 12.8557522},
            source="20 cos 40° and 20 sin 40°",
            tolerance=1e-7,
        ),
        Refusal({"course_degrees": 0, "speed": 10, "wind_from_degrees": 90, "wind_speed": 20}, "too strong"),
    ),
    reply=(
        "Steer {heading_degrees}\u00b0; the ground speed is {ground_speed}, with a headwind of "
        "{head_wind} and a crosswind of {cross_wind}."
    ),
)
def navigation_solve_wind(
    course_degrees: Annotated[float, About("Course over ground; runway 27 is 270", 40, minimum=0, maximum=360)],
    wind_from_degrees: Annotated[float, About("Direction from which the wind blows", 320, minimum=0, maximum=360)],
    wind_speed: Annotated[float, About("Wind speed", 25, minimum=0, maximum=10_000)],
    speed: Annotated[float, About("Airspeed, in the same unit", 110, minimum=1e-30, maximum=10_000)],
) -> WindTriangle:
    """Solve the wind triangle: heading, ground speed, drift, and the wind's components along and across the course.

    Use it for flights and crossings. For a current, give the direction it comes from.
    """
    angle = radians(wind_from_degrees - course_degrees)
    across, against = wind_speed * sin(angle), wind_speed * cos(angle)
    if abs(across) > speed:
        raise ToolError("The wind is too strong to keep this course at this speed.")
    drift = asin(across / speed)
    if speed * cos(drift) <= against:
        raise ToolError("The headwind is too strong: at this speed, there is no progress along the course.")
    return {
        "heading_degrees": tidy((course_degrees + degrees(drift)) % 360),
        "ground_speed": tidy(speed * cos(drift) - against),
        "drift_degrees": tidy(degrees(drift)),
        "head_wind": tidy(against),
        "cross_wind": tidy(across),
    }


class RhumbLine(TypedDict):
    """A line that crosses all meridians at the same angle."""

    bearing_degrees: float
    distance_km: float
    distance_miles: float
    distance_nautical_miles: float


@tool(
    tags="rhumb line loxodrome constant bearing course distance compass mercator navigation sailing",
    use_when=(
        "Rhumb line course and distance from 50N 5W to 40N 60W",
        "Constant compass bearing from Lisbon (38.7, -9.1) to the Azores (37.7, -25.7)",
    ),
    examples=(
        Example(
            {"from_latitude": 0, "from_longitude": 0, "to_latitude": 0, "to_longitude": 90},
            {"bearing_degrees": 90.0, "distance_km": 10007.557221},
            source="a quarter of the equator of a sphere with 6371.0088 km",
            tolerance=1e-8,
        ),
        Example(
            {"from_latitude": 10, "from_longitude": 20, "to_latitude": -10, "to_longitude": 20},
            {"bearing_degrees": 180.0, "distance_km": 2223.901605},
            source="20 degrees of a meridian",
            tolerance=1e-7,
        ),
        Refusal({"from_latitude": 91, "from_longitude": 0, "to_latitude": 0, "to_longitude": 0}, "from_latitude"),
    ),
    reply="The rhumb line is {distance_km} km long, on a constant bearing of {bearing_degrees}\u00b0.",
)
def geo_measure_rhumb(
    from_latitude: DegreesNorth,
    from_longitude: DegreesEast,
    to_latitude: DegreesNorth,
    to_longitude: DegreesEast,
) -> RhumbLine:
    """Measure the rhumb line between two points: the constant bearing and its length, on a sphere.

    Use it for courses by compass. For the shortest path, use geo_measure_distance.
    """
    north = radians(to_latitude - from_latitude)
    east = (radians(to_longitude - from_longitude) + pi) % (2 * pi) - pi
    stretched = _stretch(to_latitude) - _stretch(from_latitude)
    squeeze = north / stretched if abs(stretched) > _STRAIGHT else cos(radians(from_latitude))
    length = hypot(north, squeeze * east) * _EARTH_KM
    return {
        "bearing_degrees": tidy(_bearing(stretched, east)),
        "distance_km": tidy(length),
        "distance_miles": tidy(length / _MILE_KM),
        "distance_nautical_miles": tidy(length / _NAUTICAL_KM),
    }


def _stretch(latitude: float) -> float:
    """Return the height on Mercator's map; the poles are far, but not infinitely far."""
    return log(max(tan(pi / 4 + radians(latitude) / 2), 1e-300))


def _bearing(north: float, east: float) -> float:
    return degrees(atan2(east, north)) % 360


class Antipode(TypedDict):
    """The opposite point."""

    latitude: float
    longitude: float
    text: Annotated[str, About("Such as 40.5° S, 106.5° W")]


@tool(
    tags="antipode opposite side of the earth point coordinates through the globe",
    use_when=(
        "Antipode of 40.4, -3.7",
        "Which point lies exactly opposite 52.5 N 13.4 E on the globe?",
        "Coordinates on the other side of the Earth from 51.5N 0.1W",
    ),
    examples=(
        Example(
            {"latitude": 40.4, "longitude": -3.7},
            {"latitude": -40.4, "longitude": 176.3, "text": "40.4° S, 176.3° E"},
            source="by hand: 180 - 3.7",
        ),
        Example({"latitude": -10, "longitude": 0}, {"latitude": 10.0, "longitude": 180.0}, source="by hand"),
        Refusal({"latitude": 95, "longitude": 0}, "latitude"),
    ),
    reply="The antipode is {text}.",
)
def geo_find_antipode(latitude: DegreesNorth, longitude: DegreesEast) -> Antipode:
    """Find the antipode of a point: the point on the other side of the Earth."""
    south, east = -latitude, longitude + 180 if longitude <= 0 else longitude - 180
    east = tidy(east)
    return {
        "latitude": tidy(south),
        "longitude": east,
        "text": f"{abs(south):g}° {'N' if south >= 0 else 'S'}, {abs(east):g}° {'E' if east >= 0 else 'W'}",
    }


_POINTS = (
    "N", "NbE", "NNE", "NEbN", "NE", "NEbE", "ENE", "EbN",
    "E", "EbS", "ESE", "SEbE", "SE", "SEbS", "SSE", "SbE",
    "S", "SbW", "SSW", "SWbS", "SW", "SWbW", "WSW", "WbS",
    "W", "WbN", "WNW", "NWbW", "NW", "NWbN", "NNW", "NbW",
)  # fmt: skip
"""The rose of 32 points, clockwise; a b reads "by"."""
_STEP = 360 / len(_POINTS)
_WORDS = {"N": "north", "E": "east", "S": "south", "W": "west", "b": " by "}
_SHORT = {word.strip(): letter for letter, word in _WORDS.items()} | {letter.lower(): letter for letter in _WORDS}
_PARTS = re.compile(r"north|east|south|west|by|[neswb]")
_DEGREES = re.compile(r"(-?[0-9]+(?:\.[0-9]+)?)\s*(?:°|deg|degrees?)?(?:\s*true)?", re.IGNORECASE)
_QUADRANT = re.compile(r"([NS])\s*([0-9]+(?:\.[0-9]+)?)\s*(?:°|deg|degrees?)?\s*([EW])", re.IGNORECASE)


class CompassPoint(TypedDict):
    """A direction in degrees and as a compass point."""

    degrees: Annotated[float, About("Degrees clockwise from north, 0 up to 360; as given, or of the given point")]
    point: Annotated[str, About("Given point, or the nearest compass point, such as WSW")]
    name: Annotated[str, About("Name of the point, such as west-southwest")]
    point_degrees: Annotated[float, About("Exact degrees of the point")]
    quadrant_bearing: Annotated[str, About("Quadrant bearing, such as S 67.5° W")]
    back_bearing_degrees: Annotated[float, About("Opposite direction")]


@tool(
    tags="compass point direction degrees bearing heading wind rose azimuth north east south west cardinal back",
    use_when=(
        "Which compass direction is 247.5 degrees?",
        "Convert 315 degrees to a compass point",
        "How many degrees is south-southwest?",
        "The wind comes from 200°, which direction is that?",
        "S 30° E as an azimuth",
        "What is the back bearing of 75 degrees?",
    ),
    examples=(
        Example(
            {"direction": "247.5"},
            {
                "point": "WSW",
                "name": "west-southwest",
                "quadrant_bearing": "S 67.5° W",
                "back_bearing_degrees": 67.5,
                "point_degrees": 247.5,
            },
            source="Wikipedia, Points of the compass",
        ),
        Example({"direction": "north-northeast"}, {"degrees": 22.5, "point": "NNE"}, source="Wikipedia, same table"),
        Example(
            {"direction": "213.75", "rose": "32"},
            {"point": "SWbS", "name": "southwest by south"},
            source="Wikipedia, same table",
        ),
        Example({"direction": "S 30° E"}, {"degrees": 150.0}, source="180 - 30"),
        Refusal({"direction": "up"}, "such as 247.5, WSW"),
    ),
    reply="{degrees}\u00b0 is {name} ({point}).",
)
def compass_convert_point(
    direction: Annotated[
        str,
        About(
            "Degrees from north, a point such as WSW or south-east, or S 30° E", "247.5", min_length=1, max_length=60
        ),
    ],
    rose: Annotated[Literal["8", "16", "32"], About("Number of points of the compass rose")] = "16",
) -> CompassPoint:
    """Convert degrees to the nearest point of the compass, or a point of the compass to degrees.

    Use it for winds, headings and bearings. Returns name, quadrant bearing and opposite direction as well.
    """
    place = _place(direction)
    degrees = _read(direction.strip()) if place is None else place * _STEP
    if place is None:
        coarse = len(_POINTS) // int(rose)
        place = int(degrees / (_STEP * coarse) + 0.5) * coarse % len(_POINTS)
    return {
        "degrees": degrees,
        "point": _POINTS[place],
        "name": _name(_POINTS[place]),
        "point_degrees": place * _STEP,
        "quadrant_bearing": _quadrant(degrees),
        "back_bearing_degrees": (degrees + 180) % 360,
    }


def _read(direction: str) -> float:
    """Parse degrees from north, 0 up to 360. Raises `ToolError`."""
    if found := _DEGREES.fullmatch(direction):
        return float(found[1]) % 360 % 360
    if (found := _QUADRANT.fullmatch(direction)) and float(found[2]) <= 90:
        from_north = float(found[2]) if found[1] in "Nn" else 180 - float(found[2])
        return (from_north if found[3] in "Ee" else -from_north) % 360
    raise ToolError(f"{direction} is not a direction. Give degrees or a point, such as 247.5, WSW or S 30° E.")


def _place(direction: str) -> int | None:
    """Return the index on the compass rose of a point given by letters or name; None if there is none."""
    point = "".join(_SHORT[part] for part in _PARTS.findall(direction.lower()))
    if point not in _POINTS or _PARTS.sub("", direction.lower()).strip(" -.,"):
        return None
    return _POINTS.index(point)


def _name(point: str) -> str:
    """Return the name in words: of three letters, the first stands alone."""
    words = "".join(_WORDS[letter] for letter in point)
    first = _WORDS[point[0]]
    return f"{first}-{words.removeprefix(first)}" if len(point) == 3 and "b" not in point else words


def _quadrant(degrees: float) -> str:
    """Return the angle from north or south, towards east or west."""
    pole = "N" if degrees <= 90 or degrees >= 270 else "S"
    angle = min(degrees, 360 - degrees) if pole == "N" else abs(180 - degrees)
    return f"{pole} {angle:.10g}° {'E' if degrees <= 180 else 'W'}"
