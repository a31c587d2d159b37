"""Distinguishes an answering machine from a person by the start of an answered call, with rules and no voice model.

A person says a word or two and waits. A machine speaks longer, and often ends with a beep.
"""

from collections.abc import Callable
from typing import Literal

import numpy as np

from retinue.voice.speech import Resampler, SpeechStart, TurnDetector
from retinue.voice.speech.pcm import Pcm, to_float

AnsweredBy = Literal["human", "machine", "unknown"]

_GREETING_S = 2.4
"""Minimum length in seconds of the first speech of a machine."""

_PAUSE_S = 1.2
"""Seconds of silence that end a greeting. A shorter pause is a breath."""

_MARGIN_S = 0.5
"""Slightly more than the seconds of audio that a turn includes before its speech."""

_NO_SPEECH_S = 5.0
"""Seconds without speech after the answer until the verdict is `unknown`."""

_MESSAGE_END_S, _NO_BEEP_S = 30.0, 3.0
"""A machine's greeting ends at its beep, after 3 s of silence, or 30 s after the answer."""

_WINDOW, _BEEP_WINDOWS = 256, 6
"""Samples per window (32 ms at 8,000 Hz), and windows of a beep, which lasts at least 190 ms."""

_LOWEST_HZ, _HIGHEST_HZ, _QUIETEST = 350, 2500, 0.02
_SHARE = 0.9
"""Minimum share of a pure tone's energy within one bin (31 Hz) of its loudest frequency."""


class BeepDetector:
    """Detects a beep: one steady frequency without the overtones of a voice."""

    def __init__(self) -> None:
        self._rest: Pcm = np.zeros(0, np.int16)
        self._pitch = self._windows = 0

    def feed(self, samples: Pcm) -> bool:
        """Add samples at 8,000 Hz. Returns True if they complete a beep."""
        audio = np.concatenate([self._rest, samples])
        whole = len(audio) // _WINDOW * _WINDOW
        self._rest = audio[whole:]
        return any(self._hear(window) for window in audio[:whole].reshape(-1, _WINDOW))

    def _hear(self, window: Pcm) -> bool:
        pitch = find_pure_pitch(window)
        steady = pitch and abs(pitch - self._pitch) <= 1
        self._windows = self._windows + 1 if steady else 1 if pitch else 0
        self._pitch = pitch
        return self._windows >= _BEEP_WINDOWS


def find_pure_pitch(window: Pcm) -> int:
    """Return the frequency bin of a window that is a pure tone; 0 if it is quiet or has several frequencies."""
    samples = to_float(window)
    if np.sqrt(np.mean(samples**2)) < _QUIETEST:
        return 0
    energy = np.abs(np.fft.rfft(samples * np.hanning(len(samples)))) ** 2
    loudest = int(energy.argmax())
    pure = energy[max(0, loudest - 1) : loudest + 2].sum() >= _SHARE * energy.sum()
    hertz = loudest * 8000 / len(samples)
    return loudest if pure and _LOWEST_HZ <= hertz <= _HIGHEST_HZ else 0


class AnswerDetector:
    """Analyses one call from its answer until it knows who answered and, for a machine, until its greeting ends.

    It calls `decided` once with the verdict. If `waits` is true, it calls `message_end` once a machine's greeting is
    over. `done` becomes true when no callback is left.
    """

    def __init__(
        self, *, waits: bool, decided: Callable[[AnsweredBy], None], message_end: Callable[[], None], began: float
    ) -> None:
        self._waits, self._decided, self._message_end, self._began = waits, decided, message_end, began
        self._rate = 0
        self._speech_at: float | None = None
        self._quiet_at: float | None = None
        """Position in the audio where the greeting ended, in seconds."""
        self._verdict: AnsweredBy | None = None
        self._beep = BeepDetector()
        self.done = False

    def feed(self, samples: Pcm, rate: int, moment: float) -> None:
        """Process the latest samples, which may be empty. `moment` is the current time on the clock of `began`."""
        if len(samples):
            self._hear(samples, rate)
        waited = moment - self._began
        if not self._verdict and self._speech_at is None and waited > _NO_SPEECH_S:
            self._decide("unknown")
        elif self._verdict and not self.done and waited > _MESSAGE_END_S:
            self._end()

    def _hear(self, samples: Pcm, rate: int) -> None:
        if rate != self._rate:
            self._rate, self._resampler = rate, Resampler(rate, 8000)
            self._turns = TurnDetector(8000, silence_s=_PAUSE_S, longest_s=_GREETING_S + _PAUSE_S + _MARGIN_S)
            self._heard_s, self._speech_at, self._quiet_at = 0.0, None, None
        heard = self._resampler.feed(samples)
        self._heard_s += len(heard) / 8000
        beep = self._beep.feed(heard)
        for event in self._turns.feed(heard):
            if isinstance(event, SpeechStart):
                self._speech_at, self._quiet_at = event.at_s, None
            else:
                self._quiet_at = event.at_s
                self._decide("machine" if event.at_s - (self._speech_at or 0.0) >= _GREETING_S else "human")
        if beep:
            self._decide("machine")
        if beep or (self._quiet_at is not None and self._heard_s - self._quiet_at > _NO_BEEP_S):
            self._end()

    def _decide(self, verdict: AnsweredBy) -> None:
        if self._verdict is None:
            self._verdict = verdict
            self.done = not (self._waits and verdict == "machine")
            self._decided(verdict)

    def _end(self) -> None:
        if not self.done:
            self.done = True
            self._message_end()
