"""Sun, moon and seasons (Jean Meeus, Astronomical Algorithms, chapters 27, 47 and 48)."""

import math
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import Annotated, Literal
from zoneinfo import ZoneInfo

from astral import Observer
from astral import sun as almanac
from typing_extensions import TypedDict

from retinue.sdk import About, Date, DateTime, Example, Latitude, Longitude, Refusal, TimeZone, ToolError, tool
from retinue_tools.datetime._moments import day_of, moment_of, zone_of

_J2000 = datetime(2000, 1, 1, 12, tzinfo=UTC)


class SunTimes(TypedDict):
    """The sun on a day, on the clock of the zone; null for events that do not occur."""

    dawn: Annotated[str | None, About("Beginning of civil twilight")]
    sunrise: str | None
    noon: Annotated[str, About("Solar noon")]
    sunset: str | None
    dusk: Annotated[str | None, About("End of civil twilight")]
    day_length_hours: Annotated[float | None, About("Day length; null in polar day and night")]
    noon_elevation_degrees: float


@tool(
    tags="sunrise sunset dawn dusk twilight sun noon day length solar",
    use_when=(
        "When does the sun rise at 52.5, 13.4 on 2026-06-21?",
        "How long is the day at 60 degrees north in December?",
        "When is civil twilight at latitude -33.9, longitude 151.2?",
    ),
    examples=(
        Example(
            {"date": "2024-03-20", "latitude": 0, "longitude": 0},
            {"day_length_hours": 12.11},
            source="equinox at the equator: 12 h and 6.7 min for refraction and the sun's radius (NOAA)",
            tolerance=2e-3,
        ),
        Example(
            {"date": "2026-06-21", "latitude": 69.65, "longitude": 18.96, "timezone": "Europe/Oslo"},
            {"sunrise": None, "sunset": None, "day_length_hours": None},
            source="midnight sun in Tromsø",
        ),
        Refusal({"date": "2026-06-31", "latitude": 0, "longitude": 0}, "is not a valid date"),
    ),
    reply={
        "sunrise, sunset": (
            "The sun rises at {sunrise} and sets at {sunset}; the day is {day_length_hours} hours long."
        ),
        "": "The sun neither rises nor sets on that day; it stands highest at {noon}.",
    },
)
def sun_compute_times(date: Date, latitude: Latitude, longitude: Longitude, timezone: TimeZone = "UTC") -> SunTimes:
    """Compute sunrise, sunset, civil twilight, noon and day length of a coordinate and date.

    Use it for photos, travel and solar questions; place_compute_sun_times takes the name of a city instead. Accurate
    to about a minute at middle latitudes; the horizon is flat.
    """
    sun = observe_sun(day_of(date), Observer(latitude, longitude), zone_of(timezone))
    length = day_length(sun)
    return {
        "dawn": _text(sun["dawn"]),
        "sunrise": _text(sun["sunrise"]),
        "noon": sun["noon"].isoformat(timespec="seconds"),
        "sunset": _text(sun["sunset"]),
        "dusk": _text(sun["dusk"]),
        "day_length_hours": None if length is None else round(length, 4),
        "noon_elevation_degrees": round(float(almanac.elevation(Observer(latitude, longitude), sun["noon"])), 3),
    }


class SunMoments(TypedDict):
    """When the sun rises, stands highest and sets on a day. An event that does not occur is None."""

    dawn: datetime | None
    sunrise: datetime | None
    noon: datetime
    sunset: datetime | None
    dusk: datetime | None


def observe_sun(day: date, place: Observer, zone: ZoneInfo) -> SunMoments:
    """Compute the moments of the sun at a place, on the clock of the zone."""

    def moment(compute: Callable[..., datetime]) -> datetime | None:
        try:
            return compute(place, date=day, tzinfo=zone)
        except ValueError:
            return None

    return {
        "dawn": moment(almanac.dawn),
        "sunrise": moment(almanac.sunrise),
        "noon": almanac.noon(place, date=day, tzinfo=zone),
        "sunset": moment(almanac.sunset),
        "dusk": moment(almanac.dusk),
    }


def day_length(sun: SunMoments) -> float | None:
    """Return the hours from sunrise to sunset, None in polar day and night."""
    rise, down = sun["sunrise"], sun["sunset"]
    return None if rise is None or down is None else (down - rise) / timedelta(hours=1) % 24


def _text(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat(timespec="seconds")


class MoonFacts(TypedDict):
    """The moon at a moment."""

    phase: Annotated[str, About("Name of the phase")]
    illuminated_percent: float
    waxing: bool
    next_new_moon: Annotated[str, About("Date in UTC")]
    next_first_quarter: str
    next_full_moon: str
    next_last_quarter: str


@tool(
    tags="moon phase full new quarter illumination lunar calendar",
    use_when=(
        "What is the moon phase on 2026-11-21?",
        "When is the next full moon after 2024-01-20?",
        "How much of the moon is lit tonight?",
        "Next full moon",
    ),
    examples=(
        Example(
            {"time": "1992-04-12T00:00"},
            {"illuminated_percent": 67.86, "waxing": True, "phase": "waxing gibbous"},
            source="Meeus, example 48.a: 0.6786; formula 48.4 leaves out smaller terms",
            tolerance=4e-3,
        ),
        Example(
            {"time": "1977-02-01T00:00"},
            {"next_new_moon": "1977-02-18"},
            source="Meeus, example 49.a: new moon on 1977-02-18 at 03:37",
        ),
        Refusal({"time": "tonight"}, "not a date and time"),
    ),
    reply=(
        "The moon is a {phase}, {illuminated_percent} % illuminated; the next full moon is "
        "on {next_full_moon} and the next new moon on {next_new_moon}."
    ),
)
def moon_compute_phase(time: DateTime) -> MoonFacts:
    """Compute the phase and illumination of the moon, and the dates of the next four phases.

    Use it for nights, tides and calendars. The illumination is accurate to about half a percent, the dates to about an
    hour; a time without an offset is UTC.
    """
    moment = moment_of(time)
    if not 1000 <= moment.year <= 3000:
        raise ToolError("The moon is computed for the years 1000 to 3000.")
    angle = _elongation(moment)
    names = (
        "new moon",
        "waxing crescent",
        "first quarter",
        "waxing gibbous",
        "full moon",
        "waning gibbous",
        "last quarter",
        "waning crescent",
    )
    place = round(angle / 90) if abs(angle / 90 - round(angle / 90)) < 0.07 else None
    name = names[int(angle // 90) * 2 + 1] if place is None else names[place % 4 * 2]
    days = [_next(moment, target).astimezone(UTC).date().isoformat() for target in (0, 90, 180, 270)]
    return {
        "phase": name,
        "illuminated_percent": round((1 - math.cos(math.radians(angle))) * 50, 2),
        "waxing": angle < 180,
        "next_new_moon": days[0],
        "next_first_quarter": days[1],
        "next_full_moon": days[2],
        "next_last_quarter": days[3],
    }


def _elongation(moment: datetime) -> float:
    """Return the angle from the sun in degrees, 0 to 360, by formula 48.4."""
    t = (moment - _J2000) / timedelta(days=36525)
    d = math.radians(297.8501921 + 445267.1114034 * t)
    m = math.radians(357.5291092 + 35999.0502909 * t)
    a = math.radians(134.9633964 + 477198.8675055 * t)
    terms = (
        6.289 * math.sin(a),
        -2.1 * math.sin(m),
        1.274 * math.sin(2 * d - a),
        0.658 * math.sin(2 * d),
        0.214 * math.sin(2 * a),
        0.11 * math.sin(d),
    )
    return (math.degrees(d) + sum(terms)) % 360


def _next(moment: datetime, target: float) -> datetime:
    """Find the next time at which the elongation reaches the target, in steps of its mean motion."""
    away = (target - _elongation(moment)) % 360
    found = moment + timedelta(days=away / 12.1907)
    for _ in range(8):
        away = (target - _elongation(found) + 180) % 360 - 180
        found += timedelta(days=away / 12.1907)
    return found


_BEGINS = {
    "spring": (2451623.80984, 365242.37404, 0.05169, -0.00411, -0.00057),
    "summer": (2451716.56767, 365241.62603, 0.00325, 0.00888, -0.00030),
    "autumn": (2451810.21715, 365242.01767, -0.11575, 0.00337, 0.00078),
    "winter": (2451900.05952, 365242.74049, -0.06223, -0.00823, 0.00032),
}
"""Table 27.B: equinoxes and solstices of the years 1000 to 3000, in the northern hemisphere."""

_TERMS = (
    (485, 324.96, 1934.136), (203, 337.23, 32964.467), (199, 342.08, 20.186), (182, 27.85, 445267.112),
    (156, 73.14, 45036.886), (136, 171.52, 22518.443), (77, 222.54, 65928.934), (74, 296.72, 3034.906),
    (70, 243.58, 9037.513), (58, 119.81, 33718.147), (52, 297.17, 150.678), (50, 21.02, 2281.226),
    (45, 247.54, 29929.562), (44, 325.15, 31555.956), (29, 60.93, 4443.417), (18, 155.12, 67555.328),
    (17, 288.79, 4562.452), (16, 198.04, 62894.029), (14, 199.76, 31436.921), (12, 95.39, 14577.848),
    (12, 287.11, 31931.756), (12, 320.81, 34777.259), (9, 227.73, 1222.114), (8, 15.45, 16859.074),
)  # fmt: skip


class SeasonFacts(TypedDict):
    """The season of a date."""

    season: str
    march_equinox: Annotated[str, About("DateTime in UTC, accurate to one or two minutes")]
    june_solstice: str
    september_equinox: str
    december_solstice: str


@tool(
    tags="season equinox solstice spring summer autumn winter meteorological astronomical",
    use_when=(
        "When does spring begin in 2027?",
        "Which season is 2026-11-21 in Australia?",
        "When is the winter solstice 2026?",
    ),
    examples=(
        Example(
            {"date": "1962-06-22"},
            {"season": "summer", "june_solstice": "1962-06-21T21:24"},
            source="Meeus, example 27.a: 21:24:42 dynamical time, 34 seconds ahead of universal time",
        ),
        Example(
            {"date": "2026-12-01", "kind": "meteorological", "hemisphere": "south"},
            {"season": "summer"},
            source="meteorological seasons begin on the first of March, June, September and December",
        ),
        Refusal({"date": "0500-06-22"}, "1000 to 2999"),
    ),
    reply=(
        "It is {season}; the equinoxes are on {march_equinox} and {september_equinox}, the "
        "solstices on {june_solstice} and {december_solstice} (UTC)."
    ),
)
def season_find_date(
    date: Date,
    hemisphere: Annotated[Literal["north", "south"], About("Hemisphere")] = "north",
    kind: Annotated[
        Literal["astronomical", "meteorological"], About("By equinoxes and solstices, or by whole months")
    ] = "astronomical",
) -> SeasonFacts:
    """Find the season of a date and the equinoxes and solstices of its year.

    Use it for calendars and nature. A day belongs to the astronomical season that begins on it.
    """
    day = day_of(date)
    if not 1000 <= day.year <= 2999:
        raise ToolError("Seasons are computed for the years 1000 to 2999.")
    begins = {name: _begin(day.year, name) for name in _BEGINS}
    names = list(_BEGINS)
    if kind == "meteorological":
        place = (day.month - 3) % 12 // 3
    else:
        place = (sum(begin.date() <= day for begin in begins.values()) - 1) % 4
    moments = [begin.strftime("%Y-%m-%dT%H:%M") for begin in begins.values()]
    return {
        "season": names[place if hemisphere == "north" else (place + 2) % 4],
        "march_equinox": moments[0],
        "june_solstice": moments[1],
        "september_equinox": moments[2],
        "december_solstice": moments[3],
    }


def _begin(year: int, season: str) -> datetime:
    y = (year - 2000) / 1000
    mean = sum(factor * y**power for power, factor in enumerate(_BEGINS[season]))
    t = (mean - 2451545) / 36525
    w = math.radians(35999.373 * t - 2.47)
    stretch = 1 + 0.0334 * math.cos(w) + 0.0007 * math.cos(2 * w)
    wave = sum(size * math.cos(math.radians(start + speed * t)) for size, start, speed in _TERMS)
    return _J2000 + timedelta(days=mean + 0.00001 * wave / stretch - 2451545, seconds=-_clock_lag(year))


def _clock_lag(year: int) -> float:
    """Return dynamical minus universal time in seconds: the parabola of Morrison and Stephenson, flattened for the
    present.
    """
    if 1950 <= year <= 2100:
        return 32 + (year - 1955) * 0.53
    return -20 + 32 * ((year - 1820) / 100) ** 2
