"""RTF: what a writer by the specification puts in comes out, and anything else is text or a refusal."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retinue.tools.authoring.declare import ToolError
from retinue_tools.documents._rich_text import rtf_text

LETTERS = st.characters(exclude_categories=("Cc", "Cs", "Zs", "Zl", "Zp", "Cn"))
LINES = st.lists(st.text(LETTERS, min_size=1, max_size=20), min_size=1, max_size=5)


def units(character: str) -> list[int]:
    """UTF-16 units as signed numbers of 16 bits (RTF 1.9.1, Unicode RTF)."""
    encoded = character.encode("utf-16-le")
    return [int.from_bytes(encoded[start : start + 2], "little", signed=True) for start in range(0, len(encoded), 2)]


def render(character: str, fallback: str) -> str:
    if character in "\\{}":
        return f"\\{character}"
    return character if character.isascii() else "".join(f"\\u{unit}{fallback}" for unit in units(character))


@given(LINES, st.sampled_from([(1, "?"), (0, " "), (2, "\\'3f?"), (1, "\\'a5")]))
def test_every_text_comes_back(lines: list[str], fallback: tuple[int, str]) -> None:
    body = "\\par\r\n".join("".join(render(character, fallback[1]) for character in line) for line in lines)
    document = f"{{\\rtf1\\ansi\\uc{fallback[0]}{{\\fonttbl{{\\f0 Sans;}}}}{{\\*\\secret no}}\\f0 {body}}}"
    assert rtf_text(document.encode("ascii")) == "\n".join(lines)


@given(
    st.lists(
        st.sampled_from([b"{", b"}", b"\\u-9", b"\\'ff", b"\\*", b"\\pict", b"\\uc99", b"\\", b"x", b"\\ansicpg932"])
    )
)
def test_anything_is_read_or_refused(parts: list[bytes]) -> None:
    text = rtf_text(b"{\\rtf1" + b"".join(parts))
    assert text.encode() is not None
    assert "\0" not in text


def test_depth_is_bounded() -> None:
    with pytest.raises(ToolError, match="nested"):
        rtf_text(b"{\\rtf1" + b"{" * 1000)


def test_east_asian_pairs_make_one_character() -> None:
    assert rtf_text(rb"{\rtf1\ansi\ansicpg932 \'8a\'bf\'8e\'9a}") == "漢字"
