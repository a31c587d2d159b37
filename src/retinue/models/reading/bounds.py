"""How much of a request is read, and its numbers as JSON can hold them."""

LONGEST = 4000
"""Characters of a request that is looked through. Half of a longer one would be half of its data."""

NUMBER_WORDS = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|half"

_LONGEST_NUMBER = 15
"""Digits up to which every number is exact in JSON."""


def read(request: str) -> str:
    """The request, or nothing where it is a very long one."""
    return request if len(request) <= LONGEST else ""


def number(text: str) -> float:
    """A number in digits: a whole one where JSON has it exactly."""
    return float(text) if "." in text or len(text) > _LONGEST_NUMBER else int(text)
