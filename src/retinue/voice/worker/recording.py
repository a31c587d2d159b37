"""Records a call to a stereo WAV file, with the other side on the left and the agent on the right."""

import wave
from pathlib import Path

import numpy as np

from retinue.voice.speech.pcm import Pcm, Resampler

RATE = 16_000


class Recording:
    """A WAV file written during the call. Incoming audio sets the timeline; the agent's audio is aligned to it."""

    def __init__(self, path: Path) -> None:
        self._file = wave.open(str(path), "wb")  # noqa: SIM115 - stays open during the call
        self._file.setnchannels(2)
        self._file.setsampwidth(2)
        self._file.setframerate(RATE)
        self._rates: tuple[int, Resampler, Resampler] | None = None
        self._said = np.zeros(0, np.int16)

    def add(self, heard: Pcm, said: Pcm | None, rate: int) -> None:
        """Add the audio received and sent since the last call, both at `rate`."""
        if self._rates is None or self._rates[0] != rate:
            self._rates = rate, Resampler(rate, RATE), Resampler(rate, RATE)
        _, left, right = self._rates
        if said is not None:
            self._said = np.concatenate([self._said, right.feed(said)])
        arrived = left.feed(heard)
        beside = np.zeros(len(arrived), np.int16)
        ready = self._said[: len(arrived)]
        beside[: len(ready)] = ready
        self._said = self._said[len(ready) :]
        self._file.writeframes(np.stack([arrived, beside], axis=1).astype("<i2").tobytes())

    def close(self) -> None:
        """Write the header and close the file."""
        self._file.close()
