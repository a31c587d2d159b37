"""Parse and format dates and times that people and models write."""

from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

from retinue.core.errors import ValidationFailed
from retinue.language.timezone_aliases import canonical_zone

NEVER = datetime(9999, 12, 31, tzinfo=UTC)
"""Due time of records without a date."""


def parse_datetime(text: str, field: str, zone: str = "UTC") -> datetime:
    """Parse an ISO 8601 date or time, in `zone` unless it has a UTC offset. Raises `ValidationFailed` naming the
    field.
    """
    try:
        read = datetime.fromisoformat(text.strip())
        aware = read if read.tzinfo else read.replace(tzinfo=find_zone(zone))
        return aware.astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise ValidationFailed(
            f"{field}: {text[:40]!r} is not a date or time. Write it as 2026-11-21 or 2026-11-21T09:30+01:00."
        ) from error


def find_zone(name: str) -> ZoneInfo:
    """Return an IANA time zone, or another one that a stored event names. Raises `ValidationFailed`."""
    try:
        return ZoneInfo(canonical_zone(name) or name)
    except (ValueError, OSError, LookupError) as error:
        raise _no_zone(name) from error


def check_zone(name: str) -> str:
    """Return the name of an IANA time zone in the database's spelling, to be stored. Raises `ValidationFailed`."""
    found = canonical_zone(name)
    if found is None:
        raise _no_zone(name)
    return found


def _no_zone(name: str) -> ValidationFailed:
    return ValidationFailed(f"{name[:60]!r} is not an IANA time zone. Use one such as Europe/Berlin or UTC.")


def format_datetime(when: datetime) -> str:
    """Return a time in UTC, to the second."""
    return when.strftime("%Y-%m-%dT%H:%M:%SZ") if when.year > 999 else when.isoformat()


def day_of(when: datetime, zone: str = "UTC") -> str:
    """Return the date of a time in a zone, as YYYY-MM-DD."""
    return when.astimezone(find_zone(zone)).date().isoformat()


def day_bounds(day: datetime, zone: str = "UTC") -> tuple[datetime, datetime]:
    """Return the beginning and end of the day that contains a time in a zone."""
    local = day.astimezone(find_zone(zone)).date()
    first, last = (datetime.combine(local + timedelta(days=n), time(), find_zone(zone)) for n in (0, 1))
    return first.astimezone(UTC), last.astimezone(UTC)
