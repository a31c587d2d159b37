"""A room's transcript as its page shows it."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Line:
    """What somebody said."""

    speaker: str
    text: str


def lines_of(transcript: str) -> list[Line]:
    """The lines of a transcript, in order."""
    found = []
    for line in transcript.splitlines():
        speaker, colon, text = line.partition(": ")
        found.append(Line(speaker, text) if colon else Line("", line))
    return found
