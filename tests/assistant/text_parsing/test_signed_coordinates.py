"""Coordinates with a hemisphere."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retinue_assistant.text_parsing.signed_coordinates import write_signed_coordinates


@pytest.mark.parametrize(
    ("text", "signed"),
    [
        ("UTM zone of 37.77 N, 122.42 W?", "UTM zone of 37.77, -122.42?"),
        ("from 50.0\u00b0N 5.0\u00b0W to 58.5\u00b0S 3\u00b0E", "from 50.0, -5.0 to -58.5, 3"),
        ("a 5 W lamp at 3 S", "a 5 W lamp at 3 S"),
    ],
)
def test_south_and_west_are_negative(text: str, signed: str) -> None:
    assert write_signed_coordinates(text) == signed


@given(st.floats(0, 90), st.sampled_from("NS"), st.floats(0, 180), st.sampled_from("EW"))
def test_every_place_is_recognised(latitude: float, vertical: str, longitude: float, horizontal: str) -> None:
    written = write_signed_coordinates(f"{latitude:.4f}\u00b0 {vertical}, {longitude:.4f} {horizontal}")
    signs = "-" * (vertical == "S"), "-" * (horizontal == "W")
    assert written == f"{signs[0]}{latitude:.4f}, {signs[1]}{longitude:.4f}"
