"""Tools for pictures, sound and music: answers of formulas, and of files written with the standard library."""

import base64
import io
import math
import struct
import wave
import zlib
from array import array

from retinue.sdk import Example

_FILE = "file_01k9z4m2n8q6r5t3v7w1x0y2za"
_OTHER = "file_01k9z4m2n8q6r5t3v7w1x0y2zb"


def _png(width: int, height: int) -> str:
    """A picture whose red rises to the right and whose green rises downwards, in Base64."""
    rows = b"".join(
        b"\0" + b"".join(bytes((255 * x // width, 255 * y // height, 0)) for x in range(width)) for y in range(height)
    )
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(rows)), (b"IEND", b""))
    body = b"".join(struct.pack(">I", len(c)) + n + c + struct.pack(">I", zlib.crc32(n + c)) for n, c in chunks)
    return base64.b64encode(b"\x89PNG\r\n\x1a\n" + body).decode()


def _sound(amplitude: float) -> str:
    """Five seconds of 997 Hz in one channel, in Base64."""
    made = io.BytesIO()
    with wave.open(made, "wb") as file:
        file.setparams((1, 2, 48000, 0, "NONE", ""))
        scale, step = 32767 * amplitude, math.tau * 997 / 48000
        file.writeframes(array("h", [round(scale * math.sin(step * n)) for n in range(5 * 48000)]).tobytes())
    return base64.b64encode(made.getvalue()).decode()


CALLS = [
    (
        "audio_draw_waveform",
        Example(
            {"file": _FILE, "width": 333, "height": 77},
            {"width": 333, "height": 77, "format": "png"},
            source="as asked",
            files={_FILE: _sound(0.5)},
        ),
    ),
    (
        "audio_measure_loudness",
        Example(
            {"file": _FILE},
            {"integrated_lufs": -23.01, "true_peak_dbtp": -20.0},
            source="ITU-R BS.1770: a sine of 997 Hz at 0 dBFS in one channel has -3.01 LKFS",
            tolerance=3e-3,
            files={_FILE: _sound(0.1)},
        ),
    ),
    (
        "audio_measure_loudness",
        Example({"file": _FILE}, {"integrated_lufs": None}, source="silence", files={_FILE: _sound(0)}),
    ),
    (
        "image_compare_hashes",
        Example(
            {"file_a": _FILE, "file_b": _OTHER},
            {"distance": 0, "alike": True},
            source="the same picture at half the size",
            files={_FILE: _png(64, 64), _OTHER: _png(32, 32)},
        ),
    ),
    (
        "image_create_social_card",
        Example({"title": "Hi"}, {"width": 1200, "height": 630, "lines": ["Hi"]}, source="Open Graph: 1.91 to 1"),
    ),
    (
        "image_split_tiles",
        Example(
            {"file": _FILE, "columns": 3, "rows": 2},
            {"tiles": [{"left": left, "top": top, "width": 2, "height": 2} for top in (0, 2) for left in (0, 2, 4)]},
            source="6 / 3 and 4 / 2",
            files={_FILE: _png(6, 4)},
        ),
    ),
    (
        "favicon_create_set",
        Example({"file": _FILE}, {"file": "icons.zip"}, source="as described", files={_FILE: _png(64, 64)}),
    ),
    *(
        ("music_build_scale", Example({"tonic": tonic, "scale": scale}, wanted, source="the circle of fifths"))
        for tonic, scale, wanted in (
            ("F#", "major", {"notes": ["F#", "G#", "A#", "B", "C#", "D#", "E#"]}),
            (
                "A",
                "harmonic-minor",
                {
                    "notes": ["A", "B", "C", "D", "E", "F", "G#"],
                    "chords": ["Am", "Bdim", "Caug", "Dm", "E", "F", "G#dim"],
                },
            ),
            ("D", "dorian", {"notes": ["D", "E", "F", "G", "A", "B", "C"]}),
            ("E", "minor-pentatonic", {"notes": ["E", "G", "A", "B", "D"], "chords": []}),
        )
    ),
    (
        "photo_match_exposure",
        Example(
            {"shutter_s": 0.01, "from_iso": 100, "to_iso": 400}, {"shutter_s": 0.0025, "shutter": "1/400"}, source="/ 4"
        ),
    ),
    (
        "photo_match_exposure",
        Example({"shutter_s": 0.5, "filter_stops": 10}, {"shutter_s": 512.0}, source="0.5 * 2 ** 10"),
    ),
    (
        "screen_measure_size",
        Example(
            {"diagonal_inches": 27, "width": 2560, "height": 1440},
            {"ppi": math.hypot(2560, 1440) / 27, "width_cm": 27 * 2.54 * 16 / math.hypot(16, 9)},
            source="Pythagoras",
            tolerance=1e-7,
        ),
    ),
    (
        "timecode_compute_difference",
        Example(
            {"start": "00:00:59;29", "end": "00:01:00;02", "frame_rate": 29.97, "drop_frame": True},
            {"frames": 1},
            source="SMPTE 12M: frames 0 and 1 of a minute are dropped",
        ),
    ),
    (
        "timecode_compute_difference",
        Example(
            {"start": "00:00:01:20", "end": "00:00:00:10", "frame_rate": 25, "operation": "add"},
            {"timecode": "00:00:02:05", "frames": 55},
            source="45 + 10 frames",
        ),
    ),
]
