"""Billing periods: calendar months in UTC."""

from datetime import UTC, date, datetime, timedelta


def period_of(day: date) -> str:
    """Return the period of a day, as YYYY-MM."""
    return f"{day:%Y-%m}"


def first_day(day: date) -> date:
    """Return the first day of the period that contains `day`."""
    return day.replace(day=1)


def next_first_day(day: date) -> date:
    """Return the first day of the period after the one that contains `day`."""
    return first_day(first_day(day) + timedelta(days=32))


def seconds_left(moment: datetime) -> int:
    """Return the seconds until the next period begins, at least 1."""
    following = next_first_day(moment.date())
    return max(1, int((datetime.combine(following, datetime.min.time(), UTC) - moment).total_seconds()) + 1)
