"""Sunrise and sunset in cities, towns and villages, by name."""

import math
from datetime import UTC, datetime, timedelta
from typing import Annotated
from zoneinfo import ZoneInfo

from astral import Observer
from typing_extensions import TypedDict

from retinue.sdk import About, Date, Example, Refusal, tool
from retinue_tools.datetime._moments import day_of
from retinue_tools.datetime.sun_and_moon import day_length, observe_sun
from retinue_tools.geo.populated_places import CountryCode, Settlement, cities, largest_place


class SunInPlace(TypedDict):
    """The sun over a place on a day, as HH:MM on the local clock; null for events that do not occur."""

    place: Annotated[Settlement, About("Place that was meant")]
    date: Annotated[str, About("Local date")]
    timezone: Annotated[str, About("Time zone of the place")]
    dawn: Annotated[str | None, About("Beginning of civil twilight")]
    sunrise: str | None
    noon: Annotated[str, About("Solar noon")]
    sunset: str | None
    dusk: Annotated[str | None, About("End of civil twilight")]
    day_length_hours: Annotated[float | None, About("Day length; null in polar day and night")]


@tool(
    tags="sunrise sunset dawn dusk dark light twilight sun noon day length city town when",
    use_when=(
        "When does the sun set in Lisbon today?",
        "When is sunrise tomorrow in Munich?",
        "When does it get dark in Oslo on 2026-12-21?",
        "How long is the day in Reykjavik in June?",
        "Sunset in Rome",
        "When does the sun go down?",
        "When does it get dark?",
        "What's the sunset time in Naples?",
        "Is it still light in Helsinki at five?",
    ),
    examples=(
        Example(
            {"place": "Berlin", "date": "2026-06-21"},
            {
                "place": {"country_code": "DE"},
                "timezone": "Europe/Berlin",
                "date": "2026-06-21",
                "dawn": "03:52",
                "sunrise": "04:43",
                "noon": "13:08",
                "sunset": "21:33",
                "dusk": "22:24",
                "day_length_hours": 16.82,
            },
            source="as sun_compute_times for 52.52437, 13.41053, rounded to minutes",
        ),
        Example(
            {"place": "Troms\u00f8", "date": "2026-06-21"},
            {"timezone": "Europe/Oslo", "sunrise": None, "sunset": None, "day_length_hours": None},
            source="midnight sun",
        ),
        Example(
            {"place": "Valencia", "date": "2026-03-20", "country_code": "ES"},
            {"place": {"country_code": "ES"}, "timezone": "Europe/Madrid"},
            source="the largest Valencia is in Venezuela",
        ),
        Refusal({"place": "Qwertzuiop", "date": "2026-06-21"}, "No place of more than 1,000"),
        Refusal({"place": "Berlin", "date": "2026-06-31"}, "is not a valid date"),
    ),
    reply={
        "sunrise, sunset": (
            "In {place.name}, {place.country}, the sun rises at {sunrise} and sets at {sunset} on {date}; the day is "
            "{day_length_hours} hours long."
        ),
        "": "In {place.name}, {place.country}, the sun neither rises nor sets on {date}; it stands highest at {noon}.",
    },
    pace="normal",
    memory_mb=1024,
)
def place_compute_sun_times(
    place: Annotated[str, About("Name of a city, town or village", "Lisbon", min_length=1, max_length=100)],
    date: Date | None = None,
    country_code: CountryCode | None = None,
) -> SunInPlace:
    """Compute sunrise, sunset, civil twilight and day length in a city, town or village, on its own clock.

    Use it for photos, travel and walks. The date is today if it is not given. Of places with the same name, it takes
    the largest, unless a country is given. Accurate to about a minute at middle latitudes; the horizon is flat.
    """
    settlement = largest_place(place, country_code, "place")
    zone = ZoneInfo(_zone_near(settlement))
    day = day_of(date) if date else datetime.now(UTC).astimezone(zone).date()
    sun = observe_sun(day, Observer(settlement["latitude"], settlement["longitude"]), zone)
    length = day_length(sun)
    return {
        "place": settlement,
        "date": day.isoformat(),
        "timezone": zone.key,
        "dawn": _clock(sun["dawn"]) if sun["dawn"] else None,
        "sunrise": _clock(sun["sunrise"]) if sun["sunrise"] else None,
        "noon": _clock(sun["noon"]),
        "sunset": _clock(sun["sunset"]) if sun["sunset"] else None,
        "dusk": _clock(sun["dusk"]) if sun["dusk"] else None,
        "day_length_hours": None if length is None else round(length, 2),
    }


def _clock(moment: datetime) -> str:
    """Return the time of day to the nearest minute."""
    return f"{moment + timedelta(seconds=30):%H:%M}"


def _zone_near(place: Settlement) -> str:
    """Return the time zone of the nearest city of more than 15,000 inhabitants, in the same country if it has one."""
    shrunk = math.cos(math.radians(place["latitude"]))
    _, _, zone = min(
        (
            city["countrycode"] != place["country_code"],
            math.hypot(
                city["latitude"] - place["latitude"],
                ((city["longitude"] - place["longitude"] + 180) % 360 - 180) * shrunk,
            ),
            city["timezone"],
        )
        for city, _ in cities()
    )
    return str(zone)
