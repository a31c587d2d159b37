"""Frequent misspellings."""

from pathlib import Path

import pytest

from retinue_assistant import misspellings
from retinue_assistant.misspellings import correct_spelling


@pytest.mark.parametrize(
    ("message", "corrected"),
    [
        ("What is 15 precent of 80?", "What is 15 percent of 80?"),
        ("Remid me tommorow, ok", "Remind me tomorrow, ok"),
        ('Reverse "precent" precent', 'Reverse "precent" percent'),
        ("How many letters are in precent?", "How many letters are in precent?"),
        ("Remember this: precent", "Remember this: precent"),
        ("precentage-wise and unprecented", "percentage-wise and unprecented"),
    ],
)
def test_a_misspelling_is_corrected_outside_of_quotations(message: str, corrected: str) -> None:
    assert correct_spelling(message) == corrected


def test_no_correction_is_a_misspelling() -> None:
    text = (Path(misspellings.__file__).parent / "prompts/misspellings.txt").read_text(encoding="utf-8")
    rights, wrongs = zip(*((line.split()[0], line.split()[1:]) for line in text.splitlines()), strict=True)
    every = [wrong for row in wrongs for wrong in row]
    assert len({*every}) == len(every)
    assert {*rights}.isdisjoint(every)
