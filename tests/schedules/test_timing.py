"""When each due time is handled, compared with a computation that lists all due times, and the jitter."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from retinue.schedules.due_times import DueTime, due_after, starts_at, turn_of

START = datetime(2026, 3, 28, tzinfo=UTC)


@dataclass
class Schedule:
    """The columns that timing reads."""

    id: int
    cron: str | None
    at: datetime | None
    timezone: str
    missed: str
    jitter_s: int
    next_at: datetime | None


SCHEDULES = st.builds(
    Schedule,
    id=st.integers(1, 10**6),
    cron=st.sampled_from(["* * * * *", "*/7 * * * *", "0 * * * *", "30 2 * * *", "15 1,2,3 * * *", "0 12 * * 1"]),
    at=st.none(),
    timezone=st.sampled_from(["UTC", "Europe/Berlin", "America/New_York"]),
    missed=st.sampled_from(["once", "skip"]),
    jitter_s=st.sampled_from([0, 1, 30, 3600]),
    next_at=st.none(),
)


def all_due(schedule: Schedule, first: datetime, until: datetime) -> list[datetime]:
    """Return the due times from `first` on that start no later than `until`."""
    found: list[datetime] = []
    due: datetime | None = first
    while due is not None and starts_at(schedule, due) <= until:
        found.append(due)
        due = due_after(schedule, due)
    return found


@given(SCHEDULES, st.integers(-100, 3 * 24 * 3600), st.integers(0, 24 * 3600))
def test_the_due_times_to_handle_now(plan: Schedule, seconds: int, up: int) -> None:
    first = due_after(plan, START)
    assert first
    schedule = replace(plan, next_at=first)
    moment = first + timedelta(seconds=seconds)
    due = all_due(schedule, first, moment)
    up_since = moment - timedelta(seconds=up)
    missed = [one for one in due if starts_at(schedule, one) < up_since]
    turn = turn_of(schedule, moment, up_since)
    if not due:
        assert turn is None
    elif first not in missed:
        assert turn == DueTime(first, None, False, due_after(schedule, first))
    else:
        assert turn == DueTime(missed[-1], first, plan.missed == "skip", due_after(schedule, missed[-1]))


@given(SCHEDULES)
def test_jitter_keeps_the_order_and_never_changes(plan: Schedule) -> None:
    due = due_after(plan, START)
    for _ in range(5):
        assert due
        following = due_after(plan, due)
        assert following
        start = starts_at(plan, due)
        assert start == starts_at(
            replace(
                plan,
            ),
            due,
        )
        assert due <= start < following or (start == due == following)
        assert start - due <= timedelta(seconds=plan.jitter_s)
        due = following


def test_jitter_differs_between_schedules() -> None:
    due = START + timedelta(hours=1)
    row = Schedule(1, "0 * * * *", None, "UTC", "once", 600, due)
    starts = {starts_at(replace(row, id=number), due) for number in range(100)}
    assert len(starts) > 90
    assert max(starts) - min(starts) > timedelta(minutes=5)


def test_a_year_of_minutes_is_one_missed_run() -> None:
    row = Schedule(1, "* * * * *", None, "Europe/Berlin", "once", 0, START)
    moment = START + timedelta(days=365, seconds=30)
    turn = turn_of(row, moment, moment)
    assert turn
    assert (turn.due, turn.missed_since) == (START + timedelta(days=365), START)


def test_a_single_date_that_was_missed() -> None:
    row = Schedule(1, None, START, "UTC", "once", 0, START)
    moment = START + timedelta(days=1)
    assert turn_of(row, moment, moment) == DueTime(START, START, False, None)
    assert turn_of(replace(row, missed="skip"), moment, moment) == DueTime(START, START, True, None)
