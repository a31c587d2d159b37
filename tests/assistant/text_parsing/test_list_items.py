"""Lists are split at the separators between their items."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retinue_assistant.text_parsing.list_items import split_items


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("Ada, Bo and Cy", ["Ada", "Bo", "Cy"]),
        ("Ada, Bo, or Cy", ["Ada", "Bo", "Cy"]),
        ("Ada and Bo", ["Ada", "Bo"]),
        ("red, dark; green; blue and grey", ["red, dark", "green", "blue and grey"]),
        ('"one, two", "three"', ['"one', 'two"', "three"]),
        ("'salt' and \u201coil\u201d", ["salt", "oil"]),
        ("first line\nsecond, line", ["first line", "second, line"]),
        ("a\\nb", ["a", "b"]),
        ("tea / milk", ["tea", "milk"]),
        ("10.0.0.0/16", ["10.0.0.0/16"]),
        ("E G C", ["E", "G", "C"]),
        ("band", ["band"]),
    ],
)
def test_a_list_is_split_into_items(text: str, items: list[str]) -> None:
    assert split_items(text) == items


@given(st.text(min_size=1, max_size=200))
def test_nothing_is_made_up(text: str) -> None:
    assert all(item in text for item in split_items(text))
