"""Reading and saving of WAV files with size limits, for the tools of this category."""

import math
import struct
import wave
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from scipy.io import wavfile
from typing_extensions import TypedDict

from retinue.sdk import About, OutputFile, ToolError, save

MOST_SAMPLES = 20_000_000
"""Limit for an input or output sound, over all channels: four minutes in stereo at 44.1 kHz."""
SILENT_DB = -120.0
"""Level that represents silence."""
_BROKEN = (
    ValueError,
    EOFError,
    OSError,
    struct.error,
    IndexError,
    KeyError,
    TypeError,
    OverflowError,
    UnboundLocalError,
)

Decibels = Annotated[float, About("Threshold in dBFS, below full scale", minimum=-100, maximum=0)]
Seconds = Annotated[float, About("Seconds", minimum=0, maximum=100_000)]


@dataclass(frozen=True)
class Sound:
    """Samples between -1 and 1, of the shape (time, channels), with a sample rate."""

    rate: int
    samples: Any

    @property
    def seconds(self) -> float:
        """Return the duration."""
        return len(self.samples) / self.rate

    @property
    def mono(self) -> Any:
        """Return the mean of the channels."""
        return self.samples.mean(axis=1)


class MadeSound(TypedDict):
    """A created sound: 16-bit WAV."""

    file: OutputFile
    duration_s: Annotated[float, About("Duration in seconds")]
    sample_rate_hz: Annotated[int, About("Sample rate in Hz")]
    channels: Annotated[int, About("1 for mono, 2 for stereo")]
    peak_dbfs: Annotated[float, About("Peak level; 0 is full scale, -120 silence")]
    clipped: Annotated[bool, About("Whether it was clipped at full scale")]


def read_wav(file: str) -> Sound:
    """Read the sound of a WAV file with PCM or float samples. Raises `ToolError`."""
    if Path(file).stat().st_size > 4 * MOST_SAMPLES:
        raise ToolError("The sound is too long. Send at most 80 MB of WAV, or a part of it.")
    try:
        rate, raw = wavfile.read(file)
    except _BROKEN as error:
        raise ToolError("The file is not a WAV sound with PCM or float samples. Convert it to one.") from error
    if not 1000 <= rate <= 400_000 or raw.size == 0 or raw.size > MOST_SAMPLES or raw.ndim > 2:
        raise ToolError(
            "The sound has no samples, too many (over 20 million), or a sample rate outside 1 to 400 kHz. Send another."
        )
    samples = raw.reshape(len(raw), -1)
    if samples.shape[1] > 16:
        raise ToolError("The sound has more than 16 channels. Mix it down first.")
    return Sound(int(rate), _scale(samples))


def _scale(samples: Any) -> Any:
    if samples.dtype == np.uint8:
        return (samples.astype(np.float32) - 128) / 128
    if samples.dtype.kind == "i":
        return samples.astype(np.float32) / float(2 ** (8 * samples.dtype.itemsize - 1))
    return np.clip(np.nan_to_num(samples.astype(np.float32)), -1000, 1000)


def decibels(amplitude: float) -> float:
    """Return the level of an amplitude in dBFS, with full scale at 1; at least -120."""
    return max(SILENT_DB, 20 * math.log10(amplitude)) if amplitude > 0 else SILENT_DB


def record(name: str, sound: Sound) -> MadeSound:
    """Save a sound for the caller as 16-bit WAV, clipped at full scale. Raises `ToolError` if empty or too long."""
    if not 0 < sound.samples.size <= MOST_SAMPLES:
        raise ToolError("The result would be empty or have more than 20 million samples. Choose other times.")
    peak = float(np.abs(sound.samples).max())
    values = np.rint(np.clip(sound.samples, -1, 1) * 32767).astype("<i2")
    buffer = BytesIO()
    with wave.open(buffer, "wb") as stream:
        stream.setnchannels(values.shape[1])
        stream.setsampwidth(2)
        stream.setframerate(sound.rate)
        stream.writeframes(values.tobytes())
    return {
        "file": save(f"{name}.wav", buffer.getvalue()),
        "duration_s": round(sound.seconds, 6),
        "sample_rate_hz": sound.rate,
        "channels": int(values.shape[1]),
        "peak_dbfs": round(decibels(min(peak, 1.0)), 2),
        # One step of 16 bits above full scale is a rounding error.
        "clipped": peak > 1.0001,
    }


def silences(sound: Sound, threshold_db: float, least_s: float) -> list[tuple[int, int]]:
    """Return the first and last-but-one sample of stretches that stay below a level, measured by the loudest sample in
    10 ms.
    """
    window = max(1, sound.rate // 100)
    loudness = np.abs(sound.samples).max(axis=1)
    padded = np.pad(loudness, (0, -len(loudness) % window)).reshape(-1, window).max(axis=1)
    quiet = np.concatenate(([False], padded < 10 ** (threshold_db / 20), [False]))
    edges = np.flatnonzero(np.diff(quiet.astype(np.int8)))
    spans = [(int(a) * window, min(int(b) * window, len(loudness))) for a, b in edges.reshape(-1, 2)]
    return [(start, end) for start, end in spans if end - start >= least_s * sound.rate]
