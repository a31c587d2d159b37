"""Perceived weather, the Beaufort scale, and Julian dates in astronomy."""

from bisect import bisect_right
from datetime import UTC, datetime, timedelta
from math import exp, log, sqrt
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.tidy import tidy

_JULIAN_EPOCH = datetime(2000, 1, 1, 12, tzinfo=UTC)
_JULIAN_OF_EPOCH = 2_451_545.0
_HOTTEST_F, _MAX_INDEX_F = 122, 137
"""Limits of the heat index: the air of Steadman's table (50 °C), and the chart of the US weather service (58.3 °C)."""


class Comfort(TypedDict):
    """Perceived weather."""

    dew_point_c: Annotated[float, About("Dew point (Magnus formula)")]
    absolute_humidity_g_m3: Annotated[float, About("Absolute humidity: water per cubic metre of air")]
    heat_index_c: Annotated[
        float | None, About("Heat index of the US weather service; from 26.7 °C to 50 °C, if at most 58 °C")
    ]
    wind_chill_c: Annotated[float | None, About("Wind chill (2001); up to 10 °C and from 4.8 km/h")]
    feels_like_c: Annotated[float, About("Heat index or wind chill if applicable, otherwise the temperature")]


@tool(
    tags="weather heat index wind chill dew point humidity feels like apparent temperature comfort mould",
    use_when=(
        "What does 32 °C at 70 % humidity feel like?",
        "Wind chill at -10 °C and 30 km/h",
        "Dew point of 20 °C and 60 % relative humidity",
    ),
    examples=(
        Example(
            {"temperature_c": -10, "humidity_percent": 60, "wind_km_h": 30},
            {
                "wind_chill_c": -19.5,
                "heat_index_c": None,
                "absolute_humidity_g_m3": 1.4181939835377506,
                "feels_like_c": -19.52049803338773,
            },
            source="Environment Canada's table: -10 °C and 30 km/h feel like -20",
            tolerance=5e-3,
        ),
        Example(
            {"temperature_c": 32.2222222, "humidity_percent": 70},
            {"heat_index_c": 41.0},
            source="chart of the US weather service: 90 °F and 70 % feel like 106 °F",
            tolerance=1e-2,
        ),
        Example({"temperature_c": 20, "humidity_percent": 100}, {"dew_point_c": 20.0}, "saturated air", 1e-9),
        Refusal({"temperature_c": 20, "humidity_percent": 0}, "humidity_percent must be"),
    ),
    reply={
        "wind_chill_c": "It feels like {feels_like_c} \u00b0C because of the wind.",
        "heat_index_c": "It feels like {feels_like_c} \u00b0C; the dew point is {dew_point_c} \u00b0C.",
        "": (
            "The dew point is {dew_point_c} \u00b0C, and the air holds {absolute_humidity_g_m3} g of water per m\u00b3."
        ),
    },
)
def weather_assess_comfort(
    temperature_c: Annotated[float, About("Air temperature, °C", 32, minimum=-60, maximum=60)],
    humidity_percent: Annotated[float, About("Relative humidity, percent", 70, minimum=1, maximum=100)],
    wind_km_h: Annotated[float, About("Wind speed, km/h", minimum=0, maximum=400)] = 0,
) -> Comfort:
    """Assess how weather feels: dew point, absolute humidity, heat index or wind chill.

    Use it for comfort and for damp rooms. It uses formulas of the US and Canadian weather services.
    """
    saturation = 6.112 * exp(17.62 * temperature_c / (243.12 + temperature_c))
    vapour = saturation * humidity_percent / 100
    gamma = log(vapour / 6.112)
    heat = _heat_index(temperature_c, humidity_percent) if temperature_c >= 26.7 else None
    chill = None
    if temperature_c <= 10 and wind_km_h >= 4.8:
        power = wind_km_h**0.16
        chill = 13.12 + 0.6215 * temperature_c - 11.37 * power + 0.3965 * temperature_c * power
    return {
        "dew_point_c": 243.12 * gamma / (17.62 - gamma),
        "absolute_humidity_g_m3": 216.7 * vapour / (273.15 + temperature_c),
        "heat_index_c": heat,
        "wind_chill_c": chill,
        "feels_like_c": next((value for value in (heat, chill) if value is not None), temperature_c),
    }


def _heat_index(celsius: float, humidity: float) -> float | None:
    """Return the heat index of the US weather service in °C; None above the limits of its formulas."""
    t = celsius * 1.8 + 32
    index = (t + 0.5 * (t + 61 + (t - 68) * 1.2 + humidity * 0.094)) / 2
    if index >= 80:
        index = _regression(t, humidity) + _adjustment(t, humidity)
    return (index - 32) / 1.8 if t <= _HOTTEST_F and index <= _MAX_INDEX_F else None


def _adjustment(t: float, humidity: float) -> float:
    """Return the adjustment of the regression for very dry and very humid air, in °F."""
    if humidity < 13 and 80 <= t <= 112:
        return -(13 - humidity) / 4 * sqrt((17 - abs(t - 95)) / 17)
    if humidity > 85 and 80 <= t <= 87:
        return (humidity - 85) / 10 * (87 - t) / 5
    return 0.0


def _regression(t: float, humidity: float) -> float:
    """Return Rothfusz's regression of 1990, in °F."""
    return (
        -42.379
        + 2.04901523 * t
        + 10.14333127 * humidity
        - 0.22475541 * t * humidity
        - 6.83783e-3 * t**2
        - 5.481717e-2 * humidity**2
        + 1.22874e-3 * t**2 * humidity
        + 8.5282e-4 * t * humidity**2
        - 1.99e-6 * t**2 * humidity**2
    )


class AstronomicalTime(TypedDict):
    """A moment in astronomical time scales."""

    utc: Annotated[str, About("Moment in ISO 8601")]
    julian_date: float
    modified_julian_date: float
    julian_centuries: Annotated[float, About("Time since J2000.0")]
    sidereal_hours: Annotated[float, About("Mean sidereal time at the longitude, hours")]


@tool(
    tags="julian date mjd sidereal time astronomy epoch j2000 convert",
    use_when=(
        "What is the Julian date of 2026-11-21 18:00 UTC?",
        "Which date is JD 2451545.0?",
        "Local sidereal time at 13.4 degrees east now",
    ),
    examples=(
        Example(
            {"utc": "1987-04-10T19:21:00"},
            {"julian_date": 2446896.30625, "sidereal_hours": 8.582524884},
            source="Meeus, Astronomical Algorithms, example 12.b: 8h 34m 57.0896s",
            tolerance=1e-7,
        ),
        Example(
            {"julian_date": 2451545.0},
            {"utc": "2000-01-01T12:00:00+00:00", "modified_julian_date": 51544.5},
            source="definition of J2000.0",
        ),
        Refusal({}, "either"),
    ),
    reply=("{utc} is the Julian date {julian_date}, or {modified_julian_date} as modified Julian date."),
)
def astro_convert_julian_date(
    utc: Annotated[
        str | None, About("Moment in ISO 8601, UTC unless it contains an offset", "2026-11-21T18:00", max_length=40)
    ] = None,
    julian_date: Annotated[float | None, About("Julian date", 2451545.0, minimum=1_721_426, maximum=5_373_484)] = None,
    longitude: Annotated[float, About("Longitude for the sidereal time, east positive", minimum=-180, maximum=180)] = 0,
) -> AstronomicalTime:
    """Convert between UTC and Julian date, with the modified Julian date and mean sidereal time.

    Use it for observation planning and ephemerides. UTC is used as UT1 (within a second); sidereal time is computed
    after Meeus.
    """
    if (utc is None) == (julian_date is None):
        raise ToolError("Give either utc or julian_date, not both.")
    moment = _moment(utc) if utc is not None else _JULIAN_EPOCH + timedelta(days=(julian_date or 0) - _JULIAN_OF_EPOCH)
    days = (moment - _JULIAN_EPOCH) / timedelta(days=1)
    centuries = days / 36525
    degrees = 280.46061837 + 360.98564736629 * days + 0.000387933 * centuries**2 - centuries**3 / 38_710_000 + longitude
    return {
        "utc": moment.isoformat(timespec="seconds"),
        "julian_date": _JULIAN_OF_EPOCH + days,
        "modified_julian_date": _JULIAN_OF_EPOCH - 2_400_000.5 + days,
        "julian_centuries": centuries,
        "sidereal_hours": degrees % 360 / 15,
    }


def _moment(text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text.strip())
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise ToolError("This is not a moment. Write it as 2026-11-21T18:00.") from error


_WARMEST_C, _CALMEST_KM_H = 10.0, 4.8


class WindChill(TypedDict):
    """Perceived temperature in wind."""

    wind_chill_c: float
    wind_chill_f: float
    applies: Annotated[bool, About("Whether the formula applies: up to 10 °C, from 4.8 km/h")]


@tool(
    tags="wind chill feels like temperature cold wind celsius fahrenheit mph winter weather",
    use_when=("Wind chill at -10 °C and 30 km/h", "How cold do 20 °F with 15 mph of wind feel?"),
    examples=(
        Example(
            {"temperature_c": -10, "wind_km_h": 30},
            {"wind_chill_c": -19.5, "applies": True},
            source="Environment Canada's table: -10 °C and 30 km/h feel like -20",
            tolerance=5e-3,
        ),
        Example({"temperature_c": 15, "wind_km_h": 30}, {"applies": False, "wind_chill_c": 15.0}, source="too warm"),
        Refusal({"temperature_c": -400, "wind_km_h": 5}, "temperature_c"),
    ),
    reply={
        "applies": "It feels like {wind_chill_c} \u00b0C ({wind_chill_f} \u00b0F).",
        "": "Wind chill does not apply here; it feels like {wind_chill_c} \u00b0C.",
    },
)
def weather_compute_wind_chill(
    temperature_c: Annotated[float, About("Temperature of the air in °C", -10, minimum=-90, maximum=60)],
    wind_km_h: Annotated[float, About("Speed of the wind in km/h", 30, minimum=0, maximum=500)],
) -> WindChill:
    """Compute the wind chill: how cold air feels in the wind (2001 index of the US and Canadian weather services)."""
    applies = temperature_c <= _WARMEST_C and wind_km_h >= _CALMEST_KM_H
    power = wind_km_h**0.16
    chill = 13.12 + 0.6215 * temperature_c - 11.37 * power + 0.3965 * temperature_c * power
    felt = chill if applies else temperature_c
    return {"wind_chill_c": tidy(felt), "wind_chill_f": tidy(felt * 1.8 + 32), "applies": applies}


_KNOTS = {"knots": 1.0, "km/h": 1 / 1.852, "mph": 1.609344 / 1.852, "m/s": 3.6 / 1.852}
_FORCES_M_S = (0.3, 1.6, 3.4, 5.5, 8.0, 10.8, 13.9, 17.2, 20.8, 24.5, 28.5, 32.7)
"""Wind speed at which each force from 1 to 12 begins, in m/s (World Meteorological Organization)."""
_FIRST_KNOTS = (1, 4, 7, 11, 17, 22, 28, 34, 41, 48, 56, 64)
"""First whole knots of each force from 1 to 12, as in the table of the scale."""
_NAMES = (
    "calm",
    "light air",
    "light breeze",
    "gentle breeze",
    "moderate breeze",
    "fresh breeze",
    "strong breeze",
    "near gale",
    "gale",
    "strong gale",
    "storm",
    "violent storm",
    "hurricane force",
)


class WindForce(TypedDict):
    """A wind on the Beaufort scale."""

    force: Annotated[int, About("Beaufort number")]
    name: str
    from_m_s: Annotated[float, About("Speed at which this force begins")]
    below_m_s: Annotated[float | None, About("Speed at which the next one begins")]
    from_knots: float
    from_km_h: float


@tool(
    tags="beaufort wind force scale speed knots gale storm breeze weather sailing",
    use_when=(
        "Wind is 22 knots, which force is that on the Beaufort scale?",
        "What do they call a wind of 55 km/h?",
        "How fast is wind force 8?",
    ),
    examples=(
        Example({"speed": 22, "unit": "knots"}, {"force": 6, "name": "strong breeze"}, source="WMO table: 22-27 knots"),
        Example({"speed": 55, "unit": "km/h"}, {"force": 7, "name": "near gale"}, source="WMO table: 50-61 km/h"),
        Example({"force": 8}, {"name": "gale", "from_m_s": 17.2, "below_m_s": 20.8}, source="WMO table: 17.2-20.7 m/s"),
        Refusal({}, "either"),
    ),
    reply={
        "below_m_s": "It is force {force}, a {name}, from {from_m_s} to {below_m_s} m/s.",
        "": "It is force {force}, a {name}, from {from_m_s} m/s on.",
    },
)
def wind_convert_beaufort(
    speed: Annotated[float | None, About("Speed of the wind", 22, minimum=0, maximum=1000)] = None,
    unit: Annotated[Literal["knots", "km/h", "mph", "m/s"], About("Unit of the speed")] = "knots",
    force: Annotated[int | None, About("Beaufort number, instead of a speed", 8, minimum=0, maximum=12)] = None,
) -> WindForce:
    """Return the force of a wind on the Beaufort scale and its name, or the speeds of a force.

    Use it for sailing and weather. Give a speed or a force.
    """
    if (speed is None) == (force is None):
        raise ToolError("Give either speed or force.")
    number = force if force is not None else _force_of((speed or 0.0) * _KNOTS[unit])
    start = _FORCES_M_S[number - 1] if number else 0.0
    return {
        "force": number,
        "name": _NAMES[number],
        "from_m_s": start,
        "below_m_s": _FORCES_M_S[number] if number < len(_FORCES_M_S) else None,
        "from_knots": round(start * 3.6 / 1.852, 1),
        "from_km_h": round(start * 3.6, 1),
    }


def _force_of(knots: float) -> int:
    return bisect_right(_FIRST_KNOTS, round(knots, 6))
