"""Durations and epochs: each notation leads back to the same value."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retinue_tools.datetime.durations import duration_convert_format, seconds_of
from retinue_tools.datetime.epochs import time_convert_epochs, time_make_timestamp, time_read_timestamp


@given(st.integers(-(10**9), 10**9))
def test_all_notations_of_a_duration_mean_the_same(seconds: int) -> None:
    duration = duration_convert_format(f"{seconds} s")
    assert seconds_of(duration["iso"]) == seconds
    assert seconds_of(duration["clock"]) == seconds


@given(st.integers(-(10**10), 10**10))
def test_a_time_stamp_survives_its_date(seconds: int) -> None:
    assert time_make_timestamp(time_read_timestamp(seconds, "seconds")["utc"])["seconds"] == seconds


@pytest.mark.parametrize(
    ("timestamp", "clock"),
    [
        (1700000000.123, "22:13:20.123000"),
        (1700000000.1, "22:13:20.100000"),
        (1700000000123.4, "22:13:20.123400"),
        (-0.1, "23:59:59.900000"),
        (1700000000123456789, "22:13:20.123456"),
    ],
)
def test_a_time_stamp_keeps_its_decimals(timestamp: float, clock: str) -> None:
    assert time_read_timestamp(timestamp)["utc"][11:26] == clock


@given(st.integers(-(10**9), 10**10))
def test_every_epoch_leads_back_to_the_same_moment(seconds: int) -> None:
    first = time_convert_epochs(str(seconds), "unix")
    for system in ("windows_filetime", "dotnet_ticks", "mac_hfs", "ntp", "webkit", "apple_cocoa"):
        assert time_convert_epochs(first["values"][system], system)["utc"] == first["utc"]
