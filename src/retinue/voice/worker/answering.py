"""Tells an answering machine from a person by how an answered call begins: ordinary rules, no model of voices.

A person says a word or two and waits. A machine speaks for longer, and often ends with a beep.
"""

from collections.abc import Callable
from typing import Literal

import numpy as np

from retinue.voice.speech import Resampler, SpeechStart, TurnDetector
from retinue.voice.speech.pcm import Pcm, to_float

AnsweredBy = Literal["human", "machine", "unknown"]

_GREETING_S = 2.4
"""First speech of at least this length is a machine's."""

_PAUSE_S = 1.2
"""Silence that ends a greeting. A shorter one is a breath."""

_MARGIN_S = 0.5
"""What a turn has before its speech, and a little more."""

_NO_SPEECH_S = 5.0
"""Without any speech for this long after the answer, nobody can tell."""

_MESSAGE_END_S, _NO_BEEP_S = 30.0, 3.0
"""A machine's greeting is over at its beep, after 3 s of silence, or 30 s after the answer."""

_WINDOW, _BEEP_WINDOWS = 256, 6
"""Windows of 32 ms at 8,000 samples a second. A beep sounds for at least 190 ms."""

_LOWEST_HZ, _HIGHEST_HZ, _QUIETEST = 350, 2500, 0.02
_SHARE = 0.9
"""The part of a window's energy that is within one bin (31 Hz) of its loudest pitch, if it is a pure tone."""


class BeepDetector:
    """Finds a beep: one steady pitch without the overtones of a voice."""

    def __init__(self) -> None:
        self._rest: Pcm = np.zeros(0, np.int16)
        self._pitch = self._windows = 0

    def feed(self, samples: Pcm) -> bool:
        """Whether a beep is heard up to the end of these samples, 8,000 a second."""
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
    """The bin of the one pitch that a window consists of; 0 where it is quiet, or has several."""
    samples = to_float(window)
    if np.sqrt(np.mean(samples**2)) < _QUIETEST:
        return 0
    energy = np.abs(np.fft.rfft(samples * np.hanning(len(samples)))) ** 2
    loudest = int(energy.argmax())
    pure = energy[max(0, loudest - 1) : loudest + 2].sum() >= _SHARE * energy.sum()
    hertz = loudest * 8000 / len(samples)
    return loudest if pure and _LOWEST_HZ <= hertz <= _HIGHEST_HZ else 0


class AnswerDetector:
    """Listens to one call from its answer on, until it is decided who answered and, of a machine, until it has spoken.

    `decided` is called once with who answered. `message_end` is called once a machine's greeting is over, if
    `waits` is true. `done` is true once neither is to come.
    """

    def __init__(
        self, *, waits: bool, decided: Callable[[AnsweredBy], None], message_end: Callable[[], None], began: float
    ) -> None:
        self._waits, self._decided, self._message_end, self._began = waits, decided, message_end, began
        self._rate = 0
        self._speech_at: float | None = None
        self._quiet_at: float | None = None
        """Since when nobody speaks, after a greeting."""
        self._verdict: AnsweredBy | None = None
        self._beep = BeepDetector()
        self.done = False

    def feed(self, samples: Pcm, rate: int, moment: float) -> None:
        """Hear what has come just now; `moment` is the time by the clock of `began`. `samples` may be empty."""
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
