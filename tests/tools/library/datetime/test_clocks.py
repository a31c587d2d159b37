"""Times of day, written on the 24-hour and the 12-hour clock."""

from hypothesis import given
from hypothesis import strategies as st

from retinue_tools.datetime.clocks import clock_seconds

SIXTY = st.integers(0, 59)


@given(st.integers(0, 23), SIXTY, SIXTY)
def test_a_time_of_day_in_seconds(hour: int, minute: int, second: int) -> None:
    expected = hour * 3600 + minute * 60 + second
    assert clock_seconds(f"{hour:02}:{minute:02}:{second:02}") == expected
    half = "pm" if hour >= 12 else "am"
    assert clock_seconds(f"{hour % 12 or 12}:{minute:02}:{second:02} {half}") == expected
