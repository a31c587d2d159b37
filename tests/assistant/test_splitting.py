"""Messages with several requests, and messages that refer to the one before."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retinue.tools.authoring.example_requests import precedents
from retinue_assistant.references import refers, replace_reference
from retinue_assistant.rewriting import BEFORE_REQUEST, JOINED, texts_beside
from retinue_assistant.splitting import MOST, split


@pytest.mark.parametrize(
    ("message", "requests"),
    [
        ("What is 7 * 8, and what is the capital of Peru?", ["What is 7 * 8", "What is the capital of Peru?"]),
        ("Reverse 'fog'. Then count the letters in 'mist'.", ["Reverse 'fog'.", "Count the letters in 'mist'."]),
        ("Add 3 and 9 and multiply the result by 4.", ["Add 3 and 9", "Multiply {1} by 4."]),
        ("What is 5 + 5? Square it and then divide that by 4", ["What is 5 + 5?", "Square {1}", "Divide {2} by 4"]),
        ("Convert 3 kg to pounds and 5 feet to metres.", ["Convert 3 kg to pounds", "Convert 5 feet to metres"]),
        ("Wie viel ist 3 mal 4 und was ist 10 durch 5?", ["Wie viel ist 3 mal 4", "Was ist 10 durch 5?"]),
        (
            "My oven shows 350 F, what is that in C? And what are 6 oz in g?",
            ["My oven shows 350 F, what is that in C?", "What are 6 oz in g?"],
        ),
        ("hey how much is 18% of 340 and whats 65 mph in km/h", ["Hey how much is 18% of 340", "Whats 65 mph in km/h"]),
        ("Please check if 91 is prime, and tell me 3 * 4.", ["Please check if 91 is prime", "Tell me 3 * 4."]),
        ("A shirt costs 45 and is reduced by 30%. What do I pay for 3?", None),
        (
            "A desk is 3 m by 2 m. Work out the area and multiply it by 2.",
            ["A desk is 3 m by 2 m. Work out the area", "Multiply {1} by 2."],
        ),
        ("Is 15 a square, and what are its factors?", ["Is 15 a square", "What are 15's factors?"]),
        ("Is 15 or 16 a square, and what are its factors?", ["Is 15 or 16 a square", "What are its factors?"]),
        ("Decode 'aGk=' and then write the decoded text backwards", ["Decode 'aGk='", "Write {1} backwards"]),
        (
            "Three quick ones for a quiz: the capital of Peru, what 5% of 80 is, and the distance of (1, 2) from 3.",
            ["What is the capital of Peru", "what 5% of 80 is", "What is the distance of (1, 2) from 3."],
        ),
        ("Temp 101.3 F in C?? also BMI for 82 kg", ["Temp 101.3 F in C??", "BMI for 82 kg"]),
        ("2.5 bar in psi? 3 inch in mm? thx", ["2.5 bar in psi?", "3 inch in mm? thx"]),
        ("Is 21 prime, what's the gcd of 8 and 6?", ["Is 21 prime", "What's the gcd of 8 and 6?"]),
        ("Find the md5 of 'a', plus reverse 'b'", ["Find the md5 of 'a'", "Reverse 'b'"]),
        ("Spell 'harbour' backwards and solve 2x = 6", ["Spell 'harbour' backwards", "Solve 2x = 6"]),
        ("Is 21 prime, and lcm of 12 and 18?", ["Is 21 prime", "Lcm of 12 and 18?"]),
        ("Is 15 also a multiple of 3?", None),
        ("Take the series 4, 8, 6. What is the last of its differences?", None),
        ("Take the root of 16 and add 3 to it", ["Take the root of 16", "Add 3 to {1}"]),
        ("Sort these three things: the old man, a young girl, and some other people", None),
        ("Two questions: how much is 5% of 80, and is 7 prime?", ["how much is 5% of 80", "is 7 prime?"]),
        ("gcd and lcm of 84 and 132 please", ["gcd and lcm of 84 and 132 please"]),
        ("Count the words and the characters of 'a b'", ["Count the words and the characters of 'a b'"]),
        ("A shirt costs 45 and is reduced. What do I pay?", ["A shirt costs 45 and is reduced. What do I pay?"]),
        ("Reverse 'stop. Then go and find 3'", ["Reverse 'stop. Then go and find 3'"]),
        ("Add the check digit to 4539 and give me the whole number", None),
    ],
)
def test_clauses_that_are_requests_are_told_apart(message: str, requests: list[str] | None) -> None:
    assert split(message) == (requests or [message])


def test_requests_that_one_tool_answers_stay_whole() -> None:
    known = [request for requests in precedents().values() for request, _ in requests]
    parted = [request for request in known if len(split(request)) > 1]
    assert len(parted) < 0.01 * len(known)


@given(st.text(alphabet="and then? what is 3.'\"", max_size=700))
def test_every_word_is_in_some_request(message: str) -> None:
    requests = split(message)
    assert 1 <= len(requests) <= MOST
    assert "".join(filter(str.isdigit, message)) == "".join(filter(str.isdigit, "".join(requests).replace("{1}", "")))


def test_a_result_replaces_the_words_that_refer_to_it() -> None:
    assert refers("Multiply that by 4.")
    assert replace_reference("Multiply that by 4.", "9") == "Multiply 9 by 4."
    assert not refers("Remember that my code is 3")
    assert not refers("Reverse 'it'")
    assert not refers("And if it's 5% off?")


def test_texts_are_joined_by_words_outside_quotations() -> None:
    assert texts_beside(JOINED, "words in 'we drove and nobody spoke', and its vowels too") == [
        ("words in 'we drove and nobody spoke'", "its vowels too")
    ]
    assert texts_beside(JOINED, "add up 3 kg and 5 feet and then") == []


@pytest.mark.parametrize(
    ("message", "texts"),
    [
        ("5% of 80, what is a haiku", [("5% of 80", "what is a haiku")]),
        ("the root of 81 what is a haiku", [("the root of 81", "what is a haiku")]),
        ("is noon a palindrome, is 1900 a leap year", [("is noon a palindrome", "is 1900 a leap year")]),
        ("the age of the oldest tree is unknown", []),
        ("who wrote this? And how old was he", [("who wrote this?", "how old was he")]),
    ],
)
def test_a_request_may_begin_within_a_text(message: str, texts: list[tuple[str, str]]) -> None:
    assert texts_beside(BEFORE_REQUEST, message) == texts


@pytest.mark.parametrize(
    ("message", "requests"),
    [
        ("What is 12% of 450?\nWhat is a haiku?", ["What is 12% of 450?", "What is a haiku?"]),
        ("1. What is 5 + 5?\n2. Square it.", ["What is 5 + 5?", "Square {1}."]),
        ("Two questions:\n\n- 5 km in miles\n- the weekday of 3 May\n", ["5 km in miles", "the weekday of 3 May"]),
        ("Hi!\n\nIs 97 prime?\nAlso, who wrote Faust?\n\nThanks, Tom", ["Is 97 prime?", "Also, who wrote Faust?"]),
        ("Sort these:\n- plum jam and fig\n- figs and a plum", None),
        ("Count the words:\nhow nice\nwhat a day", None),
        ("Is this a palindrome?\nracecar", None),
        ("name,age\nAda,31\nconvert to JSON", None),
        ("- milk\n- eggs", None),
        ("Hi!\n\nThanks", None),
    ],
)
def test_lines_that_are_requests_are_told_apart(message: str, requests: list[str] | None) -> None:
    assert split(message) == (requests or [message])
