"""Due times of random expressions in all zones, compared with an independent computation that checks every minute."""

import os
from calendar import monthrange
from datetime import UTC, date, datetime, timedelta
from functools import cache, lru_cache
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retinue.language.timezone_aliases import zone_names
from retinue.schedules.cron import NICKNAMES, Cron, check_cron

CASES = int(os.environ.get("RETINUE_TEST_CRON_CASES", "100"))
"""Number of random expressions; a longer run can raise it."""

_SECOND, _MINUTE, _DAY = timedelta(seconds=1), timedelta(minutes=1), timedelta(days=1)
_WINDOW = timedelta(hours=40)
_FIRST, _LAST = datetime(2020, 1, 1, tzinfo=UTC), datetime(2050, 1, 1, tzinfo=UTC)
_NAMES = {
    name: str(number)
    for names, first in (("JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC", 1), ("SUN MON TUE WED THU FRI SAT", 0))
    for number, name in enumerate(names.split(), first)
}
SKIPPED_DAY = ("Pacific/Apia", datetime(2011, 12, 30, 10, tzinfo=UTC))


class Fields:
    """An expression, parsed without the library."""

    def __init__(self, expression: str) -> None:
        self._texts = NICKNAMES.get(expression, expression).replace("?", "*").split()
        minute, hour, _, month, _ = self._texts
        bounds = ((minute, 0, 59), (hour, 0, 23), (month, 1, 12))
        self._minutes, self._hours, self._months = (_values(text, low, high) for text, low, high in bounds)
        self._days: dict[date, bool] = {}

    def follows_the_clock(self) -> bool:
        return self._texts[0].startswith("*") or self._texts[1].startswith("*")

    def match(self, local: datetime) -> bool:
        """Return whether the expression matches a local minute."""
        if local.minute not in self._minutes or local.hour not in self._hours or local.month not in self._months:
            return False
        day = local.date()
        if day not in self._days:
            self._days[day] = self._match_day(day)
        return self._days[day]

    def _match_day(self, local: date) -> bool:
        day, weekday = self._texts[2], self._texts[4]
        by_date = any(_is_date(local, term) for term in day.split(","))
        by_weekday = any(_is_weekday(local, term) for term in weekday.split(","))
        both = day.startswith("*") or weekday.startswith("*")
        return (by_date and by_weekday) if both else (by_date or by_weekday)


def _values(text: str, low: int, high: int) -> set[int]:
    return {
        number for number in range(low, high + 1) if any(_is_in(number, term, low, high) for term in text.split(","))
    }


def _is_in(number: int, term: str, low: int, high: int) -> bool:
    span, _, step = term.partition("/")
    first, _, last = (f"{low}-{high}" if span == "*" else span).partition("-")
    first, last = _NAMES.get(first, first), _NAMES.get(last, last)
    end = int(last) if last else high if step else int(first)
    return int(first) <= number <= end and (number - int(first)) % int(step or 1) == 0


def _is_date(local: date, term: str) -> bool:
    end = monthrange(local.year, local.month)[1]
    if term == "L":
        return local.day == end
    if term == "LW":
        weekdays = [day for day in range(1, end + 1) if local.replace(day=day).weekday() < 5]
        return local.day == weekdays[-1]
    return _is_in(local.day, term, 1, 31)


def _is_weekday(local: date, term: str) -> bool:
    name, _, nth = term.partition("#")
    last = len(name) > 1 and name.endswith("L")
    name = name.removesuffix("L") if last else name
    numbers = (7, 0) if local.weekday() == 6 else (local.weekday() + 1,)
    if nth and (local.day - 1) // 7 + 1 != int(nth):
        return False
    if last and (local + 7 * _DAY).month == local.month:
        return False
    return any(_is_in(number, name, 0, 7) for number in numbers)


def due_times(expression: str, shown: list[tuple[datetime, datetime]]) -> list[datetime]:
    """Return the times at which a cron daemon that checks the wall clock every minute would run a job.

    `shown` has the minutes and what the clock shows. Jobs at fixed times run at once if the clock skips their minute,
    and do not run again if it repeats.
    """
    fields, due, latest = Fields(expression), [], shown[0][1]
    for instant, local in shown[1:]:
        if fields.follows_the_clock():
            runs = fields.match(local)
        else:
            skipped = (latest + n * _MINUTE for n in range(1, (local - latest) // _MINUTE + 1))
            runs = any(fields.match(minute) for minute in skipped)
        latest = max(latest, local)
        if runs:
            due.append(instant)
    return due


@lru_cache(32)
def clock(zone: ZoneInfo, start: datetime) -> list[tuple[datetime, datetime]]:
    """Return every minute of a window from `start` on, and what the clock of the zone shows."""
    instants = [start + n * _MINUTE for n in range(2 * _WINDOW // _MINUTE)]
    return [(instant, instant.astimezone(zone).replace(tzinfo=None)) for instant in instants]


@cache
def changes(zone: ZoneInfo) -> list[datetime]:
    """Return the clock changes of a zone, found in steps of half a week and then by minutes."""
    step, found = timedelta(days=3.5), []
    moments = [_FIRST + n * step for n in range((_LAST - _FIRST) // step)]
    for start, end in pairwise(moments):
        if offset(start, zone) != offset(end, zone):
            hours = _first_different(zone, start, timedelta(hours=1))
            found.append(_first_different(zone, hours - timedelta(hours=1), _MINUTE))
    return found


def _first_different(zone: ZoneInfo, start: datetime, step: timedelta) -> datetime:
    moment = start
    while offset(moment, zone) == offset(start, zone):
        moment += step
    return moment


def offset(moment: datetime, zone: ZoneInfo) -> timedelta | None:
    return moment.astimezone(zone).utcoffset()


def _number(low: int, high: int) -> st.SearchStrategy[str]:
    return st.integers(low, high).map(str)


def _field(low: int, high: int, *others: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    ends = st.tuples(st.integers(low, high), st.integers(low, high))
    ranges = ends.map(lambda ends: f"{min(ends)}-{max(ends)}")
    steps = st.builds(
        "{}/{}".format,
        st.just("*") | ranges.filter(lambda text: len(set(text.split("-"))) > 1) | _number(low, high),
        st.integers(1, 20),
    )
    terms = st.one_of(_number(low, high), ranges, steps, *others)
    return st.one_of(st.just("*"), terms, steps, st.lists(terms, min_size=2, max_size=3).map(",".join))


def _is_possible(expression: str) -> bool:
    """Return whether a month with that many days can match."""
    try:
        check_cron(expression)
    except ValueError as error:
        if "which no month" in str(error):
            return False
        raise
    return True


_WEEKDAY = _number(0, 7) | st.sampled_from(list(_NAMES)[12:])
EXPRESSIONS = st.one_of(
    st.tuples(
        _field(0, 59),
        st.one_of(_field(0, 23), _field(0, 4)),
        st.one_of(st.just("*"), st.just("?"), _field(1, 31, st.sampled_from(["L", "LW"]))),
        st.one_of(st.just("*"), _field(1, 12, st.sampled_from(list(_NAMES)[:12]))),
        st.one_of(
            st.just("*"),
            st.just("?"),
            _field(0, 7, _WEEKDAY, st.builds("{}#{}".format, _WEEKDAY, st.integers(1, 5)), _WEEKDAY.map("{}L".format)),
        ),
    ).map(" ".join),
    st.sampled_from(sorted(NICKNAMES)),
).filter(_is_possible)
ZONES = st.sampled_from(sorted(zone_names())).map(ZoneInfo)


@st.composite
def places(draw: st.DrawFn) -> tuple[ZoneInfo, datetime]:
    """A zone, and a clock change there or any other minute."""
    zone = draw(ZONES)
    others = st.integers(0, (_LAST - _FIRST) // _MINUTE).map(lambda minutes: _FIRST + minutes * _MINUTE)
    return zone, draw(st.sampled_from(changes(zone)) if changes(zone) else others)


def check_due_times(expression: str, zone: ZoneInfo, change: datetime, moment: datetime) -> None:
    """Check the due times after a moment near a change, up to the end of the window."""
    cron = Cron(check_cron(expression), zone)
    shown = clock(zone, change - _WINDOW)
    expected = [due for due in due_times(expression, shown) if due > moment][:5]
    for wanted in expected:
        due = cron.after(moment)
        assert due == wanted
        moment = due
    following = cron.after(moment)
    assert following is None or following > moment
    if len(expected) < 5:
        assert following is None or following > shown[-1][0]


@settings(max_examples=CASES)
@given(EXPRESSIONS, places(), st.timedeltas(-_WINDOW / 2, _WINDOW / 2) | st.timedeltas(-2 * _SECOND, 2 * _SECOND))
def test_due_times_around_changes_of_the_clock(
    expression: str, place: tuple[ZoneInfo, datetime], after: timedelta
) -> None:
    check_due_times(expression, *place, place[1] + after)


@settings(max_examples=CASES // 5)
@given(EXPRESSIONS, ZONES, st.timedeltas(timedelta(), _LAST - _FIRST))
def test_due_times_at_any_moment(expression: str, zone: ZoneInfo, since: timedelta) -> None:
    moment = _FIRST + since
    check_due_times(expression, zone, moment.replace(second=0, microsecond=0), moment)


@settings(max_examples=CASES // 5)
@given(EXPRESSIONS, st.timedeltas(-_DAY, _DAY))
def test_due_times_around_a_skipped_day(expression: str, after: timedelta) -> None:
    zone, change = ZoneInfo(SKIPPED_DAY[0]), SKIPPED_DAY[1]
    check_due_times(expression, zone, change, change + after)


@pytest.mark.parametrize("micros", [0, 250_000])
@pytest.mark.parametrize("expression", ["0 * * * *", "*/15 * * * *", "* 0 * * *", "*/30 2 28 3 *", "30 2 * * *"])
def test_the_search_ends_just_before_each_change(expression: str, micros: int) -> None:
    for zone in map(ZoneInfo, ("Europe/Berlin", "America/New_York", "Africa/Cairo", "Australia/Lord_Howe")):
        for change in changes(zone):
            for before in (1, 2, 60, 1800, 3599):
                moment = change - before * _SECOND + timedelta(microseconds=micros)
                due = Cron(expression, zone).after(moment)
                assert due
                assert due > moment


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
        ("", "not 0"),
        ("* * * *", "not 4"),
        ("* * * * * * *", "not 7"),
        ("60 * * * *", "minute '60'"),
        ("* 24 * * *", "hour '24'"),
        ("* * 32 * *", "day-of-month '32'"),
        ("* * * 13 *", "month '13'"),
        ("* * * * MOON", "day-of-week 'MOON'"),
        ("*/0 * * * *", "minute '*/0'"),
        ("5-1 * * * *", "minute '5-1'"),
        ("0 0 30 2 *", "no month '2'"),
        ("0 0 12 * * MON", "drop the first field if it stands for seconds"),
        ("? * * * *", "minute '?'"),
        ("@reboot", "one of @hourly, @daily"),
    ],
)
def test_problems_are_named(expression: str, words: str) -> None:
    with pytest.raises(ValueError, match=words.replace("*", r"\*")):
        check_cron(expression)


@pytest.mark.parametrize(
    ("expression", "stored"),
    [
        ("@Daily", "0 0 * * *"),
        (" @weekly ", "0 0 * * 0"),
        ("0  12 ? * MON", "0 12 * * MON"),
        ("0 12 1 * ?", "0 12 1 * *"),
        ("0 12 * * friL,1", "0 12 * * 5L,1"),
    ],
)
def test_other_spellings(expression: str, stored: str) -> None:
    assert check_cron(expression) == stored


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
