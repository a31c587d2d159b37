"""SMPTE timecodes: hours, minutes, seconds and frames, as defined by SMPTE ST 12-1."""

import re
from fractions import Fraction
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool

_TIMECODE = re.compile(r"(\d{1,3}):([0-5]\d):([0-5]\d)[:;.](\d{2,3})")
_RATES = {
    "23.976": Fraction(24_000, 1001),
    "23.98": Fraction(24_000, 1001),
    "29.97": Fraction(30_000, 1001),
    "47.952": Fraction(48_000, 1001),
    "59.94": Fraction(60_000, 1001),
    "119.88": Fraction(120_000, 1001),
}
"""Exact rates of abbreviated film and television rates."""

Timecode = Annotated[
    str, About("Timecode hh:mm:ss:ff, or a number of frames", "01:02:03:10", min_length=1, max_length=20)
]
FrameRate = Annotated[float, About("Frames per second: 24, 25, 29.97, 30 or any other", 25, minimum=1, maximum=1000)]
DropFrame = Annotated[
    bool, About("Whether timecodes skip numbers to match the clock: for 29.97 and 59.94, often written with ;")
]


class FrameTime(TypedDict):
    """A position in a film in all notations."""

    frames: int
    timecode: Annotated[str, About("Timecode hh:mm:ss:ff, with ; before the frames for drop frame")]
    seconds: Annotated[float, About("Real time at this frame rate")]


class FrameSpan(TypedDict):
    """Difference between two positions in a film."""

    frames: Annotated[int, About("End minus start")]
    timecode: Annotated[str, About("Difference as hh:mm:ss:ff")]
    seconds: Annotated[float, About("Real time at this frame rate")]


def _rate(frame_rate: float) -> Fraction:
    """Return the exact rate."""
    return _RATES.get(f"{frame_rate:g}", Fraction(repr(frame_rate)))


def _drop(rate: Fraction, drop: bool) -> int:
    """Return the number of frame numbers skipped every minute except for each tenth."""
    if not drop:
        return 0
    if rate not in {_RATES["29.97"], _RATES["59.94"]}:
        raise ToolError("Drop frame is for 29.97 and 59.94 frames per second. Omit drop_frame for other rates.")
    return 2 if rate < 30 else 4


def _frames(text: str, rate: Fraction, drop: int) -> int:
    """Return the number of frames of a timecode or a number. Raises `ToolError`."""
    plain, base = text.strip().removesuffix("frames").strip().replace(",", ""), round(rate)
    if plain.isdecimal():
        return int(plain)
    found = _TIMECODE.fullmatch(plain)
    if not found or int(found[4]) >= base:
        raise ToolError(f"{text} is not a timecode at this rate. Write it as hh:mm:ss:ff, with ff below {base}.")
    hours, minutes, seconds, frames = (int(part) for part in found.groups())
    minute = hours * 60 + minutes
    if drop and minutes % 10 and seconds == 0 and frames < drop:
        raise ToolError(f"{text} does not exist in drop frame: its number is skipped. Use the next frame.")
    return (minute * 60 + seconds) * base + frames - drop * (minute - minute // 10)


def _timecode(frames: int, rate: Fraction, drop: int) -> str:
    """Return the timecode of a number of frames."""
    base, number = round(rate), abs(frames)
    if drop:
        tens, rest = divmod(number, base * 600 - 9 * drop)
        number += 9 * drop * tens + drop * max(0, (rest - drop) // (base * 60 - drop))
    seconds, left = divmod(number, base)
    text = f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}{';' if drop else ':'}{left:02d}"
    return f"-{text}" if frames < 0 else text


def _seconds(frames: int, rate: Fraction) -> float:
    return float(round(frames / rate, 6))


@tool(
    tags="timecode frames smpte convert fps frame rate film video hh:mm:ss:ff drop-frame number count",
    use_when=(
        "How many frames is 00:01:30:12 at 25 fps?",
        "Timecode of frame 5000 at 24 fps",
        "Convert 107892 frames to drop-frame timecode at 29.97",
    ),
    examples=(
        Example(
            {"value": "00:01:30:12", "frame_rate": 25},
            {"frames": 2262, "seconds": 90.48},
            source="by hand: 90 * 25 + 12",
        ),
        Example({"value": "5000", "frame_rate": 24}, {"timecode": "00:03:28:08"}, source="by hand: 208 * 24 is 4992"),
        Example(
            {"value": "01:00:00;00", "frame_rate": 29.97, "drop_frame": True},
            {"frames": 107892, "timecode": "01:00:00;00"},
            source="Wikipedia, SMPTE timecode: 108 numbers are dropped in an hour, 108,000 - 108",
        ),
        Refusal({"value": "00:00:01:25", "frame_rate": 25}, "ff below 25"),
    ),
    reply="{timecode} is {frames|frame}, or {seconds|second}.",
)
def timecode_convert_frames(value: Timecode, frame_rate: FrameRate, drop_frame: DropFrame = False) -> FrameTime:
    """Convert a timecode hh:mm:ss:ff to a number of frames, or a number of frames to a timecode, at a frame rate.

    Use it for film and video editing. Also returns the real time in seconds.
    """
    rate = _rate(frame_rate)
    drop = _drop(rate, drop_frame)
    frames = _frames(value, rate, drop)
    return {"frames": frames, "timecode": _timecode(frames, rate, drop), "seconds": _seconds(frames, rate)}


@tool(
    tags="timecode difference add sum duration frames clip length between in out point smpte fps",
    use_when=(
        "How long is a clip from 01:00:10:05 to 01:02:00:00 at 25 fps?",
        "Difference between two timecodes in frames",
        "Add 00:00:45:20 and 00:01:10:10 at 24 fps",
    ),
    examples=(
        Example(
            {"start": "01:00:10:05", "end": "01:02:00:00", "frame_rate": 25},
            {"timecode": "00:01:49:20", "frames": 2745, "seconds": 109.8},
            source="by hand: 109 seconds and 20 frames",
        ),
        Example(
            {"start": "00:00:45:20", "end": "00:01:10:10", "frame_rate": 24, "operation": "add"},
            {"timecode": "00:01:56:06", "frames": 2790},
            source="by hand: 115 seconds and 30 frames",
        ),
        Refusal({"start": "1 minute", "end": "00:01:10:10", "frame_rate": 24}, "not a timecode"),
    ),
    reply="It is {timecode}, that is {frames|frame} or {seconds|second}.",
)
def timecode_compute_difference(
    start: Annotated[Timecode, About("First timecode, or frames", "01:00:10:05")],
    end: Annotated[Timecode, About("Second timecode, or frames", "01:02:00:00")],
    frame_rate: FrameRate,
    operation: Annotated[
        Literal["difference", "add"], About("From the first to the second, or the sum of both")
    ] = "difference",
    drop_frame: DropFrame = False,
) -> FrameSpan:
    """Compute the time from one timecode to another at a frame rate, or add two timecodes.

    Use it for the length of clips and for edit lists.
    """
    rate = _rate(frame_rate)
    drop = _drop(rate, drop_frame)
    first, second = _frames(start, rate, drop), _frames(end, rate, drop)
    frames = second - first if operation == "difference" else first + second
    return {"frames": frames, "timecode": _timecode(frames, rate, drop), "seconds": _seconds(frames, rate)}
