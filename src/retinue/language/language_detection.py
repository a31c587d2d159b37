"""Guesses the language of a text by its function words, such as "the" or "und", and detects requests to translate."""

import re
from collections import Counter
from functools import cache
from pathlib import Path

FUNCTION_WORDS = Path(__file__).with_name("function_words.txt").read_text(encoding="utf-8")
"""Words that say nothing of the subject of a text. Each line is a language of `_LANGUAGES`."""

_LANGUAGES = ("en", "de", "es", "fr", "it", "pt", "nl", "pl")
_WORD = re.compile(r"[^\W\d_]+")
_BEGINNING = 240
"""Characters of a text that are looked at: they have some ten function words."""

_LONGEST = 400
"""Most characters of a request to translate: a longer one contains data."""
_FOREIGN = re.compile(
    r"[\u00bf\u00a1\u00df\u0370-\u1fff\u3040-\ud7ff]|\b(?:wie|wieviel|viele|ist|sind|und|welche[rs]?|rechne|wandle"
    r"|schreibe|z\u00e4hle|cu[\u00e1a]l|cu[\u00e1a]nt[oa]s?|qu\u00e9|convierte|calcula|escribe|cuenta|quel|quelle|combien"
    r"|convertis|calcule|\u00e9cris|quanto|converti|hoeveel|converta)\b",
    re.IGNORECASE,
)
_QUOTATION = re.compile(r"\"[^\"]*\"|\u201c[^\u201d]*\u201d")


def is_foreign(request: str) -> bool:
    """Return whether a request appears to be in a language other than English."""
    return len(request) <= _LONGEST and _FOREIGN.search(_QUOTATION.sub("", request)) is not None


def language_of(text: str) -> str | None:
    """Return the code of the language with the most function words; None if there is none, or more than one."""
    known = _languages_by_word()
    words = (word.lower() for word in _WORD.findall(text[:_BEGINNING]))
    counts = Counter(language for word in words for language in known.get(word, ())).most_common(2)
    if not counts or (len(counts) == 2 and counts[0][1] == counts[1][1]):
        return None
    return counts[0][0]


@cache
def _languages_by_word() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for language, words in zip(_LANGUAGES, FUNCTION_WORDS.splitlines(), strict=True):
        for word in words.split():
            found.setdefault(word, []).append(language)
    return found
