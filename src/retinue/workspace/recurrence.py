"""Compute the times of recurring events: the daily, weekly, monthly and yearly rules of RFC 5545, section 3.3.10."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from itertools import count as counting
from typing import Literal, cast, get_args

from retinue.core.errors import ValidationFailed
from retinue.core.runtime.whole_numbers import parse_whole_number
from retinue.workspace.datetimes import find_zone, parse_datetime

Rhythm = Literal["DAILY", "WEEKLY", "MONTHLY", "YEARLY"]
MOST = 1000
_DAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
_UNTIL = re.compile(r"(\d{4})(\d{2})(\d{2})(?:T(\d{2})(\d{2})(\d{2})Z)?")
_LONGEST = {"DAILY": 1, "WEEKLY": 7, "MONTHLY": 31, "YEARLY": 366}


@dataclass(frozen=True, slots=True)
class RecurrenceRule:
    """A recurrence rule."""

    rhythm: Rhythm
    interval: int = 1
    count: int | None = None
    until: datetime | None = None
    days: tuple[int, ...] = ()
    """Weekdays of a weekly rule, Monday being 0."""

    @classmethod
    def parse(cls, text: str, zone: str) -> "RecurrenceRule":
        """Parse `FREQ=WEEKLY;BYDAY=MO,WE;COUNT=10`. Raises `ValidationFailed` for unsupported parts."""
        parts = dict(part.partition("=")[::2] for part in text.strip().upper().removeprefix("RRULE:").split(";"))
        rhythm = parts.pop("FREQ", "")
        if rhythm not in get_args(Rhythm):
            raise ValidationFailed(f"recurrence: FREQ must be one of {', '.join(get_args(Rhythm))}.")
        interval = _number(parts.pop("INTERVAL", "1"), "INTERVAL")
        count = _number(parts.pop("COUNT"), "COUNT") if "COUNT" in parts else None
        until = _until(parts.pop("UNTIL"), zone) if "UNTIL" in parts else None
        days = _weekdays(parts.pop("BYDAY")) if rhythm == "WEEKLY" and "BYDAY" in parts else ()
        if parts:
            known = "FREQ, INTERVAL, COUNT, UNTIL and, in weekly rules, BYDAY"
            raise ValidationFailed(f"recurrence: unknown part {sorted(parts)[0][:20]!r}. Use {known}.")
        return cls(cast("Rhythm", rhythm), interval, count, until, days)

    def times(self, start: datetime, since: datetime, until: datetime, zone: str) -> Iterator[datetime]:
        """Yield the times from `since` up to `until`, exclusive; each has the same clock time in `zone`."""
        local = start.astimezone(find_zone(zone))
        for number, day in enumerate(self._days(local.date(), since.date())):
            when = datetime.combine(day, local.time(), find_zone(zone))
            if self._is_over(number, when, until):
                return
            if when >= since:
                yield when

    def _is_over(self, number: int, when: datetime, until: datetime) -> bool:
        ended = self.until is not None and when > self.until
        return ended or when >= until or (self.count is not None and number >= self.count)

    def _days(self, first: date, since: date) -> Iterator[date]:
        """Yield the days of the rule from the first on; those long before `since` are skipped if the rule has no
        count.
        """
        skipped = 0
        if self.count is None and since > first:
            skipped = max((since - first).days // (_LONGEST[self.rhythm] * self.interval) - 1, 0)
        try:
            for period in counting(skipped):
                yield from (day for day in self._of_period(first, period * self.interval) if day >= first)
        except (OverflowError, ValueError):
            return

    def _of_period(self, first: date, number: int) -> Iterator[date]:
        match self.rhythm:
            case "DAILY":
                yield first + timedelta(days=number)
            case "WEEKLY":
                monday = first - timedelta(days=first.weekday()) + timedelta(weeks=number)
                yield from (monday + timedelta(days=day) for day in self.days or (first.weekday(),))
            case "MONTHLY":
                yield from _same_day(
                    first, first.year + (first.month - 1 + number) // 12, (first.month - 1 + number) % 12
                )
            case "YEARLY":
                yield from _same_day(first, first.year + number, first.month - 1)


def _same_day(first: date, year: int, month: int) -> Iterator[date]:
    """Yield the same day in a month counted from 0; nothing if the month lacks that day, as the RFC requires."""
    if year > date.max.year:
        raise OverflowError
    try:
        yield date(year, month + 1, first.day)
    except ValueError:
        return


def _number(text: str, name: str) -> int:
    number = parse_whole_number(text, MOST)
    if not number:
        raise ValidationFailed(f"recurrence: {name} must be a number from 1 to {MOST}.")
    return number


def _weekdays(text: str) -> tuple[int, ...]:
    names = text.split(",")
    if unknown := [name for name in names if name not in _DAYS]:
        raise ValidationFailed(f"recurrence: BYDAY accepts {', '.join(_DAYS)}, not {unknown[0][:10]!r}.")
    return tuple(sorted({_DAYS.index(name) for name in names}))


def _until(text: str, zone: str) -> datetime:
    found = _UNTIL.fullmatch(text)
    if not found:
        raise ValidationFailed("recurrence: UNTIL must be written as 20261231 or 20261231T235959Z.")
    day = "-".join(found.groups()[:3])
    if found.group(4) is None:
        return parse_datetime(f"{day}T{time.max:%H:%M:%S}", "recurrence", zone)
    return parse_datetime(f"{day}T{':'.join(found.groups()[3:])}Z", "recurrence")
