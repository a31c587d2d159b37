"""Words of a request that a small model copied with mistakes, as the request has them."""

import re
from collections.abc import Iterator
from typing import Any

from rapidfuzz import fuzz, process

_WORD = re.compile(r"\S+")
_BEFORE, _BEHIND = "\"'`(\u201c\u2018", "\"'`),;:.?!\u201d\u2019"
_ALIKE = 55.0
"""Percent of likeness, from which on words of the request are taken for what was meant."""
_LONGEST = 4000
"""Characters of a request in which texts are looked for."""
_MORE_WORDS = 3
_MOST_WORDS = 12
"""A longer text stays as it is: comparing it with all pieces of a long request would hold up the server."""


def copy_spelling(value: Any, request: str) -> Any:
    """A text, or each text of a list, as it stands in the request where something much like it does."""
    if isinstance(value, list):
        return [copy_spelling(one, request) for one in value]
    if not isinstance(value, str) or not value or re.search(rf"(?<!\w){re.escape(value)}(?!\w)", request):
        return value
    words = value.count(" ") + 1
    pieces = _pieces(request, words) if words <= _MOST_WORDS and len(request) <= _LONGEST else ()
    found = process.extractOne(value, pieces, scorer=fuzz.ratio, score_cutoff=_ALIKE)
    return found[0] if found else value


def _pieces(request: str, words: int) -> Iterator[str]:
    """Some words of a request that stand side by side, with and without the marks around them."""
    places = [match.span() for match in _WORD.finditer(request)]
    for first, (begin, _) in enumerate(places):
        for _, end in places[first : first + words + _MORE_WORDS]:
            piece = request[begin:end]
            yield piece
            yield piece.lstrip(_BEFORE).rstrip(_BEHIND)
