"""Evaluates five-field cron expressions in a time zone, with the semantics of Debian's crontab(5).

Clock changes are handled like in Debian's cron. A job at a fixed time runs once: right after the gap if its time is
skipped, at the first pass if its time occurs twice. A job whose minute or hour field begins with `*` follows local
time: it does not run in skipped time, and runs in both passes of repeated time.
"""

import copy
import re
from bisect import bisect_left
from calendar import monthrange
from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

from cronsim import CronSim, CronSimError
from cronsim.cronsim import SYMBOLIC_DAYS

FIELDS = {
    "minute": "0 to 59",
    "hour": "0 to 23",
    "day-of-month": "1 to 31, L or LW",
    "month": "1 to 12 or JAN to DEC",
    "day-of-week": "0 to 7 or SUN to SAT, such as MON#1 or FRIL",
}
"""The fields in order, with their allowed values."""

NICKNAMES = {
    "@hourly": "0 * * * *",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@weekly": "0 0 * * 0",
    "@monthly": "0 0 1 * *",
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
}
"""Expressions that crontab(5) has names for."""

_DAYS = (2, 4)
"""The places of the fields that accept `?`, which Quartz writes for the day that does not matter."""

_LAST_WEEKDAY = re.compile(f"({'|'.join(SYMBOLIC_DAYS)})(?=L)", re.IGNORECASE)
"""A weekday's name before an L. The library only accepts the weekday's number there."""

_DAY = timedelta(days=1)
_SECOND = timedelta(seconds=1)
_EPOCH = datetime(2000, 1, 1)  # noqa: DTZ001 - any local time will do, because the expression is only parsed


def check_cron(expression: str) -> str:
    """Return the expression as five fields with single spaces. Raises `ValueError` that names the invalid field."""
    parts = NICKNAMES.get(expression.strip().lower(), expression).split()
    if len(parts) == len(FIELDS) + 1:
        raise ValueError(
            f"must have five fields ({', '.join(FIELDS)}), not 6. Seconds and years are not supported: drop the first "
            "field if it stands for seconds, or the last if it stands for years"
        )
    if len(parts) != len(FIELDS):
        raise ValueError(
            f"must have five fields ({', '.join(FIELDS)}), not {len(parts)}, or be one of {', '.join(NICKNAMES)}"
        )
    parts = ["*" if part == "?" and place in _DAYS else part for place, part in enumerate(parts)]
    parts[-1] = _LAST_WEEKDAY.sub(lambda name: str(SYMBOLIC_DAYS.index(name[1].upper())), parts[-1])
    for place, (name, values) in enumerate(FIELDS.items()):
        alone = ["*"] * place + [parts[place]] + ["*"] * (len(FIELDS) - place - 1)
        if not _is_readable(alone):
            raise ValueError(f"has the {name} {parts[place][:20]!r}, which must be made of {values}")
    if not _is_readable(parts):
        raise ValueError(f"names the day {parts[2][:20]!r}, which no month {parts[3][:20]!r} has")
    return " ".join(parts)


def _is_readable(parts: list[str]) -> bool:
    try:
        CronSim(" ".join(parts), _EPOCH)
    except (CronSimError, ValueError, AssertionError):
        return False
    return True


class _LocalTimes(CronSim):
    """The local times that match an expression, which is parsed once.

    The library checks every day, for up to 50 years. This looks up the matching days of a month, which depend only on
    its length and its first weekday.
    """

    def __init__(self, expression: str) -> None:
        super().__init__(expression, _EPOCH)
        self._days: dict[tuple[int, int], list[int]] = {}

    def starting(self, after: datetime) -> Iterator[datetime]:
        """Return the matching times after a local time without microseconds."""
        times = copy.copy(self)
        times.dt = after
        return times

    def advance_day(self) -> bool:
        """Move to the next matching day of the month, or to the first day of the next month."""
        today = self.dt.date()
        day = next((day for day in self._matching_days(today) if day >= today.day), None)
        if day == today.day:
            return False
        found = today.replace(day=day) if day else (today.replace(day=1) + 31 * _DAY).replace(day=1)
        self.dt = datetime.combine(found, time())
        return True

    def _matching_days(self, month: date) -> list[int]:
        kind = monthrange(month.year, month.month)
        if kind not in self._days:
            self._days[kind] = [day for day in range(1, kind[1] + 1) if self.match_day(month.replace(day=day))]
        return self._days[kind]


class Cron:
    """Computes when an expression is due in a time zone. All instants are aware and in UTC."""

    def __init__(self, expression: str, zone: ZoneInfo) -> None:
        self._local_times = _LocalTimes(expression)
        self._zone = zone
        self._follows_the_clock = any(field.startswith("*") for field in expression.split()[:2])

    def after(self, moment: datetime) -> datetime | None:
        """Return the first due time after an instant, or None if there is none within 50 years."""
        second = moment.replace(microsecond=0)  # Due times are whole seconds, and so are clock changes.
        try:
            return self._by_local_time(second) if self._follows_the_clock else self._at_fixed_times(second)
        except OverflowError:
            return None

    def _at_fixed_times(self, moment: datetime) -> datetime | None:
        local = moment.astimezone(self._zone).replace(tzinfo=None)
        instants = (self._instant(one) for one in self._local_times.starting(local))
        return next((one for one in instants if one > moment), None)

    def _by_local_time(self, moment: datetime) -> datetime | None:
        """Search between two clock changes at a time, where differences of local times equal those of instants.

        Only changes near the moment or near the due time matter: clocks shift by less than two days, so changes in
        between can neither repeat local times before the moment nor reach the due time.
        """
        while True:
            offset = self._offset(moment + _SECOND)
            local = next(self._local_times.starting((moment + offset).replace(tzinfo=None)), None)
            if local is None:
                return None
            due = local.replace(tzinfo=UTC) - offset
            is_near = due - moment <= 4 * _DAY
            change = self._first_change(moment + _SECOND, due if is_near else moment + 2 * _DAY)
            if change is None and is_near:
                return due
            moment = change - _SECOND if change else due - 2 * _DAY

    def _instant(self, local: datetime) -> datetime:
        """Return the first instant with this local time, or the end of the gap if clocks skip it."""
        instant = local.replace(tzinfo=self._zone).astimezone(UTC)
        if instant.astimezone(self._zone).replace(tzinfo=None) == local:
            return instant
        # Within a gap, the offset before the gap yields an instant after it.
        return self._first_change(instant - _DAY, instant) or instant

    def _first_change(self, start: datetime, end: datetime) -> datetime | None:
        """Return the first second in (`start`, `end`] with another UTC offset. Every offset lasts at least a day."""
        offset = self._offset(start)
        while start < end:
            later = min(start + _DAY, end)
            if self._offset(later) != offset:
                seconds = range(int((later - start).total_seconds()))
                changed = bisect_left(seconds, True, key=lambda n: self._offset(start + n * _SECOND) != offset)
                return start + changed * _SECOND
            start = later
        return None

    def _offset(self, moment: datetime) -> timedelta:
        return moment.astimezone(self._zone).utcoffset() or timedelta()


@lru_cache(1024)
def cron_in(expression: str, zone: str) -> Cron:
    """Return the expression in an IANA time zone, cached."""
    return Cron(expression, ZoneInfo(zone))
