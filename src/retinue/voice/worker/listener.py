"""Hears the turns of one speaker, and has them written down."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass

from retinue.voice.speech import Resampler, SpeechEnd, SpeechFailed, SpeechStart, Transcriber, TurnDetector
from retinue.voice.speech.pcm import Pcm


@dataclass(frozen=True, slots=True)
class Words:
    """What a turn said. `ended` is when, by the event loop's clock; `took_ms` is how long writing it down took."""

    text: str
    ended: float
    took_ms: int


@dataclass(frozen=True, slots=True)
class Reactions:
    """What is called: when speech starts, with the milliseconds since; when its words are known; when it has none."""

    started: Callable[[int], None]
    heard: Callable[[Words], None]
    nothing: Callable[[], None]


class Listener:
    """Takes sound as it comes. Its methods are called on the event loop; `ears` transcribe on threads."""

    def __init__(self, transcriber: Transcriber, ears: Executor, reactions: Reactions) -> None:
        self._transcriber, self._ears, self._reactions = transcriber, ears, reactions
        self._loop = asyncio.get_running_loop()
        self._rates = 0, 0
        self._seconds = 0.0
        self._speech: asyncio.Queue[tuple[SpeechEnd, float]] = asyncio.Queue()
        self._writing = asyncio.create_task(self._write_down())
        self.hearing = False
        """Whether somebody speaks, or what they said is being written down."""

    def feed(self, samples: Pcm, rate: int) -> None:
        """Hear what has come just now, at `rate` samples a second."""
        moment = self._loop.time()
        if self._rates[0] != rate:
            listening = 8000 if rate == 8000 else 16_000
            self._rates, self._seconds = (rate, listening), 0.0
            self._turns, self._resampler = TurnDetector(listening), Resampler(rate, listening)
        heard = self._resampler.feed(samples)
        self._seconds += len(heard) / self._rates[1]
        for event in self._turns.feed(heard):
            late = self._seconds - event.at_s
            if isinstance(event, SpeechStart):
                self.hearing = True
                self._reactions.started(round((late + self._loop.time() - moment) * 1000))
            else:
                self._speech.put_nowait((event, moment - late))

    def close(self) -> None:
        """Write nothing more down."""
        self._writing.cancel()

    async def _write_down(self) -> None:
        """Transcribe turns one after the other."""
        while True:
            event, ended = await self._speech.get()
            began = self._loop.time()
            try:
                text = await self._loop.run_in_executor(
                    self._ears, self._transcriber.transcribe, event.samples, self._rates[1]
                )
            except SpeechFailed:
                text = ""
            self.hearing = not self._speech.empty()
            if text:
                self._reactions.heard(Words(text, ended, round((self._loop.time() - began) * 1000)))
            else:
                self._reactions.nothing()
