"""Background noise around a speaker, generated from a fixed seed: each conversation hears the same noise."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from retinue.voice.speech.pcm import Pcm

_SEED = 1
_LOWEST_HZ = 100.0
"""Telephones transmit hardly anything below this frequency."""

_SWELL = 0.5
"""How much the amplitude rises and falls, as a share."""

_PAUSE = 0.1
"""Frames below this share of the loudest frame's level are pauses, which do not count as speech."""


@dataclass(frozen=True, slots=True)
class Noise:
    """A kind of noise. Its amplitude falls with the frequency to the power of `slope`, and swells every `period_s`."""

    snr_db: float
    slope: float
    period_s: float


NOISES = {"street": Noise(10.0, 1.0, 6.0), "office": Noise(15.0, 0.5, 2.0)}


def add_noise(samples: Pcm, rate: int, kind: str) -> Pcm:
    """Mix noise into speech and its pauses, at the signal-to-noise ratio of the kind."""
    noise = _generate(len(samples), rate, NOISES[kind])
    level = _speech_level(samples, rate) / 10 ** (NOISES[kind].snr_db / 20)
    mixed = samples + noise * (level / np.sqrt(np.mean(noise**2)))
    clipped: Pcm = np.clip(np.rint(mixed), -32_768, 32_767).astype(np.int16)
    return clipped


def _generate(count: int, rate: int, kind: Noise) -> NDArray[np.float64]:
    spectrum = np.fft.rfft(np.random.default_rng(_SEED).standard_normal(count))
    frequencies = np.fft.rfftfreq(count, 1 / rate)
    spectrum *= np.where(frequencies < _LOWEST_HZ, 0.0, np.maximum(frequencies, _LOWEST_HZ) ** -kind.slope)
    swell = 1 + _SWELL * np.sin(2 * np.pi * np.arange(count) / (rate * kind.period_s))
    return np.asarray(np.fft.irfft(spectrum, count) * swell, np.float64)


def _speech_level(samples: Pcm, rate: int) -> float:
    """Return the root mean square of the frames of 20 ms that are speech."""
    size = rate // 50
    frames = samples[: len(samples) // size * size].astype(np.float64).reshape(-1, size)
    levels = np.sqrt(np.mean(frames**2, axis=1))
    spoken = levels[levels > _PAUSE * levels.max()]
    return float(np.sqrt(np.mean(spoken**2))) if len(spoken) else 0.0
