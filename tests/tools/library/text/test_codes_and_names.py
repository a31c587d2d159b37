"""Laws of the tools on codes, sounds, scripts, characters and mended text."""

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retinue.tools.authoring.declare import ToolError
from retinue_tools.text._scripts import romanize
from retinue_tools.text._syllables import syllables
from retinue_tools.text.encodings import text_repair_mojibake
from retinue_tools.text.english_words import text_inflect_noun
from retinue_tools.text.morse_and_braille import text_convert_braille, text_convert_morse
from retinue_tools.text.phonetics import cologne, nysiis, soundex
from retinue_tools.text.transliteration import text_create_slug, text_remove_accents
from retinue_tools.text.unicode import text_detect_confusables

ANY = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=100)
LETTERS = st.text("ABCDEFGHIJKLMNOPQRSTUVWXYZ", min_size=1, max_size=20)


@given(st.text("ABCXYZ019.,?/@=", min_size=1, max_size=30))
def test_morse_comes_back(text: str) -> None:
    coded = text_convert_morse(text, "encode")
    assert coded["unknown"] == []
    assert text_convert_morse(coded["result"], "decode")["result"] == text


@given(st.text("abcjkzABZ0129 ,.!-", min_size=1, max_size=30))
def test_braille_comes_back(text: str) -> None:
    if text.strip():
        assert text_convert_braille(text_convert_braille(text, "encode")["result"], "decode")["result"] == text


@given(LETTERS)
def test_codes_of_sound_have_their_forms(name: str) -> None:
    assert re.fullmatch("[A-Z][0-6]{3}", soundex(name))
    assert re.fullmatch("[0-8]*", cologne(name))
    assert re.fullmatch("[A-Z]+", nysiis(name))


@pytest.mark.parametrize(
    ("word", "count"),
    [
        ("strengths", 1), ("walked", 1), ("wanted", 2), ("boxes", 2), ("makes", 1), ("radio", 3), ("nation", 2),
        ("experience", 4), ("january", 4), ("capitalism", 5), ("didn't", 2), ("mother-in-law", 4), ("appreciate", 4),
        ("opinion", 3), ("university", 5), ("whale", 1), ("table", 2), ("safely", 2), ("employee", 3),
    ],
)  # fmt: skip
def test_syllables_are_those_of_the_dictionary(word: str, count: int) -> None:
    assert syllables(word) == count
    assert syllables(word.upper()) == count


@given(ANY)
def test_every_word_has_a_syllable(text: str) -> None:
    assert all(syllables(word) >= 1 for word in text.split() if word.strip("-\u2010\u2011\u2012\u2013\u2014"))


@given(st.text("абвгдежзийклмнопрстуфхцчшщъыьэюя ", max_size=40))
def test_romanised_cyrillic_keeps_no_cyrillic(text: str) -> None:
    for system in ("cyrillic_iso9", "russian_passport"):
        assert not re.search("[\u0430-\u044f\u0451]", romanize(text, system))


@given(st.text("абвгдежзийклмнопрстуфхцчшщъыьэюя", max_size=40))
def test_iso_9_is_one_to_one(text: str) -> None:
    assert len(romanize(text, "cyrillic_iso9")) == len(unicodedata.normalize("NFC", text))


@given(ANY)
def test_slugs_are_slugs_of_themselves(text: str) -> None:
    try:
        slug = text_create_slug(text)["slug"]
    except ToolError:
        return
    assert re.fullmatch("[a-z0-9]+(-[a-z0-9]+)*", slug)
    assert len(slug) <= 80
    assert text_create_slug(slug)["slug"] == slug


@given(ANY)
def test_accents_are_removed_once_for_all(text: str) -> None:
    once = text_remove_accents(text)["result"]
    assert text_remove_accents(once)["result"] == once
    assert text.isascii() <= (once == text)


@given(st.text("abc äöüéñçß", min_size=1, max_size=60), st.sampled_from(["cp1252", "iso-8859-1"]))
def test_text_that_was_read_wrongly_is_mended(text: str, encoding: str) -> None:
    try:
        garbled = text.encode().decode(encoding)
    except UnicodeDecodeError:
        return
    assert text_repair_mojibake(garbled)["result"] == text


@given(ANY)
def test_cleaned_text_holds_nothing_hidden(text: str) -> None:
    cleaned = text_detect_confusables(text, keep_joiners=False)["cleaned"]
    counts = text_detect_confusables(cleaned, keep_joiners=False)["counts"]
    assert counts.keys() <= {"lookalike"}


@pytest.mark.parametrize(
    "noun",
    [
        "child", "wolf", "city", "bus", "hero", "analysis", "box", "church", "sheep", "woman", "day", "quiz", "knife",
        "dog",
    ],
)  # fmt: skip
def test_plurals_lead_back_to_their_singulars(noun: str) -> None:
    plural = text_inflect_noun(noun)["plural"]
    assert text_inflect_noun(plural, "plural")["singular"] == noun
