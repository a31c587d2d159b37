"""What a request is like: its words, and its pairs of words, with kinds of data in the place of the data."""

import re
from itertools import pairwise

from retinue.core.data_placeholders import with_kinds
from retinue.core.text_normalization import fold, stem

_MOST_CHARACTERS, _MOST_WORDS = 1500, 80

_TOKEN = re.compile(r"[a-z_]{2,}|[%$€£°=^*/+]")
_START = "^"


def features(request: str) -> set[str]:
    """The stems of a request's words, and each with the one before it."""
    text = with_kinds(fold(request[:_MOST_CHARACTERS]))
    words = [stem(word) for word in _TOKEN.findall(text)[:_MOST_WORDS]]
    return {*words, *(f"{first} {second}" for first, second in pairwise([_START, *words]))}
