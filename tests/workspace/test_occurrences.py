"""Free times of a calendar, compared with the definition: a time is free if no event overlaps it."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retinue.core.errors import ValidationFailed
from retinue.workspace.occurrences import MOST, Interval, free_times, next_occurrence, occurrences, working_hours

START = datetime(2026, 3, 1, tzinfo=UTC)


def at(minute: int) -> datetime:
    return START + timedelta(minutes=minute)


INTERVALS = st.lists(st.tuples(st.integers(0, 300), st.integers(1, 60)), max_size=12)


def gaps(busy: list[Interval], begin: datetime, end: datetime, at_least: timedelta) -> list[Interval]:
    """Return the free times in a window, given all busy times."""
    found, free = [], begin
    for start, stop in sorted(busy):
        if min(start, end) - free >= at_least:
            found.append((free, min(start, end)))
        free = max(free, stop)
    return [*found, (free, end)] if end - free >= at_least else found


@given(busy=INTERVALS, cuts=st.sets(st.integers(0, 360), max_size=8), at_least=st.integers(1, 40))
def test_free_times_are_those_of_each_window(busy: list[tuple[int, int]], cuts: set[int], at_least: int) -> None:
    taken = [(at(start), at(start + length)) for start, length in busy]
    edges = sorted(cuts)
    windows = [(at(begin), at(end)) for begin, end in zip(edges[::2], edges[1::2], strict=False)]
    least = timedelta(minutes=at_least)
    wanted = [gap for begin, end in windows for gap in gaps(taken, begin, end, least)]
    assert list(free_times(taken, windows, least)) == wanted


def test_an_event_without_length_parts_a_free_time() -> None:
    noon = at(720)
    assert list(free_times([(noon, noon)], [(at(600), at(800))], timedelta(minutes=5))) == [
        (at(600), noon),
        (noon, at(800)),
    ]


def test_a_day_on_which_clocks_change_is_as_long_as_it_is() -> None:
    first, last = datetime(2026, 3, 28, 23, tzinfo=UTC), datetime(2026, 3, 29, 22, tzinfo=UTC)
    assert list(working_hours(first, last, "Europe/Berlin", (0, 24), weekends=True)) == [(first, last)]


def event(number: int) -> dict[str, str]:
    times = {"start": "2026-01-01T00:00:00+00:00", "end": "2026-01-01T00:01:00+00:00"}
    return {"id": f"event-{number}", **times, "zone": "UTC", "recurrence": "FREQ=DAILY"}


def test_occurrences_are_bounded() -> None:
    first, last = datetime(2026, 1, 1, tzinfo=UTC), datetime(2027, 1, 1, tzinfo=UTC)
    most = MOST // 365
    assert len(occurrences(map(event, range(most)), first, last)) == 365 * most
    with pytest.raises(ValidationFailed, match="more than 50,000 times in that period"):
        occurrences(map(event, range(most + 1)), first, last)


def event_at(start: str, recurrence: str) -> dict[str, object]:
    """An event of an hour in Berlin."""
    begins = datetime.fromisoformat(start)
    ends = (begins + timedelta(hours=1)).isoformat()
    return {"start": start, "end": ends, "zone": "Europe/Berlin", "recurrence": recurrence}


@pytest.mark.parametrize(
    ("start", "recurrence", "following"),
    [
        ("2026-02-28T23:30:00+00:00", "", datetime(2026, 2, 28, 23, 30, tzinfo=UTC)),
        ("2026-02-28T22:00:00+00:00", "", None),
        ("2390-01-01T00:00:00+00:00", "", datetime(2390, 1, 1, tzinfo=UTC)),
        ("2020-04-06T18:00:00+00:00", "FREQ=WEEKLY", datetime(2026, 3, 2, 19, tzinfo=UTC)),
        ("2020-02-29T12:00:00+00:00", "FREQ=YEARLY", datetime(2028, 2, 29, 12, tzinfo=UTC)),
        ("2020-04-06T18:00:00+00:00", "FREQ=WEEKLY;COUNT=3", None),
    ],
)
def test_the_next_occurrence_is_the_first_that_has_not_ended(
    start: str, recurrence: str, following: datetime | None
) -> None:
    found = next_occurrence(event_at(start, recurrence), START)
    assert (found and found.begin) == following
