"""The words of a turn say how long to wait for more of it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retinue.voice.speech.end_of_turn import (
    COMPLETE_S,
    DICTATION_S,
    OPEN_S,
    SENTENCE_S,
    UNCLEAR_S,
    is_backchannel,
    is_farewell,
    is_greeting,
    silence_to_wait,
)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("Can I return the shoes?", COMPLETE_S),
        ("Yes.", COMPLETE_S),
        ("No, I want my money back.", SENTENCE_S),
        ("Meet me at 10.", SENTENCE_S),
        ("It was $1,250.", SENTENCE_S),
        ("I want to return something", UNCLEAR_S),
        ("My order number is.", UNCLEAR_S),
        ("Can you send it to?", UNCLEAR_S),
        ("Could you repeat that?", COMPLETE_S),
        ("If I send it back today.", UNCLEAR_S),
        ("If I send it back today, you pay me.", SENTENCE_S),
        ("I would like that. Do you think it is", UNCLEAR_S),
        ("I want to, um", OPEN_S),
        ("I want to...", OPEN_S),
        ("My name is Jo and", OPEN_S),
        ("Ich möchte gern mit dem", OPEN_S),
        ("4, 2, 7, 1", DICTATION_S),
        ("My number is 0171 238", DICTATION_S),
        ("Call me back on. 01632.", DICTATION_S),
        ("Anna dot Smith.", DICTATION_S),
        ("K-O-W", DICTATION_S),
        ("K. O. W.", DICTATION_S),
    ],
)
def test_the_wait_depends_on_the_last_words(text: str, seconds: float) -> None:
    assert silence_to_wait(text) == seconds


@pytest.mark.parametrize(
    "text", ["Mm-hm.", "Okay.", "Right, I see.", "Uh-huh", "Ha ha ha!", "A-A-A-A-A-", "Ja, genau."]
)
def test_a_listener_only_shows_attention(text: str) -> None:
    assert is_backchannel(text)


@pytest.mark.parametrize(
    "text", ["No.", "Stop.", "Okay, but I have a question.", "What?", "Cancel it", "Sure, do that now"]
)
def test_words_interrupt(text: str) -> None:
    assert not is_backchannel(text)


@pytest.mark.parametrize(("text", "greets"), [("Hello?", True), ("Yes, hello", True), ("Stop calling me.", False)])
def test_an_answered_telephone(text: str, greets: bool) -> None:
    assert is_greeting(text) is greets


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("Bye.", True),
        ("Okay, thank you, goodbye.", True),
        ("Auf Wiederhören!", True),
        ("How do you say goodbye?", False),
        ("Goodbye is what I said to them yesterday.", False),
        ("", False),
    ],
)
def test_farewells_are_recognized(text: str, ends: bool) -> None:
    assert is_farewell(text) is ends


@given(st.text(max_size=200))
def test_any_text_ends_within_two_seconds(text: str) -> None:
    assert COMPLETE_S <= silence_to_wait(text) <= OPEN_S
    assert is_backchannel(text) in (True, False)
