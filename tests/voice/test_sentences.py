"""A text becomes sentences while it arrives."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retinue.voice.speech.sentences import LONGEST, SentenceStream

PIECES = st.lists(
    st.sampled_from(
        [
            *(
                "One",
                "two",
                "Dr.",
                "e.g.",
                "No.",
                "etc.",
                "J.",
                "3.5",
                "5",
                "1.",
                "!",
                "?",
                ".",
                "...",
                " ",
                "  ",
                "\n",
            ),
            *("**", "*", "`", "```", "~~~", "[a. b](https://example.com)", "[", "](", "<b", ">", "| a | b |", '"', ")"),
            *("x" * (LONGEST - 3), "word " * 150, "\r\n", "# ", "- ", "\t"),
        ]
    ),
    max_size=16,
).map("".join)
WORDS = st.lists(st.from_regex(r"[A-Za-z]{1,12}[.!?,]?", fullmatch=True), max_size=400)


def cut(*chunks: str) -> list[str]:
    """The sentences of a text that arrives in chunks."""
    stream = SentenceStream()
    return [*(sentence for chunk in chunks for sentence in stream.feed(chunk)), *stream.finish()]


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("Hello there. How are you?", ["Hello there.", "How are you?"]),
        ("Dr. Smith costs $3.50, e.g. today. J. K. comes.", ["Dr. Smith costs $3.50, e.g. today.", "J. K. comes."]),
        ("No. That is No. 5.", ["No.", "That is No. 5."]),
        ("At 5 p.m. it ends. At 5 p.m. We go.", ["At 5 p.m. it ends.", "At 5 p.m.", "We go."]),
        ('He said "Stop!" Then (or so.) **It ended.** Yes', ['He said "Stop!"', "Then (or so.)", "It ended.", "Yes"]),
        ("See [a page. Or two](https://example.com/a.b). Done.", ["See a page. Or two.", "Done."]),
        ("1. First\n2. Second", ["1. First", "2. Second"]),
        ("# Title\nText\n\n- item", ["Title", "Text", "item"]),
        ("Before.\n```python\nx = 1. Or 2\n~~~\n```\nAfter.", ["Before.", "After."]),
        ("```x``` is code. Yes.", ["x is code.", "Yes."]),
        ("~~~\nnever closed. Really.", []),
        ("Well... I think so.", ["Well...", "I think so."]),
    ],
)
def test_texts_are_cut_into_sentences(text: str, sentences: list[str]) -> None:
    assert cut(text) == sentences
    assert cut(*text) == sentences


def test_a_sentence_comes_with_the_space_after_it() -> None:
    stream = SentenceStream()
    assert stream.feed("Hello there.") == []
    assert stream.feed(" ") == ["Hello there."]
    assert stream.feed("It is 5 p.m. ") == []
    assert stream.feed("Y") == ["It is 5 p.m."]
    assert stream.finish() == ["Y"]


@given(PIECES, st.data())
def test_chunks_make_no_difference(text: str, data: st.DataObject) -> None:
    places = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=12)))
    bounds = zip([0, *places], [*places, len(text)], strict=True)
    assert cut(*(text[start:end] for start, end in bounds)) == cut(text)


@given(WORDS, st.sampled_from([" ", "\n", "  "]))
def test_no_word_is_lost_and_no_sentence_is_endless(words: list[str], space: str) -> None:
    sentences = cut(space.join(words))
    assert " ".join(sentences).split() == words
    assert all(len(sentence) <= LONGEST + 1 for sentence in sentences)
