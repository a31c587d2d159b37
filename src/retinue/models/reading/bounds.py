"""Numbers in words, and numbers as JSON can hold them."""

_COUNTING = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
NUMBERS_IN_WORDS = dict(zip(_COUNTING, range(1, 13), strict=True)) | {"dozen": 12, "half": 0.5, "twice": 2}
NUMBER_WORDS = "|".join(NUMBERS_IN_WORDS)

_LONGEST_NUMBER = 15
"""Digits up to which every number is exact in JSON."""


def number(text: str) -> float:
    """A number in digits: a whole one where JSON has it exactly."""
    return int(text) if text.lstrip("+-").isdecimal() and len(text) <= _LONGEST_NUMBER else float(text)
