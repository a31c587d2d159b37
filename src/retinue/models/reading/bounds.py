"""How much of a request is read, and its numbers as JSON can hold them."""

import re

LONGEST = 4000
"""Characters of a request that is looked through. Half of a longer one would be half of its data."""

_COUNTING = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
NUMBERS_IN_WORDS = dict(zip(_COUNTING, range(1, 13), strict=True)) | {"dozen": 12, "half": 0.5, "twice": 2}
NUMBER_WORDS = "|".join(NUMBERS_IN_WORDS)

_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")

_LONGEST_NUMBER = 15
"""Digits up to which every number is exact in JSON."""


def read(request: str) -> str:
    """The request, or nothing where it is a very long one."""
    return request if len(request) <= LONGEST else ""


def unmarked(text: str) -> str:
    """A text without the marks between thousands in its numbers."""
    return _THOUSANDS.sub("", text)


def number(text: str) -> float:
    """A number in digits: a whole one where JSON has it exactly."""
    return int(text) if text.lstrip("+-").isdecimal() and len(text) <= _LONGEST_NUMBER else float(text)
