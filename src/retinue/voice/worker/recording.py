"""Records a call to a stereo WAV file, with the other side on the left and the agent on the right."""

import contextlib
import wave
from collections.abc import Callable
from pathlib import Path

import numpy as np

from retinue.voice.speech.pcm import Pcm, Resampler

RATE = 16_000
_MOST_AHEAD = RATE


class Recording:
    """A WAV file written during the call. Incoming audio sets the timeline; the agent's audio is aligned to it.

    Where the other side sends nothing, silence takes its place, once the agent is a second ahead. If the file cannot be
    written, the recording ends, and `failed` receives the reason.
    """

    def __init__(self, path: Path, failed: Callable[[str], None]) -> None:
        self._failed = failed
        self._file: wave.Wave_write | None = None
        try:
            self._file = wave.open(str(path), "wb")  # noqa: SIM115 - stays open during the call
        except OSError as error:
            self._end(error)
        else:
            self._file.setnchannels(2)
            self._file.setsampwidth(2)
            self._file.setframerate(RATE)
        self._rates: tuple[int, Resampler, Resampler] | None = None
        self._said = np.zeros(0, np.int16)

    def add(self, heard: Pcm, said: Pcm | None, rate: int) -> None:
        """Add the audio received and sent since the last call, both at `rate`."""
        if self._file is None:
            return
        if self._rates is None or self._rates[0] != rate:
            self._rates = rate, Resampler(rate, RATE), Resampler(rate, RATE)
        _, left, right = self._rates
        if said is not None:
            self._said = np.concatenate([self._said, right.feed(said)])
        arrived = left.feed(heard)
        ahead = len(self._said) - len(arrived) - _MOST_AHEAD
        self._write(np.concatenate([np.zeros(max(0, ahead), np.int16), arrived]))

    def _write(self, arrived: Pcm) -> None:
        beside = np.zeros(len(arrived), np.int16)
        ready = self._said[: len(arrived)]
        beside[: len(ready)] = ready
        self._said = self._said[len(ready) :]
        if self._file:
            try:
                self._file.writeframes(np.stack([arrived, beside], axis=1).astype("<i2").tobytes())
            except OSError as error:
                self._end(error)

    def close(self) -> None:
        """Write what the agent said last and the header, and close the file."""
        self._write(np.zeros(len(self._said), np.int16))
        if self._file:
            try:
                self._file.close()
            except OSError as error:
                self._end(error)

    def _end(self, error: OSError) -> None:
        if self._file:
            with contextlib.suppress(OSError):
                self._file.close()
        self._file = None
        self._failed(f"The recording ended, because its file cannot be written: {error.strerror}")
