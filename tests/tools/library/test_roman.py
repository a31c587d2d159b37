"""Roman numerals, all 3,999 of them."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retinue.tools.authoring.declare import ToolError
from retinue_tools.math.number_notations import from_roman, number_convert_roman, to_roman

STANDARD = re.compile("M{0,3}(CM|CD|D?C{0,3})(XC|XL|L?X{0,3})(IX|IV|V?I{0,3})")


def test_every_numeral_is_standard_and_comes_back() -> None:
    numerals = [to_roman(value) for value in range(1, 4000)]
    assert all(STANDARD.fullmatch(numeral) for numeral in numerals)
    assert len(set(numerals)) == 3999
    assert [from_roman(numeral) for numeral in numerals] == list(range(1, 4000))


@given(st.text("IVXLCDM", max_size=9) | st.text(max_size=9))
def test_only_standard_numerals_are_read(text: str) -> None:
    if text and STANDARD.fullmatch(text):
        assert to_roman(from_roman(text)) == text
    else:
        with pytest.raises(ToolError):
            from_roman(text)


@pytest.mark.parametrize("text", ["0", "4000", "-1", "1.5", "IIII", "VX", "IM", "ABC", "\u0663"])
def test_invalid_numbers_are_refused(text: str) -> None:
    with pytest.raises(ToolError):
        number_convert_roman(text)
