"""Transcripts as the room's page shows them."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Line:
    """A line of a transcript."""

    speaker: str
    text: str


def lines_of(spoken: Iterable[str]) -> list[Line]:
    """Parse the lines of a transcript."""
    found = []
    for line in spoken:
        speaker, colon, text = line.partition(": ")
        found.append(Line(speaker, text) if colon else Line("", line))
    return found
