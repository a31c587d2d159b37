"""Split a text into the words that are indexed and searched for."""

import re
from collections import Counter

from retinue.language.text_normalization import fold, stem

_WORD = re.compile(r"[^\W_]+")
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]")
"""Thai, Lao, Japanese and Chinese have no spaces between words, and Korean inflects them: index pairs of letters
instead.
"""

WORDS_VERSION = "1"
"""The version of `count_words`. Raise it if it returns other words: servers then index all stored texts again."""

_LONGEST = 40
MOST_WORDS = 1000
"""Maximum number of distinct words indexed per text."""


def count_words(text: str) -> Counter[str]:
    """Return the count of each stem in a text; beyond `MOST_WORDS` distinct stems, only the first ones."""
    counts: Counter[str] = Counter()
    for run in _WORD.findall(fold(text)):
        for word in _pairs(run) if _UNSPACED.search(run) else (stem(run[:_LONGEST]),):
            if word in counts or len(counts) < MOST_WORDS:
                counts[word] += 1
    return counts


def _pairs(run: str) -> list[str]:
    return [run[place : place + 2] for place in range(max(len(run) - 1, 1))]


def slug(text: str, longest: int = 60) -> str:
    """Return a short name derived from a text: its words in lower case, joined by hyphens."""
    return "-".join(_WORD.findall(fold(text)))[:longest].strip("-") or "item"
