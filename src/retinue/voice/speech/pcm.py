"""Samples: conversion between float and 16-bit, and resampling."""

from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

Pcm: TypeAlias = NDArray[np.int16]
"""Mono samples of 16 bits."""

Samples: TypeAlias = NDArray[np.float32]
"""Mono samples from -1 to 1."""

_FULL_SCALE = 32768.0
_SILENCE = 100
"""Samples up to this are silent: 50 dB below full scale."""


def to_pcm(samples: ArrayLike) -> Pcm:
    """16-bit samples of floats; what is beyond -1 to 1 is clipped."""
    scaled = np.asarray(samples, np.float32).ravel() * _FULL_SCALE
    return np.asarray(np.clip(np.rint(scaled), -32768, 32767), np.int16)


def to_float(pcm: Pcm) -> Samples:
    """Floats from -1 to 1 of 16-bit samples."""
    return (pcm.astype(np.float32) / _FULL_SCALE).astype(np.float32)


def trim_start(pcm: Pcm, rate: int) -> Pcm:
    """Samples without the silence at their start, but for 50 ms; none where all is silence."""
    loud = np.flatnonzero((pcm > _SILENCE) | (pcm < -_SILENCE))
    return pcm[max(0, loud[0] - rate // 20) :] if len(loud) else pcm[:0]


class Resampler:
    """Changes the sample rate of a stream. It keeps some samples back until `finish`."""

    def __init__(self, rate: int, target_rate: int) -> None:
        self._stream = None
        if rate != target_rate:
            import soxr  # noqa: PLC0415 - only the voice environment has it

            self._stream = soxr.ResampleStream(rate, target_rate, 1, dtype="int16", quality="MQ")

    def feed(self, pcm: Pcm) -> Pcm:
        """The resampled audio that is ready after these samples."""
        return pcm if self._stream is None else np.asarray(self._stream.resample_chunk(pcm), np.int16)

    def finish(self, pcm: Pcm) -> Pcm:
        """The rest, with `pcm` as the last samples. The resampler takes no more after that."""
        if self._stream is None:
            return pcm
        return np.asarray(self._stream.resample_chunk(pcm, last=True), np.int16)
