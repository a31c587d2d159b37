"""Corrects argument texts that a small model copied from the request with spelling mistakes."""

import re
from collections.abc import Iterator
from typing import Any

from rapidfuzz import fuzz, process

_WORD = re.compile(r"\S+")
_BEFORE, _BEHIND = "\"'`(\u201c\u2018", "\"'`),;:.?!\u201d\u2019"
_ALIKE = 55.0
"""Minimum similarity in percent for replacing a text with words of the request."""
_LONGEST = 4000
"""Most characters of a request to search."""
_MORE_WORDS = 3
_MOST_WORDS = 12
"""Most words of a text to correct. Comparing longer texts with pieces of a long request would block the server."""


def copy_spelling(value: Any, request: str) -> Any:
    """Replace a text, or each text of a list, with the most similar words of the request, if similar enough."""
    if isinstance(value, list):
        return [copy_spelling(one, request) for one in value]
    if not isinstance(value, str) or not value or re.search(rf"(?<!\w){re.escape(value)}(?!\w)", request):
        return value
    words = value.count(" ") + 1
    pieces = _pieces(request, words) if words <= _MOST_WORDS and len(request) <= _LONGEST else ()
    found = process.extractOne(value, pieces, scorer=fuzz.ratio, score_cutoff=_ALIKE)
    return found[0] if found else value


def _pieces(request: str, words: int) -> Iterator[str]:
    """Yield runs of consecutive words of a request, with and without the punctuation around them."""
    places = [match.span() for match in _WORD.finditer(request)]
    for first, (begin, _) in enumerate(places):
        for _, end in places[first : first + words + _MORE_WORDS]:
            piece = request[begin:end]
            yield piece
            yield piece.lstrip(_BEFORE).rstrip(_BEHIND)
