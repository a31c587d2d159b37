"""The numbers of a request and their positions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retinue_assistant.text_parsing.numbers import MOST, numerals


@pytest.mark.parametrize(
    ("request_", "values"),
    [
        ("It costs us 18.50, and goes for 34.", [18.5, 34]),
        ("18,600 a year, or 1,234,567.5", [18600, 1234567.5]),
        ("worth 30k after 2.3 million, not 5 km", [5]),
        ("minus 80 °C, or \u22125, or -3", [-80, -5, -3]),
        ("3-4 and 2025-01-07", [3, 4, 2025, 1, 7]),
        ("(1)-2 and 10%-3", [1, 2, 10, 3]),
        ("three of a dozen, twice zero", [3, 12, 2, 0]),
        ("3e-5 mol and 1E3", [3e-5, 1000]),
        ("3.4 x 10^-4 mol, 2 \u00d7 10^6 and 5*10**3, but 5 x 3 at 300 K", [5, 3, 300]),
        ("v1.2.3 and x2", []),
        ("1e999", []),
    ],
)
def test_numbers_in_digits_and_in_words(request_: str, values: list[float]) -> None:
    assert [one.value for one in numerals(request_)] == values


def test_where_they_stand() -> None:
    text = "From 1,200 to minus 4 in five steps"
    assert [text[one.begin : one.end] for one in numerals(text)] == ["1,200", "minus 4", "five"]


def test_a_table_has_too_many() -> None:
    assert len(numerals(" ".join(map(str, range(100))))) == MOST


@given(st.text(alphabet="0123456789 ,.-+eEk%()minus", max_size=60))
def test_any_text_can_be_read(text: str) -> None:
    for one in numerals(text):
        assert 0 <= one.begin < one.end <= len(text)
