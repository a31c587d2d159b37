"""Spans begin and end at tokens, and at punctuation within tokens."""

from hypothesis import given
from hypothesis import strategies as st

from retinue.models.encoder import Encoded
from retinue_assistant.heads.span_candidates import KINDS, boundaries


def cut(*tokens: str) -> Encoded:
    text = "".join(tokens)
    ends = [len("".join(tokens[: at + 1]).encode()) for at in range(len(tokens))]
    return Encoded(text, ends, [[0.0]] * len(tokens))


def test_texts_begin_and_end_beside_marks() -> None:
    begins, ends = boundaries(cut("say", ' ("', "Hi", '!")', " twice"))
    assert [(one.offset, one.token) for one in begins] == [(0, 0), (4, 1), (5, 1), (6, 2), (8, 3), (12, 4)]
    assert [(one.offset, one.token) for one in ends] == [
        (3, 0),
        (6, 1),
        (5, 1),
        (8, 2),
        (11, 3),
        (10, 3),
        (9, 3),
        (17, 4),
    ]


def test_kinds_of_the_characters_beside() -> None:
    begins, ends = boundaries(cut("a", " 7", "?"))
    assert begins[1].kinds == (16, 1, 14)
    assert ends[1].kinds == (14, 9, 0)


def test_a_character_of_several_tokens() -> None:
    text = "\u6f22"
    begins, ends = boundaries(Encoded(text, [1, 2, 3], [[0.0]] * 3))
    assert [(one.offset, one.token) for one in begins] == [(0, 0)]
    assert [(one.offset, one.token) for one in ends] == [(1, 2)]


@given(st.text(max_size=40), st.data())
def test_any_text_however_it_is_cut(text: str, data: st.DataObject) -> None:
    size = len(text.encode("utf-8", "replace"))
    inner = data.draw(st.lists(st.integers(1, max(1, size - 1)), unique=True)) if size > 1 else []
    stops = sorted({*inner, size}) if size else []
    begins, ends = boundaries(Encoded(text, stops, [[0.0]] * len(stops)))
    for one in (*begins, *ends):
        assert 0 <= one.token < len(stops)
        assert all(0 <= kind < KINDS for kind in one.kinds)
    assert all(not text[one.offset].isspace() for one in begins)
    assert all(not text[one.offset - 1].isspace() for one in ends)
