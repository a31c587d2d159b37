"""Finds numbers in texts and compares them with values."""

import re

_NUMBER = re.compile(r"-?\d{1,40}(?:,\d{3}(?!\d))*(?:\.\d{1,40})?(?:e[-+]?\d{1,3}\b)?", re.IGNORECASE)


def digits_in(text: str) -> set[str]:
    """Return the numbers of a text as written, without thousands separators and signs."""
    return {match.lstrip("-").replace(",", "") for match in _NUMBER.findall(text)}


def has_digits(text: str) -> bool:
    """Return whether a text contains a digit."""
    return any(map(str.isdigit, text))


def contains_number(number: str, text: str) -> bool:
    """Return whether a text contains a number as written, or without its thousands separators; not within a longer
    one.
    """
    spellings = "|".join(map(re.escape, {number, number.replace(",", "")}))
    return re.search(rf"(?<![\d.])(?:{spellings})(?!\d|\.\d)", text) is not None


def contains_value(text: str, value: str | float) -> bool:
    """Return whether a text contains a value: a string regardless of case and spacing, a number rounded as in the
    text.
    """
    if isinstance(value, str):
        return " ".join(value.split()).casefold() in " ".join(text.split()).casefold()
    return any(_rounds_to(value, spelled) for spelled in digits_in(text))


def _rounds_to(value: float, spelled: str) -> bool:
    """Return whether `spelled` is the absolute value rounded to its number of decimals."""
    decimals = len(spelled.partition(".")[2])
    return abs(abs(value) - float(spelled)) <= 0.5 * 10**-decimals if decimals else abs(value) == float(spelled)
