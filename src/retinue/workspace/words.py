"""The words of a text, as they are indexed and looked up."""

import re
from collections import Counter

from retinue.core.text_normalization import fold, stem

_WORD = re.compile(r"[^\W_]+")
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]")
"""Thai, Lao, Japanese and Chinese put no spaces between words, Korean inflects them: they go by pairs of letters."""

_LONGEST = 40
MOST_WORDS = 1000
"""Different words of one text that are indexed."""


def count_words(text: str) -> Counter[str]:
    """How often each stem stands in a text; of a text with very many different ones, those that come first."""
    counts: Counter[str] = Counter()
    for run in _WORD.findall(fold(text)):
        for word in _pairs(run) if _UNSPACED.search(run) else (stem(run[:_LONGEST]),):
            if word in counts or len(counts) < MOST_WORDS:
                counts[word] += 1
    return counts


def _pairs(run: str) -> list[str]:
    return [run[place : place + 2] for place in range(max(len(run) - 1, 1))]


def slug(text: str, longest: int = 60) -> str:
    """A text as a short name for people and models: its words in lower case, joined by hyphens."""
    return "-".join(_WORD.findall(fold(text)))[:longest].strip("-") or "item"
