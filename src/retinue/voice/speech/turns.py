"""Detects the turns of a speaker in an audio stream: when speech starts and when it ends."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from retinue.voice.speech.activity import WINDOWS, SileroActivity
from retinue.voice.speech.pcm import Pcm

_ON, _OFF = 0.5, 0.35
"""Voice probability at which speech starts, and below which a window is silent."""
_LEAST_WINDOWS = 3
"""Consecutive windows of speech that start a turn. A click is shorter than this (96 ms)."""


@dataclass(frozen=True, slots=True, eq=False)
class SpeechStart:
    """Speech started `at_s` seconds into the stream. `samples` are its beginning."""

    at_s: float
    samples: Pcm


@dataclass(frozen=True, slots=True, eq=False)
class SpeechPause:
    """The speaker has been silent for `pause_s`, and the turn may be over: see `TurnDetector.end_after`.

    `samples` are the turn so far. `number` identifies the pause within the stream.
    """

    at_s: float
    samples: Pcm
    number: int


@dataclass(frozen=True, slots=True, eq=False)
class SpeechEnd:
    """A turn ended. `samples` begin shortly before the speech; `at_s` is the end of the speech.

    `pause` is the number of the pause that ended the turn, whose samples had all of its speech; 0 if there was none.
    """

    at_s: float
    samples: Pcm
    pause: int = 0


TurnEvent: TypeAlias = SpeechStart | SpeechPause | SpeechEnd


class TurnDetector:
    """Processes frames of any size, such as 20 ms, at 8,000 or 16,000 samples per second.

    `silence_s` of silence end a turn. With `pause_s`, a shorter silence is reported as a pause, so that somebody can
    look at what was said and end the turn sooner. A turn includes `preroll_s` of earlier audio, because voices begin
    softly. It ends after `longest_s` at the latest; continued speech is the next turn. `probability` replaces Silero.
    """

    def __init__(
        self,
        rate: int,
        *,
        silence_s: float = 0.5,
        pause_s: float = 0.0,
        preroll_s: float = 0.3,
        longest_s: float = 28.0,
        probability: Callable[[Pcm], float] | None = None,
    ) -> None:
        self._rate, self._window = rate, WINDOWS[rate]
        self._probability = probability or SileroActivity(rate).probability
        self._most_patience = self._patience = max(1, self._windows(silence_s))
        self._pause = self._windows(pause_s)
        self._longest = max(_LEAST_WINDOWS, self._windows(longest_s))
        self._before: deque[Pcm] = deque(maxlen=max(1, self._windows(preroll_s)) + _LEAST_WINDOWS)
        self._rest: Pcm = np.zeros(0, np.int16)
        self._turn: list[Pcm] = []
        self._run = self._silence = self._heard = self._pauses = 0

    def feed(self, frame: Pcm) -> list[TurnEvent]:
        """Add a frame and return the events up to its end."""
        audio = np.concatenate([self._rest, frame])
        whole = len(audio) // self._window * self._window
        self._rest = audio[whole:]
        return [event for window in audio[:whole].reshape(-1, self._window) for event in self._hear(window)]

    def finish(self) -> list[TurnEvent]:
        """Return the end of a turn that is open at the end of the stream, if any."""
        return [self._end()] if self._turn else []

    def end_after(self, pause: int, silence_s: float) -> None:
        """End the turn once this pause has lasted for `silence_s`. Has no effect if the speaker has gone on."""
        if self._turn and pause == self._pauses and self._silence >= self._pause:
            self._patience = max(1, self._windows(silence_s))

    def _windows(self, seconds: float) -> int:
        return round(seconds * self._rate / self._window)

    def _hear(self, window: Pcm) -> list[TurnEvent]:
        probability = self._probability(window)
        self._heard += 1
        return self._go_on(window, probability) if self._turn else self._wait(window, probability)

    def _wait(self, window: Pcm, probability: float) -> list[TurnEvent]:
        self._before.append(window)
        self._run = self._run + 1 if probability >= (_OFF if self._run else _ON) else 0
        if self._run < _LEAST_WINDOWS:
            return []
        self._turn, self._silence, self._run = list(self._before), 0, 0
        self._patience = self._most_patience
        self._before.clear()
        beginning = np.concatenate(self._turn[-_LEAST_WINDOWS:])
        return [SpeechStart(self._time(self._heard - _LEAST_WINDOWS), beginning)]

    def _go_on(self, window: Pcm, probability: float) -> list[TurnEvent]:
        self._turn.append(window)
        if probability >= _OFF:
            self._silence, self._patience = 0, self._most_patience
        else:
            self._silence += 1
        if self._silence >= self._patience or len(self._turn) >= self._longest:
            return [self._end()]
        if self._pause and self._silence == self._pause:
            self._pauses += 1
            at_s = self._time(self._heard - self._silence)
            return [SpeechPause(at_s, np.concatenate(self._turn), self._pauses)]
        return []

    def _end(self) -> SpeechEnd:
        samples = np.concatenate(self._turn)
        self._turn = []
        paused = self._pause and self._silence >= self._pause
        return SpeechEnd(self._time(self._heard - self._silence), samples, self._pauses if paused else 0)

    def _time(self, windows: int) -> float:
        return windows * self._window / self._rate
