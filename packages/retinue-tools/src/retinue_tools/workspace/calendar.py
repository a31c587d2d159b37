"""Calendar events."""

from collections.abc import Iterable, Sequence
from datetime import MAXYEAR, datetime, timedelta
from heapq import nsmallest
from itertools import islice
from typing import Annotated, Any, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, ExampleCall, Refusal, ToolError, tool
from retinue.sdk.workspace import (
    Interval,
    RecordKind,
    RecurrenceRule,
    ToolContext,
    check_zone,
    day_bounds,
    earliest,
    find_zone,
    free_times,
    occurrences,
    parse_datetime,
    run_on_compute_thread,
    working_hours,
)
from retinue.sdk.workspace import Occurrence as Found
from retinue_tools.workspace._vocabulary import Deleted, Id, Kept, Most, Title, When, ZoneName

_LONGEST = timedelta(days=31)
"""Maximum duration of an event. Events that began earlier need not be checked."""

_WIDEST = timedelta(days=400)
_MOST_SERIES = 500
_DATE_LENGTH = len("2026-11-30")


class Event(Kept):
    """An event."""

    title: Annotated[str, About("Title of the event")]
    start: Annotated[str, About("Start in its time zone")]
    end: Annotated[str, About("End in its time zone")]
    minutes: Annotated[int, About("Duration in minutes")]
    zone: Annotated[str, About("Time zone of the event")]
    location: Annotated[str, About("Location")]
    description: Annotated[str, About("Details")]
    recurrence: Annotated[str, About("Recurrence as an RRULE; empty for a single event")]
    series: Annotated[Literal["single", "repeating"], About("Repetition of the event")]


class Occurrence(TypedDict):
    """An occurrence of an event."""

    id: Annotated[str, About("ID of the event")]
    title: Annotated[str, About("Title of the event")]
    start: Annotated[str, About("Start in its time zone")]
    end: Annotated[str, About("End in its time zone")]
    location: Annotated[str, About("Location")]


class Occurrences(TypedDict):
    """Occurrences in a period."""

    events: list[Occurrence]
    total: Annotated[int, About("Total number, including those beyond the limit")]


class Slot(TypedDict):
    """A free slot."""

    start: Annotated[str, About("Start in the requested zone")]
    end: Annotated[str, About("End in the requested zone")]
    minutes: Annotated[int, About("Duration in minutes")]


class Slots(TypedDict):
    """Free slots."""

    slots: list[Slot]


EVENTS: RecordKind[Event] = RecordKind(
    "event", "title", ("title", "location", "description"), state="series", at="start"
)

LocalWhen = Annotated[When, About("Date or time in ISO 8601, in the zone unless it has an offset")]
Day = Annotated[When | None, About("Date or time in ISO 8601, in the zone unless it has an offset; default: today")]
Location = Annotated[str, About("Location", "Room 3", max_length=200)]
Description = Annotated[str, About("Details", "Bring the figures", max_length=5000)]
Minutes = Annotated[int, About("Duration in minutes, up to 31 days", 45, minimum=0, maximum=44_640)]
Recurrence = Annotated[
    str, About("Recurrence as an RRULE; empty for a single event", "FREQ=WEEKLY;BYDAY=MO,WE", max_length=200)
]


def _body(start: str, minutes: int, zone: str, recurrence: str) -> dict[str, Any]:
    """Return the validated times of an event."""
    begins = parse_datetime(start, "start", zone)
    if recurrence:
        RecurrenceRule.parse(recurrence, zone)
    ends = begins + timedelta(minutes=minutes) if begins.year < 9999 else begins
    return {
        "start": begins.astimezone(find_zone(zone)).isoformat(),
        "end": ends.astimezone(find_zone(zone)).isoformat(),
        "minutes": minutes,
        "zone": zone,
        "recurrence": recurrence,
        "series": "repeating" if recurrence else "single",
    }


@tool(
    tags="calendar event appointment meeting create add schedule recurring weekly",
    use_when=(
        "Put a dentist appointment on Tuesday at 9:30 into my calendar",
        "Schedule a weekly team meeting every Monday at 10",
        "Add my flight on 3 June to the calendar",
        "Put a dentist appointment in my diary",
        "Add a birthday to my calendar",
        "Enter a date in my calendar",
        "Add a meeting with Sam tomorrow at 3pm",
        "Schedule a call with Ana on Monday at 14:00",
        "Book the dentist for Friday at 10",
        "I have lunch with Tom on Thursday at noon",
        "I'm meeting Julia on Saturday at 7pm",
        "Schedule dinner with Max next Tuesday at 19:30",
        "Put the parents' evening in my calendar for Wednesday",
        "Set up a call with the bank on Wednesday at 11",
        "New appointment on Monday morning: vet",
    ),
    read_only=False,
    idempotent=False,
    examples=(
        Example(
            {"title": "Proof dentist", "start": "2097-12-03T09:30", "zone": "Europe/Berlin", "minutes": 45},
            {
                "id": "proof-dentist",
                "start": "2097-12-03T09:30:00+01:00",
                "end": "2097-12-03T10:15:00+01:00",
                "series": "single",
            },
            source="by hand: Berlin is one hour ahead of UTC in winter",
        ),
        Example(
            {"title": "Proof stand-up", "start": "2097-01-07T09:00", "recurrence": "FREQ=WEEKLY;COUNT=3"},
            {"end": "2097-01-07T10:00:00+00:00", "series": "repeating"},
            source="by hand",
        ),
        Refusal({"title": "x", "start": "2097-01-01T09:00", "recurrence": "FREQ=HOURLY"}, "FREQ must be one of"),
        Refusal({"title": "x", "start": "half past nine"}, "is not a date or time"),
    ),
    reply={
        "recurrence": "I put \u201c{title}\u201d into the calendar, first on {start}, repeated by {recurrence}.",
        "location": "I put \u201c{title}\u201d into the calendar, from {start} to {end}, at {location}.",
        "": "I put \u201c{title}\u201d into the calendar, from {start} to {end}.",
    },
)
async def calendar_create_event(
    context: ToolContext,
    title: Title,
    start: LocalWhen,
    minutes: Minutes = 60,
    zone: ZoneName = "UTC",
    location: Location = "",
    description: Description = "",
    recurrence: Recurrence = "",
) -> Event:
    """Create (put) an event in the calendar, once or repeating daily, weekly, monthly or yearly.

    Times without an offset are local times of the zone. Returns the event with its id.
    """
    times = _body(start, minutes, check_zone(zone), recurrence)
    return await context.items(EVENTS).add({"title": title, **times, "location": location, "description": description})


@tool(
    tags="calendar event list agenda week period appointments schedule show",
    use_when=(
        "What is in my calendar next week?",
        "List my appointments in June",
        "When does the team meeting take place this month?",
        "What appointments do I have this week?",
    ),
    pace="normal",
    examples=(
        Example(
            {"since": "2096-01-02", "until": "2096-01-31"},
            {
                "events": [
                    {"title": "Proof of weeks", "start": "2096-01-02T09:00:00+00:00"},
                    {"title": "Proof of once", "start": "2096-01-09T08:00:00+00:00"},
                    {"title": "Proof of weeks", "start": "2096-01-09T09:00:00+00:00"},
                    {"title": "Proof of weeks", "start": "2096-01-16T09:00:00+00:00"},
                ],
                "total": 4,
            },
            source="by hand: three Mondays from 2 January 2096, and one event",
            before=(
                ExampleCall(
                    "calendar_create_event",
                    {"title": "Proof of weeks", "start": "2096-01-02T09:00", "recurrence": "FREQ=WEEKLY;COUNT=3"},
                ),
                ExampleCall("calendar_create_event", {"title": "Proof of once", "start": "2096-01-09T08:00"}),
            ),
        ),
        Example({"since": "2094-01-01", "until": "2094-02-01", "limit": 5}, {"events": []}, source="nothing is there"),
        Example({"since": "2094-01-01", "until": "2094-01-01"}, {"events": []}, source="nothing is there that day"),
        Refusal({"since": "2096-01-02", "until": "2096-01-01"}, "until must be after since"),
    ),
    reply={
        "events": "You have {total|event} in this period: {events}",
        "events, events": "The events in the calendar: {events}",
        "": "There is nothing in the calendar in this period.",
    },
)
async def calendar_list_events(context: ToolContext, since: When, until: When, limit: Most = 100) -> Occurrences:
    """List the events that happen in a period of up to 400 days, with each occurrence of a repeating event, earliest
    first.

    Use it for an agenda of any length. Returns times in the zone of each event.
    """
    period = _period(since, until)
    return await run_on_compute_thread(_show, await _events(context, *period), period, limit)


@tool(
    tags="calendar agenda today day tomorrow schedule appointments show",
    use_when=(
        "What is on today?",
        "Show my agenda for tomorrow",
        "Which appointments do I have on 3 December?",
        "What's on today?",
        "What is in my diary tomorrow?",
        "What is on in my calendar today?",
        "What do I have tomorrow?",
        "What's on my agenda on Monday?",
        "Do I have any meetings today?",
        "My schedule for tomorrow",
    ),
    pace="normal",
    examples=(
        Example(
            {"day": "2093-07-01", "zone": "Asia/Tokyo"},
            {"events": [{"title": "Proof of a day", "start": "2093-07-01T00:30:00+09:00"}], "total": 1},
            source="by hand: Tokyo is nine hours ahead of UTC",
            before=(
                ExampleCall(
                    "calendar_create_event",
                    {"title": "Proof of a day", "start": "2093-07-01T00:30", "zone": "Asia/Tokyo", "minutes": 30},
                ),
                ExampleCall("calendar_create_event", {"title": "Proof of the next", "start": "2093-07-01T15:00"}),
            ),
        ),
        Example({"day": "2093-01-01"}, {"events": [], "total": 0}, source="nothing is there"),
        Refusal({"day": "2093-07-01", "zone": "Mars/Olympus"}, "not an IANA time zone"),
    ),
    reply={
        "events": "You have {total|event} that day: {events}",
        "": "There is nothing on the agenda that day.",
    },
)
async def calendar_show_agenda(context: ToolContext, day: Day = None, zone: ZoneName = "UTC") -> Occurrences:
    """Show the events that happen on one day in a time zone, today by default, earliest first."""
    bounds = day_bounds(parse_datetime(day, "day", zone) if day else context.now(), zone)
    return await run_on_compute_thread(_show, await _events(context, *bounds), bounds, 200, zone)


@tool(
    tags="calendar event update change move reschedule appointment",
    use_when=(
        "Move the dentist to Thursday at 11",
        "Change the room of the team meeting to 5",
        "Let the weekly meeting end in June",
        "Move my appointment to another day",
        "Move my meeting with Sam to 4pm",
        "Reschedule the call to Friday",
        "Push my appointment back by an hour",
        "Change the time of the dinner to eight",
    ),
    read_only=False,
    destructive=True,
    examples=(
        Example(
            {"event": "Proof to move", "start": "2092-05-02T11:00", "location": "Room 5"},
            {"start": "2092-05-02T11:00:00+00:00", "end": "2092-05-02T11:30:00+00:00", "location": "Room 5"},
            source="by hand: it keeps its half hour",
            before=(
                ExampleCall(
                    "calendar_create_event", {"title": "Proof to move", "start": "2092-05-01T09:00", "minutes": 30}
                ),
            ),
        ),
        Refusal({"event": "no such event", "location": "x"}, "There is no event"),
    ),
    reply="I changed the event \u201c{title}\u201d; it is now from {start} to {end}.",
)
async def calendar_update_event(
    context: ToolContext,
    event: Id,
    title: Title | None = None,
    start: Annotated[When | None, About("In ISO 8601, in the zone of the event unless it has an offset")] = None,
    minutes: Minutes | None = None,
    location: Location | None = None,
    description: Description | None = None,
    recurrence: Recurrence | None = None,
) -> Event:
    """Change an event: move it, rename it, or change its place, details or repetition.

    A moved event keeps its duration unless you change it too. A time without an offset is a local time of its zone.
    """

    def edit(body: dict[str, Any]) -> dict[str, Any]:
        plain = {"title": title, "location": location, "description": description}
        changed = {name: value for name, value in plain.items() if value is not None}
        lasts = body["minutes"] if minutes is None else minutes
        repeats = body["recurrence"] if recurrence is None else recurrence
        return {**body, **changed, **_body(start or body["start"], lasts, body["zone"], repeats)}

    return await context.items(EVENTS).revise(event, edit)


@tool(
    tags="calendar event delete remove cancel appointment",
    use_when=(
        "Cancel the dentist appointment",
        "Delete the weekly meeting",
        "Remove that event from my calendar",
        "Cancel a meeting in my calendar",
        "Cancel the meeting with Sam",
        "Please cancel my dinner on Friday",
        "I can't make it to the dentist, delete it from my calendar",
        "Call off tomorrow's meeting",
    ),
    read_only=False,
    destructive=True,
    examples=(
        Example(
            {"event": "Proof to cancel"},
            {"id": "proof-to-cancel", "deleted": True},
            source="by hand",
            before=(ExampleCall("calendar_create_event", {"title": "Proof to cancel", "start": "2091-01-01"}),),
        ),
        Refusal({"event": "proof-to-cancel"}, "There is no event"),
    ),
    reply="I deleted the event \u201c{args.event}\u201d.",
)
async def calendar_delete_event(context: ToolContext, event: Id) -> Deleted:
    """Permanently delete an event, including all occurrences of a repeating one. Returns the id of the event."""
    return {"id": (await context.items(EVENTS).remove(event))["id"], "deleted": True}


Hours = Annotated[
    str, About("Hours of the day to search", "09-17", pattern=r"^([01][0-9]|2[0-3])-([01][0-9]|2[0-4])$", max_length=5)
]


@tool(
    tags="calendar free slot availability find time meeting gap busy",
    use_when=(
        "When am I free next week for an hour?",
        "Find a slot of 30 minutes on Tuesday or Wednesday",
        "Is there a gap in my calendar this afternoon?",
        "When am I free?",
        "When am I free on Friday?",
        "Do I have time tomorrow afternoon?",
        "Am I free on Monday at 10?",
        "When do I have time on Wednesday?",
        "Is Thursday afternoon free?",
        "Am I busy tomorrow morning?",
        "What free time do I have this week?",
    ),
    pace="normal",
    examples=(
        Example(
            {"since": "2090-03-01", "until": "2090-03-02", "minutes": 60},
            {
                "slots": [
                    {"start": "2090-03-01T09:00:00+00:00", "end": "2090-03-01T10:30:00+00:00", "minutes": 90},
                    {"start": "2090-03-01T11:00:00+00:00", "end": "2090-03-01T17:00:00+00:00", "minutes": 360},
                ]
            },
            source="by hand: from 9 to 17, but for 10:30 to 11",
            before=(
                ExampleCall(
                    "calendar_create_event", {"title": "Busy proof", "start": "2090-03-01T10:30", "minutes": 30}
                ),
            ),
        ),
        Example(
            {"since": "2089-03-01", "until": "2089-03-02", "hours": "20-24", "minutes": 240},
            {"slots": [{"start": "2089-03-01T20:00:00+00:00", "end": "2089-03-02T00:00:00+00:00"}]},
            source="nothing is there",
        ),
        Refusal({"since": "2090-03-01", "until": "2090-03-02", "hours": "09-09"}, "after the first"),
    ),
    reply={
        "slots": "You are free at these times: {slots}",
        "": "There is no free slot of that length.",
    },
)
async def calendar_find_slots(
    context: ToolContext,
    since: LocalWhen,
    until: LocalWhen,
    minutes: Annotated[int, About("Minimum duration of a slot", 30, minimum=5, maximum=1440)] = 30,
    zone: ZoneName = "UTC",
    hours: Hours = "09-17",
    weekends: Annotated[bool, About("Whether to include Saturdays and Sundays", True)] = True,
    limit: Most = 20,
) -> Slots:
    """Find the free times between events, within given hours of each day, in a period of up to 400 days.

    Use it to propose times for a meeting. Returns the earliest slots of sufficient duration.
    """
    from_hour, to_hour = map(int, hours.split("-"))
    if to_hour <= from_hour:
        raise ToolError("hours: the second must be after the first, such as 09-17.")
    period = _period(since, until, zone)
    days = working_hours(*period, zone, (from_hour, to_hour), weekends)
    return await run_on_compute_thread(_slots, await _events(context, *period), period, days, minutes, zone, limit)


def _slots(
    events: Sequence[Event], period: Interval, windows: Iterable[Interval], minutes: int, zone: str, most: int
) -> Slots:
    """Return the first free times of a period, in a zone."""
    busy = [(begin, end) for begin, end, _ in occurrences(events, *period)]
    free = islice(free_times(busy, windows, timedelta(minutes=minutes)), most)
    local = find_zone(zone)
    return {
        "slots": [
            {
                "start": begin.astimezone(local).isoformat(),
                "end": end.astimezone(local).isoformat(),
                "minutes": int((end - begin).total_seconds() // 60),
            }
            for begin, end in free
        ]
    }


def _period(since: str, until: str, zone: str = "UTC") -> tuple[datetime, datetime]:
    """Return the beginning and the end of a period, whose last day does not count unless it is also the first."""
    first, last = parse_datetime(since, "since", zone), parse_datetime(until, "until", zone)
    if first == last and len(until.strip()) == _DATE_LENGTH and last.year < MAXYEAR:
        last += timedelta(days=1)
    if not first < last <= first + _WIDEST:
        raise ToolError(f"until must be after since, by at most {_WIDEST.days} days.")
    if last.year == MAXYEAR:
        raise ToolError(f"until must be before the year {MAXYEAR}.")
    return first, last


async def _events(context: ToolContext, first: datetime, last: datetime) -> list[Event]:
    """Return the events that may occur within bounds."""
    items = context.items(EVENTS)
    single = await items.between(earliest(first) - _LONGEST, last, "single")
    return [*single, *await items.in_state("repeating", _MOST_SERIES)]


def _show(events: Sequence[Event], period: Interval, most: int, zone: str | None = None) -> Occurrences:
    """Return the occurrences in a period, earliest first, in the given time zone or otherwise in that of each event."""
    found = occurrences(events, *period)
    nearest = nsmallest(most, found, key=lambda one: (one.begin, one.event["id"]))
    return {"events": [_occurrence(one, zone) for one in nearest], "total": len(found)}


def _occurrence(one: Found, zone_name: str | None) -> Occurrence:
    event, zone = one.event, find_zone(zone_name or one.event["zone"])
    return {
        "id": event["id"],
        "title": event["title"],
        "start": one.begin.astimezone(zone).isoformat(),
        "end": one.end.astimezone(zone).isoformat(),
        "location": event["location"],
    }
