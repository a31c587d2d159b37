"""What a recognizer returns. Nothing here needs a library."""

from dataclasses import dataclass

RATE = 16_000
"""Samples a second that the models take."""


@dataclass(frozen=True)
class Word:
    """A word with its punctuation, when it was said, and how sure that is, 0 to 1."""

    text: str
    start_s: float
    end_s: float
    probability: float = 1.0
