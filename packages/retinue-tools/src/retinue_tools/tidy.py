"""Numbers without the noise of floating point."""

_DIGITS = 12
"""Significant digits that are kept, so that 0.1 + 0.2 is 0.3."""


def tidy(value: float) -> float:
    """The number, rounded to 12 significant digits."""
    return float(f"{value:.{_DIGITS}g}")
