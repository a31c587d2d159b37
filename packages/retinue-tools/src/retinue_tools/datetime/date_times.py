"""Dates with a time of day: adding a duration, and differences."""

from datetime import datetime, timedelta
from fractions import Fraction
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, DateTime, Example, Refusal, ToolError, tool
from retinue_tools.datetime._moments import WEEKDAYS
from retinue_tools.datetime.durations import Duration, DurationText, duration_forms, seconds_of


class MovedMoment(TypedDict):
    """A moment before or after another one."""

    moment: Annotated[str, About("Date and time in ISO 8601")]
    date: str
    time: Annotated[str, About("Time as HH:MM, with seconds if there are any")]
    weekday: str


@tool(
    tags="date time add subtract hours minutes duration moment after before later deadline",
    use_when=(
        "What date and time is 36 hours after 4 April 2025, 20:00?",
        "Which moment was 10 days and 18 hours before 2026-02-27 16:30?",
        "The dough started on 3 May at 21:15 and needs 14 h 30 min. When is it ready?",
    ),
    examples=(
        Example(
            {"moment": "2025-04-04T20:00", "duration": "36 hours"},
            {"moment": "2025-04-06T08:00", "date": "2025-04-06", "time": "08:00", "weekday": "Sunday"},
            source="by hand",
        ),
        Example(
            {"moment": "2026-02-27T16:30", "duration": "10 days 18 hours", "direction": "earlier"},
            {"moment": "2026-02-16T22:30"},
            source="by hand",
        ),
        Refusal({"moment": "tomorrow", "duration": "2 hours"}, "not a date and time"),
    ),
    reply="It is {weekday}, {date}, at {time}.",
)
def moment_add_duration(
    moment: DateTime,
    duration: DurationText,
    direction: Annotated[Literal["later", "earlier"], About("Add or subtract")] = "later",
) -> MovedMoment:
    """Add a duration to a date and time of day, or subtract it: 36 hours after 4 April, 20:00.

    Use it for deadlines, doses and voyages on one clock; changes to summer time are not taken into account. For a time
    of day without a date use clock_add_duration, for whole days and months date_add_interval.
    """
    seconds = seconds_of(duration) * (1 if direction == "later" else -1)
    try:
        found = _read(moment) + timedelta(microseconds=round(seconds * 10**6))
    except OverflowError as error:
        raise ToolError("The result is outside the years 1 to 9999.") from error
    exact = "seconds" if found.second or found.microsecond else "minutes"
    return {
        "moment": found.isoformat(timespec=exact),
        "date": found.date().isoformat(),
        "time": found.time().isoformat(timespec=exact),
        "weekday": WEEKDAYS[found.weekday()],
    }


class MomentDifference(TypedDict):
    """Difference between two moments."""

    difference: Annotated[Duration, About("Total duration; negative if the end is before the start")]
    days: Annotated[int, About("Whole days")]
    hours: Annotated[int, About("Remaining whole hours")]
    minutes: Annotated[int, About("Remaining whole minutes")]


@tool(
    tags="difference between two moments date time elapsed duration hours minutes how long from until",
    use_when=(
        "How long is it from 3 March 2025 14:20 to 5 March 2025 09:05?",
        "Hours and minutes between 2024-12-31 22:15 and 2025-01-02 06:40",
        "How many minutes passed between 2025-06-01T08:00+02:00 and 2025-06-01T12:30Z?",
    ),
    examples=(
        Example(
            {"start": "2025-03-03T14:20", "end": "2025-03-05T09:05"},
            {"days": 1, "hours": 18, "minutes": 45, "difference": {"hours": 42.75}},
            source="by hand",
        ),
        Example(
            {"start": "2025-06-01T08:00+02:00", "end": "2025-06-01T12:30+00:00"},
            {"difference": {"minutes": 390.0}, "hours": 6, "minutes": 30},
            source="by hand: 06:00 UTC to 12:30 UTC",
        ),
        Refusal({"start": "2025-06-01T08:00", "end": "2025-06-01T12:30Z"}, "an offset"),
    ),
    reply="It is {difference.words}.",
)
def moment_measure_difference(start: DateTime, end: DateTime) -> MomentDifference:
    """Measure the time between two moments, each a date with a time of day, in days, hours and minutes.

    Use it for stays, outages and journeys. Both must be on the same clock, or both must have an offset from UTC.
    """
    first, last = _read(start), _read(end)
    if (first.tzinfo is None) != (last.tzinfo is None):
        raise ToolError("Give both moments with an offset from UTC, or both without.")
    seconds = Fraction((last - first) // timedelta(microseconds=1), 10**6)
    minutes = int(abs(seconds) // 60)
    return {
        "difference": duration_forms(seconds),
        "days": minutes // 1440,
        "hours": minutes // 60 % 24,
        "minutes": minutes % 60,
    }


def _read(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text.strip())
    except ValueError as error:
        raise ToolError(f"{text} is not a date and time. Write it as 2026-03-29T12:00.") from error
