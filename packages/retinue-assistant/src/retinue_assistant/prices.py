"""Adds up prices that an agent's instructions list, where a question counts the items."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from retinue_assistant.passages import ASKS_PRICE, CURRENCY, subject_words
from retinue_assistant.text_parsing.numbers import numerals

_SEGMENT = re.compile(r"(?<!\d)[,:]|[;()]|,(?!\d)|\.(?!\d)|\band\b", re.IGNORECASE)
_PRICE = re.compile(
    rf"^\s*(?:an?\s|the\s)?(?P<name>[^\W\d][\w'& -]{{0,40}}?)\s(?:(?:costs?|is|are|for|at)\s)?[\u20ac\u00a3$]?"
    rf"(?P<price>\d{{1,5}}(?:\.\d\d)?)\s?(?P<currency>{CURRENCY})?(?:\s(?:each|apiece))?\s*$",
    re.IGNORECASE,
)
_INEXACT = re.compile(r"\b(?:from|about|around|up to|at least|until|to)$", re.IGNORECASE)
_ONE_DAY = re.compile(r"\bfor (?:one|a|1) (?:day|night|month)\b", re.IGNORECASE)
_PRICE_WORDS = subject_words("price pay total altogether together sum owe order day night month")
_ASIDE = re.compile(r"\([^()]{0,200}\)")
_LONGEST = 300
"""Most characters of a question."""
_FEWEST, _MOST = 2, 1000
"""Fewest items to add up, and most of one kind."""


@dataclass(frozen=True, slots=True)
class PricedItem:
    """An item of a price list, with the words of its name."""

    words: tuple[str, ...]
    price: Decimal
    currency: str


def total(question: str, instructions: str) -> str:
    """Return the sum that a question asks for, such as "2 \u00d7 8.50 + 5 = 22"; empty unless every item is clear."""
    if len(question) > _LONGEST or not ASKS_PRICE.search(question):
        return ""
    counted = _counts(_ONE_DAY.sub("", question), _items(instructions))
    if sum(count for count, _ in counted) < _FEWEST or len({one.currency for _, one in counted}) != 1:
        return ""
    terms = [f"{count} \u00d7 {one.price}" if count > 1 else f"{one.price}" for count, one in counted]
    amount = sum((count * one.price for count, one in counted), Decimal())
    return f"{' + '.join(terms)} = {amount} {counted[0][1].currency}".rstrip() + "."


def _items(instructions: str) -> list[PricedItem]:
    """Return the items of a price list, those with the longest names first.

    The first word of a name stands for it if no other name has it: "two Margheritas" are Margherita pizzas.
    """
    matches = [_PRICE.match(part) for part in _SEGMENT.split(_ASIDE.sub("", instructions))]
    found = [
        PricedItem(tuple(_words(match["name"])), Decimal(match["price"]), (match["currency"] or "").lower())
        for match in matches
        if match and not _INEXACT.search(match["name"])
    ]
    is_list = any(one.currency or one.price % 1 for one in found)
    uses = Counter(word for one in found for word in {*one.words})
    short = [replace(one, words=one.words[:1]) for one in found if len(one.words) > 1 and uses[one.words[0]] == 1]
    return sorted([*found, *short], key=lambda one: -len(one.words)) if is_list else []


def _counts(question: str, items: Sequence[PricedItem]) -> list[tuple[int, PricedItem]]:
    """Return the items of a question with their counts; empty if one has none, or if the question says more."""
    words, counted = _words(question), []
    for item in items:
        length = len(item.words)
        for at in range(1, len(words) - length + 1):
            if tuple(words[at : at + length]) == item.words and (count := _count(words[at - 1])):
                counted.append((at, count, item))
                words[at - 1 : at + length] = [""] * (length + 1)
    remaining = " ".join(words)
    is_all = subject_words(remaining) <= _PRICE_WORDS and not numerals(remaining)
    return [(count, item) for _, count, item in sorted(counted, key=lambda one: one[0])] if is_all else []


def _count(word: str) -> int:
    """Return the count that a word says; 0 if it says none."""
    if word in ("a", "an"):
        return 1
    numbers = numerals(word)
    return int(numbers[0].value) if numbers and 1 <= numbers[0].value <= _MOST and numbers[0].value % 1 == 0 else 0


def _words(text: str) -> list[str]:
    """Split a text into words in lower case and the singular."""
    return [re.sub(r"(?<=[^s])s$", "", word) for word in re.findall(r"[\w'-]+", text.lower())]
