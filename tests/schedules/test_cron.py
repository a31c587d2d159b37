"""Cron expressions around clock changes, compared with an independent computation that checks every minute."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retinue.schedules.cron import Cron, check_cron

_MINUTE = timedelta(minutes=1)
_LONG = timedelta(hours=36)
CHANGES = {
    "Europe/Berlin": ("2026-03-29T01:00Z", "2026-10-25T01:00Z"),
    "America/New_York": ("2026-03-08T07:00Z", "2026-11-01T06:00Z"),
    "Australia/Lord_Howe": ("2026-10-03T15:30Z", "2026-04-04T15:00Z"),
    "America/Santiago": ("2026-09-06T04:00Z", "2026-04-05T03:00Z"),
    "Asia/Beirut": ("2026-03-28T22:00Z", "2026-10-24T21:00Z"),
    "Africa/Casablanca": ("2026-03-22T02:00Z", "2026-02-15T02:00Z"),
    "Pacific/Apia": ("2011-12-30T10:00Z", "2011-04-02T14:00Z"),
    "UTC": ("2026-03-29T01:00Z",),
}
"""Clock changes in both directions. Lord Howe's is half an hour, and Apia once skipped a day."""


class Fields:
    """An expression of numbers, steps and ranges, parsed without the library."""

    def __init__(self, expression: str) -> None:
        self._texts = expression.split()
        bounds = ((0, 59), (0, 23), (1, 31), (1, 12), (0, 6))
        self._sets = [_values(text, *bound) for text, bound in zip(self._texts, bounds, strict=True)]

    def follows_the_clock(self) -> bool:
        return self._texts[0].startswith("*") or self._texts[1].startswith("*")

    def match(self, local: datetime) -> bool:
        """Return whether the expression matches a local minute."""
        minutes, hours, days, months, weekdays = self._sets
        by_date, by_weekday = local.day in days, (local.weekday() + 1) % 7 in weekdays
        both = self._texts[2].startswith("*") or self._texts[4].startswith("*")
        day = (by_date and by_weekday) if both else (by_date or by_weekday)
        return local.minute in minutes and local.hour in hours and local.month in months and day


def _values(text: str, low: int, high: int) -> set[int]:
    found = set()
    for term in text.split(","):
        span, _, step = term.partition("/")
        first, _, last = (f"{low}-{high}" if span == "*" else span).partition("-")
        found |= set(range(int(first), int(last or first) + 1, int(step or 1)))
    return found


def minutes(start: datetime, end: datetime) -> Iterator[datetime]:
    """Yield every minute of the interval, including both ends."""
    while start <= end:
        yield start
        start += _MINUTE


def due_times(expression: str, zone: ZoneInfo, start: datetime, end: datetime) -> list[datetime]:
    """Return the times at which a cron daemon that checks the wall clock every minute would run a job.

    Jobs at fixed times run at once if the clock skips their minute, and do not run again if it repeats.
    """
    fields, due, shown = Fields(expression), [], start.astimezone(zone).replace(tzinfo=None)
    for instant in minutes(start, end):
        local = instant.astimezone(zone).replace(tzinfo=None)
        if fields.follows_the_clock():
            runs = fields.match(local)
        else:
            runs = any(fields.match(minute) for minute in minutes(shown + _MINUTE, local))
        shown = max(shown, local)
        if runs:
            due.append(instant)
    return due


def _number(low: int, high: int) -> st.SearchStrategy[str]:
    return st.integers(low, high).map(str)


def _field(low: int, high: int) -> st.SearchStrategy[str]:
    ranges = st.tuples(st.integers(low, high), st.integers(low, high)).map(lambda ends: f"{min(ends)}-{max(ends)}")
    lists = st.lists(_number(low, high), min_size=2, max_size=3).map(",".join)
    return st.one_of(st.just("*"), _number(low, high), lists, ranges, st.integers(1, 20).map(lambda step: f"*/{step}"))


EXPRESSIONS = st.tuples(
    _field(0, 59), st.one_of(_field(0, 23), _field(0, 4)), _field(1, 31) | st.just("*"), st.just("*"), _field(0, 6)
).map(" ".join)
PLACES = st.sampled_from([(zone, change) for zone, changes in CHANGES.items() for change in changes])


def by_iteration(expression: str, zone: ZoneInfo, start: datetime, end: datetime) -> list[datetime]:
    """Return the due times after `start` by asking for one after the other."""
    cron, found = Cron(expression, zone), []
    moment = cron.after(start)
    while moment is not None and moment <= end:
        found.append(moment)
        moment = cron.after(moment)
    return found


@settings(max_examples=300)
@given(EXPRESSIONS, PLACES, st.integers(0, _LONG // _MINUTE))
def test_due_times_around_changes_of_the_clock(expression: str, place: tuple[str, str], before: int) -> None:
    zone, change = ZoneInfo(place[0]), datetime.fromisoformat(place[1])
    start, end = change - before * _MINUTE, change + timedelta(hours=30)
    expected = [due for due in due_times(expression, zone, change - _LONG, end) if due > start]
    assert by_iteration(expression, zone, start, end) == expected


@pytest.mark.parametrize(
    ("zone", "expression", "after", "due"),
    [
        ("Europe/Berlin", "30 2 * * *", "2026-03-28T12:00+01:00", ["2026-03-29T03:00+02:00", "2026-03-30T02:30+02:00"]),
        ("Europe/Berlin", "30 2 * * *", "2026-10-24T12:00+02:00", ["2026-10-25T02:30+02:00", "2026-10-26T02:30+01:00"]),
        ("Europe/Berlin", "30 2 * * *", "2026-10-25T02:45+02:00", ["2026-10-26T02:30+01:00"]),
        ("Europe/Berlin", "30 2 * * *", "2026-10-25T02:15+01:00", ["2026-10-26T02:30+01:00"]),
        (
            "Europe/Berlin",
            "0,30 2 * * *",
            "2026-03-29T01:30+01:00",
            ["2026-03-29T03:00+02:00", "2026-03-30T02:00+02:00"],
        ),
        ("Europe/Berlin", "30 * * * *", "2026-10-25T02:00+02:00", ["2026-10-25T02:30+02:00", "2026-10-25T02:30+01:00"]),
        ("Europe/Berlin", "30 * * * *", "2026-03-29T01:30+01:00", ["2026-03-29T03:30+02:00"]),
        ("America/New_York", "0 9 * * 1-5", "2026-03-06T09:00-05:00", ["2026-03-09T09:00-04:00"]),
        ("Australia/Lord_Howe", "15 2 * * *", "2026-10-03T12:00+10:30", ["2026-10-04T02:30+11:00"]),
        ("America/Santiago", "0 0 * * *", "2026-09-05T12:00-04:00", ["2026-09-06T01:00-03:00"]),
        ("Asia/Kolkata", "30 9 1 * *", "2026-11-21T00:00Z", ["2026-12-01T04:00Z"]),
        ("UTC", "0 0 29 2 *", "2026-11-21T00:00Z", ["2028-02-29T00:00Z"]),
        ("UTC", "0 12 L * *", "2026-11-21T00:00Z", ["2026-11-30T12:00Z", "2026-12-31T12:00Z"]),
    ],
)
def test_known_due_times(zone: str, expression: str, after: str, due: list[str]) -> None:
    cron, moment = Cron(expression, ZoneInfo(zone)), datetime.fromisoformat(after).astimezone(UTC)
    for expected in due:
        following = cron.after(moment)
        assert following == datetime.fromisoformat(expected)
        moment = following


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        ("", "five fields"),
        ("* * * *", "not 4"),
        ("* * * * * *", "not 6"),
        ("60 * * * *", "minute '60'"),
        ("* 24 * * *", "hour '24'"),
        ("* * 32 * *", "day-of-month '32'"),
        ("* * * 13 *", "month '13'"),
        ("* * * * MOON", "day-of-week 'MOON'"),
        ("*/0 * * * *", "minute '*/0'"),
        ("5-1 * * * *", "minute '5-1'"),
        ("0 0 30 2 *", "no month '2'"),
        ("@daily", "not 1"),
    ],
)
def test_what_is_wrong_is_named(expression: str, words: str) -> None:
    with pytest.raises(ValueError, match=words.replace("*", r"\*")):
        check_cron(expression)


@given(st.text(alphabet="0123456789*/-,#LWMONFEBÄ٣ ?@", max_size=30) | st.text(max_size=30))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        expression = check_cron(text)
    except ValueError:
        return
    due = Cron(expression, ZoneInfo("Europe/Berlin")).after(datetime(2026, 11, 21, tzinfo=UTC))
    assert due is None or due.second == 0


def test_an_expression_that_is_never_due() -> None:
    assert Cron("0 0 */31 2 1#1", ZoneInfo("UTC")).after(datetime(2026, 11, 21, tzinfo=UTC)) is not None
    assert Cron("* * */20 * 1L", ZoneInfo("UTC")).after(datetime(2026, 11, 21, tzinfo=UTC)) is None
