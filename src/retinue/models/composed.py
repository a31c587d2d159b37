"""Sums that a small model composes: it may write the numbers of the request, and what else stands in sums like it.

Left free, it copies numbers with mistakes, and takes words of the request for a sum.
"""

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any

import orjson

from retinue.models.reading.bounds import NUMBERS_IN_WORDS, read

_SUM = re.compile(r"(?:[-+*/^%(),.!\d ]|(?<=\d)e|\b(?:pi|e)\b|\b[a-z]\w*\()+", re.IGNORECASE)
_OPERATION = re.compile(r"[*/^(]| [-+] ")
_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?:e[-+]?\d{1,3})?(?![\w.]*\d)", re.IGNORECASE)
_PERCENT = re.compile(r"(\d+(?:\.\d+)?) ?(?:%|percent\b|per cent\b|pct\b)", re.IGNORECASE)
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_WORD = re.compile(r"[a-z]+")
_NAME = re.compile(r"(?<![\w.])[a-z]\w*", re.IGNORECASE)
_ALWAYS = ("1", "2", "100", "round", "sqrt", "pi")

Precedent = tuple[str, str]


def sum_pattern(question: str, precedents: Sequence[Precedent], name: str) -> str | None:
    """The pattern (JSON Schema) of a sum for the argument `name`, where precedents have sums there; else None."""
    known = [(request, value) for request, text in precedents if (value := orjson.loads(text).get(name)) is not None]
    copied = all(str(value) in request for request, value in known)
    if copied or not all(_is_sum(value) for _, value in known):
        return None
    words = {*_ALWAYS, *_numbers(question)}
    for request, value in known:
        words.update(_NAME.findall(value), set(_NUMBER.findall(value)) - {*_numbers(request)})
    word = "|".join(re.escape(one).replace("\\-", "-") for one in sorted(words, key=lambda one: (-len(one), one)))
    return rf"^[-( ]*({word})([-+*/^%(), !]+({word}))*[)!% ]*$"


def _is_sum(value: Any) -> bool:
    return isinstance(value, str) and bool(_SUM.fullmatch(value) and _OPERATION.search(value))


def _numbers(request: str) -> Iterator[str]:
    """The numbers of a request as sums have them: in digits, and percentages as shares as well."""
    text = _THOUSANDS.sub("", read(request))
    yield from _NUMBER.findall(text)
    yield from (str(NUMBERS_IN_WORDS[word]) for word in _WORD.findall(text.lower()) if word in NUMBERS_IN_WORDS)
    for share in (Decimal(percent) / 100 for percent in _PERCENT.findall(text)):
        yield from map(_written, (share, 1 + share, 1 - share))


def _written(number: Decimal) -> str:
    return f"{number:f}"
