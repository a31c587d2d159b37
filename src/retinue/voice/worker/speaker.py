"""Says what the agent writes, sentence by sentence, and knows at each moment how much of it was said."""

import asyncio
import queue
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from retinue.voice.speech.engines import Engine, speak_stream
from retinue.voice.speech.options import SpeechFailed
from retinue.voice.speech.pcm import Pcm, Resampler

_AHEAD_S = 0.16
"""How much is written to the line ahead of time: enough for a late tick. An interruption takes it back. A room drops
what waits for more than 0.2 s.
"""


class Output(Protocol):
    """Where a voice goes: a telephone line, or a place in a room."""

    @property
    def rate(self) -> int:
        """Samples a second; 0 until sound goes through."""
        ...

    @property
    def audible(self) -> bool:
        """Whether sound goes through now."""
        ...

    def write(self, samples: Pcm) -> int:
        """Queue sound; returns how many samples were taken."""
        ...

    def queue(self) -> int:
        """Samples that were written and are not sent yet."""
        ...

    def flush(self) -> None:
        """Send nothing of what is queued."""
        ...


@dataclass(eq=False)
class Sentence:
    """A sentence and its samples: those known so far, and those written to the line."""

    text: str
    samples: int = 0
    written: int = 0

    def spoken_words(self) -> str:
        """The words that were said, in proportion to the samples."""
        if self.written >= self.samples:
            return self.text
        words = self.text.split()
        return " ".join(words[: len(words) * self.written // max(1, self.samples)])


@dataclass(eq=False)
class Turn:
    """One answer of the agent while it is said. Times are of the event loop's clock."""

    number: int
    chunks: "queue.SimpleQueue[str | None]" = field(default_factory=queue.SimpleQueue)
    sentences: list[Sentence] = field(default_factory=list)
    first_text: float | None = None
    first_audio: float | None = None
    complete: bool = False
    """Whether all of it is audio by now."""

    def timing(self, asked_at: float | None) -> dict[str, int]:
        """Milliseconds from the end of the question to the first words and the first sound."""
        if asked_at is None:
            return {}
        moments = {"first_text_ms": self.first_text, "first_audio_ms": self.first_audio}
        return {name: round((at - asked_at) * 1000) for name, at in moments.items() if at is not None}

    def spoken_words(self) -> str:
        """What was said of it."""
        return " ".join(filter(None, (sentence.spoken_words() for sentence in self.sentences if sentence.written)))


@dataclass(frozen=True, slots=True, eq=False)
class _Piece:
    turn: Turn
    sentence: Sentence
    samples: Pcm
    rate: int


class Speaker:
    """The voice on one line. Its methods are called on the event loop; engines speak on threads of `threads`."""

    def __init__(self, line: Output, engine: Engine, threads: Executor, done: Callable[[Turn], None]) -> None:
        self._line, self._engine, self._threads, self._done = line, engine, threads, done
        self._turns: deque[Turn] = deque()
        self._pieces: deque[_Piece] = deque()
        self._loop = asyncio.get_running_loop()
        self._cut_to = 0
        self.paused = False

    @property
    def busy(self) -> bool:
        """Whether a turn is being said, or waits for its words."""
        return bool(self._turns)

    @property
    def audible(self) -> bool:
        """Whether the other side hears the agent, or is about to."""
        return bool(self._pieces) or (self.busy and self._line.queue() > 0)

    def say(self, number: int, text: str) -> None:
        """Add to what is said in a turn; what belongs to a turn that was cut is dropped."""
        if turn := self._turn(number):
            if turn.first_text is None:
                turn.first_text = self._loop.time()
            turn.chunks.put(text)

    def finish(self, number: int) -> None:
        """A turn's text is complete."""
        if turn := self._turn(number):
            turn.chunks.put(None)

    def pause(self) -> None:
        """Fall silent at once, and keep what was to be said."""
        self.paused = True
        self._line.flush()

    def resume(self) -> None:
        """Go on where `pause` stopped."""
        self.paused = False

    def cut(self) -> list[Turn]:
        """Drop what was not said; returns the turns that this interrupts."""
        self._line.flush()
        turns = list(self._turns)
        for turn in turns:
            turn.chunks.put(None)
            self._cut_to = max(self._cut_to, turn.number)
        self._turns.clear()
        self._pieces.clear()
        self.paused = False
        return turns

    def tick(self) -> Pcm | None:
        """Keep the line fed; returns what was written. Called every 20 ms."""
        self._end_turns()
        if self.paused or not self._pieces or not self._line.audible:
            return None
        room = round(_AHEAD_S * self._line.rate) - self._line.queue()
        piece = self._pieces[0]
        if room <= 0:
            return None
        if piece.rate != self._line.rate:
            piece = self._adapt(piece)
        taken = self._line.write(piece.samples[:room])
        if taken and piece.turn.first_audio is None:
            piece.turn.first_audio = self._loop.time()
        piece.sentence.written += taken
        self._pieces.popleft()
        if taken < len(piece.samples):
            self._pieces.appendleft(_Piece(piece.turn, piece.sentence, piece.samples[taken:], piece.rate))
        return piece.samples[:taken]

    def _adapt(self, piece: _Piece) -> _Piece:
        """The piece at the line's rate, which a renegotiation may have changed."""
        samples = Resampler(piece.rate, self._line.rate).finish(piece.samples)
        piece.sentence.samples += len(samples) - len(piece.samples)
        return _Piece(piece.turn, piece.sentence, samples, self._line.rate)

    def _end_turns(self) -> None:
        while self._turns and self._turns[0].complete and not self._pieces and not self._line.queue():
            self._done(self._turns.popleft())

    def _turn(self, number: int) -> Turn | None:
        if number <= self._cut_to:
            return None
        for turn in self._turns:
            if turn.number == number:
                return turn
        turn = Turn(number)
        self._turns.append(turn)
        self._threads.submit(self._synthesize, turn, self._line.rate or self._engine.sample_rate)
        return turn

    def _synthesize(self, turn: Turn, rate: int) -> None:
        """On a thread: the turn's text as audio, to its end."""
        resampler = Resampler(self._engine.sample_rate, rate)
        try:
            for spoken in speak_stream(self._engine, _until_end(turn.chunks)):
                samples = resampler.feed(spoken.samples)
                self._loop.call_soon_threadsafe(self._add, turn, spoken.text, samples, rate)
        except SpeechFailed:
            pass  # the sentences before it were said, and the transcript has no more than those
        finally:
            rest = resampler.finish(np.zeros(0, np.int16))
            self._loop.call_soon_threadsafe(self._complete, turn, rest, rate)

    def _add(self, turn: Turn, text: str, samples: Pcm, rate: int) -> None:
        if text or not turn.sentences:
            turn.sentences.append(Sentence(text))
        sentence = turn.sentences[-1]
        sentence.samples += len(samples)
        if turn in self._turns and len(samples):
            self._pieces.append(_Piece(turn, sentence, samples, rate))

    def _complete(self, turn: Turn, rest: Pcm, rate: int) -> None:
        if turn.sentences:
            self._add(turn, "", rest, rate)
        turn.complete = True


def _until_end(chunks: "queue.SimpleQueue[str | None]") -> Iterator[str]:
    while (chunk := chunks.get()) is not None:
        yield chunk
