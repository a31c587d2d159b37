"""Splitting a task into parts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retinue.fleets.splitting import split


@pytest.mark.parametrize(
    ("text", "parts", "around"),
    [
        ("Do it.", ["Do it."], ""),
        ("one\ntwo", ["one", "two"], ""),
        ("  one \r\n\r\n two ", ["one", "two"], ""),
        ("- a\n- b", ["a", "b"], ""),
        ("* a\n+ b\n• c", ["a", "b", "c"], ""),
        ("1. a\n2) b\n10. c", ["a", "b", "c"], ""),
        ("For each:\n1. a\n2. b", ["a", "b"], "For each:"),
        ("- a\n  more\n- b", ["a\nmore", "b"], ""),
        ("- a\n- b\n\nBe brief.", ["a", "b"], "Be brief."),
        ("only:\n- one", ["only:", "- one"], ""),
        ("-5 is negative\n-7 too", ["-5 is negative", "-7 too"], ""),
        ("1.5 is a number\n2.5 too", ["1.5 is a number", "2.5 too"], ""),
        (" ", [" "], ""),
    ],
)
def test_a_task_is_split_into_its_parts(text: str, parts: list[str], around: str) -> None:
    found = split(text)
    assert (found.parts, found.around) == (parts, around)


@given(st.text(max_size=300))
def test_nothing_written_is_lost(text: str) -> None:
    found = split(text)
    assert found.parts
    kept = "".join([*found.parts, found.around])
    written = sorted(c for c in text if not c.isspace() and c not in "-*+•.)0123456789")
    assert sorted(c for c in kept if not c.isspace() and c not in "-*+•.)0123456789") == written


@given(st.lists(st.text("abc xyz", min_size=1).map(str.strip).filter(bool), min_size=2, max_size=20))
def test_a_list_comes_back_item_by_item(items: list[str]) -> None:
    assert split("\n".join(f"- {item}" for item in items)).parts == items
