"""Working hours between two moments, and journeys from one time zone to another."""

from datetime import UTC, date, datetime, timedelta
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Moment, Refusal, ToolError, Zone, tool
from retinue_tools.datetime._moments import WEEKDAYS, Clock, clock_of, moment_of, zone_of
from retinue_tools.datetime.durations import DurationText, seconds_of

_MOST_DAYS = 4000
_WORKDAYS = WEEKDAYS[:5]

Workdays = Annotated[
    list[Literal["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]],
    About("Days of work; Monday to Friday if absent", ["Monday", "Saturday"], min_items=1, max_items=7),
]
Origin = Annotated[Zone, About("Zone or city of departure", "Tokyo")]
Destination = Annotated[Zone, About("Zone or city of arrival", "Paris")]


class WorkingHours(TypedDict):
    """Time within working hours."""

    hours: float
    text: Annotated[str, About("Hours and minutes, as 22:30")]
    minutes: float
    days_touched: Annotated[int, About("Days on which there was any working time")]


class Arrival(TypedDict):
    """When a journey ends."""

    local_time: Annotated[str, About("Arrival on the clock of the destination, with its offset")]
    weekday: str
    clock: Annotated[str, About("Time of day there, as 16:10")]
    utc: str
    days_later: Annotated[int, About("Calendar days after the local date of departure")]
    origin_clock: Annotated[str, About("The same moment on the clock of the origin, ISO 8601")]


class TravelTime(TypedDict):
    """How long a journey takes."""

    minutes: float
    text: Annotated[str, About("Hours and minutes, as 12 h 40 min")]
    zone_difference_hours: Annotated[float, About("Clock of the destination less that of the origin, on arrival")]


@tool(
    tags="working hours business office between two moments opening service level response elapsed 9 to 5",
    use_when=(
        "How many working hours, 9 to 17, Monday to Friday, lie between Monday 11:00 and Thursday 15:00?",
        "Count the office hours between 2025-03-10T11:00 and 2025-03-13T15:00",
        "A ticket came Friday 16:00 and was solved Tuesday 10:00: how many business hours?",
    ),
    examples=(
        Example(
            {"start": "2025-03-10T11:00", "end": "2025-03-13T15:00"},
            {"hours": 28.0, "text": "28:00", "days_touched": 4},
            source="by hand: 6 + 8 + 8 + 6",
        ),
        Example(
            {"start": "2025-03-14T16:30", "end": "2025-03-17T09:15", "day_start": "08:30", "day_end": "17:00"},
            {"minutes": 75.0},
            source="by hand: 30 minutes of Friday and 45 of Monday",
        ),
        Refusal({"start": "2025-03-14T16:30", "end": "2025-03-13T09:00"}, "before the start"),
    ),
)
def business_hours_count(
    start: Moment,
    end: Moment,
    day_start: Clock = "09:00",
    day_end: Clock = "17:00",
    weekdays: Workdays | None = None,
) -> WorkingHours:
    """Count the working hours between two moments, Monday to Friday unless other weekdays are given.

    Use it for response times and work on tickets. The clock is that of the start. Public holidays are not left out.
    """
    clock = moment_of(start).tzinfo
    first, last = (moment_of(text).astimezone(clock).replace(tzinfo=None) for text in (start, end))
    opens, closes = clock_of(day_start), clock_of(day_end)
    if last < first or opens >= closes or last - first > timedelta(days=_MOST_DAYS):
        raise ToolError("The end must not be before the start or 4,000 days after it, nor day_end before day_start.")
    days = (first.date() + timedelta(days=number) for number in range((last.date() - first.date()).days + 1))
    worked = [
        min(last, datetime.combine(day, closes)) - max(first, datetime.combine(day, opens))
        for day in days
        if _works(day, weekdays)
    ]
    minutes = sum(max(span, timedelta()) / timedelta(minutes=1) for span in worked)
    return {
        "hours": round(minutes / 60, 6),
        "text": f"{int(minutes) // 60}:{int(minutes) % 60:02d}",
        "minutes": round(minutes, 4),
        "days_touched": sum(span > timedelta() for span in worked),
    }


def _works(day: date, weekdays: Workdays | None) -> bool:
    return WEEKDAYS[day.weekday()] in (weekdays or _WORKDAYS)


@tool(
    tags="flight arrival local time landing travel journey time zones duration departure plane arrive",
    use_when=(
        "A plane leaves Tokyo at 10:30 and flies 12 h 40 min. What is the local time in Paris on arrival?",
        "I take off in New York at 19:00 for a flight of 7 hours: when do I land in London?",
        "Local arrival time of a journey over time zones",
    ),
    examples=(
        Example(
            {"departure": "2025-05-05T10:30", "origin": "Tokyo", "destination": "Paris", "duration": "12 h 40 min"},
            {
                "local_time": "2025-05-05T16:10:00+02:00",
                "clock": "16:10",
                "days_later": 0,
                "origin_clock": "2025-05-05T23:10:00+09:00",
            },
            source="by hand: 23:10 in Tokyo, and Paris is 7 hours behind in summer",
        ),
        Example(
            {"departure": "2026-01-10T19:00", "origin": "UTC-5", "destination": "UTC", "duration": "7h"},
            {"clock": "07:00", "days_later": 1, "weekday": "Sunday"},
            source="by hand: midnight UTC and 7 hours",
        ),
        Refusal(
            {"departure": "2026-01-10T19:00", "origin": "Atlantis", "destination": "UTC", "duration": "7h"},
            "not an IANA time zone",
        ),
    ),
)
def flight_compute_arrival(
    departure: Moment,
    origin: Origin,
    destination: Destination,
    duration: Annotated[DurationText, About("Length of the journey", "12 h 40 min")],
) -> Arrival:
    """Compute the local time of arrival of a flight or other journey from its local departure and its duration.

    Use it for travel across time zones; daylight saving of the date counts.
    """
    begin = moment_of(departure, zone_of(origin))
    try:
        end = begin.astimezone(UTC) + timedelta(seconds=float(seconds_of(duration)))
    except OverflowError as error:
        raise ToolError("The journey is too long for the calendar. Give a shorter duration.") from error
    there = end.astimezone(zone_of(destination))
    return {
        "local_time": there.isoformat(),
        "weekday": WEEKDAYS[there.weekday()],
        "clock": f"{there:%H:%M}",
        "utc": end.isoformat(),
        "days_later": (there.date() - begin.date()).days,
        "origin_clock": end.astimezone(zone_of(origin)).isoformat(),
    }


@tool(
    tags="flight duration travel time zones departure arrival local how long journey air",
    use_when=(
        "How long is a flight that leaves London at 11:00 and lands in New York at 14:00 local time?",
        "Departure Sydney 21:30, arrival Dubai 05:15 next day: time in the air?",
        "Real length of a journey between two time zones",
    ),
    examples=(
        Example(
            {
                "departure": "2025-05-05T10:30",
                "origin": "Tokyo",
                "arrival": "2025-05-05T16:10",
                "destination": "Paris",
            },
            {"minutes": 760.0, "text": "12 h 40 min", "zone_difference_hours": -7.0},
            source="by hand: 01:30 UTC to 14:10 UTC",
        ),
        Example(
            {"departure": "2026-01-10T22:00", "origin": "UTC+8", "arrival": "2026-01-10T18:00", "destination": "PST"},
            {"minutes": 720.0},
            source="by hand: 14:00 UTC to 02:00 UTC of the next day",
        ),
        Refusal(
            {"departure": "2026-01-10T22:00", "origin": "UTC", "arrival": "2026-01-10T18:00", "destination": "UTC"},
            "before the departure",
        ),
    ),
)
def flight_compute_duration(departure: Moment, origin: Origin, arrival: Moment, destination: Destination) -> TravelTime:
    """Compute how long a flight or other journey takes from the local times of its departure and its arrival.

    Use it for travel across time zones; daylight saving of the dates counts.
    """
    begin, end = moment_of(departure, zone_of(origin)), moment_of(arrival, zone_of(destination))
    length = end.astimezone(UTC) - begin.astimezone(UTC)
    if length < timedelta():
        raise ToolError("The arrival is before the departure. Check the dates: it may be on the next day.")
    minutes = length / timedelta(minutes=1)
    shift = (end.utcoffset() or timedelta()) - (end.astimezone(zone_of(origin)).utcoffset() or timedelta())
    return {
        "minutes": minutes,
        "text": f"{int(minutes) // 60} h {int(minutes) % 60} min",
        "zone_difference_hours": shift / timedelta(hours=1),
    }
