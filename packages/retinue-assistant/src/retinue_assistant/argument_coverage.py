"""Finds what a request contains and its call does not use: it may be another question, which needs a reply too."""

from collections.abc import Set
from itertools import pairwise

from retinue.language.text_normalization import stems
from retinue_assistant.numbers import contains_number, digits_in
from retinue_assistant.references import LONGEST
from retinue_assistant.rewriting import JOINED, joins, texts_beside
from retinue_assistant.rounding import split_decimals
from retinue_assistant.splitting import COURTESIES, DATA, later_clauses

_SHORT, _FEW = 3, 1
"""Most letters of a word, and most words of a text, that does not count."""


def unanswered_parts(request: str, arguments: str, reply: str) -> list[str]:
    """Return the numbers and quotations, or else the texts, of a request that its arguments and reply leave out."""
    text = split_decimals(request)[0][:LONGEST]
    return _unused_data(text, arguments) or _unused_texts(text, stems(f"{arguments} {reply}"))


def _unused_data(request: str, arguments: str) -> list[str]:
    """Return the numbers and quotations before and after the used ones, if punctuation or "and" separates them."""
    data = [one for one in DATA.finditer(request) if not request[: one.start()].endswith("per ")]  # "per 100 km"
    digits = {_significant_digits(one) for one in digits_in(arguments)}
    used = [contains_number(one[0].strip("'\""), arguments) or _significant_digits(one[0]) in digits for one in data]
    first, end = (used.index(True), len(used) - used[::-1].index(True)) if any(used) else (0, len(used))
    gaps = [request[one.end() : following.start()] for one, following in pairwise(data)]
    before = data[:first] if first and joins(gaps[first - 1]) else []
    after = data[end:] if end < len(data) and joins(gaps[end - 1]) else []
    return [one[0] for one in (*before, *after)]


def _unused_texts(request: str, words: Set[str]) -> list[str]:
    """Return later requests without data, else what follows a question or joining word, if `words` has none of it."""
    later = [one for one in later_clauses(request) if _is_new(one, frozenset())]
    following = [request.partition("? ")[2], *(rest for _, rest in texts_beside(JOINED, request)[-1:])]
    return [f"\u201c{one.strip()}\u201d" for one in later or [one for one in following if _is_new(one, words)][:1]]


def _is_new(text: str, others: Set[str]) -> bool:
    words = {one for one in stems(text) - COURTESIES if len(one) > _SHORT}
    return len(text.split()) > _FEW and bool(words) and words.isdisjoint(others) and not DATA.search(text)


def _significant_digits(number: str) -> str:
    """Return the digits that a number has in all units of the metric system: 1.72 m and 172 cm share them."""
    return number.replace(",", "").replace(".", "").strip("0")
