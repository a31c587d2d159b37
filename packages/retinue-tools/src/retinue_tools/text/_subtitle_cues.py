"""Parsing and formatting of subtitle cues: SubRip (SRT) and WebVTT."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Literal

from retinue.sdk import About, ToolError

_TIMING = re.compile(
    r"^[ \t]*(?:(\d{1,3}):)?(\d{1,2}):(\d{1,2})[.,](\d{1,3})[ \t]*-->"
    r"[ \t]*(?:(\d{1,3}):)?(\d{1,2}):(\d{1,2})[.,](\d{1,3})([^\n]*)$",
    re.MULTILINE,
)
_MOST_CUES = 20_000

Subtitles = Annotated[
    str,
    About(
        "Content of an SRT or WebVTT file",
        "1\n00:00:01,000 --> 00:00:03,500\nHello!\n",
        min_length=1,
        max_length=2_000_000,
    ),
]
Format = Literal["srt", "vtt"]


@dataclass(frozen=True, slots=True)
class Cue:
    """A text with its display times in milliseconds."""

    start: int
    end: int
    text: str

    def move(self, start: int, end: int) -> "Cue":
        """Return the same text at other times."""
        return replace(self, start=start, end=end)


def read_cues(text: str) -> list[Cue]:
    """Parse the cues in file order. Raises `ToolError` if there are none."""
    plain = text.lstrip("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    matches = list(_TIMING.finditer(plain))
    if not matches:
        raise ToolError("There are no subtitles: a cue has a line such as 00:00:01,000 --> 00:00:03,500.")
    if len(matches) > _MOST_CUES:
        raise ToolError(f"There are more than {_MOST_CUES} cues. Split the file.")
    ends = [*(match.start() for match in matches[1:]), len(plain)]
    return [_cue(match, plain[match.end() : end]) for match, end in zip(matches, ends, strict=True)]


def format_cues(cues: Sequence[Cue], form: Format) -> str:
    """Format the cues as a file."""
    if form == "vtt":
        blocks = [f"{_clock(cue.start, '.')} --> {_clock(cue.end, '.')}\n{cue.text}" for cue in cues]
        return "\n\n".join(["WEBVTT", *blocks]) + "\n"
    numbered = enumerate(cues, 1)
    blocks = [f"{number}\n{_clock(cue.start, ',')} --> {_clock(cue.end, ',')}\n{cue.text}" for number, cue in numbered]
    return "\n\n".join(blocks) + "\n"


def plain_text(cue: Cue) -> str:
    """Return the text on one line, without tags and positions."""
    return " ".join(re.sub(r"<[^<>]*>|\{\\[^{}]*\}", "", cue.text).split())


def _cue(match: re.Match[str], body: str) -> Cue:
    """The body ends at a blank line; the number or name of the next cue follows."""
    text = re.split(r"\n[^\S\n]*\n", body.strip("\n") + "\n\n", maxsplit=1)[0].strip()
    start, end = (_milliseconds(match.groups()[at : at + 4]) for at in (0, 4))
    return Cue(start, end, text)


def _milliseconds(parts: Sequence[str | None]) -> int:
    hours, minutes, seconds, fraction = parts
    whole = int(hours or 0) * 3600 + int(minutes or 0) * 60 + int(seconds or 0)
    return whole * 1000 + int((fraction or "0").ljust(3, "0"))


def _clock(milliseconds: int, mark: str) -> str:
    seconds, rest = divmod(milliseconds, 1000)
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}{mark}{rest:03}"
