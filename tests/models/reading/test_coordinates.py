"""Places on Earth in requests."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retinue.models.reading.coordinates import coordinates_in, stated_coordinates

_FROM_TO = ["from_latitude", "from_longitude", "to_latitude", "to_longitude"]


@pytest.mark.parametrize(
    ("request_", "places"),
    [
        ("from 53.3498, -6.2603 to 51.8985, -8.4756, 1 decimal", [(53.3498, -6.2603), (51.8985, -8.4756)]),
        ("55.9533 N 3.1883 W to 51.4816 N 4.3791 W", [(55.9533, -3.1883), (51.4816, -4.3791)]),
        ("Toronto (43.6532, -79.3832) to Vancouver (49.28, -123.12)", [(43.6532, -79.3832), (49.28, -123.12)]),
        ("at 33.8688\u00b0 S, 151.2093\u00b0 E", [(-33.8688, 151.2093)]),
        ("the mean of 12.41, 190.55", []),
        ("4, 5 and 6", []),
        ("3.5 4.25 W", []),
    ],
)
def test_places_are_read(request_: str, places: list[tuple[float, float]]) -> None:
    assert coordinates_in(request_) == places


def test_arguments_in_pairs_are_places_in_order() -> None:
    wanted = dict(zip(_FROM_TO, [53.3498, -6.2603, 51.8985, -8.4756], strict=True))
    assert stated_coordinates([*_FROM_TO, "radius"], "from 53.3498, -6.2603 to 51.8985, -8.4756") == wanted
    assert stated_coordinates(_FROM_TO, "from 53.3498, -6.2603 to Cork") == {}
    assert stated_coordinates(["longitude", "latitude"], "53.3498, -6.2603") == {}
    assert stated_coordinates(["text"], "53.3498, -6.2603") == {}


@given(st.text(alphabet="0123456789.,-NSEW \u00b0()", max_size=80))
def test_any_text_can_be_read(text: str) -> None:
    for latitude, longitude in coordinates_in(text):
        assert abs(latitude) <= 90
        assert abs(longitude) <= 180
