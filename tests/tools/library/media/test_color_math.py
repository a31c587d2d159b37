"""Laws of the colour spaces."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retinue_tools.media._color_math import (
    DEFICIENCIES,
    contrast,
    deficient,
    difference,
    from_oklab,
    linear,
    oklab,
    transfer_curve,
)

colors = st.tuples(*[st.integers(0, 255).map(lambda part: part / 255)] * 3)


@given(colors)
def test_oklab_and_back_is_the_same_color(color: tuple[float, float, float]) -> None:
    assert from_oklab(oklab(color)) == pytest.approx(color, abs=1e-3)


@given(st.floats(0, 1))
def test_transfer_curve_is_undone(part: float) -> None:
    assert transfer_curve(linear(part)) == pytest.approx(part, abs=1e-6)


@given(colors, colors)
def test_contrast_is_symmetric_and_bounded(
    first: tuple[float, float, float], second: tuple[float, float, float]
) -> None:
    assert contrast(first, second) == contrast(second, first)
    assert 1 <= contrast(first, second) <= 21.0001


@given(st.floats(0, 1), st.sampled_from(sorted(DEFICIENCIES)))
def test_greys_look_the_same_to_everybody(grey: float, kind: str) -> None:
    assert deficient((grey, grey, grey), kind) == pytest.approx((grey,) * 3, abs=1e-4)


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ((50, 2.6772, -79.7751), (50, 0, -82.7485), 2.0425),
        ((50, 2.5, 0), (50, 0, -2.5), 4.3065),
        ((60.2574, -34.0099, 36.2677), (60.4626, -34.1751, 39.4387), 1.2644),
        ((2.0776, 0.0795, -1.1350), (0.9033, -0.0636, -0.5514), 0.9082),
    ],
)
def test_ciede2000_agrees_with_the_published_pairs(
    first: tuple[float, float, float], second: tuple[float, float, float], expected: float
) -> None:
    """Test data of Sharma, Wu, Dalal (2005), table 1."""
    assert difference(first, second) == pytest.approx(expected, abs=1e-4)
