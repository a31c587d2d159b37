"""Correcting the copying mistakes of a small model."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retinue.models.assistant.copying import copy_spelling

REGEX = r"how many matches has the regex \b[A-Z]{2}\d{3}\b in: AB123 zz9"


@pytest.mark.parametrize(
    ("value", "request_", "meant"),
    [
        ("\x08[A-Z]{2}\x08", REGEX, r"\b[A-Z]{2}\d{3}\b"),
        ("3.5 GB", "How many bytes is 3.5 GiB exactly?", "3.5 GiB"),
        ("acetominofen", "look up 'acetominophen', please", "acetominophen"),
        (["Beyonc", "Drake"], "names: Beyonce, Drake", ["Beyonce", "Drake"]),
    ],
)
def test_what_is_much_like_words_of_the_request_becomes_them(value: Any, request_: str, meant: Any) -> None:
    assert copy_spelling(value, request_) == meant


@pytest.mark.parametrize("value", ["", "quite another", 3.5, None, {"a": "3.5 GB"}, "GiB"])
def test_anything_else_stays(value: Any) -> None:
    assert copy_spelling(value, "How many bytes is 3.5 GiB exactly?") == value


@given(st.text(max_size=40), st.text(max_size=200))
def test_the_result_is_the_text_or_stands_in_the_request(value: str, request_: str) -> None:
    found = copy_spelling(value, request_)
    assert found == value or found in request_


def test_a_long_text_is_left_as_it_is() -> None:
    assert copy_spelling("word " * 20, "wort " * 700) == "word " * 20
