"""Normalizes words for look-up."""

import re
import unicodedata
from functools import lru_cache

_WORD = re.compile(r"[a-z0-9]+")
_NUMBERED = re.compile(r"\b([a-z]{2,6})-(\d{1,4})\b(?!-)")


def stems(text: str) -> set[str]:
    """Return the stems of all words of a text, except single letters."""
    return {stem(word) for word in _WORD.findall(join(fold(text.replace("_", " ")))) if len(word) > 1}


def join(text: str) -> str:
    """Join names with a number in a folded text into one word: sha-256 becomes sha256, and utf-8 becomes utf8."""
    return _NUMBERED.sub(r"\1\2", text) if "-" in text else text


def fold(text: str) -> str:
    """Convert a text to lower case and to NFKD compatibility form without accents."""
    if text.isascii():
        return text.lower()
    letters = unicodedata.normalize("NFKD", text).lower()
    return "".join(letter for letter in letters if not unicodedata.combining(letter))


@lru_cache(8192)
def stem(word: str) -> str:
    """Strip common English endings and unify spelling. The result need not be an English word.

    The workspace stores the results, so a change hides stored records: see `tests/workspace/test_stored_index.py`. The
    compiled catalogue of tools also has them, and is compiled again if this file changes.
    """
    if len(word) < 4 or not word.isalpha():
        return word
    word = re.sub(r"ies$", "y", word)
    word = re.sub(r"(ss|sh|ch|x|z)es$", r"\1", word)
    word = re.sub(r"(?<![su])s$", "", word)
    word = re.sub(r"(?<=[tb])re$", "er", word)
    word = re.sub(r"(?:is|iz)(e|ed|ing|ation|er)$", r"iz\1", word)
    word = re.sub(r"(?<=[a-z]{3})(?:ations?|ating|ated|ates|ate|ator)$", "at", word)
    word = re.sub(r"(?<=[a-z]{3})(?:ing|ed|er|ly)$", "", word)
    word = re.sub(r"(?<=[a-z]{3})our$", "or", word)
    word = re.sub(r"([bdfgklmnprt])\1$", r"\1", word)
    return re.sub(r"(?<=[a-z]{3})e$", "", word)
