"""Sums that a small model composes: it may write the numbers of the request, and what else stands in sums like it.

Left free, it copies numbers with mistakes, and takes words of the request for a sum.
"""

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal

import orjson

from retinue.core.wishes import without_wishes
from retinue.models.precedents import Precedent
from retinue.models.reading.bounds import NUMBERS_IN_WORDS, read, unmarked

_SUM = re.compile(r"(?:[-+*/^%(),.!\d ]|(?<=\d)e|\b(?:pi|e)\b|\b[a-z]\w*\()+", re.IGNORECASE)
_OPERATION, _ADDRESS = re.compile(r"[*^(]| [-+/] "), re.compile(r"\d\.\d+\.\d")
_NUMBER = re.compile(r"(?<![\w.])\d++(?:\.\d++)?+(?:e[-+]?\d{1,3})?(?![\w.]*\d)", re.IGNORECASE)
_PERCENT = re.compile(r"(?<![\d.])(\d+(?:\.\d+)?) ?(?:%|percent\b|per cent\b|pct\b)", re.IGNORECASE)
_WORD = re.compile(r"[a-z]+")
_NAME = re.compile(r"(?<![\w.])[a-z]\w*", re.IGNORECASE)
_PROSE = re.compile(r"(?!mod\b|of\b)\b[a-z]{2,}\b(?!\()", re.IGNORECASE)
_OPERAND = r"[-(]{0,20}+\d++(?:[.,]{1,3}+\d++){0,10}+[)!%]{0,20}+"
_LITERAL = re.compile(rf"(?<![\w.]){_OPERAND}(?:(?:\s?[+*/^\u00d7\u00f7\u00b7]\s?|\s[-\u2212]\s){_OPERAND})+(?![\w)])")
_SIGNS = str.maketrans("\u00d7\u00f7\u00b7\u2212", "*/*-")
_AROUND = re.compile(
    r"(?:\W|\b(?:a|answer|are|as|calculate|can|compute|could|equals?|evaluate|exact|exactly|form|fraction|get|give|hey|hi"
    r"|how|i|in|is|it|lowest|me|much|of|one|out|result|s|simplest|simplified|simplify|solve|terms|that|the|to|value"
    r"|what|whats|work|you)\b)*",
    re.IGNORECASE,
)
"""Words beside a sum that change nothing about it."""
_MOST = 0.7
"""The share of precedents that must be sums; a few write them in signs of their own."""
_ALWAYS = ("1", "2", "100", "round", "sqrt", "pi")


def sum_pattern(question: str, precedents: Sequence[Precedent], name: str) -> str | None:
    """The pattern (JSON Schema) of a sum for the argument `name`, where precedents have sums there; else None."""
    known = [(request, value) for request, text in precedents if (value := orjson.loads(text).get(name)) is not None]
    sums = [(request, value) for request, value in known if isinstance(value, str) and _SUM.fullmatch(value)]
    operations = [value for _, value in sums if _OPERATION.search(value) and not _ADDRESS.search(value)]
    if not operations or len(sums) < _MOST * len(known):
        return None
    words = {*_ALWAYS, *_numbers(question)}
    for request, value in sums:
        words.update(_NAME.findall(value), set(_NUMBER.findall(value)) - {*_numbers(request)})
    word = "|".join(re.escape(one).replace("\\-", "-") for one in sorted(words, key=lambda one: (-len(one), one)))
    return rf"^[-( ]*({word})([-+*/^%(), !]+({word}))*[)!% ]*$"


def literal_sum(question: str) -> str | None:
    """The sum that a question has in signs, where it has one and says nothing else that counts."""
    bare = without_wishes(question)
    found = _LITERAL.findall(bare)
    if len(found) != 1:
        return None
    text: str = found[0]
    return text.translate(_SIGNS) if _AROUND.fullmatch(bare.replace(text, " ")) else None


def is_prose(text: str) -> bool:
    """Whether a text is no sum but words, or has no number."""
    return bool(_PROSE.search(text)) or not any(map(str.isdecimal, text))


def _numbers(request: str) -> Iterator[str]:
    """The numbers of a request as sums have them: in digits, and percentages as shares as well."""
    text = unmarked(read(request))
    yield from _NUMBER.findall(text)
    yield from (str(NUMBERS_IN_WORDS[word]) for word in _WORD.findall(text.lower()) if word in NUMBERS_IN_WORDS)
    for share in (Decimal(percent) / 100 for percent in _PERCENT.findall(text)):
        yield from map(_written, (share, 1 + share, 1 - share))


def _written(number: Decimal) -> str:
    return f"{number:f}"
