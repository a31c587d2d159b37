"""Words and letters that scale an amount of money, however they are spelled."""

import pytest

from retinue_tools.text.numbers_in_text import text_extract_numbers


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("$2B", 2e9, "USD"),
        ("$1.5T in debt", 1.5e12, "USD"),
        ("$5MM", 5e6, "USD"),
        ("$5 Million", 5e6, "USD"),
        ("3 BILLION euros", 3e9, "EUR"),
        ("€2 Bn", 2e9, "EUR"),
        ("room 2B", 2.0, None),
        ("2T of steel", 2.0, None),
        ("5mm", 5.0, "mm"),
        ("$5Big", 5.0, "USD"),
    ],
)
def test_an_amount_has_its_scale(text: str, value: float, unit: str | None) -> None:
    [found] = text_extract_numbers(text)["numbers"]
    assert (found["value"], found["unit"]) == (value, unit)
