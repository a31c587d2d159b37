"""The heat index of the US weather service, with its adjustments and its limits."""

import pytest

from retinue_tools.science.weather_and_julian_dates import weather_assess_comfort


@pytest.mark.parametrize(
    ("fahrenheit", "humidity", "index"),
    [
        (90, 70, 105.9),
        (100, 50, 118.3),
        (80.1, 10, 79.2),
        (95, 5, 90.18 - 2),
        (82, 90, 91.5 + 0.5),
    ],
)
def test_the_heat_index_is_that_of_the_table(fahrenheit: float, humidity: float, index: float) -> None:
    found = weather_assess_comfort((fahrenheit - 32) / 1.8, humidity)["heat_index_c"]
    assert found is not None
    assert found * 1.8 + 32 == pytest.approx(index, abs=0.1)


@pytest.mark.parametrize(("celsius", "humidity"), [(60, 100), (45, 100), (55, 5), (26, 50)])
def test_there_is_no_index_outside_the_limits(celsius: float, humidity: float) -> None:
    found = weather_assess_comfort(celsius, humidity)
    assert found["heat_index_c"] is None
    assert found["feels_like_c"] == celsius
