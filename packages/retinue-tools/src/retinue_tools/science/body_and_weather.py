"""The body, the weather and astronomers' time. Nothing here replaces a physician."""

from datetime import UTC, datetime, timedelta
from math import exp, log, sqrt
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool

_JULIAN_EPOCH = datetime(2000, 1, 1, 12, tzinfo=UTC)
_JULIAN_OF_EPOCH = 2_451_545.0
_ACTIVITY = {"sedentary": 1.2, "light": 1.375, "moderate": 1.55, "active": 1.725, "very_active": 1.9}

Sex = Annotated[Literal["female", "male"], About("Sex")]
Weight = Annotated[float, About("Weight in kilograms", 70, minimum=2, maximum=500)]
Height = Annotated[float, About("Height in centimetres", 175, minimum=40, maximum=260)]
Age = Annotated[int, About("Age in years", 40, minimum=18, maximum=110)]


class Body(TypedDict):
    """Measures of a body."""

    bmi: Annotated[float, About("Body mass index, kg/m2")]
    bmi_class: Annotated[str, About("Class of the WHO for adults")]
    healthy_least_kg: Annotated[float, About("Weight at a BMI of 18.5")]
    healthy_most_kg: Annotated[float, About("Weight at a BMI of 24.9")]
    surface_m2: Annotated[float, About("Body surface (Mosteller 1987)")]
    resting_kcal: Annotated[float, About("Resting energy a day (Mifflin-St Jeor 1990)")]
    daily_kcal: Annotated[float, About("Energy a day with the activity")]


@tool(
    tags="bmi body mass index calories energy metabolism bmr tdee weight height surface health",
    use_when=(
        "What is my BMI at 82 kg and 178 cm?",
        "How many calories does a 40-year-old woman of 65 kg and 168 cm need a day?",
        "What weight is healthy for 1.75 m?",
    ),
    examples=(
        Example(
            {"weight_kg": 70, "height_cm": 175, "age": 40, "sex": "male"},
            {"bmi": 22.857142857, "bmi_class": "normal weight", "resting_kcal": 1598.75, "daily_kcal": 1918.5},
            source="arithmetic: 70 / 1.75^2; 10 * 70 + 6.25 * 175 - 5 * 40 + 5, times 1.2",
            tolerance=1e-9,
        ),
        Example(
            {"weight_kg": 100, "height_cm": 160, "age": 30, "sex": "female", "activity": "moderate"},
            {"bmi_class": "obesity class II", "resting_kcal": 1689.0, "surface_m2": 2.1081851068},
            source="arithmetic: 100 / 1.6^2 = 39.06; 1000 + 1000 - 150 - 161; sqrt(160 * 100 / 3600)",
            tolerance=1e-9,
        ),
        Refusal({"weight_kg": 20, "height_cm": 120, "age": 8, "sex": "male"}, "age must be at least 18"),
    ),
)
def health_assess_body(
    weight_kg: Weight,
    height_cm: Height,
    age: Age,
    sex: Sex,
    activity: Annotated[
        Literal["sedentary", "light", "moderate", "active", "very_active"], About("How active the days are")
    ] = "sedentary",
) -> Body:
    """Assess body mass index, healthy weight, body surface and daily energy of an adult.

    Use it for general questions on weight and calories. Classes of the WHO; energy by Mifflin and St Jeor.
    """
    metres = height_cm / 100
    bmi = weight_kg / metres**2
    resting = 10 * weight_kg + 6.25 * height_cm - 5 * age + (5 if sex == "male" else -161)
    if resting <= 0:
        raise ToolError("No adult has such measures: the formula gives no energy. Look at weight and height.")
    return {
        "bmi": bmi,
        "bmi_class": bmi_class(bmi),
        "healthy_least_kg": 18.5 * metres**2,
        "healthy_most_kg": 24.9 * metres**2,
        "surface_m2": sqrt(height_cm * weight_kg / 3600),
        "resting_kcal": resting,
        "daily_kcal": resting * _ACTIVITY[activity],
    }


def bmi_class(bmi: float) -> str:
    """The class of the WHO for adults."""
    limits = (
        (18.5, "underweight"),
        (25, "normal weight"),
        (30, "overweight"),
        (35, "obesity class I"),
        (40, "obesity class II"),
    )
    return next((name for limit, name in limits if bmi < limit), "obesity class III")


class HeartZone(TypedDict):
    """A zone of training."""

    zone: int
    name: str
    from_bpm: int
    to_bpm: int


class HeartZones(TypedDict):
    """Zones of training."""

    maximum_bpm: int
    method: Annotated[str, About("How the zones were reckoned")]
    zones: list[HeartZone]


@tool(
    tags="heart rate zones training maximum pulse karvonen fitness running cycling cardio",
    use_when=(
        "What are my heart-rate zones at 40 years and resting pulse 60?",
        "Maximum heart rate at age 50",
        "Which pulse is zone 2 for me?",
    ),
    examples=(
        Example(
            {"age": 40, "resting_bpm": 60},
            {"maximum_bpm": 180, "zones": [{"from_bpm": 120, "to_bpm": 132}, {}, {}, {}, {"to_bpm": 180}]},
            source="Tanaka 2001: 208 - 0.7 * 40; Karvonen: 60 + 0.5 * 120",
        ),
        Example(
            {"age": 40, "maximum_bpm": 200},
            {"zones": [{"from_bpm": 100, "to_bpm": 120}, {}, {}, {}, {}]},
            source="half and 60 % of 200",
        ),
        Refusal({"age": 40, "resting_bpm": 120, "maximum_bpm": 110}, "above the resting"),
    ),
)
def health_plan_heart_zones(
    age: Age,
    resting_bpm: Annotated[int | None, About("Pulse at rest", 60, minimum=25, maximum=130)] = None,
    maximum_bpm: Annotated[int | None, About("Greatest pulse, where measured", 185, minimum=80, maximum=240)] = None,
) -> HeartZones:
    """Plan five heart-rate training zones from age, resting pulse and measured maximum.

    Use it for endurance training. The maximum is 208 - 0.7 age (Tanaka 2001) unless given; with a resting pulse the
    zones are shares of the reserve (Karvonen 1957).
    """
    most = maximum_bpm or round(208 - 0.7 * age)
    rest = resting_bpm or 0
    if most <= rest:
        raise ToolError("The greatest pulse must lie above the resting pulse.")
    names = ("very light", "light", "moderate", "hard", "maximum")
    edges = [round(rest + (most - rest) * share / 10) for share in range(5, 11)]
    return {
        "maximum_bpm": most,
        "method": "share of the heart-rate reserve (Karvonen)" if resting_bpm else "share of the maximum",
        "zones": [
            {"zone": number + 1, "name": name, "from_bpm": edges[number], "to_bpm": edges[number + 1]}
            for number, name in enumerate(names)
        ],
    }


class Comfort(TypedDict):
    """How weather feels."""

    dew_point_c: Annotated[float, About("Temperature at which dew forms (Magnus formula)")]
    absolute_humidity_g_m3: Annotated[float, About("Water in a cubic metre of air")]
    heat_index_c: Annotated[float | None, About("Heat index of the US weather service; from 26.7 °C on")]
    wind_chill_c: Annotated[float | None, About("Wind chill (2001); up to 10 °C and from 4.8 km/h")]
    feels_like_c: Annotated[float, About("The one of them that applies, else the temperature")]


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
)
def weather_assess_comfort(
    temperature_c: Annotated[float, About("Air temperature, °C", 32, minimum=-60, maximum=60)],
    humidity_percent: Annotated[float, About("Relative humidity, percent", 70, minimum=1, maximum=100)],
    wind_km_h: Annotated[float, About("Wind speed, km/h", minimum=0, maximum=400)] = 0,
) -> Comfort:
    """Assess how weather feels: dew point, absolute humidity, heat index or wind chill.

    Use it for comfort and for damp rooms. Formulas of the US and Canadian weather services.
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


def _heat_index(celsius: float, humidity: float) -> float:
    """Rothfusz's regression of 1990, in degrees Fahrenheit."""
    t = celsius * 1.8 + 32
    index = (
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
    return (index - 32) / 1.8


class AstronomicalTime(TypedDict):
    """A moment as astronomers count."""

    utc: Annotated[str, About("The moment in ISO 8601")]
    julian_date: float
    modified_julian_date: float
    julian_centuries: Annotated[float, About("Since J2000.0")]
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
)
def astro_convert_julian_date(
    utc: Annotated[
        str | None, About("Moment in ISO 8601, UTC unless it says else", "2026-11-21T18:00", max_length=40)
    ] = None,
    julian_date: Annotated[float | None, About("Julian date", 2451545.0, minimum=1_721_426, maximum=5_373_484)] = None,
    longitude: Annotated[float, About("Longitude for the sidereal time, east positive", minimum=-180, maximum=180)] = 0,
) -> AstronomicalTime:
    """Convert between UTC and Julian date, with the modified Julian date and mean sidereal time.

    Use it for observation planning and ephemerides. Takes UTC for UT1 (within a second); sidereal time after Meeus.
    """
    if (utc is None) == (julian_date is None):
        raise ToolError("Give either utc or julian_date, and not both.")
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
        raise ToolError("That is no moment. Write it as 2026-11-21T18:00.") from error
