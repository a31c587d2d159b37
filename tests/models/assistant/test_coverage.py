"""Data of a request that its call does not use."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retinue.models.assistant.coverage import unused_data


@pytest.mark.parametrize(
    ("request_", "arguments", "unused"),
    [
        ("1994 as a roman numeral, 255 in hex, 45 in binary", '{"number":1994}', ["255", "45"]),
        ("Spell 'harbour' backwards, and count the letters of 'elephant'", '{"text":"elephant"}', ["'harbour'"]),
        ("How far do 1.72 m and 3 km reach, 2 decimals?", '{"metres":[1.72,3000]}', []),
        ("A coin is tossed 12 times. Chance of 7 heads?", '{"value":7,"parameters":[12,0.5]}', []),
        ("17.5% of 1,640", '{"part":17.5,"whole":1640}', []),
        ("Between 2 and 3", '{"count":5}', []),
    ],
)
def test_what_belongs_to_another_question(request_: str, arguments: str, unused: list[str]) -> None:
    assert unused_data(request_, arguments) == unused


@given(st.text(alphabet="and 12.3,'\"?;", max_size=80), st.text(alphabet='{"a":1.23}', max_size=20))
def test_only_data_of_the_request_is_named(request_: str, arguments: str) -> None:
    assert all(one in request_ and one not in arguments for one in unused_data(request_, arguments))
