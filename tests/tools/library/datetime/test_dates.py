"""Days by their number in the year, at the ends of the calendar."""

import pytest

from retinue_tools.datetime.dates import date_find_ordinal


@pytest.mark.parametrize(
    ("code", "date", "days_left"),
    [("9999-001", "9999-01-01", 364), ("9999-365", "9999-12-31", 0), ("2000-366", "2000-12-31", 0)],
)
def test_a_day_by_its_number(code: str, date: str, days_left: int) -> None:
    found = date_find_ordinal(code=code)
    assert (found["date"], found["days_left"]) == (date, days_left)
