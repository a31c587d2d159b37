"""Holidays and their dates."""

from datetime import date

import pytest

from retinue_assistant.text_parsing.holidays import easter_sunday, write_holidays

TODAY = date(2026, 11, 30)


@pytest.mark.parametrize(
    ("year", "day"),
    [(1818, "1818-03-22"), (1943, "1943-04-25"), (1961, "1961-04-02"), (2000, "2000-04-23"), (2038, "2038-04-25")],
)
def test_easter_has_the_days_of_the_tables(year: int, day: str) -> None:
    assert easter_sunday(year).isoformat() == day


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("until Christmas", "until 2026-12-25"),
        ("since Halloween", "since 2026-10-31"),
        ("until the next Good Friday", "until the next 2027-03-26"),
        ("since Easter Monday", "since 2026-04-06"),
        ("before Easter 2030", "before 2030-04-21"),
        ("until Christmas 0000", "until 2026-12-25 0000"),
        ("Tell me about Easter", "Tell me about Easter"),
    ],
)
def test_a_holiday_after_until_or_since_gets_its_date(text: str, written: str) -> None:
    assert write_holidays(text, TODAY) == written
