"""Sums that a small model writes: with what they may be written."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retinue.models.composed import literal_sum, sum_pattern

ADDED = ("the sum of 3 and 4", '{"expression":"3 + 4"}')
SHARED = ("15% of 60", '{"expression":"15 / 100 * 60"}')
ROOTED = ("the diagonal of 3 by 4", '{"expression":"sqrt(3^2 + 4^2)"}')


@pytest.mark.parametrize(
    ("question", "sum_"),
    [
        ("the sum of 12.5 and 1,200", "12.5 + 1200"),
        ("five apples and 3 pears, twice", "2 * (5 + 3)"),
        ("20% off 80", "80 * (1 - 20 / 100)"),
        ("20% off 80", "0.8 * 80"),
        ("the diagonal of 5 and 12", "sqrt(5^2 + 12^2)"),
        ("3.2e-5 times 4", "3.2e-5 * 4"),
    ],
)
def test_sums_of_the_numbers_of_a_request_are_possible(question: str, sum_: str) -> None:
    pattern = sum_pattern(question, [ADDED, SHARED, ROOTED], "expression")
    assert pattern is not None
    assert re.search(pattern, sum_)


@pytest.mark.parametrize("sum_", ["12.6 + 1200", "12.51200", "the sum of 12.5", "sin(12.5)", ""])
def test_other_numbers_and_words_are_not(sum_: str) -> None:
    pattern = sum_pattern("the sum of 12.5 and 1,200", [ADDED, SHARED, ROOTED], "expression")
    assert pattern is not None
    assert not re.search(pattern, sum_)


@pytest.mark.parametrize(
    "precedent",
    [
        ("split 10.0.0.0/8", '{"cidr":"10.0.0.0/8"}'),
        ("noon in Tokyo", '{"zone":"Asia/Tokyo"}'),
        ("from 3 May 2025", '{"start":"2025-05-03"}'),
        ("add 3 to 4", '{"first":3}'),
    ],
)
def test_what_is_copied_or_no_sum_has_no_pattern(precedent: tuple[str, str]) -> None:
    (name,) = re.findall(r'"(\w+)":', precedent[1])
    assert sum_pattern("3 + 4", [precedent], name) is None


def test_a_value_of_any_length_is_looked_at_once() -> None:
    endless = ("of all", '{"expression":"' + "1 + " * 5000 + 'x"}')
    assert sum_pattern("1 + 2", [endless], "expression") is None


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("3/8 + 5/12 as a fraction pls", "3/8 + 5/12"),
        ("What is (3+4)*5?", "(3+4)*5"),
        ("17.5 \u00d7 3 = ?", "17.5 * 3"),
        ("how much is 1,234.5 / 5 please", "1,234.5 / 5"),
        ("12 - 4", "12 - 4"),
        ("what's 15% of 240", None),
        ("12 * 4 plus 3", None),
        ("half of 12 * 4", None),
        ("8 + 12 \u00f7 4 \u00d7 (6 \u2212 2)\u00b2?", None),
        ("What is 2025-03-18?", None),
        ("a 3/8 inch bolt", None),
        ("1/2 + 1/3 or 1/4 + 1/5", None),
    ],
)
def test_a_sum_that_stands_there_is_taken_as_it_is(question: str, found: str | None) -> None:
    assert literal_sum(question) == found


@given(st.text(alphabet="0123456789+-*/().,% what", max_size=60))
def test_any_question_can_be_looked_through(question: str) -> None:
    found = literal_sum(question)
    assert found is None or found in question
