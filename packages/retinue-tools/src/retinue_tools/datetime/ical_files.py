"""iCalendar files (RFC 5545): creating, reading and merging."""

import hashlib
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any
from zoneinfo import ZoneInfo

from icalendar import Alarm, Calendar, Event, vRecur
from typing_extensions import TypedDict

from retinue.sdk import About, DateTime, Example, ExampleCall, OutputFile, Refusal, TimeZone, ToolError, save, tool
from retinue_tools.datetime._ical_events import (
    CALENDAR_FILE,
    LUNCH_FILE,
    MORNING_FILE,
    NO_CALENDAR,
    OTHER_FILE,
    CalendarFiles,
    bounds_of,
    ics_file,
    read_events,
)
from retinue_tools.datetime._moments import moment_of, zone_of

_BROKEN = {CALENDAR_FILE: ics_file(("Talk", "20261123V090000Z", "20261123T110000Z"))}
_TOO_LATE = {CALENDAR_FILE: ics_file(("Talk", "20261123T090000Z", "99991231T235959Z"))}


class MadeEvent(TypedDict):
    """A calendar file with an event."""

    file: OutputFile
    uid: Annotated[str, About("UID of the event")]
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
                ExampleCall(
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
            then=(
                ExampleCall("ical_read_events", {"files": ["{made}"]}, {"events": [{"rule": "FREQ=WEEKLY;COUNT=4"}]}),
            ),
        ),
        Refusal({"title": "Gym", "start": "2026-11-23T18:00Z", "minutes": 60, "rule": "FREQ=NEVER"}, "recurrence rule"),
    ),
    reply="The calendar file for \u201c{args.title}\u201d from {start} to {end}: {file}",
)
def ical_create_event(
    title: Annotated[str, About("Title of the event", "Team meeting", min_length=1, max_length=200)],
    start: DateTime,
    minutes: Annotated[int, About("Length in minutes", 60, minimum=1, maximum=100_000)],
    timezone: TimeZone = "UTC",
    location: Annotated[str, About("Location", "Room 2", max_length=300)] = "",
    description: Annotated[str, About("Notes", "Bring the figures.", max_length=5000)] = "",
    reminder_minutes: Annotated[
        int, About("Minutes before the event for a reminder; -1 for none", 15, minimum=-1, maximum=40320)
    ] = -1,
    rule: Annotated[str, About("RRULE of a repeating event", "FREQ=WEEKLY;COUNT=10", max_length=300)] = "",
) -> MadeEvent:
    """Create an iCalendar file (.ics) with one event, optionally repeating and with a reminder.

    Use it for appointments to import into a calendar program. The start is local time of the zone unless it has an
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
    """Return the zone, or UTC instead of a bare offset, for which calendar programs have no name."""
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
    start: Annotated[str, About("ISO 8601; only a date for all-day events")]
    end: str
    minutes: float
    all_day: bool
    location: str
    description: Annotated[str, About("First 1,000 characters")]
    rule: Annotated[str, About("Recurrence rule; empty if the event does not repeat")]
    uid: str


class EventList(TypedDict):
    """Events in order of their start."""

    events: list[EventOut]
    count: int


def _event_out(event: Any) -> EventOut:
    first, last = bounds_of(event)
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
            {"files": [CALENDAR_FILE]},
            {
                "count": 2,
                "events": [
                    {"title": "Talk", "start": "2026-11-23T09:00:00+00:00", "minutes": 120.0, "all_day": False},
                    {"title": "Call", "minutes": 60.0},
                ],
            },
            source="the file was written so",
            files=MORNING_FILE,
        ),
        Refusal({"files": [CALENDAR_FILE]}, "not an iCalendar file", files=NO_CALENDAR),
        Refusal({"files": [CALENDAR_FILE]}, "cannot be parsed", files=_BROKEN),
        Refusal({"files": [CALENDAR_FILE]}, "outside the years 2 to 9998", files=_TOO_LATE),
    ),
    reply={
        "events": "I found {count|event}: {events}",
        "": "There are no events in the calendar.",
    },
)
def ical_read_events(files: CalendarFiles) -> EventList:
    """Read the events of iCalendar files in order of their start.

    Use it for exported calendars and invitations. Repeating events appear once, with their rule. At most 5,000 events.
    """
    events = [_event_out(event) for event in read_events(files)]
    return {"events": events, "count": len(events)}


class Merged(TypedDict):
    """A merged calendar."""

    file: OutputFile
    events: int
    duplicates: Annotated[int, About("Number of omitted duplicates")]


@tool(
    tags="ical ics merge combine calendars deduplicate join",
    use_when=(
        "Merge these two calendar files into one",
        "Combine my work and private .ics exports",
        "Remove duplicate events from several calendars",
    ),
    examples=(
        Example(
            {"files": [CALENDAR_FILE, OTHER_FILE]},
            {"file": "merged.ics", "events": 3, "duplicates": 0},
            source="two events and one",
            files=MORNING_FILE | LUNCH_FILE,
            then=(ExampleCall("ical_read_events", {"files": ["{made}"]}, {"count": 3}),),
        ),
        Refusal({"files": [CALENDAR_FILE]}, "not an iCalendar file", files=NO_CALENDAR),
    ),
    reply={
        "duplicates": "I merged {events|event} and left out {duplicates|duplicate}: {file}",
        "": "I merged {events|event}: {file}",
    },
)
def ical_merge_files(files: CalendarFiles) -> Merged:
    """Merge the events of several iCalendar files into one file without duplicates.

    Use it to combine calendars. Events with the same UID, start and recurrence id count as one; the first is kept.
    """
    merged, seen, total = _empty(), set(), 0
    for event in read_events(files):
        total += 1
        start = bounds_of(event)[0].isoformat()
        key = (str(event.get("UID", start)), start, str(event.get("RECURRENCE-ID", "")))
        if key not in seen:
            seen.add(key)
            merged.add_component(event)
    try:
        merged.add_missing_timezones()
    except (ValueError, KeyError, AttributeError) as error:
        raise ToolError("A calendar uses a time zone that cannot be written. Export it in UTC.") from error
    return {"file": save("merged.ics", merged.to_ical()), "events": len(seen), "duplicates": total - len(seen)}
