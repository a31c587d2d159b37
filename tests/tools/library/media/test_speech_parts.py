"""Laws of what is said and heard, without the models: texts to say, stretches to listen to, pieces for a screen."""

import re
from collections.abc import Sequence
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from retinue.sdk.speech import Word
from retinue.tools.speech.text import split_at_pauses, spoken_length, to_speech
from retinue_tools.media._speech_cues import pieces, sentences, text_of
from retinue_tools.media._speech_spans import FRAME_S, spans, windows

WORDS = st.lists(st.from_regex(r"[A-Za-z]{1,12}[,.?!]?", fullmatch=True), min_size=1, max_size=80)
ANY = st.text(st.characters(exclude_categories=["Cs"]), max_size=300)
VOICES = st.lists(st.sampled_from([0.0, 0.1, 0.4, 0.6, 1.0]), max_size=400)


@given(WORDS)
def test_plain_words_are_said_as_they_are(words: list[str]) -> None:
    assert to_speech(" ".join(words)) == " ".join(words)


@given(ANY)
def test_every_transcript_line_has_words(text: str) -> None:
    plain = to_speech(text)
    assert all(any(sign.isalnum() for sign in line) for line in plain.split("\n") if plain)
    assert not re.search(r"[*`\x00-\x09]|https?://\w", plain)


def test_markup_addresses_and_emoji_are_not_said() -> None:
    text = (
        "# News\n- [x] **Bold** and `code` 👍🏽\n<p>See [the *guide*](https://a.example/?b) &amp; www.example.com</p>"
    )
    assert to_speech(text) == "News\nBold and code\nSee the guide &"


def test_numbers_without_a_name_are_read_digit_by_digit() -> None:
    assert to_speech("call 1,234,567 or 12345678901234") == "call 1,234,567 or 1 2 3 4 5 6 7 8 9 0 1 2 3 4"
    assert to_speech("\u0663 apples") == "3 apples"


@given(WORDS)
def test_breaths_hold_all_words_and_are_short(words: list[str]) -> None:
    parts = split_at_pauses(" ".join(words * 10))
    assert " ".join(parts).split() == words * 10
    assert all(spoken_length(part) <= 401 for part in parts)


@given(VOICES, st.sampled_from([0.1, 0.3, 1.0]))
def test_speech_has_pauses_between(voices: list[float], pause_s: float) -> None:
    found = spans(voices, pause_s)
    assert all(end > start and voices[start] >= 0.5 and voices[end - 1] >= 0.35 for start, end in found)
    assert all((after[0] - before[1] + 1) * FRAME_S >= pause_s for before, after in pairwise(found))


@given(VOICES, st.sampled_from([0.5, 2.0, 9.0]))
def test_stretches_hold_all_speech_and_are_short(voices: list[float], longest_s: float) -> None:
    spoken_spans = spans(voices, 0.1)
    stretches = windows(spoken_spans, voices, longest_s, 0.5)
    assert all(0 < end - start <= longest_s / FRAME_S for start, end in stretches)
    assert all(before[1] <= after[0] for before, after in pairwise(stretches))
    heard = {frame for start, end in stretches for frame in range(start, end)}
    assert all(frame in heard for start, end in spoken_spans for frame in range(start, end))


def time_of(words: Sequence[str]) -> list[Word]:
    return [Word(text, place * 0.4, place * 0.4 + 0.4) for place, text in enumerate(words)]


@given(WORDS)
def test_sentences_and_pieces_hold_all_words(words: list[str]) -> None:
    found = sentences(time_of(words))
    assert [word for sentence in found for word in sentence] == time_of(words)
    assert all(not word.text.endswith((".", "?", "!")) for sentence in found for word in sentence[:-1])
    for sentence in found:
        parts = pieces(sentence, lambda part: len(text_of(part)) <= 30)
        assert [word for part in parts for word in part] == sentence
        assert all(len(text_of(part)) <= 30 for part in parts)


def test_a_pause_ends_a_sentence_and_a_title_does_not() -> None:
    words = [Word("Ask", 0, 0.3), Word("Mr.", 0.3, 0.5), Word("Smith", 0.5, 1.0), Word("Today", 2.0, 2.5)]
    assert [text_of(sentence) for sentence in sentences(words)] == ["Ask Mr. Smith", "Today"]


def test_a_sentence_is_rather_divided_after_a_comma() -> None:
    words = time_of(["When", "the", "rain", "had", "stopped,", "we", "walked", "home", "along", "the", "river"])
    parts = pieces(words, lambda part: len(part) < 11)
    assert [text_of(part) for part in parts] == ["When the rain had stopped,", "we walked home along the river"]
