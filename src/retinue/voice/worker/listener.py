"""Detects the turns of one speaker and transcribes them."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from retinue.voice.speech import Resampler, SpeechEnd, SpeechFailed, SpeechStart, Transcriber, TurnDetector
from retinue.voice.speech.pcm import Pcm
from retinue.voice.worker.account_threads import AccountThreads


@dataclass(frozen=True, slots=True)
class TranscribedTurn:
    """A transcribed turn. `ended` is its end on the event loop's clock; `took_ms` is the transcription time."""

    text: str
    ended: float
    took_ms: int


@dataclass(frozen=True, slots=True)
class Reactions:
    """Callbacks: speech started, with the milliseconds since then; a turn was transcribed; a turn had no words; a turn
    could not be transcribed, with the reason. `nothing` follows `failed`.
    """

    started: Callable[[int], None]
    heard: Callable[[TranscribedTurn], None]
    nothing: Callable[[], None]
    failed: Callable[[str], None]


class SpeechListener:
    """Processes the audio of one speaker. Call its methods on the event loop; transcription runs on `threads`."""

    def __init__(self, transcriber: Transcriber, threads: AccountThreads, reactions: Reactions) -> None:
        self._transcriber, self._threads, self._reactions = transcriber, threads, reactions
        self._loop = asyncio.get_running_loop()
        self._rates = 0, 0
        self._seconds = 0.0
        self._speech: asyncio.Queue[tuple[SpeechEnd, float]] = asyncio.Queue()
        self._writing = asyncio.create_task(self._write_down())
        self.hearing = False
        """True while the speaker speaks or a turn is being transcribed."""

    def feed(self, samples: Pcm, rate: int) -> None:
        """Process the latest audio, at `rate` samples per second."""
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
        """Stop transcribing."""
        self._writing.cancel()

    async def _write_down(self) -> None:
        """Transcribe turns in order."""
        while True:
            event, ended = await self._speech.get()
            began = self._loop.time()
            try:
                text = await self._threads.run(self._transcriber.transcribe, event.samples, self._rates[1])
            except SpeechFailed as error:
                self._reactions.failed(str(error))
                text = ""
            self.hearing = not self._speech.empty()
            if text:
                self._reactions.heard(TranscribedTurn(text, ended, round((self._loop.time() - began) * 1000)))
            else:
                self._reactions.nothing()
