"""Lists where a span of a request may begin and end: at token boundaries, and at punctuation within tokens."""

from itertools import accumulate
from typing import NamedTuple

from retinue.models.encoder import Encoded

_OPENING = frozenset("\"'`(<[{\u201c\u2018\u00ab#*_ \n:=/-,")
_CLOSING = frozenset("\"'`)>]}\u201d\u2019\u00bb.,;:!?- \n*_")
"""Characters after which a span may begin, and before which it may end."""
_QUOTES = '"\u201c\u201d\u00ab\u00bb', "'\u2018\u2019`"
_MARKS = (" ", "\n", *_QUOTES, *":.,;", "?!", "([{<", ")]}>", "-\u2013\u2014", "=/\\")
_KIND_OF_MARK = {mark: kind for kind, marks in enumerate(_MARKS, 1) for mark in marks}
_DIGIT, _CAPITAL, _SMALL, _OTHER = range(len(_MARKS) + 1, len(_MARKS) + 5)
KINDS = _OTHER + 1
"""Number of character kinds, including 0 for a position beyond the text."""


class Boundary(NamedTuple):
    """A character offset, its token, and the kinds of three characters beside it: two before and one after a
    beginning, one before and two after an end.
    """

    offset: int
    token: int
    kinds: tuple[int, int, int]


def boundaries(request: Encoded) -> tuple[list[Boundary], list[Boundary]]:
    """Return the possible beginnings and the possible ends of spans."""
    text, characters = request.text, _characters(request.text)
    begins: list[Boundary] = []
    ends: list[Boundary] = []
    for token, (start, stop) in enumerate(zip((0, *request.ends), request.ends, strict=False)):
        first, last = characters.get(start), characters.get(stop)
        if first is not None:  # otherwise the token begins inside a character
            begins += [Boundary(at, token, _kinds(text, at - 2)) for at in _begins(text, first, last)]
        if last is not None:
            ends += [
                Boundary(at, token, _kinds(text, at - 1))
                for at in _ends(text, last - 1 if first is None else first, last)
            ]
    return begins, ends


def _characters(text: str) -> dict[int, int]:
    """Map the byte offset of each character, and of the end of the text, to its character offset."""
    sizes = (len(one.encode("utf-8", "replace")) for one in text)
    return {byte: offset for offset, byte in enumerate(accumulate(sizes, initial=0))}


def _begins(text: str, first: int, last: int | None) -> list[int]:
    stop = first + 1 if last is None else last
    inner = next((at for at in range(first, stop) if text[at] not in _OPENING), stop - 1)
    return [at for at in range(first, inner + 1) if not text[at].isspace()]


def _ends(text: str, first: int, last: int) -> list[int]:
    inner = next((at for at in range(last, first, -1) if text[at - 1] not in _CLOSING), first + 1)
    return [at for at in range(last, inner - 1, -1) if not text[at - 1].isspace()]


def _kinds(text: str, first: int) -> tuple[int, int, int]:
    one, other, last = (_kind(text[at]) if 0 <= at < len(text) else 0 for at in range(first, first + 3))
    return one, other, last


def _kind(character: str) -> int:
    if (mark := _KIND_OF_MARK.get(character)) is not None:
        return mark
    if character.isdigit():
        return _DIGIT
    return _CAPITAL if character.isupper() else _SMALL if character.islower() else _OTHER
