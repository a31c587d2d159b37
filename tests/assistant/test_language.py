"""Requests in other languages."""

import pytest

from retinue.language.language_detection import is_foreign
from retinue_assistant.translating import checked_translation


@pytest.mark.parametrize(
    "request_",
    ["Wie viel ist 3 mal 4?", "\u00bfQu\u00e9 hora es?", "Combien font 3 fois 4 ?", "3 \u043c\u0438\u043b\u0438"],
)
def test_other_languages_are_told_from_english(request_: str) -> None:
    assert is_foreign(request_)
    assert not is_foreign("How many days are in May?")
    assert not is_foreign(f'Reverse "{request_}"')


def test_a_translation_has_the_numbers_of_the_request() -> None:
    assert checked_translation({"english": "What is 3 times 4?"}, "Wie viel ist 3 mal 4?") == "What is 3 times 4?"
    assert checked_translation({"english": "What is 3 times 5?"}, "Wie viel ist 3 mal 4?") == "Wie viel ist 3 mal 4?"
    assert checked_translation({}, "Wie viel ist 3 mal 4?") == "Wie viel ist 3 mal 4?"
