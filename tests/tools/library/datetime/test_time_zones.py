"""Daylight saving, also where the law makes summer time the standard and winter time the exception."""

import pytest

from retinue_tools.datetime.time_zone_rules import time_list_clock_changes
from retinue_tools.datetime.time_zones import time_convert_timezone


@pytest.mark.parametrize(
    ("zone", "time", "expected"),
    [
        ("Europe/Dublin", "2026-01-15T12:00", False),
        ("Europe/Dublin", "2026-04-10T12:00", True),
        ("Europe/Dublin", "2026-07-15T12:00", True),
        ("Europe/Dublin", "1970-01-15T12:00", False),
        ("Europe/London", "2026-01-15T12:00", False),
        ("Europe/London", "2026-07-15T12:00", True),
        ("Australia/Sydney", "2026-01-15T12:00", True),
        ("Africa/Casablanca", "2026-07-15T12:00", False),
        ("Asia/Tokyo", "2026-07-15T12:00", False),
    ],
)
def test_daylight_saving_is_in_summer(zone: str, time: str, expected: bool) -> None:
    assert time_convert_timezone(time, zone, "UTC")["source"]["daylight_saving"] is expected


def test_changes_in_dublin_lead_to_daylight_saving_in_march() -> None:
    changes = time_list_clock_changes("Europe/Dublin", "2026-01-01", "2026-12-31")["changes"]
    assert [change["daylight_saving"] for change in changes] == [True, False]
