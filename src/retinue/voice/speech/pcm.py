"""Converts audio samples between float and 16-bit, and resamples them."""

from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

Pcm: TypeAlias = NDArray[np.int16]
"""16-bit mono samples."""

Samples: TypeAlias = NDArray[np.float32]
"""Mono float samples from -1 to 1."""

_FULL_SCALE = 32768.0
_BLOCK = 256
_LEAST_POWER = 10**-9.6
_SILENCE = 100
"""Largest sample value that counts as silence: 50 dB below full scale."""


def to_pcm(samples: ArrayLike) -> Pcm:
    """Convert floats to 16-bit samples. Values outside -1 to 1 are clipped."""
    scaled = np.asarray(samples, np.float32).ravel() * _FULL_SCALE
    return np.asarray(np.clip(np.rint(scaled), -32768, 32767), np.int16)


def to_float(pcm: Pcm) -> Samples:
    """Convert 16-bit samples to floats from -1 to 1."""
    return (pcm.astype(np.float32) / _FULL_SCALE).astype(np.float32)


def trim_start(pcm: Pcm, rate: int) -> Pcm:
    """Remove leading silence except for 50 ms; returns no samples if all are silent."""
    loud = np.flatnonzero((pcm > _SILENCE) | (pcm < -_SILENCE))
    return pcm[max(0, loud[0] - rate // 20) :] if len(loud) else pcm[:0]


def loudness(pcm: Pcm) -> float:
    """Return the level of the loudest quarter of some audio, in dB relative to full scale, at least -96."""
    whole = len(pcm) // _BLOCK * _BLOCK
    blocks = to_float(pcm[:whole] if whole else pcm).reshape(-1, _BLOCK if whole else max(len(pcm), 1))
    powers = np.sort(np.mean(np.square(blocks), axis=1))[-max(1, len(blocks) // 4) :]
    return float(10 * np.log10(max(float(np.mean(powers)) if len(powers) else 0.0, _LEAST_POWER)))


class Resampler:
    """Changes the sample rate of a stream. It buffers some samples until `finish`."""

    def __init__(self, rate: int, target_rate: int) -> None:
        self._stream = None
        if rate != target_rate:
            import soxr

            self._stream = soxr.ResampleStream(rate, target_rate, 1, dtype="int16", quality="MQ")

    def feed(self, pcm: Pcm) -> Pcm:
        """Add samples and return the resampled audio that is ready."""
        return pcm if self._stream is None else np.asarray(self._stream.resample_chunk(pcm), np.int16)

    def finish(self, pcm: Pcm) -> Pcm:
        """Add the last samples and return the remaining audio. The resampler is unusable afterwards."""
        if self._stream is None:
            return pcm
        return np.asarray(self._stream.resample_chunk(pcm, last=True), np.int16)
