"""How much of a request is read, and its numbers as JSON can hold them."""

import re

LONGEST = 4000
"""Characters of a request that is looked through. Half of a longer one would be half of its data."""

_COUNTING = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
NUMBERS_IN_WORDS = dict(zip(_COUNTING, range(1, 13), strict=True)) | {"dozen": 12, "half": 0.5, "twice": 2}
NUMBER_WORDS = "|".join(NUMBERS_IN_WORDS)

_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")

_POWER = re.compile(r"(?<=\d)\s?[x\u00d7*\u00b7]\s?10(?:\^|\*\*)\(?([-+\u2212]?\d{1,3})\)?", re.IGNORECASE)

_LONGEST_NUMBER = 15
"""Digits up to which every number is exact in JSON."""


def read(request: str) -> str:
    """The request, or nothing where it is a very long one."""
    return request if len(request) <= LONGEST else ""


def unmarked(text: str) -> str:
    """A text without the marks between thousands in its numbers."""
    return _THOUSANDS.sub("", text)


def with_exponents(text: str) -> str:
    """A text with `3.4 x 10^-4` as `3.4e-4`."""
    return _POWER.sub(lambda power: "e" + power[1].replace("\u2212", "-"), text)


def number(text: str) -> float:
    """A number in digits: a whole one where JSON has it exactly."""
    return int(text) if text.lstrip("+-").isdecimal() and len(text) <= _LONGEST_NUMBER else float(text)
