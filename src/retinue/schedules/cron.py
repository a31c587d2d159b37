"""Evaluates five-field cron expressions in a time zone, with the semantics of Debian's crontab(5).

Clock changes are handled like in Debian's cron. A job at a fixed time runs once: right after the gap if its time is
skipped, at the first pass if its time occurs twice. A job whose minute or hour field begins with `*` follows local
time: it does not run in skipped time, and runs in both passes of repeated time.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

from cronsim import CronSim, CronSimError

FIELDS = {
    "minute": "0 to 59",
    "hour": "0 to 23",
    "day-of-month": "1 to 31, L or LW",
    "month": "1 to 12 or JAN to DEC",
    "day-of-week": "0 to 7 or SUN to SAT, such as MON#1 or FRIL",
}
"""The fields in order, with their allowed values."""

_DAY = timedelta(days=1)
_SECOND = timedelta(seconds=1)
_EPOCH = datetime(2000, 1, 1)  # noqa: DTZ001 - any local time will do, because the expression is only parsed


def check_cron(expression: str) -> str:
    """Return the expression with single spaces. Raises `ValueError` that names the invalid field."""
    parts = expression.split()
    if len(parts) != len(FIELDS):
        raise ValueError(f"must have five fields ({', '.join(FIELDS)}), not {len(parts)}")
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


class Cron:
    """Computes when an expression is due in a time zone. All instants are aware and in UTC."""

    def __init__(self, expression: str, zone: ZoneInfo) -> None:
        self._expression = expression
        self._zone = zone
        self._follows_the_clock = any(field.startswith("*") for field in expression.split()[:2])

    def after(self, moment: datetime) -> datetime | None:
        """Return the first due time after an instant, or None if there is none within 50 years."""
        try:
            return self._on_the_wall(moment) if self._follows_the_clock else self._at_fixed_times(moment)
        except OverflowError:
            return None

    def _at_fixed_times(self, moment: datetime) -> datetime | None:
        local = moment.astimezone(self._zone).replace(tzinfo=None)
        instants = (self._instant(one) for one in self._local_times(local))
        return next((one for one in instants if one > moment), None)

    def _on_the_wall(self, moment: datetime) -> datetime | None:
        """Search between two clock changes at a time, where differences of local times equal those of instants."""
        while True:
            offset = self._offset(moment + _SECOND)
            local = next(self._local_times((moment + offset).replace(tzinfo=None)), None)
            if local is None:
                return None
            due = local.replace(tzinfo=UTC) - offset
            change = self._first_change(moment + _SECOND, due)
            if change is None:
                return due
            moment = change - _SECOND

    def _local_times(self, after: datetime) -> Iterator[datetime]:
        return CronSim(self._expression, after)

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
                return self._change_between(start, later)
            start = later
        return None

    def _change_between(self, start: datetime, end: datetime) -> datetime:
        offset = self._offset(start)
        while end - start > _SECOND:
            middle = start + timedelta(seconds=(end - start) // _SECOND // 2)
            start, end = (middle, end) if self._offset(middle) == offset else (start, middle)
        return end.replace(microsecond=0)

    def _offset(self, moment: datetime) -> timedelta:
        return moment.astimezone(self._zone).utcoffset() or timedelta()


@lru_cache(1024)
def cron_in(expression: str, zone: str) -> Cron:
    """Return the expression in an IANA time zone, cached."""
    return Cron(expression, ZoneInfo(zone))
