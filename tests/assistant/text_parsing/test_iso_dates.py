"""Dates and clock times in words become ISO 8601, and everything else stays."""

import calendar
from datetime import date, time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retinue_assistant.text_parsing.iso_dates import has_iso_dates, write_iso_dates

FORMATS = (
    "{0.day} {month} {0.year}",
    "{0.day}th of {month} {0.year}",
    "{month} {0.day}, {0.year}",
    "{short} {0.day} {0.year}",
    "{0.day} {short}. {0.year}",
)


@given(st.dates(date(1000, 1, 1)), st.sampled_from(FORMATS))
def test_every_date_is_written_in_the_same_way(day: date, form: str) -> None:
    names = {"month": calendar.month_name[day.month], "short": calendar.month_abbr[day.month]}
    text = write_iso_dates(f"Since {form.format(day, **names)}, please")
    assert text == f"Since {day.isoformat()}, please"
    assert has_iso_dates(text)


@given(st.times())
def test_every_clock_time_is_written_in_the_same_way(moment: time) -> None:
    clock = moment.replace(second=0, microsecond=0)
    assert write_iso_dates(f"at {clock.strftime('%I:%M %p')}!") == f"at {clock.isoformat('minutes')}!"
    assert write_iso_dates(f"at {int(clock.strftime('%I'))}.{clock:%M}{clock:%p}") == f"at {clock.isoformat('minutes')}"


@pytest.mark.parametrize(
    "text", ["5 May", "3 may be 2024", "version 3.2.1 am", "the sum of 14 and 2024", "march 5 miles", "13 pm", "9 amps"]
)
def test_other_texts_stay(text: str) -> None:
    assert write_iso_dates(text) == text
    assert not has_iso_dates(text)
