"""Detects the turns of one speaker and transcribes them."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace

from retinue.voice.speech import (
    Resampler,
    SpeechEnd,
    SpeechFailed,
    SpeechPause,
    SpeechStart,
    Transcriber,
    TurnDetector,
    silence_to_wait,
)
from retinue.voice.speech.pcm import Pcm, loudness
from retinue.voice.worker.account_threads import AccountThreads

PAUSE_S = 0.2
"""Seconds of silence after which a turn is transcribed, to decide by its words how long to wait for more of it."""

_WAIT_S = 0.3, 2.0
"""Least and most seconds of silence that end a turn, whatever was said."""


@dataclass(frozen=True, slots=True)
class Start:
    """The beginning of speech, `late_ms` ago, with its level in dB below full scale."""

    late_ms: int
    level_db: float


@dataclass(frozen=True, slots=True)
class TranscribedTurn:
    """A transcribed turn. `ended` is its end on the event loop's clock; `took_ms` is the transcription time.

    `level_db` is the level of its loudest parts in dB below full scale.
    """

    text: str
    ended: float
    took_ms: int
    level_db: float = 0.0


@dataclass(frozen=True, slots=True)
class Reactions:
    """Callbacks: speech started; a turn was transcribed; a turn had no words; a turn could not be transcribed, with
    the reason. `nothing` follows `failed`.
    """

    started: Callable[[Start], None]
    heard: Callable[[TranscribedTurn], None]
    nothing: Callable[[], None]
    failed: Callable[[str], None]


class SpeechListener:
    """Processes the audio of one speaker. Call its methods on the event loop; transcription runs on `threads`.

    A turn is transcribed as soon as its speaker pauses. The words decide how much silence ends the turn. If the speaker
    goes on, the turn goes on, and is transcribed again at the next pause.
    """

    def __init__(
        self,
        transcriber: Transcriber,
        threads: AccountThreads,
        reactions: Reactions,
        wait_s: tuple[float, float] = _WAIT_S,
        language: str = "",
    ) -> None:
        self._transcriber, self._threads, self._reactions = transcriber, threads, reactions
        self._least_s, self._most_s = wait_s
        self._language = language
        self._loop = asyncio.get_running_loop()
        self._rates = 0, 0
        self._seconds = 0.0
        self._draft: _Transcription | None = None
        """The transcription of the turn up to its last pause."""
        self._ended: asyncio.Queue[tuple[float, _Transcription]] = asyncio.Queue()
        self._reporting = asyncio.create_task(self._report_turns())
        self.hearing = False
        """True while the speaker speaks or a turn is being transcribed."""

    def feed(self, samples: Pcm, rate: int) -> None:
        """Process the latest audio, at `rate` samples per second."""
        moment = self._loop.time()
        if self._rates[0] != rate:
            listening = 8000 if rate == 8000 else 16_000
            self._rates, self._seconds = (rate, listening), 0.0
            self._turns = TurnDetector(listening, silence_s=self._most_s, pause_s=PAUSE_S)
            self._resampler = Resampler(rate, listening)
        heard = self._resampler.feed(samples)
        self._seconds += len(heard) / self._rates[1]
        for event in self._turns.feed(heard):
            late = self._seconds - event.at_s
            match event:
                case SpeechStart():
                    self.hearing = True
                    late_ms = round((late + self._loop.time() - moment) * 1000)
                    self._reactions.started(Start(late_ms, loudness(event.samples)))
                case SpeechPause():
                    self._cancel_draft()
                    self._draft = asyncio.create_task(self._judge(event, self._turns))
                case SpeechEnd():
                    self._end_turn(event, moment - late)

    def close(self) -> None:
        """Stop transcribing."""
        self._cancel_draft()
        self._reporting.cancel()

    def _cancel_draft(self) -> None:
        if self._draft:
            self._draft.cancel()
            self._draft = None

    async def _judge(self, pause: SpeechPause, turns: TurnDetector) -> TranscribedTurn | SpeechFailed:
        """Transcribe the turn so far, and set how much silence ends it."""
        words = await self._transcribe(pause.samples)
        if isinstance(words, TranscribedTurn):
            turns.end_after(pause.number, min(max(silence_to_wait(words.text), self._least_s), self._most_s))
        return words

    def _end_turn(self, event: SpeechEnd, ended: float) -> None:
        if event.pause and self._draft:
            transcription, self._draft = self._draft, None
        else:
            self._cancel_draft()
            transcription = asyncio.create_task(self._transcribe(event.samples))
        self._ended.put_nowait((ended, transcription))

    async def _transcribe(self, samples: Pcm) -> TranscribedTurn | SpeechFailed:
        began = self._loop.time()
        try:
            text = await self._threads.run(self._transcriber.transcribe, samples, self._rates[1], self._language)
        except SpeechFailed as error:
            return error
        return TranscribedTurn(text, 0.0, round((self._loop.time() - began) * 1000), loudness(samples))

    async def _report_turns(self) -> None:
        """Report the words of turns in order."""
        while True:
            ended, transcription = await self._ended.get()
            words = await transcription
            self.hearing = not self._ended.empty()
            if isinstance(words, SpeechFailed):
                self._reactions.failed(str(words))
            elif words.text:
                self._reactions.heard(replace(words, ended=ended))
                continue
            self._reactions.nothing()


_Transcription = asyncio.Task[TranscribedTurn | SpeechFailed]
