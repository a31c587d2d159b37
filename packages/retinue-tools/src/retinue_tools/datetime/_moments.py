"""Moments and time zones: parsing, and argument types shared by the date tools."""

from datetime import UTC, date, datetime, time
from typing import Annotated
from zoneinfo import ZoneInfo

from retinue.sdk import About, DateTime, ToolError
from retinue.sdk.zones import find_time_zone

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)

Year = Annotated[int, About("Year of the Gregorian calendar", 2026, minimum=1, maximum=9998)]
Clock = Annotated[str, About("Time of day as HH:MM", "09:00", pattern="^([01]?[0-9]|2[0-3]):[0-5][0-9]$", max_length=5)]


def zone_of(name: str) -> ZoneInfo:
    """Return the time zone for an IANA name, a city, an abbreviation or an offset such as UTC+2. Raises `ToolError`."""
    found = find_time_zone(name)
    if found is None:
        raise ToolError(
            f"{name} is not an IANA time zone, a large city or a known abbreviation. Write it as Europe/Berlin, "
            "America/New_York or UTC+2."
        )
    return found


def moment_of(text: DateTime, zone: ZoneInfo | None = None) -> datetime:
    """Parse an aware moment: a text without an offset is local time of the zone, or UTC. Raises `ToolError`."""
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError as error:
        raise ToolError(f"{text} is not a date and time. Write it as 2026-03-29T12:00 or with an offset.") from error
    if not 2 <= moment.year <= 9998:
        raise ToolError(f"{text} is outside the years 2 to 9998.")
    return moment if moment.tzinfo else moment.replace(tzinfo=zone or UTC)


def day_of(text: str) -> date:
    """Parse a calendar date within the years 2 to 9998. Raises `ToolError`."""
    try:
        day = date.fromisoformat(text)
    except ValueError as error:
        raise ToolError(f"{text} is not a valid date. Write it as YYYY-MM-DD.") from error
    if not 2 <= day.year <= 9998:
        raise ToolError(f"{text} is outside the years 2 to 9998.")
    return day


def clock_of(text: str) -> time:
    """Parse a time of day from HH:MM or H:MM."""
    return time.fromisoformat(text.zfill(5))


def offset_text(moment: datetime) -> str:
    """Format the offset from UTC as +01:00."""
    return moment.strftime("%z")[:3] + ":" + moment.strftime("%z")[3:5]
