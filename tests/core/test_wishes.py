"""What people say of the answer, and facts that they recall, is told apart from what they ask for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retinue.core.wishes import without_wishes


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("17.5% of 264 to two decimals please", "17.5% of 264"),
        ("pressure at 22 °C with R = 8.314 J/(mol K), 0 °C = 273.15 K", "pressure at 22 °C with ,"),
        ("5 miles in km (1 mile = 1.609344 km)", "5 miles in km"),
        ("how many MB, 1 MB = 1,000,000 bytes, is it", "how many MB, , is it"),
        ("change 20 USD at 1 USD = 0.92 EUR", "change 20 USD at 1 USD = 0.92 EUR"),
        ("30 mph in kJ (1 mph = 0.44704 m/s)", "30 mph in kJ"),
        ("a bearing (0 to 360) to 1 light year = 9.461e12 km", "a bearing to"),
        ("convert 1 mile = km", "convert 1 mile = km"),
        ("solve 1 = x + 3", "solve 1 = x + 3"),
    ],
)
def test_what_is_left(text: str, left: str) -> None:
    assert " ".join(without_wishes(text).split()) == left


@given(st.text(alphabet="01 kmgb=.,RJ()°C8314 please", max_size=200))
def test_any_text_is_read(text: str) -> None:
    assert len(without_wishes(text)) <= len(text) + 1
