"""Guess the language of a text by its function words, such as "the" or "und"."""

import re
from collections import Counter
from functools import cache
from pathlib import Path

_WORD = re.compile(r"[^\W\d_]+")
_CHARACTERS = 400
"""Length of the beginning that is looked at: enough for some ten function words."""


@cache
def _languages_by_word() -> dict[str, list[int]]:
    """Return the lines of the list that contain a word. Each line is a language."""
    found: dict[str, list[int]] = {}
    lines = Path(__file__).with_name("function_words.txt").read_text(encoding="utf-8").splitlines()
    for language, line in enumerate(lines):
        for word in line.split():
            found.setdefault(word, []).append(language)
    return found


def language_of(text: str) -> int | None:
    """Return the number of the language with the most function words; None if there is none, or more than one."""
    known = _languages_by_word()
    words = (word.lower() for word in _WORD.findall(text[:_CHARACTERS]))
    counts = Counter(language for word in words for language in known.get(word, ())).most_common(2)
    if not counts or (len(counts) == 2 and counts[0][1] == counts[1][1]):
        return None
    return counts[0][0]
