"""Flights between time zones: arrival and duration."""

from datetime import UTC, timedelta
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, DateTime, Example, Refusal, TimeZone, ToolError, tool
from retinue_tools.datetime._moments import WEEKDAYS, moment_of, zone_of
from retinue_tools.datetime.durations import DurationText, seconds_of

Origin = Annotated[TimeZone, About("Zone or city of departure", "Tokyo")]
Destination = Annotated[TimeZone, About("Zone or city of arrival", "Paris")]


class Arrival(TypedDict):
    """Arrival of a journey."""

    local_time: Annotated[str, About("Local arrival time at the destination, with its offset")]
    weekday: str
    clock: Annotated[str, About("Time of day there, such as 16:10")]
    utc: str
    days_later: Annotated[int, About("Calendar days after the local date of departure")]
    origin_clock: Annotated[str, About("The same moment in the zone of the origin, ISO 8601")]


class TravelTime(TypedDict):
    """Duration of a journey."""

    minutes: float
    text: Annotated[str, About("Hours and minutes, such as 12 h 40 min")]
    zone_difference_hours: Annotated[float, About("Offset of the destination minus that of the origin, on arrival")]


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
    reply={
        "days_later": (
            "The arrival is at {clock} local time on {weekday}, {days_later|day} "
            "after the departure; at the origin it is {origin_clock} then."
        ),
        "": "The arrival is at {clock} local time on {weekday}; at the origin it is {origin_clock} then.",
    },
)
def flight_compute_arrival(
    departure: DateTime,
    origin: Origin,
    destination: Destination,
    duration: Annotated[DurationText, About("Duration of the journey", "12 h 40 min")],
) -> Arrival:
    """Compute the local time of arrival of a flight or other journey from its local departure and its duration.

    Use it for travel across time zones; daylight saving on the date is taken into account.
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
        "How long is my flight?",
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
    reply="It takes {text}; the time difference is {zone_difference_hours} hours.",
)
def flight_compute_duration(
    departure: DateTime, origin: Origin, arrival: DateTime, destination: Destination
) -> TravelTime:
    """Compute the duration of a flight or other journey, how long it takes, from the local times of its departure and
    its arrival.

    Use it for travel across time zones; daylight saving on the dates is taken into account.
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
