"""The wind triangle has no solution if the headwind stops all progress."""

import pytest

from retinue.tools.authoring.declare import ToolError
from retinue_tools.geo.distances_and_bearings import navigation_solve_wind


@pytest.mark.parametrize(("wind_from", "wind_speed"), [(0, 140), (0, 100), (30, 150)])
def test_a_headwind_above_the_airspeed_is_refused(wind_from: float, wind_speed: float) -> None:
    with pytest.raises(ToolError, match="headwind is too strong"):
        navigation_solve_wind(0, wind_from, wind_speed, 100)


def test_a_tailwind_above_the_airspeed_is_allowed() -> None:
    assert navigation_solve_wind(0, 180, 140, 100)["ground_speed"] == 240
