"""Transcripts as the room's page shows them."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class TranscriptLine:
    """A line of a transcript."""

    speaker: str
    text: str


def lines_of(lines: Iterable[str]) -> list[TranscriptLine]:
    """Parse the lines of a transcript."""
    found = []
    for line in lines:
        speaker, colon, text = line.partition(": ")
        found.append(TranscriptLine(speaker, text) if colon else TranscriptLine("", line))
    return found
