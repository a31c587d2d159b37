"""Numbers as they stand in texts."""

import re

_NUMBER = re.compile(r"-?\d{1,40}(?:,\d{3}(?!\d))*(?:\.\d{1,40})?(?:e[-+]?\d{1,3}\b)?", re.IGNORECASE)


def digits_in(text: str) -> set[str]:
    """The numbers of a text as they are spelled, without marks between thousands and without signs."""
    return {match.lstrip("-").replace(",", "") for match in _NUMBER.findall(text)}


def says(text: str, value: str | float) -> bool:
    """Whether a text says a value: a text ignoring case and spaces, a number to the digits that the text gives."""
    if isinstance(value, str):
        return " ".join(value.split()).casefold() in " ".join(text.split()).casefold()
    return any(_rounds_to(value, spelled) for spelled in digits_in(text))


def _rounds_to(value: float, spelled: str) -> bool:
    """Whether a number is spelled right to the last of its digits, its sign left out of account."""
    decimals = len(spelled.partition(".")[2])
    return abs(abs(value) - float(spelled)) <= 0.5 * 10**-decimals if decimals else abs(value) == float(spelled)
