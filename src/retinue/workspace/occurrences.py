"""Compute the occurrences of calendar events within a period, and the free times between them.

All times are in UTC.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from retinue.core.errors import ValidationFailed
from retinue.workspace.datetimes import NEVER, find_zone, parse_datetime
from retinue.workspace.recurrence import RecurrenceRule

MOST = 50_000
"""Maximum number of occurrences per call."""

_EARLIEST = parse_datetime("0001-03-01", "since")

Interval = tuple[datetime, datetime]
"""Start and end, the end excluded."""


class Occurrence(NamedTuple):
    """One occurrence of an event. `event` has the fields of `Event` in the calendar's tools."""

    begin: datetime
    end: datetime
    event: Mapping[str, Any]


def occurrences(events: Iterable[Mapping[str, object]], first: datetime, last: datetime) -> list[Occurrence]:
    """Return all occurrences of events within a period. Raises `ValidationFailed` if there are more than `MOST`."""
    found: list[Occurrence] = []
    for event in events:
        found += _times(event, first, last)
        if len(found) > MOST:
            raise ValidationFailed(
                f"The events happen more than {MOST:,} times in that period. Ask for a shorter period."
            )
    return found


def next_occurrence(event: Mapping[str, object], since: datetime) -> Occurrence | None:
    """Return the first occurrence of an event that ends after `since`, or None if it has passed."""
    return next(_times(event, since, NEVER), None)


def _times(event: Mapping[str, Any], first: datetime, last: datetime) -> Iterator[Occurrence]:
    start, end = parse_datetime(event["start"], "start"), parse_datetime(event["end"], "end")
    lasts = end - start
    begins: Iterable[datetime] = (start,)
    if event["recurrence"]:
        since = earliest(first) - lasts
        begins = RecurrenceRule.parse(event["recurrence"], event["zone"]).times(start, since, last, event["zone"])
    for begin in begins:
        # In the zone of a repeating event, so that it ends at the same clock time across a daylight saving change.
        end = begin + lasts
        if begin < last and (end > first or begin >= first):
            yield Occurrence(begin.astimezone(UTC), end.astimezone(UTC), event)


def earliest(first: datetime) -> datetime:
    """Return the beginning of a period, late enough to subtract a month."""
    return max(first, _EARLIEST)


def free_times(busy: Iterable[Interval], windows: Iterable[Interval], at_least: timedelta) -> Iterator[Interval]:
    """Yield the free times within windows that are at least `at_least` long, earliest first.

    Windows are sorted and do not overlap. Takes time proportional to the number of windows and busy intervals.
    """
    merged = _merge(busy)
    place = 0
    for begin, end in windows:
        while place < len(merged) and merged[place][1] <= begin:
            place += 1
        free, ahead = begin, place
        while free < end:
            start, stop = merged[ahead] if ahead < len(merged) else (end, end)
            if min(start, end) - free >= at_least:
                yield free, min(start, end)
            free = max(free, stop if start < end else end)
            ahead += 1


def _merge(intervals: Iterable[Interval]) -> Sequence[Interval]:
    """Sort intervals, and merge overlapping and adjacent ones."""
    merged: list[Interval] = []
    for start, stop in sorted(intervals):
        if merged and start <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(stop, merged[-1][1])
        else:
            merged.append((start, stop))
    return merged


def working_hours(
    first: datetime, last: datetime, zone: str, hours: tuple[int, int], weekends: bool
) -> Iterator[Interval]:
    """Yield the given hours of each day in a zone, within a period that ends before the year 9999."""
    day = first.astimezone(find_zone(zone)).replace(hour=0, minute=0, second=0, microsecond=0)
    while day < last:
        midnight = day + timedelta(days=1)
        begin, end = (day.replace(hour=hour) if hour < 24 else midnight for hour in hours)
        if weekends or day.weekday() < 5:
            yield max(begin, first).astimezone(UTC), min(end, last).astimezone(UTC)
        day = midnight
