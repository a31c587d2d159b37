"""Finds the numbers in a request, written as digits or as words, with their positions."""

import math
import re
from collections.abc import Iterator
from heapq import merge
from itertools import islice
from typing import NamedTuple

MOST = 14
"""Most numbers returned. A request with more holds a table, whose numbers are not separate arguments."""
_DIGITS = re.compile(
    r"(?<![\w.])(?P<sign>[-+\u2212]|minus )?"
    r"(?P<size>(?:\d{1,3}(?:,\d{3})+(?!\d)|\d{1,40})(?:\.\d{1,40})?(?:e[-+]?\d{1,3}(?!\w))?)"
    r"(?P<scale>(?:k|\s?(?:thousand|million|billion))\b|\s?[x\u00d7*\u00b7]\s?10(?:\^|\*\*)\(?[-+\u2212]?\d{1,3}\)?)?",
    re.IGNORECASE,
)
"""Matches a number. One with a `scale`, like `30k` or `3 x 10^4`, is skipped and left to the model."""
_EXACT = 15
"""Most digits for which every integer is exact in JSON."""
_COUNTING = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
NUMBER_WORDS = {word: value for value, word in enumerate(_COUNTING)} | {"dozen": 12, "half": 0.5, "twice": 2}
_WORDS = re.compile(rf"\b(?:{'|'.join(NUMBER_WORDS)})\b", re.IGNORECASE)


class Numeral(NamedTuple):
    """A number and its character range in the request, `begin` to `end`."""

    value: float
    begin: int
    end: int


def numerals(request: str) -> list[Numeral]:
    """Return up to `MOST` finite numbers of a request, in order of position."""
    # Lazy, so that a table of thousands of numbers costs no more than its first ones.
    found = merge(_in_digits(request), _in_words(request), key=lambda one: one.begin)
    return list(islice((one for one in found if math.isfinite(one.value)), MOST))


def _in_digits(request: str) -> Iterator[Numeral]:
    for match in _DIGITS.finditer(request):
        if match["scale"]:
            continue
        signed = bool(match["sign"]) and not _ends_a_value(request[: match.start()])
        digits = match["size"].replace(",", "")
        size = int(digits) if digits.isdecimal() and len(digits) <= _EXACT else float(digits)
        is_negative = signed and match["sign"] != "+"
        yield Numeral(-size if is_negative else size, match.start() if signed else match.start("size"), match.end())


def _ends_a_value(before: str) -> bool:
    """Return whether the text ends with a value, so that a following sign is an operator."""
    return before[-1:].isalnum() or before[-1:] in {")", "%"}


def _in_words(request: str) -> Iterator[Numeral]:
    for match in _WORDS.finditer(request):
        yield Numeral(NUMBER_WORDS[match[0].lower()], *match.span())
