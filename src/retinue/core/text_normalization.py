"""Words in the one spelling under which they are looked up."""

import re
import unicodedata
from functools import lru_cache

_WORD = re.compile(r"[a-z0-9]+")
_NUMBERED = re.compile(r"\b([a-z]{2,6})-(\d{1,4})\b(?!-)")


def stems(text: str) -> set[str]:
    """The stems of all words of a text, single letters excepted."""
    return {stem(word) for word in _WORD.findall(join(fold(text.replace("_", " ")))) if len(word) > 1}


def join(text: str) -> str:
    """A folded text in which names with a number are one word: SHA-256 is sha256, and UTF-8 is utf8."""
    return _NUMBERED.sub(r"\1\2", text) if "-" in text else text


def fold(text: str) -> str:
    """A text in lower case, in its compatibility form and without accents."""
    if text.isascii():
        return text.lower()
    letters = unicodedata.normalize("NFKD", text).lower()
    return "".join(letter for letter in letters if not unicodedata.combining(letter))


@lru_cache(8192)
def stem(word: str) -> str:
    """A word without its commonest English endings, and in one spelling. Not a word of any language."""
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
