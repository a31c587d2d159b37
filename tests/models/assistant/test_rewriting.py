"""Checks of the requests that the model rewrites."""

import pytest

from retinue.models.assistant.rewriting import checked_requests

MESSAGE = "How many of 3, 5 and 9 are above their mean, and what is the mean?"


@pytest.mark.parametrize(
    ("requests", "is_used"),
    [
        (["How many of 3, 5 and 9 are above the mean of 3, 5 and 9?", "What is the mean of 3, 5 and 9?"], True),
        (["How many of 3, 5 and 9 are above {2}?", "What is the mean of 3, 5 and 9?"], True),
        (["How many of 3 and 5 are above their mean?", "What is the mean of 3 and 5?"], False),
        (["How many of 3, 5, 9 and 11 are above their mean?"], False),
        (["How many of 3, 5 and 9 are above their mean?", "Write {1} in Roman numerals."], False),
        ([], False),
    ],
)
def test_a_rewriting_is_about_what_was_asked(requests: list[str], is_used: bool) -> None:
    checked = checked_requests({"requests": requests}, MESSAGE, [])
    assert checked == (requests if is_used else [MESSAGE])
