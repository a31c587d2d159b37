"""Laws of the tools on spaces, columns and lists."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retinue.tools.authoring.declare import ToolError
from retinue_tools.text.columns import text_align_columns
from retinue_tools.text.layout import (
    text_normalize_whitespace,
    text_truncate_words,
    text_unwrap_paragraphs,
    text_wrap_lines,
)
from retinue_tools.text.lists import text_join_list, text_split_list

WORD = st.text("abcdefghij", min_size=1, max_size=12)
PROSE = st.lists(WORD, min_size=1, max_size=40).map(" ".join)
ANY = st.text(st.characters(exclude_categories=["Cs"]), max_size=200)


@given(ANY)
def test_tidied_white_space_stays_as_it_is(text: str) -> None:
    once = text_normalize_whitespace(text)["result"]
    assert text_normalize_whitespace(once)["result"] == once
    assert once.split() == text.split() or re.search("[\x1c-\x1f]", text)


@given(PROSE, st.integers(12, 60))
def test_wrapped_lines_fit_and_come_back(text: str, width: int) -> None:
    wrapped = text_wrap_lines(text, width)["result"]
    assert all(len(line) <= width for line in wrapped.split("\n"))
    assert text_unwrap_paragraphs(wrapped)["result"] == text


@given(ANY, st.integers(2, 300))
def test_a_shortened_text_is_no_longer_than_the_limit(text: str, limit: int) -> None:
    result = text_truncate_words(text, limit)
    assert len(result["result"]) <= limit or not result["was_cut"]
    assert result["was_cut"] == (len(text) > limit)


@given(st.lists(st.lists(WORD, min_size=3, max_size=3), min_size=1, max_size=8))
def test_drawn_tables_are_rectangular(rows: list[list[str]]) -> None:
    text = "\n".join(",".join(row) for row in rows)
    drawn = text_align_columns(text, ",", "box")["result"].split("\n")
    assert len({len(line) for line in drawn}) == 1
    assert [[cell.strip() for cell in line.split("│")[1:-1]] for line in drawn if "│" in line] == rows


@given(st.lists(WORD.filter(lambda word: len(word) > 1), min_size=2, max_size=20))
def test_a_joined_list_is_split_again(items: list[str]) -> None:
    for style in ("lines", "bullets", "numbered", "comma", "quoted", "sentence"):
        assert text_split_list(text_join_list(items, style)["result"])["items"] == items


@given(ANY)
def test_any_list_is_split_or_refused(text: str) -> None:
    try:
        items = text_split_list(text)["items"]
    except ToolError:
        return
    assert all(item and item == item.strip() for item in items)


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("J. Smith, A. Jones", ["J. Smith", "A. Jones"]),
        ("J. Smith\nA. Jones", ["J. Smith", "A. Jones"]),
        ("3. August 2026, 4. August 2026", ["3. August 2026", "4. August 2026"]),
        ("3. August 2026\n4. August 2026", ["3. August 2026", "4. August 2026"]),
        ("a) tea\nb) milk", ["tea", "milk"]),
        ("i. tea\nii. milk", ["tea", "milk"]),
        ("1. tea\n- milk\n2. eggs", ["tea", "milk", "eggs"]),
        ('"red", "green" and "blue"', ["red", "green", "blue"]),
        ('"rock and roll", "rhythm and blues"', ["rock and roll", "rhythm and blues"]),
    ],
)
def test_a_list_is_split_without_losses(text: str, items: list[str]) -> None:
    assert text_split_list(text)["items"] == items
