"""Moments and time zones: reading them from text, and the argument types that the tools of dates share."""

from collections.abc import Mapping
from datetime import UTC, date, datetime, time
from functools import cache
from typing import Annotated
from zoneinfo import ZoneInfo, available_timezones

from retinue.tools.arguments import Moment
from retinue.tools.declare import About, ToolError

_CONTINENTS = (
    "Africa",
    "America",
    "Antarctica",
    "Arctic",
    "Asia",
    "Atlantic",
    "Australia",
    "Europe",
    "Indian",
    "Pacific",
)

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")

Year = Annotated[int, About("Year of the Gregorian calendar", 2026, minimum=1, maximum=9998)]
Clock = Annotated[str, About("Time of day as HH:MM", "09:00", pattern="^([01][0-9]|2[0-3]):[0-5][0-9]$", max_length=5)]


@cache
def zone_names() -> frozenset[str]:
    """All names of time zones."""
    return frozenset(available_timezones())


@cache
def _cities() -> Mapping[str, str]:
    """Time zones by the city in their names, as people write it."""
    placed = (
        name for name in sorted(zone_names(), key=len, reverse=True) if name.startswith(_CONTINENTS) and "/" in name
    )
    return {name.rpartition("/")[2].replace("_", " ").casefold(): name for name in placed}


def zone_of(name: str) -> ZoneInfo:
    """The time zone of an IANA name, or of a city that one is named after; else `ToolError`."""
    found = name if name in zone_names() else _cities().get(" ".join(name.replace("_", " ").split()).casefold())
    if found is None:
        raise ToolError(f"{name} is not an IANA time zone. Write it as Europe/Berlin or America/New_York.")
    return ZoneInfo(found)


def moment_of(text: Moment, zone: ZoneInfo | None = None) -> datetime:
    """An aware moment: a text without offset is local time of the zone, or UTC. `ToolError` if it is none."""
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError as error:
        raise ToolError(f"{text} is not a date and time. Write it as 2026-03-29T12:00 or with an offset.") from error
    if not 2 <= moment.year <= 9998:
        raise ToolError(f"{text} lies outside the years 2 to 9998.")
    return moment if moment.tzinfo else moment.replace(tzinfo=zone or UTC)


def day_of(text: str) -> date:
    """A calendar date within the years 2 to 9998, or `ToolError`."""
    try:
        day = date.fromisoformat(text)
    except ValueError as error:
        raise ToolError(f"{text} is not a date of the calendar. Write it as YYYY-MM-DD.") from error
    if not 2 <= day.year <= 9998:
        raise ToolError(f"{text} lies outside the years 2 to 9998.")
    return day


def clock_of(text: str) -> time:
    """A time of day from HH:MM."""
    return time.fromisoformat(text)


def offset_text(moment: datetime) -> str:
    """The offset from UTC as +01:00."""
    return moment.strftime("%z")[:3] + ":" + moment.strftime("%z")[3:5]
