"""English word forms."""

from typing import Literal

import pytest

from retinue_tools.text.english_words import text_convert_spelling, text_inflect_noun


@pytest.mark.parametrize(
    ("target", "text", "expected"),
    [
        (
            "american",
            "programmes programmed centred centring catalogued cataloguing manoeuvred manoeuvrable axed axes",
            "programs programmed centered centering cataloged cataloging maneuvered maneuverable axed axes",
        ),
        (
            "british",
            "enrolled enrolls fulfilled fulfilling centered centering maneuvered cataloged skillfully",
            "enrolled enrols fulfilled fulfilling centred centring manoeuvred catalogued skilfully",
        ),
    ],
)
def test_inflected_words_are_spelled_correctly(
    target: Literal["american", "british"], text: str, expected: str
) -> None:
    assert text_convert_spelling(text, target)["result"] == expected


@pytest.mark.parametrize(
    ("plural", "singular"),
    [
        ("viruses", "virus"),
        ("bonuses", "bonus"),
        ("statuses", "status"),
        ("mazes", "maze"),
        ("waltzes", "waltz"),
        ("excuses", "excuse"),
        ("blouses", "blouse"),
        ("stomachs", "stomach"),
        ("monarchs", "monarch"),
        ("arches", "arch"),
    ],
)
def test_a_noun_is_inflected_in_both_directions(plural: str, singular: str) -> None:
    assert text_inflect_noun(plural, "plural")["singular"] == singular
    assert text_inflect_noun(singular)["plural"] == plural
