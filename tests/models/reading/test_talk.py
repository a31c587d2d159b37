"""Requests that are answered in words."""

import pytest

from retinue.models.reading.talk import is_talk


@pytest.mark.parametrize(
    "request_",
    [
        "Why do cats purr?",
        "hi, how are you",
        "Hello!",
        "write me a poem about autumn",
        "who painted the Mona Lisa?",
        "how does a heat pump work",
        " should I take the train or the bus?",
        "explain recursion",
    ],
)
def test_what_has_nothing_to_work_on_is_talk(request_: str) -> None:
    assert is_talk(request_, has_data=False)
    assert not is_talk(request_, has_data=True)


@pytest.mark.parametrize(
    "request_",
    [
        "Translate 'good night' into Danish",
        "how do you say 'two beers' in Czech?",
        "synonyms for 'quick'",
        "What does SCSI stand for",
        "make it more polite: Come here.",
    ],
)
def test_wording_is_talk_whatever_it_is_about(request_: str) -> None:
    assert is_talk(request_, has_data=True)


@pytest.mark.parametrize(
    "request_",
    [
        "flip a coin",
        "what time is it in Tokyo",
        "list my open tasks",
        "hi, list my open tasks",
        "translate ATGGCC to protein",
    ],
)
def test_what_a_tool_does_is_none(request_: str) -> None:
    assert not is_talk(request_, has_data=False)
