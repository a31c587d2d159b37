"""The numbers of a request with where they stand, in digits or in words."""

import math
import re
from collections.abc import Iterator
from decimal import Decimal
from itertools import islice
from typing import NamedTuple

from retinue.models.reading.bounds import NUMBER_WORDS, NUMBERS_IN_WORDS, number

MOST = 14
"""More are a table, whose numbers need no part of their own."""

_DIGITS = re.compile(
    r"(?<![\w.])(?P<sign>[-+\u2212]|minus )?"
    r"(?P<size>(?:\d{1,3}(?:,\d{3})+(?!\d)|\d{1,40})(?:\.\d{1,40})?(?:e[-+]?\d{1,3}(?!\w))?)"
    r"(?:(?P<many>k|\s?(?:thousand|million|billion))\b|\s?[x\u00d7*\u00b7]\s?10(?:\^|\*\*)\(?(?P<power>[-+\u2212]?\d{1,3})\)?)?",
    re.IGNORECASE,
)
_MANY = {"k": 10**3, "thousand": 10**3, "million": 10**6, "billion": 10**9}
_WORDS = re.compile(rf"\b(?:zero|{NUMBER_WORDS})\b", re.IGNORECASE)


class Numeral(NamedTuple):
    """A number, and the characters where it begins and ends."""

    value: float
    begin: int
    end: int


def numerals(request: str) -> list[Numeral]:
    """The first numbers of a request, in their order."""
    found = sorted((*_in_digits(request), *_in_words(request)), key=lambda one: one.begin)
    return list(islice((one for one in found if math.isfinite(one.value)), MOST))


def _in_digits(request: str) -> Iterator[Numeral]:
    for match in _DIGITS.finditer(request):
        signed = bool(match["sign"]) and not _ends_a_value(request[: match.start()])
        size = _size(match["size"].replace(",", ""), _times(match))
        is_negative = signed and match["sign"] != "+"
        yield Numeral(-size if is_negative else size, match.start() if signed else match.start("size"), match.end())


def _times(match: re.Match[str]) -> Decimal:
    """What a number in digits is multiplied by: thousand, k, x 10^-4."""
    if power := match["power"]:
        return Decimal(1).scaleb(int(power.replace("\u2212", "-")))
    return Decimal(_MANY.get((match["many"] or "").strip().lower(), 1))


def _size(digits: str, times: Decimal) -> float:
    size = number(digits) if times == 1 else float(Decimal(digits) * times)
    return int(size) if times > 1 and size.is_integer() else size


def _ends_a_value(before: str) -> bool:
    """Whether a sign that follows stands between two values."""
    return before[-1:].isalnum() or before[-1:] in {")", "%"}


def _in_words(request: str) -> Iterator[Numeral]:
    for match in _WORDS.finditer(request):
        yield Numeral(NUMBERS_IN_WORDS.get(match[0].lower(), 0), *match.span())
