"""Text in plain Latin letters: slugs, removal of accents, romanisation of other scripts."""

import re
import unicodedata
from collections import Counter
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, Text, ToolError, tool
from retinue_tools.text._scripts import System, replace, romanize

_LIGATURES = {
    "ß": "ss",
    "æ": "ae",
    "œ": "oe",
    "ø": "o",
    "đ": "d",
    "ð": "d",
    "þ": "th",
    "ł": "l",
    "ħ": "h",
    "\u0131": "i",
    "ŋ": "ng",
}
_UMLAUTS = {"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "ø": "oe"}
_WORDS_OF_SIGNS = {"&": " and ", "@": " at ", "%": " percent ", "+": " plus "}


class Romanized(TypedDict):
    """A text in Latin letters."""

    result: Annotated[str, About("Text with romanised letters")]
    left: Annotated[str, About("Letters outside the Latin script that the system does not support, each once")]


class Slug(TypedDict):
    """A slug."""

    slug: Annotated[str, About("Lower-case ASCII letters and digits with separators between words")]
    words: Annotated[int, About("Number of words")]


class Unaccented(TypedDict):
    """A text without diacritics."""

    result: Annotated[str, About("The text with base letters")]
    changed: Annotated[int, About("Number of changed characters")]


@tool(
    tags="transliterate romanize cyrillic greek russian ukrainian japanese kana hiragana romaji latin script passport",
    use_when=(
        "Write Юрий Гагарин in Latin letters as in a passport",
        "Romanise the Greek name Θεσσαλονίκη",
        "What is とうきょう in romaji?",
        "Transliterate this Ukrainian address for an English form",
    ),
    examples=(
        Example(
            {"text": "Згурський, Юрій, Знам'янка, Київ", "system": "ukrainian_national"},
            {"result": "Zghurskyi, Yurii, Znamianka, Kyiv", "left": ""},
            source="Cabinet of Ministers of Ukraine, resolution 55 of 2010, its examples",
        ),
        Example(
            {"text": "Евангелия Θεσσαλονίκη, Ευαγγελία, Μπάμπης, Αύγουστος", "system": "greek_elot743"},
            {"result": "Евангелия Thessaloniki, Evangelia, Bampis, Avgoustos", "left": "Евангелия"},
            source="ELOT 743 (ISO 843 type 2), its rules for ευ, \u03b3\u03b3 and μπ",
        ),
        Example(
            {"text": "がっこう まっちゃ しんよう ラーメン", "system": "japanese_hepburn"},
            {"result": "gakkō matcha shin'yō rāmen"},
            source="Wikipedia, Hepburn romanization: its examples of modified Hepburn",
        ),
        Example({"text": "Щукин Юлия", "system": "russian_passport"}, {"result": "Shchukin Iuliia"}, "ICAO 9303-3, B"),
        Refusal({"text": "plain", "system": "cyrillic_iso9"}, "no letters"),
    ),
    reply={
        "left, result": "{result} (not converted: {left})",
        "result": "{result}",
        "": "The text in Latin letters: {result}",
    },
)
def text_transliterate_script(
    text: Text, system: Annotated[System, About("Standard to follow, which determines the script")]
) -> Romanized:
    """Write Cyrillic, Greek or Japanese kana in Latin letters by a named standard.

    Systems: ISO 9, Russian passports (ICAO 9303), Ukraine 2010, Bulgaria 2009, ELOT 743, modified Hepburn (kana only:
    kanji are kept). Returns the text and the unsupported letters.
    """
    result = romanize(text, system)
    if result == unicodedata.normalize("NFC", text):
        raise ToolError(f"The text has no letters that {system} romanises. Choose the system of its script.")
    left = dict.fromkeys(one for one in result if one.isalpha() and "LATIN" not in unicodedata.name(one, "LATIN"))
    return {"result": result, "left": "".join(one for one in left if unicodedata.category(one) != "Lm")}


@tool(
    tags="slug slugify url permalink filename kebab ascii seo",
    use_when=(
        "Make a URL slug from 'Crème brûlée & tarte: 10 recipes!'",
        "Turn this blog title into a permalink",
        "Create a safe file name from this headline",
    ),
    examples=(
        Example(
            {"text": "Crème Brûlée & Tarte: 10 «Best» Recipes!"},
            {"slug": "creme-brulee-and-tarte-10-best-recipes", "words": 7},
            source="by hand",
        ),
        Example(
            {"text": "Über die Straße nach Москва", "umlauts": "german", "separator": "_", "max_length": 17},
            {"slug": "ueber_die_strasse", "words": 3},
            source="by hand: cut at a word",
        ),
        Refusal({"text": "!!!"}, "nothing to make"),
    ),
    reply="{slug}",
)
def text_create_slug(
    text: Annotated[str, About("Title or name", "10 Best Crème Brûlées", min_length=1, max_length=2000)],
    separator: Annotated[Literal["-", "_", "."], About("Separator of words")] = "-",
    max_length: Annotated[
        int, About("Maximum number of characters; truncated between words", minimum=5, maximum=200)
    ] = 80,
    umlauts: Annotated[Literal["plain", "german"], About("german writes ä as ae; plain writes a")] = "plain",
) -> Slug:
    """Make a slug: a short lower-case ASCII name from a title for a web address, file or anchor.

    Accents are removed, Cyrillic and Greek romanised, & and % spelled out. Returns the slug.
    """
    spelled = replace(text.lower(), _WORDS_OF_SIGNS)
    spelled = replace(spelled, _UMLAUTS) if umlauts == "german" else spelled
    latin = romanize(romanize(spelled, "russian_passport"), "greek_elot743")
    ascii_text = without_accents(latin).replace("'", "").replace("\u2019", "")
    words = re.findall("[a-z0-9]+", ascii_text)
    if not words:
        raise ToolError(
            "There is nothing to make a slug from: the text needs Latin, Cyrillic or Greek letters, or digits."
        )
    slug, word_count = words[0][:max_length], 1
    while word_count < len(words) and len(slug) + 1 + len(words[word_count]) <= max_length:
        slug += separator + words[word_count]
        word_count += 1
    return {"slug": slug, "words": word_count}


@tool(
    tags="accents diacritics umlaut ascii fold strip remove special letters",
    use_when=(
        "Remove the accents from 'Škoda Žluťoučký'",
        "Convert these names to plain ASCII letters",
        "Write Müller and Øresund without special characters",
    ),
    examples=(
        Example({"text": "Dvořák, São Paulo, naïve"}, {"result": "Dvorak, Sao Paulo, naive", "changed": 4}, "by hand"),
        Example({"text": "Müller aß Öl", "umlauts": "german"}, {"result": "Mueller ass Oel"}, source="DIN 5007-2"),
        Refusal({"text": "ä", "umlauts": "french"}, "umlauts"),
    ),
    reply={
        "result": "{result}",
        "": "The text without accents: {result}",
    },
)
def text_remove_accents(
    text: Text,
    umlauts: Annotated[
        Literal["plain", "german"], About("german writes ä as ae, ø as oe; plain writes a, o")
    ] = "plain",
) -> Unaccented:
    """Remove diacritics from Latin letters, and write ß, æ, ø, ł and others with plain letters.

    Use it for matching names, sorting or systems that support only ASCII. Returns the text and the number of changes.
    """
    composed = unicodedata.normalize("NFC", text)
    result = without_accents(replace(composed, _UMLAUTS) if umlauts == "german" else composed)
    counts = Counter(one for one in composed if not one.isascii())
    changed = sum(count for one, count in counts.items() if without_accents(one) != one)
    return {"result": result, "changed": changed}


def without_accents(text: str) -> str:
    """Replace accented letters by base letters, and ligatures by two letters."""
    apart = unicodedata.normalize("NFD", replace(text, _LIGATURES))
    return unicodedata.normalize("NFC", "".join(one for one in apart if not "\u0300" <= one <= "\u036f"))
