"""Events of iCalendar files with their times."""

import base64
from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from typing import Annotated, Any
from zoneinfo import ZoneInfo

from icalendar import Calendar, vBroken

from retinue.sdk import About, File, ToolError

_MOST_BYTES = 5_000_000
_MOST_EVENTS = 5000
CALENDAR_FILE = "file_01k9z4m2n8q6r5t3v7w1x0y2za"
OTHER_FILE = "file_01k9z4m2n8q6r5t3v7w1x0y2zb"

CalendarFiles = Annotated[
    list[File], About("IDs of iCalendar files (.ics)", ["file_01k9z4m2n8q6r5t3v7w1x0y2za"], min_items=1, max_items=20)
]


def ics_file(*events: tuple[str, str, str]) -> str:
    """Build a calendar file in Base64 from the name, start and end of each event in UTC."""
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//example//EN"]
    for name, start, end in events:
        lines += ["BEGIN:VEVENT", f"UID:{name}", "DTSTAMP:20260101T000000Z", f"SUMMARY:{name}"]
        lines += [f"DTSTART:{start}", f"DTEND:{end}", "END:VEVENT"]
    return base64.b64encode("\r\n".join([*lines, "END:VCALENDAR", ""]).encode()).decode()


MORNING_FILE = {
    CALENDAR_FILE: ics_file(
        ("Talk", "20261123T090000Z", "20261123T110000Z"), ("Call", "20261123T103000Z", "20261123T113000Z")
    )
}
LUNCH_FILE = {OTHER_FILE: ics_file(("Lunch", "20261123T120000Z", "20261123T130000Z"))}

NO_CALENDAR = {CALENDAR_FILE: base64.b64encode(b"no calendar").decode()}


def _calendars(files: Sequence[str]) -> list[Any]:
    found = []
    for file in files:
        path = Path(file)
        if path.stat().st_size > _MOST_BYTES:
            raise ToolError("A calendar file is larger than 5 MB. Export a shorter period.")
        try:
            found.append(Calendar.from_ical(path.read_bytes()))
        except (ValueError, KeyError, IndexError, TypeError, AttributeError) as error:
            raise ToolError("The file is not an iCalendar file (BEGIN:VCALENDAR … END:VCALENDAR).") from error
    return found


def read_events(files: Sequence[str]) -> list[Any]:
    """Read the events that have a start, in order; at most 5,000."""
    events = [event for calendar in _calendars(files) for event in calendar.walk("VEVENT") if _has_start(event)]
    if len(events) > _MOST_EVENTS:
        raise ToolError(f"The calendars contain {len(events)} events; {_MOST_EVENTS} is the limit.")
    return sorted(events, key=lambda event: bounds_of(event)[0])


def _has_start(event: Any) -> bool:
    return isinstance(_time(event, "DTSTART"), date)


def _time(event: Any, name: str) -> Any:
    """Return the time in a property of an event, None if there is none. Raises `ToolError` for invalid values."""
    stated = event.get(name)
    if isinstance(stated, vBroken):
        title = str(event.get("SUMMARY", ""))[:100]
        raise ToolError(f"The {name} of the event {title} cannot be parsed: {stated[:100]}. Correct it in the file.")
    return getattr(stated, "dt", None)


def bounds_of(event: Any, zone: ZoneInfo | None = None) -> tuple[datetime, datetime]:
    """Return start and end as aware moments; floating times and dates are interpreted in the zone."""
    start, end, length = (_time(event, name) for name in ("DTSTART", "DTEND", "DURATION"))
    if not isinstance(end, date):
        whole = timedelta(days=0 if isinstance(start, datetime) else 1)
        end = _later(start, length if isinstance(length, timedelta) else whole)
    first, last = _aware(start, zone), _aware(end, zone)
    return first, max(first, last)


def _later(start: date, length: timedelta) -> date:
    try:
        return start + length
    except OverflowError:
        return date.max if length > timedelta() else date.min


def _aware(value: date, zone: ZoneInfo | None) -> datetime:
    """Return an aware moment. Raises `ToolError` outside the years 2 to 9998, where a time zone conversion could leave
    the calendar.
    """
    if not 2 <= value.year <= 9998:
        raise ToolError("An event is outside the years 2 to 9998. Correct its dates in the file.")
    moment = value if isinstance(value, datetime) else datetime.combine(value, time(), None)
    return moment if moment.tzinfo else moment.replace(tzinfo=zone or UTC)
