"""Extracts the text features of a request: words and word pairs, with literal data replaced by its kind."""

import re
from itertools import pairwise

from retinue.language.data_placeholders import with_kinds
from retinue.language.text_normalization import fold, stem

_MOST_CHARACTERS, _MOST_WORDS = 1500, 80

_TOKEN = re.compile(r"[a-z_]{2,}|[%$€£°=^*/+]")
_START = "^"


def features(request: str) -> set[str]:
    """Return the stems of a request's words, and each stem paired with its predecessor."""
    text = with_kinds(fold(request[:_MOST_CHARACTERS]))
    words = [stem(word) for word in _TOKEN.findall(text)[:_MOST_WORDS]]
    return {*words, *(f"{first} {second}" for first, second in pairwise([_START, *words]))}
