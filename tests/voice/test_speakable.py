"""Written text becomes words that a voice can say."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retinue.voice.speech.speakable import speakable

MARKUP = re.compile(r"[*`~^\\{}|<>\[\]]|https?://|&lt;|&gt;", re.IGNORECASE)
PIECES = st.lists(
    st.sampled_from(
        [
            *(
                "*",
                "**",
                "_",
                "`",
                "~~",
                "[",
                "](",
                ")",
                "!",
                "<",
                ">",
                "<b>",
                "</b>",
                "&amp;",
                "&lt;",
                "|",
                "# ",
                "- ",
            ),
            *("https://www.example.com/a?b=c", "www.example.org", "mailto:a@example.com", "a.b@example.com", " ", "\n"),
            *(
                "one",
                "Two",
                "3.5",
                "$1,249.50",
                "😀",
                "\u200d",
                "é",
                "\\",
                "{",
                "}",
                "^",
                "x" * 130,
                "12345678901234567",
            ),
        ]
    ),
    max_size=14,
).map("".join)


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("It is **done**, _really_.", "It is done, really."),
        ("# The `plan`", "The plan"),
        ("- [x] Call [the office](https://example.com/a_b.c).", "Call the office."),
        ("See https://www.example.com/path?q=1.", "See example dot com."),
        ("Write to <mailto:billing@example.com>.", "Write to billing at example dot com."),
        ("first.l_name+x@example.co.uk!", "first dot l underscore name plus x at example dot co dot uk!"),
        ("| Name | Price |", "Name, Price"),
        ("|---|:-:|", ""),
        ("Great 👍🏽!", "Great!"),
        ("It costs $1,249.50, or 12%, on March 3rd.", "It costs $1,249.50, or 12%, on March 3rd."),
        ("a < b and 5 >= 4", "a less than b and 5 more than 4"),
        ("It opens at noon [1]. Or later [2, 3]!", "It opens at noon. Or later!"),
        ("A &amp; B", "A & B"),
        ("<b>Bold</b> &lt;b&gt;", "Bold"),
        ("***", ""),
    ],
)
def test_texts_are_made_speakable(written: str, said: str) -> None:
    assert speakable(written) == said


@given(st.one_of(PIECES, st.text(max_size=60)))
def test_no_markup_is_left_and_a_second_time_changes_nothing(text: str) -> None:
    said = speakable(text)
    assert not MARKUP.search(said)
    assert speakable(said) == said


@given(st.lists(st.from_regex(r"[A-Za-z]{1,12}[,;]?", fullmatch=True), min_size=1, max_size=12), st.data())
def test_no_word_is_lost(words: list[str], data: st.DataObject) -> None:
    marks = st.sampled_from(["{}", "**{}**", "*{}*", "`{}`", "~~{}~~", "<i>{}</i>", "[{}](https://example.com)"])
    marked = " ".join(data.draw(marks).format(word) for word in words)
    assert speakable(marked) == " ".join(words)
