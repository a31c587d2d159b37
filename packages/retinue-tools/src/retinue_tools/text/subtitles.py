"""Subtitles: conversion, shifting in time, checks, and plain text."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.text._segments import sentences_of
from retinue_tools.text._subtitle_cues import Cue, Format, Subtitles, format_cues, plain_text, read_cues

_SRT = "1\n00:00:01,000 --> 00:00:03,500\nHello!\n\n2\n00:00:04,000 --> 00:00:05,000\n<i>Who is\nthere?</i>\n"
_VTT = "WEBVTT\n\n00:00:01.000 --> 00:00:03.500\nHello!\n\n00:00:04.000 --> 00:00:05.000\n<i>Who is\nthere?</i>\n"


class Written(TypedDict):
    """A subtitle file."""

    result: Annotated[str, About("Content of the file")]
    cues: Annotated[int, About("Number of cues")]
    duration_s: Annotated[float, About("End of the last cue, in seconds")]


class Transcript(TypedDict):
    """Transcript of subtitles."""

    text: Annotated[str, About("Plain text")]
    words: Annotated[int, About("Number of words")]
    cues: Annotated[int, About("Number of cues")]


class Fault(TypedDict):
    """A problem of a cue."""

    cue: Annotated[int, About("Number of the cue, from 1")]
    kind: Annotated[
        Literal["overlap", "backwards", "empty", "too_fast", "too_short", "too_long", "long_line", "many_lines"],
        About("Kind of problem"),
    ]
    detail: Annotated[str, About("Details with numbers")]


class Checked(TypedDict):
    """Result of checking subtitles."""

    faults: Annotated[list[Fault], About("Problems in cue order, at most 500")]
    cues: Annotated[int, About("Number of cues")]
    mean_characters_per_second: Annotated[float, About("Mean reading speed")]
    ok: Annotated[bool, About("Whether there are no problems")]


@tool(
    tags="subtitles srt vtt webvtt captions convert subrip youtube",
    use_when=(
        "Convert this SRT file to WebVTT",
        "Turn .vtt captions into .srt",
        "Renumber and tidy a subtitle file",
    ),
    examples=(
        Example({"subtitles": _SRT, "target": "vtt"}, {"result": _VTT, "cues": 2, "duration_s": 5.0}, "W3C, WebVTT"),
        Example(
            {"subtitles": "WEBVTT\n\nNOTE x\n\nintro\n00:01.500 --> 00:02.000 align:start\nHi\n", "target": "srt"},
            {"result": "1\n00:00:01,500 --> 00:00:02,000\nHi\n"},
            source="W3C, WebVTT: hours may be left out; settings and notes have no place in SRT",
        ),
        Refusal({"subtitles": "hello", "target": "srt"}, "no subtitles"),
    ),
    reply="The {cues|subtitle} in the new format: {result}",
)
def subtitle_convert_format(
    subtitles: Subtitles,
    target: Annotated[Format, About("Output format")],
    strip_tags: Annotated[
        bool, About("Whether to remove italics and other tags, and put each cue on one line")
    ] = False,
) -> Written:
    """Convert subtitles between SubRip (SRT) and WebVTT; the input format is detected.

    Cues are renumbered; positions and notes of WebVTT are dropped. Returns the content of the new file.
    """
    return _render(read_cues(subtitles), target, strip_tags)


@tool(
    tags="subtitles srt vtt shift delay sync offset resync stretch frame rate timing",
    use_when=(
        "Delay these subtitles by 2.5 seconds",
        "The captions run ahead of the sound, move them 800 ms later",
        "Resync subtitles from 25 fps to 23.976 fps",
    ),
    examples=(
        Example(
            {"subtitles": _SRT, "seconds": 2.5},
            {
                "result": _SRT.replace("01,000", "03,500", 1)
                .replace("--> 00:00:03,500", "--> 00:00:06,000")
                .replace("04,000", "06,500")
                .replace("05,000", "07,500"),
                "duration_s": 7.5,
            },
            source="by hand: 2.5 s later",
        ),
        Example(
            {"subtitles": "1\n00:00:10,000 --> 00:00:20,000\nA\n", "seconds": -12, "factor": 2},
            {"result": "1\n00:00:08,000 --> 00:00:28,000\nA\n"},
            source="by hand: twice the time, less 12 s",
        ),
        Refusal({"subtitles": _SRT, "seconds": -60}, "before the beginning"),
    ),
    reply="The moved subtitles: {result}",
)
def subtitle_shift_times(
    subtitles: Subtitles,
    seconds: Annotated[float, About("Delay in seconds; negative for earlier", 2.5, minimum=-86400, maximum=86400)],
    factor: Annotated[
        float, About("Factor for all times, applied first; 25/23.976 = 1.042709 slows down", minimum=0.1, maximum=10)
    ] = 1,
    from_cue: Annotated[int, About("Only move cues from this number on", minimum=1, maximum=20_000)] = 1,
) -> Written:
    """Move subtitles in time, and stretch them if they drift, to fit the sound.

    Cues that would end before the beginning are dropped. Returns the file in the original format.
    """
    cues = read_cues(subtitles)
    moved = [
        cue
        if number < from_cue
        else cue.move(*(round(time * factor + seconds * 1000) for time in (cue.start, cue.end)))
        for number, cue in enumerate(cues, 1)
    ]
    shifted = [cue.move(max(cue.start, 0), cue.end) for cue in moved if cue.end > 0]
    if not shifted:
        raise ToolError("All subtitles would end before the beginning. Move them less.")
    return _render(shifted, "vtt" if subtitles.lstrip("\ufeff").startswith("WEBVTT") else "srt", strip_tags=False)


@tool(
    tags="subtitles transcript plain text extract srt vtt captions script youtube",
    use_when=(
        "Turn these captions into a plain transcript",
        "Extract the text of an SRT file without times",
        "What is said between minute 2 and minute 5 of these subtitles?",
    ),
    examples=(
        Example({"subtitles": _SRT}, {"text": "Hello! Who is there?", "words": 4, "cues": 2}, source="by hand"),
        Example(
            {"subtitles": _SRT, "layout": "with_times", "from_s": 3.6},
            {"text": "[00:00:04] Who is there?"},
            source="by hand",
        ),
        Refusal({"subtitles": _SRT, "from_s": 100}, "No subtitle"),
    ),
    reply={
        "text": "The text of the subtitles: {text}",
        "": "There is no text in the subtitles.",
    },
)
def subtitle_extract_text(
    subtitles: Subtitles,
    layout: Annotated[
        Literal["paragraph", "sentences", "cues", "with_times"],
        About("One paragraph, one line per sentence, or one line per cue"),
    ] = "paragraph",
    from_s: Annotated[float, About("Only cues after this time, in seconds", minimum=0, maximum=1e6)] = 0,
    to_s: Annotated[float, About("Only cues before this time, in seconds", minimum=0, maximum=1e6)] = 1e6,
) -> Transcript:
    """Extract the plain text of subtitles without numbers, times and tags; repeated lines of rolling captions are
    removed.

    Returns the transcript in the requested layout.
    """
    chosen = [cue for cue in read_cues(subtitles) if cue.end > from_s * 1000 and cue.start < to_s * 1000]
    if not chosen:
        raise ToolError("No subtitle is shown in that time.")
    cues = [
        cue for before, cue in pairwise([Cue(0, 0, ""), *chosen]) if plain_text(cue) not in ("", plain_text(before))
    ]
    texts = [plain_text(cue) for cue in cues]
    joined = " ".join(texts)
    layouts = {
        "paragraph": lambda: joined,
        "sentences": lambda: "\n".join(sentences_of(joined)),
        "cues": lambda: "\n".join(texts),
        "with_times": lambda: "\n".join(f"[{_stamp(cue.start)}] {plain_text(cue)}" for cue in cues),
    }
    return {"text": layouts[layout](), "words": len(joined.split()), "cues": len(chosen)}


@tool(
    tags="subtitles check quality reading speed cps overlap validate captions line length",
    use_when=(
        "Do any of these subtitles overlap?",
        "Are my captions shown long enough to be read?",
        "Check an SRT file for lines over 42 characters",
    ),
    examples=(
        Example(
            {
                "subtitles": "1\n00:00:01,000 --> 00:00:03,000\nFine text\n\n"
                "2\n00:00:02,500 --> 00:00:03,500\nMuch too much to be read here\n"
            },
            {
                "faults": [
                    {"cue": 2, "kind": "overlap", "detail": "begins 0.5 s before the cue before it ends"},
                    {"cue": 2, "kind": "too_fast", "detail": "29.0 characters per second"},
                ],
                "cues": 2,
                "ok": False,
            },
            source="by hand: 29 characters in a second",
        ),
        Example({"subtitles": _SRT, "most_characters_per_second": 30}, {"faults": [], "ok": True}, source="by hand"),
        Refusal({"subtitles": "-->"}, "no subtitles"),
    ),
    reply={
        "ok": "The subtitles have no problems.",
        "faults": "The subtitles have problems: {faults}",
        "": "The subtitles have problems.",
    },
)
def subtitle_check_quality(
    subtitles: Subtitles,
    most_characters_per_second: Annotated[float, About("Maximum reading speed", minimum=5, maximum=100)] = 20,
    most_line_characters: Annotated[int, About("Maximum line length", minimum=10, maximum=200)] = 42,
    most_lines: Annotated[int, About("Maximum number of lines per cue", minimum=1, maximum=10)] = 2,
    least_s: Annotated[float, About("Minimum duration of a cue in seconds", minimum=0, maximum=10)] = 0.7,
    most_s: Annotated[float, About("Maximum duration of a cue in seconds", minimum=1, maximum=60)] = 7,
) -> Checked:
    """Check subtitles for overlaps, reading speed, durations and line lengths.

    The defaults are common among broadcasters. Returns the problems by cue and the mean reading speed.
    """
    cues = read_cues(subtitles)
    faults: list[Fault] = []
    for number, (before, cue) in enumerate(pairwise([Cue(0, 0, ""), *cues]), 1):
        if cue.start < before.end and number > 1:
            late = f"begins {(before.end - cue.start) / 1000:.1f} s before the cue before it ends"
            faults.append({"cue": number, "kind": "overlap", "detail": late})
        faults += _find_timing_faults(number, cue, most_characters_per_second, least_s, most_s)
        faults += _shape(number, cue, most_line_characters, most_lines)
    seconds = sum(max(cue.end - cue.start, 0) for cue in cues) / 1000
    speed = sum(len(plain_text(cue)) for cue in cues) / seconds if seconds else 0.0
    return {
        "faults": faults[:500],
        "cues": len(cues),
        "mean_characters_per_second": round(speed, 2),
        "ok": not faults,
    }


def _find_timing_faults(number: int, cue: Cue, fastest: float, least_s: float, most_s: float) -> Iterator[Fault]:
    seconds = (cue.end - cue.start) / 1000
    if seconds <= 0:
        yield {"cue": number, "kind": "backwards", "detail": "ends before or when it begins"}
        return
    speed = len(plain_text(cue)) / seconds
    if speed > fastest:
        yield {"cue": number, "kind": "too_fast", "detail": f"{speed:.1f} characters per second"}
    if not least_s <= seconds <= most_s:
        yield {
            "cue": number,
            "kind": "too_short" if seconds < least_s else "too_long",
            "detail": f"shown for {seconds:g} s",
        }


def _shape(number: int, cue: Cue, longest: int, most_lines: int) -> Iterator[Fault]:
    lines = [plain_text(Cue(0, 0, line)) for line in cue.text.split("\n")]
    if not any(lines):
        yield {"cue": number, "kind": "empty", "detail": "has no text"}
    if (size := max(map(len, lines))) > longest:
        yield {"cue": number, "kind": "long_line", "detail": f"a line has {size} characters"}
    if len(lines) > most_lines:
        yield {"cue": number, "kind": "many_lines", "detail": f"{len(lines)} lines"}


def _render(cues: Sequence[Cue], target: Format, strip_tags: bool) -> Written:
    plain = [Cue(cue.start, cue.end, plain_text(cue)) for cue in cues] if strip_tags else list(cues)
    return {
        "result": format_cues(plain, target),
        "cues": len(plain),
        "duration_s": max(cue.end for cue in plain) / 1000,
    }


def _stamp(milliseconds: int) -> str:
    seconds = milliseconds // 1000
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
