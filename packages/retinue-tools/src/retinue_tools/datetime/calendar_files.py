"""iCalendar files (RFC 5545): create, read, merge, conflicts and free slots."""

import base64
import hashlib
from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from typing import Annotated, Any
from zoneinfo import ZoneInfo

from icalendar import Alarm, Calendar, Event, vBroken, vRecur
from typing_extensions import TypedDict

from retinue.sdk import About, Call, Date, Example, File, MadeFile, Moment, Refusal, ToolError, Zone, save, tool
from retinue_tools.datetime._moments import Clock, clock_of, day_of, moment_of, zone_of

_MOST_BYTES = 5_000_000
_MOST_EVENTS = 5000
_FILE = "file_01k9z4m2n8q6r5t3v7w1x0y2za"
_OTHER = "file_01k9z4m2n8q6r5t3v7w1x0y2zb"

CalendarFiles = Annotated[
    list[File], About("Ids of iCalendar files (.ics)", ["file_01k9z4m2n8q6r5t3v7w1x0y2za"], min_items=1, max_items=20)
]


def _ics(*events: tuple[str, str, str]) -> str:
    """A calendar file in Base64: name, start and end of each event in UTC."""
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//example//EN"]
    for name, start, end in events:
        lines += ["BEGIN:VEVENT", f"UID:{name}", "DTSTAMP:20260101T000000Z", f"SUMMARY:{name}"]
        lines += [f"DTSTART:{start}", f"DTEND:{end}", "END:VEVENT"]
    return base64.b64encode("\r\n".join([*lines, "END:VCALENDAR", ""]).encode()).decode()


_MORNING = {
    _FILE: _ics(("Talk", "20261123T090000Z", "20261123T110000Z"), ("Call", "20261123T103000Z", "20261123T113000Z"))
}
_LUNCH = {_OTHER: _ics(("Lunch", "20261123T120000Z", "20261123T130000Z"))}
_BROKEN = {_FILE: _ics(("Talk", "20261123V090000Z", "20261123T110000Z"))}
_TOO_LATE = {_FILE: _ics(("Talk", "20261123T090000Z", "99991231T235959Z"))}
_NO_CALENDAR = {_FILE: base64.b64encode(b"no calendar").decode()}


class MadeEvent(TypedDict):
    """A calendar file with an event."""

    file: MadeFile
    uid: Annotated[str, About("Identity of the event")]
    start: str
    end: str


@tool(
    tags="ical ics calendar event create appointment invitation reminder outlook google",
    use_when=(
        "Make a calendar file for a meeting on 2026-11-23 at 10:00 in Berlin",
        "Create an .ics with a reminder 15 minutes before",
        "Write a weekly recurring event as iCalendar file",
    ),
    idempotent=False,
    examples=(
        Example(
            {
                "title": "Review",
                "start": "2026-11-23T10:00",
                "minutes": 45,
                "timezone": "Europe/Berlin",
                "reminder_minutes": 15,
            },
            {"file": "Review.ics", "start": "2026-11-23T10:00:00+01:00", "end": "2026-11-23T10:45:00+01:00"},
            source="by hand",
            then=(
                Call(
                    "ical_read_events",
                    {"files": ["{made}"]},
                    {
                        "count": 1,
                        "events": [{"title": "Review", "start": "2026-11-23T10:00:00+01:00", "minutes": 45.0}],
                    },
                ),
            ),
        ),
        Example(
            {"title": "Gym", "start": "2026-11-23T18:00Z", "minutes": 60, "rule": "FREQ=WEEKLY;COUNT=4"},
            {"start": "2026-11-23T18:00:00+00:00"},
            source="by hand",
            then=(Call("ical_read_events", {"files": ["{made}"]}, {"events": [{"rule": "FREQ=WEEKLY;COUNT=4"}]}),),
        ),
        Refusal({"title": "Gym", "start": "2026-11-23T18:00Z", "minutes": 60, "rule": "FREQ=NEVER"}, "recurrence rule"),
    ),
)
def ical_create_event(
    title: Annotated[str, About("Title of the event", "Team meeting", min_length=1, max_length=200)],
    start: Moment,
    minutes: Annotated[int, About("Length in minutes", 60, minimum=1, maximum=100_000)],
    timezone: Zone = "UTC",
    location: Annotated[str, About("Where it takes place", "Room 2", max_length=300)] = "",
    description: Annotated[str, About("Notes", "Bring the figures.", max_length=5000)] = "",
    reminder_minutes: Annotated[int, About("Remind so long before; -1 for never", 15, minimum=-1, maximum=40320)] = -1,
    rule: Annotated[str, About("RRULE for repetition", "FREQ=WEEKLY;COUNT=10", max_length=300)] = "",
) -> MadeEvent:
    """Create an iCalendar file (.ics) with one event, optionally repeating and with a reminder.

    Use it for appointments that a calendar program shall import. The start is local time of the zone unless it has an
    offset.
    """
    zone = _storable(zone_of(timezone))
    begin = moment_of(start, zone_of(timezone)).astimezone(zone)
    end = (begin.astimezone(UTC) + timedelta(minutes=minutes)).astimezone(zone)
    event = Event()
    uid = hashlib.sha256(f"{title}|{begin.isoformat()}|{location}".encode()).hexdigest()[:32]
    event.add("uid", uid)
    event.add("dtstamp", datetime.now(UTC).replace(microsecond=0))
    event.add("dtstart", begin)
    event.add("dtend", end)
    event.add("summary", title)
    for name, text in (("location", location), ("description", description)):
        if text:
            event.add(name, text)
    if rule:
        event.add("rrule", _rule(rule))
    if reminder_minutes >= 0:
        event.add_component(_alarm(title, reminder_minutes))
    calendar = _empty()
    calendar.add_component(event)
    calendar.add_missing_timezones()
    safe = "".join(letter if letter.isalnum() else "-" for letter in title)[:60]
    file = save(f"{safe}.ics", calendar.to_ical())
    return {"file": file, "uid": uid, "start": begin.isoformat(), "end": end.isoformat()}


def _storable(zone: ZoneInfo) -> ZoneInfo:
    """The zone, or UTC in the place of a bare offset, for which calendar programs have no name."""
    return ZoneInfo("UTC") if str(zone).startswith("UTC") else zone


def _rule(text: str) -> Any:
    try:
        parsed = vRecur.from_ical(text.strip().upper().removeprefix("RRULE:"))
    except ValueError as error:
        raise ToolError(f"This is not a recurrence rule: {error}. Write it as FREQ=WEEKLY;COUNT=10.") from error
    if "FREQ" not in parsed:
        raise ToolError("The recurrence rule has no FREQ. Write it as FREQ=WEEKLY;COUNT=10.")
    return parsed


def _alarm(title: str, minutes: int) -> Any:
    alarm = Alarm()
    alarm.add("action", "DISPLAY")
    alarm.add("description", title)
    alarm.add("trigger", timedelta(minutes=-minutes))
    return alarm


def _empty() -> Any:
    calendar = Calendar()
    calendar.add("version", "2.0")
    calendar.add("prodid", "-//Retinue//Calendar//EN")
    return calendar


class EventOut(TypedDict):
    """An event of a calendar."""

    title: str
    start: Annotated[str, About("ISO 8601; a date alone for events of whole days")]
    end: str
    minutes: float
    all_day: bool
    location: str
    description: Annotated[str, About("First 1,000 characters")]
    rule: Annotated[str, About("Recurrence rule; empty when it does not repeat")]
    uid: str


class EventList(TypedDict):
    """Events in order of their start."""

    events: list[EventOut]
    count: int


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


def _events(files: Sequence[str]) -> list[Any]:
    """Events with a start, in order; at most 5,000."""
    events = [event for calendar in _calendars(files) for event in calendar.walk("VEVENT") if _has_start(event)]
    if len(events) > _MOST_EVENTS:
        raise ToolError(f"The calendars hold {len(events)} events; {_MOST_EVENTS} is the limit.")
    return sorted(events, key=lambda event: _bounds(event)[0])


def _has_start(event: Any) -> bool:
    return isinstance(_time(event, "DTSTART"), date)


def _time(event: Any, name: str) -> Any:
    """What a property of an event says of time, None where there is none. Raises `ToolError` for what is unreadable."""
    stated = event.get(name)
    if isinstance(stated, vBroken):
        title = str(event.get("SUMMARY", ""))[:100]
        raise ToolError(f"The {name} of the event {title} is not readable: {stated[:100]}. Correct it in the file.")
    return getattr(stated, "dt", None)


def _bounds(event: Any, zone: ZoneInfo | None = None) -> tuple[datetime, datetime]:
    """Start and end as aware moments; floating times and days are those of the zone."""
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
    """As a moment; `ToolError` outside the years 2 to 9998, where another time zone could lie beyond the calendar."""
    if not 2 <= value.year <= 9998:
        raise ToolError("An event lies outside the years 2 to 9998. Correct its dates in the file.")
    moment = value if isinstance(value, datetime) else datetime.combine(value, time(), None)
    return moment if moment.tzinfo else moment.replace(tzinfo=zone or UTC)


def _event_out(event: Any) -> EventOut:
    first, last = _bounds(event)
    all_day = not isinstance(event["DTSTART"].dt, datetime)
    return {
        "title": str(event.get("SUMMARY", "")),
        "start": first.date().isoformat() if all_day else first.isoformat(),
        "end": last.date().isoformat() if all_day else last.isoformat(),
        "minutes": (last - first) / timedelta(minutes=1),
        "all_day": all_day,
        "location": str(event.get("LOCATION", "")),
        "description": str(event.get("DESCRIPTION", ""))[:1000],
        "rule": event["RRULE"].to_ical().decode() if hasattr(event.get("RRULE"), "to_ical") else "",
        "uid": str(event.get("UID", "")),
    }


@tool(
    tags="ical ics read parse events calendar list import",
    use_when=(
        "Which events are in this .ics file?",
        "List the appointments of my exported calendar",
        "Read the date and place of this invitation",
    ),
    examples=(
        Example(
            {"files": [_FILE]},
            {
                "count": 2,
                "events": [
                    {"title": "Talk", "start": "2026-11-23T09:00:00+00:00", "minutes": 120.0, "all_day": False},
                    {"title": "Call", "minutes": 60.0},
                ],
            },
            source="the file was written so",
            files=_MORNING,
        ),
        Refusal({"files": [_FILE]}, "not an iCalendar file", files=_NO_CALENDAR),
        Refusal({"files": [_FILE]}, "The DTSTART of the event Talk is not readable", files=_BROKEN),
        Refusal({"files": [_FILE]}, "outside the years 2 to 9998", files=_TOO_LATE),
    ),
)
def ical_read_events(files: CalendarFiles) -> EventList:
    """Read the events of iCalendar files in order of their start.

    Use it for exported calendars and invitations. Repeating events appear once, with their rule. At most 5,000 events.
    """
    events = [_event_out(event) for event in _events(files)]
    return {"events": events, "count": len(events)}


class Merged(TypedDict):
    """A calendar made of several."""

    file: MadeFile
    events: int
    duplicates: Annotated[int, About("Events left out, since one with their identity was there")]


@tool(
    tags="ical ics merge combine calendars deduplicate join",
    use_when=(
        "Merge these two calendar files into one",
        "Combine my work and private .ics exports",
        "Remove duplicate events from several calendars",
    ),
    examples=(
        Example(
            {"files": [_FILE, _OTHER]},
            {"file": "merged.ics", "events": 3, "duplicates": 0},
            source="two events and one",
            files=_MORNING | _LUNCH,
            then=(Call("ical_read_events", {"files": ["{made}"]}, {"count": 3}),),
        ),
        Refusal({"files": [_FILE]}, "not an iCalendar file", files=_NO_CALENDAR),
    ),
)
def ical_merge_files(files: CalendarFiles) -> Merged:
    """Merge the events of several iCalendar files into one file without duplicates.

    Use it to combine calendars. Events with the same UID, start and recurrence id count as one; the first is kept.
    """
    merged, seen, total = _empty(), set(), 0
    for event in _events(files):
        total += 1
        start = _bounds(event)[0].isoformat()
        key = (str(event.get("UID", start)), start, str(event.get("RECURRENCE-ID", "")))
        if key not in seen:
            seen.add(key)
            merged.add_component(event)
    try:
        merged.add_missing_timezones()
    except (ValueError, KeyError, AttributeError) as error:
        raise ToolError("A calendar uses a time zone that cannot be written. Export it in UTC.") from error
    return {"file": save("merged.ics", merged.to_ical()), "events": len(seen), "duplicates": total - len(seen)}


class Conflict(TypedDict):
    """Two events at the same time."""

    first: str
    second: str
    start: str
    end: str
    minutes: float


class Conflicts(TypedDict):
    """Events that overlap."""

    conflicts: list[Conflict]


@tool(
    tags="ical ics conflicts overlapping events double booking clash calendar",
    use_when=(
        "Do any appointments in this calendar overlap?",
        "Find double bookings in these two calendars",
        "Which meetings clash next week?",
    ),
    examples=(
        Example(
            {"files": [_FILE]},
            {"conflicts": [{"first": "Talk", "second": "Call", "start": "2026-11-23T10:30:00+00:00", "minutes": 30.0}]},
            source="the file was written so",
            files=_MORNING,
        ),
        Example({"files": [_OTHER]}, {"conflicts": []}, source="one event only", files=_LUNCH),
        Refusal({"files": [_FILE]}, "not an iCalendar file", files=_NO_CALENDAR),
    ),
)
def ical_find_conflicts(files: CalendarFiles) -> Conflicts:
    """Find pairs of overlapping events in iCalendar files.

    Use it for double bookings. Events that only touch do not clash; of repeating events the first occurrence counts.
    Lists at most 500 pairs.
    """
    spans = [(*_bounds(event), str(event.get("SUMMARY", ""))) for event in _events(files)]
    found: list[Conflict] = []
    for place, (start, end, name) in enumerate(spans):
        for begin, last, other in spans[place + 1 :]:
            if begin >= end or len(found) >= 500:
                break
            stop = min(end, last)
            if stop > max(start, begin):
                found.append(
                    {
                        "first": name,
                        "second": other,
                        "start": begin.isoformat(),
                        "end": stop.isoformat(),
                        "minutes": (stop - begin) / timedelta(minutes=1),
                    }
                )
    return {"conflicts": found}


class FreeSlot(TypedDict):
    """Free time."""

    start: str
    end: str
    minutes: float


class FreeSlots(TypedDict):
    """Free times of a period."""

    slots: list[FreeSlot]


@tool(
    tags="ical free slots busy availability calendar find time appointment",
    use_when=(
        "When am I free on 2026-11-23 between 9 and 17?",
        "Find an hour that suits both calendars next week",
        "Which gaps of 30 minutes has my calendar?",
    ),
    examples=(
        Example(
            {"files": [_FILE, _OTHER], "start": "2026-11-23", "end": "2026-11-23"},
            {
                "slots": [
                    {"start": "2026-11-23T11:30:00+00:00", "end": "2026-11-23T12:00:00+00:00", "minutes": 30.0},
                    {"start": "2026-11-23T13:00:00+00:00", "end": "2026-11-23T17:00:00+00:00", "minutes": 240.0},
                ]
            },
            source="by hand: busy 9:00-11:30 and 12:00-13:00",
            files=_MORNING | _LUNCH,
        ),
        Example(
            {"files": [_OTHER], "start": "2026-11-23", "end": "2026-11-23", "minutes": 300, "day_end": "19:00"},
            {"slots": [{"start": "2026-11-23T13:00:00+00:00", "minutes": 360.0}]},
            source="by hand",
            files=_LUNCH,
        ),
        Refusal({"files": [_OTHER], "start": "2026-11-23", "end": "2026-11-20"}, "before", files=_LUNCH),
    ),
)
def ical_find_free_slots(
    files: CalendarFiles,
    start: Date,
    end: Date,
    timezone: Zone = "UTC",
    day_start: Clock = "09:00",
    day_end: Clock = "17:00",
    minutes: Annotated[int, About("Shortest slot", 30, minimum=1, maximum=1440)] = 30,
) -> FreeSlots:
    """Find the times within daily hours when nobody's calendar has an event, for up to 62 days.

    Use it to fix an appointment. All files count as busy together; of repeating events the first occurrence counts.
    """
    zone, first, last = zone_of(timezone), day_of(start), day_of(end)
    if not timedelta() <= last - first <= timedelta(days=62) or clock_of(day_start) >= clock_of(day_end):
        raise ToolError("The start must be before the end, by at most 62 days, and day_start before day_end.")
    busy = sorted(_bounds(event, zone) for event in _events(files))
    slots: list[FreeSlot] = []
    for number in range((last - first).days + 1):
        day = first + timedelta(days=number)
        cursor, close = (datetime.combine(day, clock_of(text), zone) for text in (day_start, day_end))
        for begin, stop in [*busy, (close, close)]:
            until = min(begin.astimezone(zone), close)
            length = (until.astimezone(UTC) - cursor.astimezone(UTC)) / timedelta(minutes=1)
            if length >= minutes:
                slots.append({"start": cursor.isoformat(), "end": until.isoformat(), "minutes": length})
            cursor = max(cursor, stop.astimezone(zone))
    return {"slots": slots}
