"""Time zones that a request names."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retinue.core.zone_names import zone_called
from retinue.models.reading.zones import is_zone, zones_in


@pytest.mark.parametrize(
    ("request_", "zones"),
    [
        ("3:45 pm Denver time is what in Berlin?", ("Denver time", "Berlin")),
        ("from Chicago to Kolkata, India", ("Chicago", "Kolkata", "India")),
        ("09:00 UTC+5:30 -> JST, please", ("UTC+5:30", "JST")),
        ("change 07:05 from +02:00 to -07:00", ("+02:00", "-07:00")),
        ("2026-01-12 20:30 london in sydney", ("london", "sydney")),
        ("I eat art in the west, at 10-12", ()),
        ("", ()),
    ],
)
def test_zones_are_found_as_they_are_named(request_: str, zones: tuple[str, ...]) -> None:
    assert zones_in(request_) == zones


@given(st.text(max_size=200))
def test_whatever_is_found_is_a_zone(request_: str) -> None:
    assert all(zone_called(name) for name in zones_in(request_))


def test_zones_are_known_by_their_examples() -> None:
    assert is_zone({"type": "string", "examples": ["Europe/Berlin"]})
    assert not is_zone({"type": "string", "examples": ["text/html"]})
    assert not is_zone({"type": "string"})
