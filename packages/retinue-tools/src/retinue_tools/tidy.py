"""Rounding away floating-point noise."""

_DIGITS = 12
"""Significant digits to keep, so that 0.1 + 0.2 is 0.3."""


def tidy(value: float) -> float:
    """Round a number to 12 significant digits."""
    return float(f"{value:.{_DIGITS}g}")
