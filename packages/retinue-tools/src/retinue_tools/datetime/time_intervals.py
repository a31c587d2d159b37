"""Rounding of times, overlapping intervals and time sheets."""

import math
from collections.abc import Sequence
from datetime import datetime, timedelta
from fractions import Fraction
from itertools import pairwise
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, DateTime, Example, Refusal, ToolError, tool
from retinue_tools.datetime._moments import Clock, clock_of, moment_of


class RoundedTime(TypedDict):
    """A rounded time."""

    time: str
    moved_seconds: Annotated[float, About("Rounded minus given time")]


@tool(
    tags="time round floor ceil minutes quarter hour grid",
    use_when=(
        "Round 2026-11-21T10:08 to a quarter of an hour",
        "Round a time up to the next full hour",
        "Truncate a timestamp to 5 minutes",
    ),
    examples=(
        Example(
            {"time": "2026-11-21T10:08:00", "minutes": 15},
            {"time": "2026-11-21T10:15:00", "moved_seconds": 420.0},
            source="by hand: 7.5 minutes is the middle",
        ),
        Example(
            {"time": "2026-11-21T23:31:00", "minutes": 60, "direction": "up"},
            {"time": "2026-11-22T00:00:00"},
            source="by hand",
        ),
        Refusal({"time": "noon", "minutes": 15}, "not a date and time"),
    ),
    reply="It is {time}.",
)
def time_round_moment(
    time: DateTime,
    minutes: Annotated[int, About("Interval in minutes from midnight", 15, minimum=1, maximum=1440)],
    direction: Annotated[Literal["nearest", "up", "down"], About("Rounding direction; halves round up")] = "nearest",
) -> RoundedTime:
    """Round a local time to a grid (multiple) of minutes that begins at midnight: quarters, hours or any other.

    Use it for bookings, buckets and time sheets. An offset in the time is kept.
    """
    moment = moment_of(time)
    midnight = moment.replace(hour=0, minute=0, second=0, microsecond=0)
    steps = Fraction((moment - midnight) // timedelta(microseconds=1), minutes * 60 * 10**6)
    rules = {"nearest": math.floor(steps + Fraction(1, 2)), "up": math.ceil(steps), "down": math.floor(steps)}
    rounded = midnight + timedelta(minutes=minutes * rules[direction])
    text = rounded.isoformat()
    naive = datetime.fromisoformat(time.strip()).tzinfo is None
    return {
        "time": text.removesuffix("+00:00") if naive else text,
        "moved_seconds": (rounded - moment) / timedelta(seconds=1),
    }


class Interval(TypedDict):
    """A span of time."""

    start: DateTime
    end: DateTime


class SpanOut(TypedDict):
    """A span of time in UTC."""

    start: str
    end: str
    minutes: float


class IntervalReport(TypedDict):
    """Coverage of intervals."""

    covered: Annotated[list[SpanOut], About("Merged intervals")]
    gaps: Annotated[list[SpanOut], About("Free time between them")]
    overlaps: Annotated[list[SpanOut], About("Time covered by two or more")]
    covered_minutes: float
    common: Annotated[SpanOut | None, About("Time common to all; null if there is none")]


@tool(
    tags="interval overlap gap merge union intersection time ranges booking",
    use_when=(
        "Do 9:00-11:00 and 10:30-12:00 overlap?",
        "Which gaps are between these bookings?",
        "Merge overlapping time ranges and count the covered hours",
    ),
    examples=(
        Example(
            {
                "intervals": [
                    {"start": "2026-01-01T09:00", "end": "2026-01-01T11:00"},
                    {"start": "2026-01-01T10:30", "end": "2026-01-01T12:00"},
                    {"start": "2026-01-01T13:00", "end": "2026-01-01T14:00"},
                ]
            },
            {
                "covered_minutes": 240.0,
                "gaps": [{"start": "2026-01-01T12:00:00+00:00", "minutes": 60.0}],
                "overlaps": [{"start": "2026-01-01T10:30:00+00:00", "minutes": 30.0}],
                "common": None,
            },
            source="by hand",
        ),
        Refusal({"intervals": [{"start": "2026-01-02", "end": "2026-01-01"}]}, "ends before it starts"),
    ),
    reply={
        "overlaps, gaps": "Some spans overlap. The gaps: {gaps}",
        "overlaps": "They overlap here: {overlaps}",
        "gaps": "They do not overlap. The gaps: {gaps}",
        "": "They do not overlap, and there are no gaps.",
    },
)
def interval_analyze_overlaps(
    intervals: Annotated[
        list[Interval],
        About("Time spans", [{"start": "2026-01-01T09:00", "end": "2026-01-01T11:00"}], min_items=1, max_items=2000),
    ],
) -> IntervalReport:
    """Analyse time spans: merged intervals, gaps, overlaps and the time that all have in common.

    Use it for bookings, shifts and outages. Times without an offset are UTC; adjacent spans do not overlap.
    """
    spans = sorted((moment_of(span["start"]), moment_of(span["end"])) for span in intervals)
    if any(end < start for start, end in spans):
        raise ToolError("An interval ends before it starts. Swap its times.")
    covered = _cover(spans, 1)
    gaps = [(before[1], after[0]) for before, after in pairwise(covered)]
    start, end = max(first for first, _ in spans), min(last for _, last in spans)
    return {
        "covered": [_span(*part) for part in covered],
        "gaps": [_span(*part) for part in gaps],
        "overlaps": [_span(*part) for part in _cover(spans, 2)],
        "covered_minutes": sum(_span(*part)["minutes"] for part in covered),
        "common": _span(start, end) if start < end else None,
    }


def _cover(spans: Sequence[tuple[datetime, datetime]], depth: int) -> list[tuple[datetime, datetime]]:
    """Return the disjoint parts, in order, that at least `depth` spans cover."""
    edges = sorted([(start, -1) for start, _ in spans] + [(end, 1) for _, end in spans])
    parts: list[tuple[datetime, datetime]] = []
    level, begin = 0, edges[0][0]
    for moment, kind in edges:
        before, level = level, level - kind
        if before < depth <= level:
            begin = moment
        elif level < depth <= before and moment > begin:
            parts.append((begin, moment))
    return parts


def _span(start: datetime, end: datetime) -> SpanOut:
    return {"start": start.isoformat(), "end": end.isoformat(), "minutes": (end - start) / timedelta(minutes=1)}


class Shift(TypedDict):
    """A day of work."""

    label: Annotated[str, About("Day or name", "Monday", min_length=1, max_length=80)]
    start: Clock
    end: Annotated[
        str,
        About(
            "End as HH:MM; before the start means the next day",
            "17:30",
            pattern="^([01]?[0-9]|2[0-3]):[0-5][0-9]$",
            max_length=5,
        ),
    ]
    break_minutes: Annotated[int, About("Unpaid break", 30, minimum=0, maximum=1440)]


class ShiftTime(TypedDict):
    """Worked time of a day."""

    label: str
    worked: Annotated[str, About("Hours and minutes")]
    hours: float
    overtime_hours: Annotated[float, About("Overtime against the daily target; negative if too little")]


class Timesheet(TypedDict):
    """Sum of a time sheet."""

    total: Annotated[str, About("Hours and minutes")]
    total_hours: float
    overtime_hours: float
    shifts: list[ShiftTime]


@tool(
    tags="timesheet work hours break overtime sum shift total week",
    use_when=(
        "How many hours did I work: Monday 8:30-17:15 with 45 minutes break?",
        "Sum my time sheet and show overtime against 8 hours",
        "How long is a night shift from 22:00 to 06:00?",
        "Add up my working hours",
    ),
    examples=(
        Example(
            {"shifts": [{"label": "Monday", "start": "08:30", "end": "17:15", "break_minutes": 45}]},
            {
                "total": "8:00",
                "total_hours": 8.0,
                "overtime_hours": 0.0,
                "shifts": [{"label": "Monday", "worked": "8:00", "hours": 8.0, "overtime_hours": 0.0}],
            },
            source="by hand",
        ),
        Example(
            {"shifts": [{"label": "Monday", "start": "7:45", "end": "12:10", "break_minutes": 0}]},
            {"total": "4:25"},
            source="by hand",
        ),
        Example(
            {"shifts": [{"label": "Night", "start": "22:00", "end": "06:00", "break_minutes": 0}], "target_hours": 7},
            {"total_hours": 8.0, "overtime_hours": 1.0},
            source="by hand",
        ),
        Refusal({"shifts": [{"label": "x", "start": "08:00", "end": "08:30", "break_minutes": 45}]}, "longer than"),
    ),
    reply={
        "overtime_hours": "You worked {total} hours, {overtime_hours} of them overtime: {shifts}",
        "": "You worked {total} hours: {shifts}",
    },
)
def timesheet_sum_hours(
    shifts: Annotated[
        list[Shift],
        About(
            "Days of work",
            [{"label": "Monday", "start": "08:30", "end": "17:15", "break_minutes": 45}],
            min_items=1,
            max_items=400,
        ),
    ],
    target_hours: Annotated[float, About("Target hours per shift", 8, minimum=0, maximum=24)] = 8,
) -> Timesheet:
    """Sum a time sheet of starts, ends and breaks, with overtime against a daily target.

    Use it for working hours. An end that is not after the start belongs to the next day.
    """
    rows = [_shift_time(shift, target_hours) for shift in shifts]
    minutes = sum(_minutes(shift) for shift in shifts)
    return {
        "total": f"{minutes // 60}:{minutes % 60:02d}",
        "total_hours": round(minutes / 60, 4),
        "overtime_hours": round(minutes / 60 - target_hours * len(shifts), 4) + 0.0,
        "shifts": rows,
    }


def _minutes(shift: Shift) -> int:
    start, end = clock_of(shift["start"]), clock_of(shift["end"])
    length = (end.hour - start.hour) * 60 + end.minute - start.minute
    worked = (length if length > 0 else length + 1440) - shift["break_minutes"]
    if worked < 0:
        raise ToolError(f"The break of {shift['label']} is longer than the shift. Correct it.")
    return worked


def _shift_time(shift: Shift, target: float) -> ShiftTime:
    minutes = _minutes(shift)
    return {
        "label": shift["label"],
        "worked": f"{minutes // 60}:{minutes % 60:02d}",
        "hours": round(minutes / 60, 4),
        "overtime_hours": round(minutes / 60 - target, 4) + 0.0,
    }
