"""Tiny images and sounds for the examples of this category, created with the standard library."""

import base64
import math
import struct
import wave
import zlib
from collections.abc import Callable, Sequence
from io import BytesIO

from retinue.sdk import ExampleCall

FILE = "file_01k9z4m2n8q6r5t3v7w1x0y2za"
OTHER = "file_01k9z4m2n8q6r5t3v7w1x0y2zb"


def png(rows: Sequence[str], exif: bytes = b"") -> str:
    """Return a PNG (ISO/IEC 15948) in Base64; each row is a text of hexadecimal colours, rrggbb or rrggbbaa, separated
    by spaces.
    """
    pixels = [row.split() for row in rows]
    kind = 6 if len(pixels[0][0]) == 8 else 2
    header = struct.pack(">IIBBBBB", len(pixels[0]), len(pixels), 8, kind, 0, 0, 0)
    body = b"".join(b"\0" + bytes.fromhex("".join(row)) for row in pixels)
    parts = [_chunk(b"IHDR", header), _chunk(b"IDAT", zlib.compress(body)), _chunk(b"IEND", b"")]
    if exif:
        parts.insert(1, _chunk(b"eXIf", exif))
    return _text(b"\x89PNG\r\n\x1a\n" + b"".join(parts))


def paint(width: int, height: int, color: Callable[[int, int], str]) -> str:
    """Return a PNG in Base64 whose pixels are computed by a function of x and y."""
    return png([" ".join(color(x, y) for x in range(width)) for y in range(height)])


def look_at_pixel(x: int, y: int, color: str, alpha: int = 255) -> ExampleCall:
    """Return a call that checks one pixel of the image created by an example."""
    points = [{"x": x, "y": y}]
    return ExampleCall(
        "image_read_pixels", {"file": "{made}", "points": points}, {"pixels": [{"hex": color, "alpha": alpha}]}
    )


def _chunk(name: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))


def _text(content: bytes) -> str:
    return base64.b64encode(content).decode()


def exif() -> bytes:
    """Return EXIF (CIPA DC-008) of a camera `Acme`, with a rotation of 90 degrees, at 52.5 north, 13.25 east."""
    make = struct.pack("<HHI4s", 0x010F, 2, 5, struct.pack("<I", 50))
    turn = struct.pack("<HHIHH", 0x0112, 3, 1, 6, 0)
    place = struct.pack("<HHII", 0x8825, 4, 1, 56)
    first = b"II*\0" + struct.pack("<IH", 8, 3) + make + turn + place + struct.pack("<I", 0)
    north = struct.pack("<HHI4s", 1, 2, 2, b"N\0\0\0") + struct.pack("<HHII", 2, 5, 3, 110)
    east = struct.pack("<HHI4s", 3, 2, 2, b"E\0\0\0") + struct.pack("<HHII", 4, 5, 3, 134)
    degrees = struct.pack("<12I", 52, 1, 30, 1, 0, 1, 13, 1, 15, 1, 0, 1)
    return first + b"Acme\0\0" + struct.pack("<H", 4) + north + east + struct.pack("<I", 0) + degrees


def gif(delays: Sequence[int]) -> str:
    """Return a GIF (GIF89a) of one pixel in Base64, alternately red and blue, with each frame's delay in hundredths of
    a second.
    """
    body = b"GIF89a" + struct.pack("<HHBBB", 1, 1, 0x80, 0, 0) + bytes.fromhex("ff00000000ff")
    for number, delay in enumerate(delays):
        body += b"!\xf9\x04\0" + struct.pack("<H", delay) + b"\0\0"
        body += b"," + struct.pack("<HHHHB", 0, 0, 1, 1, 0) + b"\x02\x02" + (b"\x4c" if number % 2 else b"\x44")
        body += b"\x01\0"
    return _text(body + b";")


def wav(sample: Callable[[float], float], seconds: float, rate: int = 8000, channels: int = 1) -> str:
    """Return a 16-bit WAV in Base64; `sample` gives the amplitude (-1 to 1) at a time in seconds, for all channels."""
    buffer = BytesIO()
    with wave.open(buffer, "wb") as sound:
        sound.setnchannels(channels)
        sound.setsampwidth(2)
        sound.setframerate(rate)
        values = (round(sample(number / rate) * 32767) for number in range(round(seconds * rate)))
        sound.writeframes(b"".join(struct.pack("<h", value) * channels for value in values))
    return _text(buffer.getvalue())


def sine(frequency: float, amplitude: float = 0.5) -> Callable[[float], float]:
    """Return a pure tone."""
    return lambda time: amplitude * math.sin(2 * math.pi * frequency * time)


HALVES = {FILE: png(["ff0000 ff0000 0000ff 0000ff"] * 2)}
"""Four by two pixels: the left half red, the right half blue."""
PHOTO = {FILE: png(["ff0000 ff0000 0000ff 0000ff"] * 2, exif())}
"""The same with EXIF: displayed upright it is two by four, red above blue."""
CLEAR = {FILE: png(["ff000080 00ff00ff", "0000ff00 ffffffff"])}
"""Two by two pixels, half transparent red, green, transparent blue, white."""
NO_IMAGE = {FILE: base64.b64encode(b"no image").decode()}
TONE = {FILE: wav(sine(440), 0.5)}
"""Half a second of 440 Hz at half of full scale, mono, 8,000 samples per second."""
SPEECH = {FILE: wav(lambda time: sine(500)(time) if not 0.4 <= time < 0.8 else 0.0, 1.2)}
"""A tone for 0.4 s, silence for 0.4 s, a tone for 0.4 s."""
