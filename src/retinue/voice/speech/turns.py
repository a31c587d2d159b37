"""Finds the turns of a speaker in a stream of audio: when speech starts, and when it has ended."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from retinue.voice.speech.activity import WINDOWS, SileroActivity
from retinue.voice.speech.pcm import Pcm

_ON, _OFF = 0.5, 0.35
"""Probability of a voice from which speech starts, and below which it is silence."""
_LEAST_WINDOWS = 3
"""Windows of speech in a row that make a turn: a click is shorter than 96 ms."""


@dataclass(frozen=True, slots=True)
class SpeechStart:
    """Somebody began to speak, `at_s` seconds into the stream."""

    at_s: float


@dataclass(frozen=True, slots=True, eq=False)
class SpeechEnd:
    """A turn is over. `samples` begin shortly before the speech; `at_s` is when the last of it was heard."""

    at_s: float
    samples: Pcm


TurnEvent: TypeAlias = SpeechStart | SpeechEnd


class TurnDetector:
    """Takes frames of any size, such as 20 ms, at 8,000 or 16,000 samples a second.

    `silence_s` of silence end a turn. A turn has `preroll_s` of what came before it, because voices begin softly, and
    ends at `longest_s` at the latest; speech that goes on is the next turn. `probability` of a window replaces Silero.
    """

    def __init__(
        self,
        rate: int,
        *,
        silence_s: float = 0.5,
        preroll_s: float = 0.3,
        longest_s: float = 28.0,
        probability: Callable[[Pcm], float] | None = None,
    ) -> None:
        self._rate, self._window = rate, WINDOWS[rate]
        self._probability = probability or SileroActivity(rate).probability
        self._patience = max(1, self._windows(silence_s))
        self._longest = max(_LEAST_WINDOWS, self._windows(longest_s))
        self._before: deque[Pcm] = deque(maxlen=max(1, self._windows(preroll_s)) + _LEAST_WINDOWS)
        self._rest: Pcm = np.zeros(0, np.int16)
        self._turn: list[Pcm] = []
        self._run = self._silence = self._heard = 0

    def feed(self, frame: Pcm) -> list[TurnEvent]:
        """What happened in the audio up to the end of this frame."""
        audio = np.concatenate([self._rest, frame])
        whole = len(audio) // self._window * self._window
        self._rest = audio[whole:]
        return [event for window in audio[:whole].reshape(-1, self._window) for event in self._hear(window)]

    def finish(self) -> list[TurnEvent]:
        """The end of the turn that the end of the stream cuts off, if there is one."""
        return [self._end()] if self._turn else []

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
        self._before.clear()
        return [SpeechStart(self._time(self._heard - _LEAST_WINDOWS))]

    def _go_on(self, window: Pcm, probability: float) -> list[TurnEvent]:
        self._turn.append(window)
        self._silence = 0 if probability >= _OFF else self._silence + 1
        over = self._silence >= self._patience or len(self._turn) >= self._longest
        return [self._end()] if over else []

    def _end(self) -> SpeechEnd:
        samples = np.concatenate(self._turn)
        self._turn = []
        return SpeechEnd(self._time(self._heard - self._silence), samples)

    def _time(self, windows: int) -> float:
        return windows * self._window / self._rate
