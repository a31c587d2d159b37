"""What a call and its reply leave out of their request."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retinue_assistant.argument_coverage import unanswered_parts
from retinue_assistant.numbers import contains_number


@pytest.mark.parametrize(
    ("request_", "arguments", "missed"),
    [
        ("1994 as a roman numeral, 255 in hex, 45 in binary", '{"number":1994}', ["255", "45"]),
        ("Spell 'harbour' backwards, and count the letters of 'elephant'", '{"text":"elephant"}', ["'harbour'"]),
        ("BMI of 82 kg, and 8 hours in seconds", '{"kg":82}', ["8"]),
        ("The sum of 315, 108 and 101", '{"numbers":[315,108,101]}', []),
        ("How far do 1.72 m and 3 km reach, 2 decimals?", '{"metres":[1.72,3000]}', []),
        ("A coin is tossed 12 times. Chance of 7 heads?", '{"value":7,"parameters":[12,0.5]}', []),
        ("17.5% of 1,640", '{"part":17.5,"whole":1640}', []),
        ("We drove 385 km with 28 litres, what is that per 100 km?", '{"km":385,"litres":28}', []),
        ("Between 2 and 3", '{"count":5}', []),
    ],
)
def test_data_that_belongs_to_another_question(request_: str, arguments: str, missed: list[str]) -> None:
    assert unanswered_parts(request_, arguments, "") == missed


@pytest.mark.parametrize(
    ("request_", "reply", "missed"),
    [
        ("2.5 bar in psi? half inch in mm? thx", "36.26 psi", ["“half inch in mm? thx”"]),
        ("Divide 40 by 10; then sort the letters", "4", ["“sort the letters”"]),
        ("Divide 40 by 10, oh and define entropy", "4", ["“define entropy”"]),
        ("Give me 10% of 40. Define a share.", "4", ["“Define a share.”"]),
        ("Mean of 10 and 40, and tell me what a mean is", "mean: 25", ["“tell me what a mean is”"]),
        ("I have 10 of 40 parts. What share is it?", "0.25", []),
        ("10 from 40, and how many days until Easter?", "30", ["“how many days until Easter?”"]),
        ("Momentum of 10 kg at 40 m/s and its kinetic energy", "400 (kinetic energy: 8000 J)", []),
        ("Was 10 or 40 larger?", "40", []),
        ("Was 10 or 40 larger? Thanks a lot!", "40", []),
        ("Was 10 or 40 larger? The capital of Peru, too.", "40", ["“The capital of Peru, too.”"]),
        ("Rechne 10 mal 40 und wie heißt der Präsident von Peru", "400", ["“wie heißt der Präsident von Peru”"]),
    ],
)
def test_questions_without_data(request_: str, reply: str, missed: list[str]) -> None:
    assert unanswered_parts(request_, '{"numbers":[2.5,10,40]}', reply) == missed


@given(st.text(alphabet="and 12.3,'\"?;", max_size=80), st.text(alphabet='{"a":1.23}', max_size=20))
def test_only_values_in_the_request_are_named(request_: str, arguments: str) -> None:
    for one in unanswered_parts(request_, arguments, ""):
        assert one.strip("“”") in request_
        assert not contains_number(one.strip("'\""), arguments)
