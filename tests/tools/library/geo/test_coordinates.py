"""Signs and letters of coordinates: south and west are negative, and a minus must not contradict the letter."""

import pytest

from retinue.tools.authoring.declare import ToolError
from retinue_tools.geo.coordinates import angle_convert_notation, coordinates_convert_notation


@pytest.mark.parametrize(
    ("text", "latitude", "longitude"),
    [
        ("-33.8688 S, 151.2093 E", -33.8688, 151.2093),
        ("33.8688 S, 151.2093 E", -33.8688, 151.2093),
        ("40.7, -74 W", 40.7, -74),
        ("S -33.8688, E +151.2093", -33.8688, 151.2093),
    ],
)
def test_signs_and_letters(text: str, latitude: float, longitude: float) -> None:
    found = coordinates_convert_notation(text)
    assert (found["latitude"], found["longitude"]) == (latitude, longitude)


@pytest.mark.parametrize("text", ["-33.8688 N, 151.2093 E", "33.8688 N, -151.2093 E"])
def test_a_minus_that_contradicts_the_letter_is_refused(text: str) -> None:
    with pytest.raises(ToolError, match="contradicts"):
        coordinates_convert_notation(text)


def test_a_single_angle_south() -> None:
    assert angle_convert_notation("-33.5 S")["degrees"] == -33.5
