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

_REQUEST_WORDS = Path(__file__).with_name("request_words.txt").read_text(encoding="utf-8")
"""Words that begin or shape requests, such as "show", in the same form."""

_LONGEST = 400
"""Most characters of a request to translate. A longer one is data, unless these follow a colon or a line."""
_FEW = 2
"""Most words of a request whose language a single word shows."""
_SYMBOLS = 2
"""Most letters of another script in a request that uses them as symbols, such as \u03c3."""
_OTHER_SCRIPT = re.compile(r"[\u0370-\u1fff\u3040-\ud7ff]")
_LETTERS = {
    "de": "\u00e4\u00f6\u00fc\u00df",
    "es": "\u00bf\u00a1\u00f1",
    "fr": "\u00e7\u0153\u00ea\u00e8",
    "pt": "\u00e3\u00f5",
    "pl": "\u0142\u0105\u0119\u017c\u015b",
}
"""Letters and marks that hardly occur in other languages of `_LANGUAGES`."""
_QUOTATION = re.compile(
    r"\"[^\"]*\"|[\u201c\u201e\u00ab][^\u201c\u201d\u00bb]*[\u201c\u201d\u00bb]|(?<!\w)'[^']*'(?!\w)"
)
_DATA = re.compile(r":\s|\n")
"""Matches the end of what a request says about the data that follows."""


def is_foreign(request: str) -> bool:
    """Return whether a request to translate appears to be in a language other than English."""
    is_short = len(request) <= _LONGEST or _DATA.search(request[:_LONGEST]) is not None
    return is_short and language_of_request(request) != "en"


def instruction_of(request: str) -> str:
    """Return what a request says, without quotations and the data after its first colon or line."""
    text = _QUOTATION.sub(" ", request).strip()
    instruction = _DATA.split(text, maxsplit=1)[0]
    return instruction if len(_WORD.findall(instruction)) > 1 else text


def language_of_request(request: str, unclear: str = "en") -> str | None:
    """Return the code of the language in which a request asks: "en" if no other is plain, and None for the languages
    of other scripts. Without any word that shows a language, it is `unclear`.
    """
    instruction = instruction_of(request[:_LONGEST])[:_BEGINNING].lower()
    words = [word for word in _WORD.findall(instruction) if len(word) > 1]
    known = _languages_by_word(FUNCTION_WORDS, _REQUEST_WORDS)
    # The word at the beginning, a verb or "how", says more than others.
    counts = Counter(language for word in [*words, *words[:1]] for language in known.get(word, ()))
    counts.update(language for language, letters in _LETTERS.items() if not set(letters).isdisjoint(instruction))
    if not counts["en"] and len(_OTHER_SCRIPT.findall(instruction)) > _SYMBOLS:
        return None
    if not counts:
        return unclear
    best, count = counts.most_common(1)[0]
    is_plain = count > counts["en"] and (count > 1 or len(words) <= _FEW)
    return best if is_plain else "en"


def language_of(text: str) -> str | None:
    """Return the code of the language with the most function words; None if there is none, or more than one."""
    known = _languages_by_word(FUNCTION_WORDS)
    words = (word.lower() for word in _WORD.findall(text[:_BEGINNING]))
    counts = Counter(language for word in words for language in known.get(word, ())).most_common(2)
    if not counts or (len(counts) == 2 and counts[0][1] == counts[1][1]):
        return None
    return counts[0][0]


@cache
def _languages_by_word(*texts: str) -> dict[str, list[str]]:
    """Return the languages that have each word in one of the texts, which have a line for each language."""
    found: dict[str, list[str]] = {}
    for language, *lines in zip(_LANGUAGES, *(text.splitlines() for text in texts), strict=True):
        for word in {word for line in lines for word in line.split()}:
            found.setdefault(word, []).append(language)
    return found
