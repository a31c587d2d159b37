"""Requests for a number of decimals."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retinue_assistant.rounding import parse_rounded, split_decimals
from tests.assistant.test_results import reply


@pytest.mark.parametrize(
    ("request_", "rest", "decimals"),
    [
        ("A stone falls 45 m. How many seconds (2 decimals)", "A stone falls 45 m. How many seconds ", 2),
        ("Mean of 3, 4 and 9? Three decimals, please.", "Mean of 3, 4 and 9", 3),
        ("What is 22 / 7 rounded to 4 decimal places?", "What is 22 / 7", 4),
        ("26.2 miles in km with 1 decimal", "26.2 miles in km", 1),
        ("Round 3.14159 to 2 decimals", "Round 3.14159 to 2 decimals", None),
        ("Write the decimal 203 in binary", "Write the decimal 203 in binary", None),
    ],
)
def test_the_clause_is_split_off(request_: str, rest: str, decimals: int | None) -> None:
    assert split_decimals(request_) == (rest, decimals)


@given(st.floats(-1e9, 1e9), st.integers(0, 6))
def test_numbers_have_at_most_the_requested_decimals(value: float, decimals: int) -> None:
    rounded = parse_rounded(json.dumps({"values": [value, "text", 3]}), decimals)["values"]
    assert rounded[1:] == ["text", 3]
    assert abs(rounded[0] - value) <= 0.5 * 10**-decimals + abs(value) * 1e-15
    assert (rounded[0] == 0) == (value == 0)


def test_the_reply_is_rounded() -> None:
    assert reply("The mean, 2 decimals", {"mean": 3.14159, "count": 12}) == "The mean is 3.14."
    assert reply("The mean, 2 decimals", {"mean": 0.00012}) == "The mean is 0.00012."
