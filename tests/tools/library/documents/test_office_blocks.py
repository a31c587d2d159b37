import pytest
from hypothesis import given
from hypothesis import strategies as st

from retinue_tools.documents._office_blocks import markdown_blocks

words = st.text("abcdefg", min_size=1, max_size=8)


@given(st.text(max_size=300))
def test_any_text_is_read(text: str) -> None:
    assert all(1 <= block.level <= 20 for block in markdown_blocks(text))


@given(st.lists(words, min_size=1, max_size=6))
def test_paragraphs_come_back(texts: list[str]) -> None:
    blocks = markdown_blocks("\n\n".join(texts))
    assert [(block.kind, block.text) for block in blocks] == [("paragraph", text) for text in texts]


@pytest.mark.parametrize(
    ("markdown", "kinds"),
    [
        ("# a\n\n- b\n    1. c\n\n> d", [("heading", 1), ("bullet", 1), ("number", 2), ("quote", 1)]),
        ("```\nx\n```\n\n---\n\n| a |\n| - |\n| b |", [("code", 1), ("rule", 1), ("table", 1)]),
    ],
)
def test_kinds_and_levels(markdown: str, kinds: list[tuple[str, int]]) -> None:
    assert [(block.kind, block.level) for block in markdown_blocks(markdown)] == kinds
