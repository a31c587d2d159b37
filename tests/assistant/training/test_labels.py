"""Labels for the numbers of an example request, by the values of its arguments."""

from typing import Any

import pytest

from retinue_assistant.text_parsing.numbers import numerals
from training.labels import labels


@pytest.mark.parametrize(
    ("request_", "meant", "expected"),
    [
        ("34 for 18.50", {"price": 34, "cost": 18.5}, [{"price"}, {"cost"}]),
        ("3 years at 5%", {"months": 36, "share": 0.05}, [set(), set()]),
        ("pay 100, get 60", {"flows": [-100, 60]}, [set(), set()]),
        ("get 100 and 60", {"flows": [100, 60]}, [{"flows"}, {"flows"}]),
        ("2 + 3 to 4 places", {"expression": "2+3"}, [{"expression"}, {"expression"}, set()]),
        ("7 of 7", {"chosen": 7}, [{"chosen"}, {"chosen"}]),
        ("1,200 in 2020", {"amount": "1200", "rows": [{"year": 2020}]}, [{"amount"}, {"rows"}]),
        ("12 and 5", {"exact": True, "nothing": None}, [set(), set()]),
        ("12", {}, [set()]),
        ("none", {"price": 3}, []),
    ],
)
def test_arguments_are_labelled_in_the_request(request_: str, meant: dict[str, Any], expected: list[set[str]]) -> None:
    assert labels(request_, numerals(request_), meant) == expected
