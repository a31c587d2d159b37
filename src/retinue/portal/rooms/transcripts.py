"""Transcripts as the room's page shows them."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Line:
    """A line of a transcript."""

    speaker: str
    text: str


def lines_of(transcript: str) -> list[Line]:
    """Parse a transcript into lines."""
    found = []
    for line in transcript.splitlines():
        speaker, colon, text = line.partition(": ")
        found.append(Line(speaker, text) if colon else Line("", line))
    return found
