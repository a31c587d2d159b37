"""Conflicts and free slots in iCalendar files (RFC 5545)."""

from datetime import UTC, datetime, timedelta
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Date, Example, Refusal, TimeZone, ToolError, tool
from retinue_tools.datetime._ical_events import (
    CALENDAR_FILE,
    LUNCH_FILE,
    MORNING_FILE,
    NO_CALENDAR,
    OTHER_FILE,
    CalendarFiles,
    bounds_of,
    read_events,
)
from retinue_tools.datetime._moments import Clock, clock_of, day_of, zone_of


class Conflict(TypedDict):
    """Two events at the same time."""

    first: str
    second: str
    start: str
    end: str
    minutes: float


class Conflicts(TypedDict):
    """Overlapping events."""

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
            {"files": [CALENDAR_FILE]},
            {"conflicts": [{"first": "Talk", "second": "Call", "start": "2026-11-23T10:30:00+00:00", "minutes": 30.0}]},
            source="the file was written so",
            files=MORNING_FILE,
        ),
        Example({"files": [OTHER_FILE]}, {"conflicts": []}, source="one event only", files=LUNCH_FILE),
        Refusal({"files": [CALENDAR_FILE]}, "not an iCalendar file", files=NO_CALENDAR),
    ),
    reply={
        "conflicts": "These appointments overlap: {conflicts}",
        "": "No appointments overlap.",
    },
)
def ical_find_conflicts(files: CalendarFiles) -> Conflicts:
    """Find pairs of overlapping events in iCalendar files.

    Use it for double bookings. Adjacent events do not conflict; only the first occurrence of repeating events counts.
    Lists at most 500 pairs.
    """
    spans = [(*bounds_of(event), str(event.get("SUMMARY", ""))) for event in read_events(files)]
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
    """A free slot."""

    start: str
    end: str
    minutes: float


class FreeSlots(TypedDict):
    """Free slots of a period."""

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
            {"files": [CALENDAR_FILE, OTHER_FILE], "start": "2026-11-23", "end": "2026-11-23"},
            {
                "slots": [
                    {"start": "2026-11-23T11:30:00+00:00", "end": "2026-11-23T12:00:00+00:00", "minutes": 30.0},
                    {"start": "2026-11-23T13:00:00+00:00", "end": "2026-11-23T17:00:00+00:00", "minutes": 240.0},
                ]
            },
            source="by hand: busy 9:00-11:30 and 12:00-13:00",
            files=MORNING_FILE | LUNCH_FILE,
        ),
        Example(
            {"files": [OTHER_FILE], "start": "2026-11-23", "end": "2026-11-23", "minutes": 300, "day_end": "19:00"},
            {"slots": [{"start": "2026-11-23T13:00:00+00:00", "minutes": 360.0}]},
            source="by hand",
            files=LUNCH_FILE,
        ),
        Refusal({"files": [OTHER_FILE], "start": "2026-11-23", "end": "2026-11-20"}, "before", files=LUNCH_FILE),
    ),
    reply={
        "slots": "Everybody is free at these times: {slots}",
        "": "There is no free time of that length.",
    },
)
def ical_find_free_slots(
    files: CalendarFiles,
    start: Date,
    end: Date,
    timezone: TimeZone = "UTC",
    day_start: Clock = "09:00",
    day_end: Clock = "17:00",
    minutes: Annotated[int, About("Minimum length of a slot", 30, minimum=1, maximum=1440)] = 30,
) -> FreeSlots:
    """Find the times within daily hours when nobody's calendar has an event, for up to 62 days.

    Use it to fix an appointment. The events of all files count as busy; only the first occurrence of repeating events
    counts.
    """
    zone, first, last = zone_of(timezone), day_of(start), day_of(end)
    if not timedelta() <= last - first <= timedelta(days=62) or clock_of(day_start) >= clock_of(day_end):
        raise ToolError("The start must be at most 62 days before the end, and day_start must be before day_end.")
    busy = sorted(bounds_of(event, zone) for event in read_events(files))
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
