"""Times of day without a date: parsing, arithmetic, and differences."""

import re
from datetime import UTC, datetime
from fractions import Fraction
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, TimeZone, ToolError, tool
from retinue_tools.datetime._moments import zone_of
from retinue_tools.datetime.durations import Duration, DurationText, duration_forms, seconds_of

_DAY_S = 86_400
_CLOCK = re.compile(r"(\d{1,2})(?:\s*[:.h]\s*([0-5]\d)(?:[:.]([0-5]\d))?|([0-5]\d))?\s*(am|pm)?", re.IGNORECASE)
_NAMED = {"noon": 43_200, "12 noon": 43_200, "midday": 43_200, "midnight": 0, "12 midnight": 0}
_WINTER, _SUMMER = datetime(2026, 1, 15, 12, tzinfo=UTC), datetime(2026, 7, 15, 12, tzinfo=UTC)
_OUTER_WORDS = re.compile(r"\s*(?:hours|hrs|o'?clock|uhr|h)$|^at\s+")

TimeOfDay = Annotated[
    str, About("Time of day: 22:15, 10:15 pm, 7 am, noon or midnight", "10:15 pm", min_length=1, max_length=30)
]


class ClockTime(TypedDict):
    """A time of day in both notations."""

    time_24h: Annotated[str, About("24-hour clock, such as 15:05")]
    time_12h: Annotated[str, About("12-hour clock, such as 3:05 PM")]


class ShiftedClock(ClockTime):
    """A time of day plus or minus a duration."""

    days_later: Annotated[int, About("Midnights passed: 1 for the next day, -1 for the day before")]


class ClockSpan(TypedDict):
    """Time between two times of day."""

    duration: Duration
    next_day: Annotated[bool, About("Whether the end is on the day after the start")]


class Block(TypedDict):
    """A block of time."""

    number: int
    start: Annotated[str, About("24-hour clock")]
    end: Annotated[str, About("24-hour clock")]


class Timetable(TypedDict):
    """Blocks of time separated by pauses."""

    blocks: list[Block]
    end: Annotated[str, About("End of the last block, 24-hour clock")]
    total_minutes: Annotated[float, About("From the first start to the last end")]


def clock_seconds(text: str) -> int:
    """Return seconds after midnight of a time of day. Raises `ToolError`."""
    plain = " ".join(text.casefold().replace("a.m.", "am").replace("p.m.", "pm").split())
    if plain in _NAMED:
        return _NAMED[plain]
    found = _CLOCK.fullmatch(_OUTER_WORDS.sub("", plain))
    seconds = None if found is None else _seconds(found)
    if seconds is None:
        raise ToolError(f"{text} is not a time of day. Write it as 22:15, 10:15 pm or 7 am.")
    return seconds


def _seconds(found: re.Match[str]) -> int | None:
    hour, minute, second = int(found[1]), int(found[2] or found[4] or 0), int(found[3] or 0)
    if found[5]:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if found[5] == "pm" else 0)
    elif hour == 24 and minute == second == 0:
        hour = 0
    return None if hour > 23 else hour * 3600 + minute * 60 + second


def _clock_24(seconds: int) -> str:
    """Format a time of day as 15:05, with seconds if there are any."""
    text = f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}"
    return f"{text}:{seconds % 60:02d}" if seconds % 60 else text


def _clock_12(seconds: int) -> str:
    """Format a time of day as 3:05 PM."""
    hour, rest = seconds // 3600, _clock_24(seconds)[2:]
    return f"{hour % 12 or 12}{rest} {'PM' if hour >= 12 else 'AM'}"


def _render(seconds: int) -> ClockTime:
    return {"time_24h": _clock_24(seconds), "time_12h": _clock_12(seconds)}


def _shift(start: int, by: Fraction) -> ShiftedClock:
    days, seconds = divmod(round(start + by), _DAY_S)
    return {**_render(seconds), "days_later": days}


@tool(
    tags="clock time of day add subtract later earlier hours minutes arrive end start o'clock plus minus",
    use_when=(
        "What time is it 1 hour 50 minutes after 22:15?",
        "The film starts at 7:40 pm and lasts 135 minutes. When does it end?",
        "I must be there at 9:00 and need 35 minutes. When do I leave?",
        "What was the time 2 h 20 min before 1 am?",
    ),
    examples=(
        Example(
            {"time": "22:15", "duration": "1 h 50 min"},
            {"time_24h": "00:05", "time_12h": "12:05 AM", "days_later": 1},
            source="by hand: 22:15 and 1:45 is midnight, 5 minutes are left",
        ),
        Example(
            {"time": "1:00 am", "duration": "2 h 20 min", "direction": "earlier"},
            {"time_24h": "22:40", "time_12h": "10:40 PM", "days_later": -1},
            source="by hand",
        ),
        Example(
            {"time": "19:30", "duration": "50 minutes, 20 minutes, 65 minutes"},
            {"time_24h": "21:45", "days_later": 0},
            source="by hand: 135 minutes together",
        ),
        Refusal({"time": "25:10", "duration": "5 min"}, "not a time of day"),
    ),
    reply={
        "not days_later": "It is {time_24h} ({time_12h}) then.",
        "args.direction": "It is {time_24h} ({time_12h}) then, on another day.",
        "": "It is {time_24h} ({time_12h}) then, {days_later|day} later.",
    },
)
def clock_add_duration(
    time: TimeOfDay,
    duration: Annotated[DurationText, About("Duration, such as 1 h 50 min, 1:50 or 95 minutes", "1 h 50 min")],
    direction: Annotated[Literal["later", "earlier"], About("Add to the time, or subtract from it")] = "later",
) -> ShiftedClock:
    """Add a duration to a time of day, or subtract it, across midnight if necessary. No date is needed.

    Use it for ends, arrivals and departures. Returns the 24-hour and the 12-hour time with the number of midnights
    passed.
    """
    length = seconds_of(duration)
    return _shift(clock_seconds(time), length if direction == "later" else -length)


@tool(
    tags="clock time difference between from until duration hours minutes elapsed how long overnight midnight",
    use_when=(
        "How long is it from 21:40 to 6:15?",
        "How many minutes are between 8:35 am and 1:20 pm?",
        "The movie ran from 20:05 to 22:48. How long is it?",
        "I slept from 11 pm to 6:30 am: how many hours?",
    ),
    examples=(
        Example(
            {"start": "21:40", "end": "6:15"},
            {"next_day": True, "duration": {"minutes": 515.0, "clock": "8:35:00"}},
            source="by hand: 2:20 to midnight and 6:15",
        ),
        Example(
            {"start": "8:35 am", "end": "1:20 pm"},
            {"next_day": False, "duration": {"hours": 4.75}},
            source="by hand",
        ),
        Example(
            {"start": "22:00", "end": "6:00", "pause": "45 minutes"},
            {"next_day": True, "duration": {"hours": 7.25}},
            source="by hand",
        ),
        Refusal({"start": "13:05 pm", "end": "2 pm"}, "not a time of day"),
        Refusal({"start": "9:00", "end": "9:30", "pause": "1 h"}, "pause"),
    ),
    reply={
        "next_day": "It is {duration.words} until {args.end} on the next day.",
        "": "It is {duration.words}.",
    },
)
def clock_compute_difference(
    start: TimeOfDay,
    end: TimeOfDay,
    pause: Annotated[
        DurationText | None, About("Time to deduct, such as an unpaid break of 30 minutes", "30 min")
    ] = None,
) -> ClockSpan:
    """Compute the time from one time of day to another, that is, how long it is. An end before the start is on the next
    day.

    Use it for the length of films, shifts, sleep and journeys. No date is needed. Returns all forms of the duration.
    """
    first, last = clock_seconds(start), clock_seconds(end)
    span, rest = Fraction((last - first) % _DAY_S), seconds_of(pause) if pause else Fraction()
    if not 0 <= rest <= span:
        raise ToolError("The pause is longer than the time from start to end. Give a shorter one.")
    return {"duration": duration_forms(span - rest), "next_day": last < first}


@tool(
    tags="clock convert 12-hour 24-hour am pm military time notation",
    use_when=(
        "What is 7:45 pm in 24-hour time?",
        "Write 17:20 with am or pm",
        "What is 1530 hours in civilian time?",
        "Is 12 am 00:00 or 12:00?",
    ),
    examples=(
        Example({"time": "7:45 pm"}, {"time_24h": "19:45", "time_12h": "7:45 PM"}, source="by hand"),
        Example({"time": "00:05"}, {"time_12h": "12:05 AM"}, source="by hand: the hour after midnight is 12 AM"),
        Example({"time": "1530 hours"}, {"time_24h": "15:30", "time_12h": "3:30 PM"}, source="by hand"),
        Refusal({"time": "soon"}, "not a time of day"),
    ),
    reply="{args.time} is {time_24h} on the 24-hour clock and {time_12h} on the 12-hour clock.",
)
def clock_convert_notation(time: TimeOfDay) -> ClockTime:
    """Convert a time of day between the 12-hour clock with am and pm and the 24-hour clock. No date is needed.

    Use it for timetables and military time. Returns both notations.
    """
    return _render(clock_seconds(time))


@tool(
    tags="clock time of day offset zone convert utc gmt est jst without date hours ahead behind",
    use_when=(
        "What is 15:00 at UTC+2 in UTC-5?",
        "It is 3 pm JST. What time is that in IST?",
        "Convert 22:30 GMT to EST",
        "A city is at UTC+9 and shows 07:30: which time is it at UTC-3?",
    ),
    examples=(
        Example(
            {"time": "15:00", "source": "UTC+2", "target": "UTC-5"},
            {"time_24h": "08:00", "time_12h": "8:00 AM", "days_later": 0},
            source="by hand: 7 hours behind",
        ),
        Example(
            {"time": "7:30 pm", "source": "PST", "target": "JST"},
            {"time_24h": "12:30", "days_later": 1},
            source="by hand: from 8 hours behind to 9 ahead of UTC",
        ),
        Refusal({"time": "15:00", "source": "Berlin", "target": "UTC"}, "changes its clocks"),
    ),
    reply={
        "not days_later": "It is {time_24h} ({time_12h}) in {args.target}.",
        "": "It is {time_24h} ({time_12h}) in {args.target}, on another day.",
    },
)
def clock_convert_offset(
    time: TimeOfDay,
    source: Annotated[TimeZone, About("Zone of the given time: UTC+2, EST or Tokyo", "UTC+2")],
    target: Annotated[TimeZone, About("Target zone: UTC-5, JST or Dubai", "UTC-5")],
) -> ShiftedClock:
    """Convert a time of day between zones that have the same offset all year. No date is needed.

    Use it for offsets such as UTC+2, abbreviations such as EST, and places without daylight saving; with a date, or for
    zones whose clocks change, use time_convert_timezone. Returns both notations and the days passed.
    """
    return _shift(clock_seconds(time), Fraction(_offset_seconds(target) - _offset_seconds(source)))


def _offset_seconds(name: str) -> int:
    """Return the offset of a zone from UTC all year. Raises `ToolError` if its clocks change."""
    zone = zone_of(name)
    winter, summer = (moment.astimezone(zone).utcoffset() for moment in (_WINTER, _SUMMER))
    if winter is None or winter != summer:
        raise ToolError(f"{name} changes its clocks. Give an offset such as UTC+2, or use time_convert_timezone.")
    return round(winter.total_seconds())


@tool(
    tags="timetable lessons periods blocks repeat schedule breaks start end times sessions school",
    use_when=(
        "Four lessons of 90 minutes with 10 minutes between, from 8:00: list the times",
        "When do six 45-minute periods with 5-minute breaks end if they begin at 7:50?",
        "List the slots of 20 minutes from 14:00",
    ),
    examples=(
        Example(
            {"start": "8:00", "length": "90 min", "count": 4, "pause": "10 min"},
            {
                "blocks": [
                    {"number": 1, "start": "08:00", "end": "09:30"},
                    {"number": 2, "start": "09:40", "end": "11:10"},
                    {"number": 3, "start": "11:20", "end": "12:50"},
                    {"number": 4, "start": "13:00", "end": "14:30"},
                ],
                "end": "14:30",
                "total_minutes": 390.0,
            },
            source="by hand: 4 * 90 + 3 * 10",
        ),
        Example({"start": "2 pm", "length": "20 min", "count": 3}, {"end": "15:00"}, source="by hand"),
        Refusal({"start": "8:00", "length": "-10 min", "count": 2}, "longer than zero"),
    ),
    reply="The last block ends at {end}: {blocks}",
)
def schedule_repeat_blocks(
    start: Annotated[TimeOfDay, About("Start of the first block", "8:00")],
    length: Annotated[DurationText, About("Length of each block", "90 min")],
    count: Annotated[int, About("Number of blocks", 4, minimum=1, maximum=200)],
    pause: Annotated[DurationText, About("Pause between two blocks", "10 min")] = "0 min",
) -> Timetable:
    """List the start and end times of blocks of equal length with equal pauses between them. No date is needed.

    Use it for lessons, appointments and heats.
    """
    first, lasts, rests = clock_seconds(start), seconds_of(length), seconds_of(pause)
    if lasts <= 0 or rests < 0:
        raise ToolError("A block must be longer than zero, and a pause must not be negative.")
    begins = [first + number * (lasts + rests) for number in range(count)]
    blocks: list[Block] = [
        {"number": number, "start": _on_clock(begin), "end": _on_clock(begin + lasts)}
        for number, begin in enumerate(begins, 1)
    ]
    return {"blocks": blocks, "end": blocks[-1]["end"], "total_minutes": float((begins[-1] + lasts - first) / 60)}


def _on_clock(seconds: Fraction | int) -> str:
    return _clock_24(round(seconds) % _DAY_S)
