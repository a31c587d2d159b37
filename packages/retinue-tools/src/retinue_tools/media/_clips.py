"""A small video for the examples of this category, created with the standard library."""

import base64
import struct
from collections.abc import Callable, Sequence

from retinue_tools.media._samples import FILE, OTHER, png, sine

_RATE = 4000


def avi(colors: Sequence[str], sound: Callable[[float], float] | None = None, size: tuple[int, int] = (32, 24)) -> str:
    """Return an AVI file (OpenDML 1.02) in Base64 with ten frames per second, each of one colour (rrggbb), stored as
    PNG.

    `sound` returns the amplitude, -1 to 1, at a time in seconds; without it the video is silent.
    """
    parts: list[tuple[bytes, bytes]] = []
    for number, color in enumerate(colors):
        parts.append((b"00dc", base64.b64decode(png([" ".join([color] * size[0])] * size[1]))))
        if sound:
            times = (number / 10 + step / _RATE for step in range(_RATE // 10))
            parts.append((b"01wb", bytes(128 + round(127 * sound(time)) for time in times)))
    movie = b"movi" + b"".join(_chunk(name, content) for name, content in parts)
    head = _head(len(colors), size, with_sound=sound is not None)
    whole = b"AVI " + _chunk(b"LIST", head) + _chunk(b"LIST", movie) + _chunk(b"idx1", _index(parts))
    return base64.b64encode(_chunk(b"RIFF", whole)).decode()


def _head(frames: int, size: tuple[int, int], *, with_sound: bool) -> bytes:
    width, height = size
    main = struct.pack("<14I", 100_000, 0, 0, 0x10, frames, 0, 1 + with_sound, 0, width, height, 0, 0, 0, 0)
    picture = struct.pack("<IiiHH4s5I", 40, width, height, 1, 24, b"MPNG", width * height * 3, 0, 0, 0, 0)
    streams = _stream(b"vids", b"MPNG", (1, 10, frames, 0), picture)
    if with_sound:
        wave = struct.pack("<HHIIHHH", 1, 1, _RATE, _RATE, 1, 8, 0)
        streams += _stream(b"auds", bytes(4), (1, _RATE, frames * _RATE // 10, 1), wave)
    return b"hdrl" + _chunk(b"avih", main) + streams


def _stream(kind: bytes, handler: bytes, timing: tuple[int, int, int, int], form: bytes) -> bytes:
    """Build a stream header. `timing` contains the scale, the rate, the length and the size of a sample."""
    scale, rate, units, sample = timing
    header = struct.pack(
        "<4s4sIHHIIIIIIiI4H", kind, handler, 0, 0, 0, 0, scale, rate, 0, units, 0, -1, sample, 0, 0, 0, 0
    )
    return _chunk(b"LIST", b"strl" + _chunk(b"strh", header) + _chunk(b"strf", form))


def _index(parts: Sequence[tuple[bytes, bytes]]) -> bytes:
    index, place = b"", 4
    for name, content in parts:
        index += struct.pack("<4sIII", name, 0x10, place, len(content))
        place += 8 + len(content) + len(content) % 2
    return index


def _chunk(name: bytes, content: bytes) -> bytes:
    return name + struct.pack("<I", len(content)) + content + b"\0" * (len(content) % 2)


CLIP = {FILE: avi(["ff0000"] * 10 + ["0000ff"] * 10, sine(440))}
"""A second of red and a second of blue, with 440 Hz at half of full scale; 32 x 24 pixels."""
SILENT_CLIP = {FILE: avi(["ff0000"] * 10 + ["0000ff"] * 10)}
"""The same without sound."""
TWO_CLIPS = {**CLIP, OTHER: avi(["00ff00"] * 10, size=(24, 24))}
"""The first clip, and a silent second of green with 24 x 24 pixels."""
