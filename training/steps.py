"""Numbers as the files of what was learned keep them."""

from collections.abc import Iterable

STEPS, _DIGITS = 127, 5
"""The largest step, and the digits behind the point of what is kept as it is."""


def rounded(numbers: Iterable[float], digits: int = _DIGITS) -> list[float]:
    """Numbers with so many digits behind the point."""
    return [round(float(one), digits) for one in numbers]
