"""Labels for the numbers of an example request, by the values of its arguments."""

from typing import Any

import pytest

from retinue.models.number_matcher import TURNS
from retinue.models.reading.numbers import numerals
from training.labels import labels

SAME, NEGATIVE, SHARE, DOZENS = (TURNS.index(turn) for turn in ((1.0, 0.0), (-1.0, 0.0), (0.01, 0.0), (12.0, 0.0)))


@pytest.mark.parametrize(
    ("request_", "meant", "expected"),
    [
        ("34 for 18.50", {"price": 34, "cost": 18.5}, [{("price", SAME)}, {("cost", SAME)}]),
        ("3 years at 5%", {"months": 36, "share": 0.05}, [{("months", DOZENS)}, {("share", SHARE)}]),
        ("pay 100, get 60", {"flows": [-100, 60]}, [{("flows", NEGATIVE)}, {("flows", SAME)}]),
        ("2 + 3 to 4 places", {"expression": "2+3"}, [{("expression", SAME)}, {("expression", SAME)}, set()]),
        ("7 of 7", {"chosen": 7}, [{("chosen", SAME)}, {("chosen", SAME)}]),
        ("1,200 in 2020", {"amount": "1200", "rows": [{"year": 2020}]}, [{("amount", SAME)}, {("rows", SAME)}]),
        ("12 and 5", {"exact": True, "nothing": None}, [set(), set()]),
        ("12", {}, [set()]),
        ("none", {"price": 3}, []),
    ],
)
def test_labels(request_: str, meant: dict[str, Any], expected: list[set[tuple[str, int]]]) -> None:
    assert labels(request_, numerals(request_), meant) == expected
