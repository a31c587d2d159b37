"""The results of a recognizer. This module needs no library."""

from dataclasses import dataclass

SAMPLE_RATE = 16_000
"""Samples per second of the models' input."""


@dataclass(frozen=True)
class Word:
    """A word with its punctuation, its time, and its probability from 0 to 1."""

    text: str
    start_s: float
    end_s: float
    probability: float = 1.0
