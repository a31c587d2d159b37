"""Speaks the agent's text sentence by sentence, and tracks how much of it has been spoken."""

import asyncio
import math
import queue
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from retinue.voice.speech.engines import SpeechEngine, speak_stream
from retinue.voice.speech.options import SpeechFailed
from retinue.voice.speech.pcm import Pcm, Resampler
from retinue.voice.worker.account_threads import AccountThreads

_AHEAD_S = 0.16
"""Seconds of audio to write ahead, enough for a late tick. An interruption discards them. A room drops audio that
waits for more than 0.2 s.
"""

_KEPT = 32
"""Most pieces of written audio to keep until they are sent: each is that of a tick."""

LAST_WORDS_S = 1.5
"""Words within this time of the end of the agent's speech are an answer, however short."""


class VoiceOutput(Protocol):
    """The destination of a voice: a telephone line or a room."""

    @property
    def rate(self) -> int:
        """Samples per second; 0 until audio flows."""
        ...

    @property
    def audible(self) -> bool:
        """True if audio can be sent now."""
        ...

    def write(self, samples: Pcm) -> int:
        """Queue audio. Returns the number of samples accepted."""
        ...

    def queue(self) -> int:
        """Return the number of queued samples."""
        ...

    def take_unsent(self) -> int:
        """Return how many samples were queued when the line stopped, and are lost. The next call returns 0."""
        ...

    def flush(self) -> None:
        """Discard the queue."""
        ...


@dataclass(eq=False)
class Sentence:
    """A sentence, the number of its samples so far, and the number written to the output."""

    text: str
    filler: bool = False
    """True if it only fills the time until the answer."""
    samples: int = 0
    written: int = 0

    def spoken_words(self) -> str:
        """Return the words that were spoken, estimated from the share of samples written."""
        if self.written >= self.samples:
            return self.text
        words = self.text.split()
        return " ".join(words[: len(words) * self.written // max(1, self.samples)])


@dataclass(frozen=True, slots=True)
class TextChunk:
    """A part of a text. A filler only fills the time until the answer."""

    text: str
    filler: bool


@dataclass(eq=False)
class SpokenAnswer:
    """One answer of the agent while it is spoken. Times are on the event loop's clock."""

    number: int
    chunks: "queue.SimpleQueue[TextChunk | None]" = field(default_factory=queue.SimpleQueue)
    sentences: list[Sentence] = field(default_factory=list)
    first_text: float | None = None
    first_audio: float | None = None
    filler_audio: float | None = None
    """When a filler was first heard. `first_text` and `first_audio` are those of the answer itself."""
    complete: bool = False
    """True once the whole text has been synthesised."""
    dropped: bool = False
    """True once nobody will hear the rest, so that it need not be synthesised."""
    protected: bool = False
    """True if no interruption may end it."""

    def timing(self, asked_at: float | None) -> dict[str, int]:
        """Return the milliseconds from the end of the question to the first text, audio and filler."""
        if asked_at is None:
            return {}
        moments = {
            "first_text_ms": self.first_text,
            "first_audio_ms": self.first_audio,
            "filler_audio_ms": self.filler_audio,
        }
        return {name: round((at - asked_at) * 1000) for name, at in moments.items() if at is not None}

    def note_audio(self, sentence: Sentence, moment: float) -> None:
        """Record that audio of a sentence was written, if it is the first of the answer or of its fillers."""
        if sentence.filler and self.filler_audio is None:
            self.filler_audio = moment
        elif not sentence.filler and self.first_audio is None:
            self.first_audio = moment

    def spoken_words(self) -> str:
        """Return the part of the answer that was spoken."""
        return " ".join(filter(None, (sentence.spoken_words() for sentence in self.sentences if sentence.written)))


@dataclass(frozen=True, slots=True, eq=False)
class _Piece:
    turn: SpokenAnswer
    sentence: Sentence
    samples: Pcm
    rate: int


class Speaker:
    """The voice on one output. Call its methods on the event loop; engines run on `threads`."""

    def __init__(
        self,
        line: VoiceOutput,
        engine: SpeechEngine,
        threads: AccountThreads,
        done: Callable[[SpokenAnswer], None],
        failed: Callable[[str], None],
    ) -> None:
        """`failed` receives the reason why a sentence could not be spoken."""
        self._line, self._engine, self._threads = line, engine, threads
        self._done, self._failed = done, failed
        self._turns: deque[SpokenAnswer] = deque()
        self._pieces: deque[_Piece] = deque()
        self._written: deque[_Piece] = deque(maxlen=_KEPT)
        """The latest audio that was written. Some of it may still be queued."""
        self._loop = asyncio.get_running_loop()
        self._tasks: set[asyncio.Task[None]] = set()
        self._cut_to = 0
        self.paused = False

    @property
    def busy(self) -> bool:
        """True if a turn is being spoken or waits for text."""
        return bool(self._turns)

    @property
    def audible(self) -> bool:
        """True if the other side hears the agent, or is about to."""
        return bool(self._pieces) or (self.busy and self._line.queue() > 0)

    @property
    def is_protected(self) -> bool:
        """True while a turn is spoken, or waits, that no interruption may end."""
        return any(turn.protected for turn in self._turns)

    @property
    def left_s(self) -> float:
        """Seconds of audio that are left to speak; infinite while more text may come."""
        if not all(turn.complete for turn in self._turns):
            return math.inf
        waiting = sum(len(piece.samples) / piece.rate for piece in self._pieces)
        return waiting + (self._line.queue() / self._line.rate if self._line.rate else 0.0)

    def say(self, number: int, text: str, *, protected: bool = False, filler: bool = False) -> None:
        """Add text to a turn. Text of an interrupted turn is dropped."""
        if turn := self._turn(number):
            turn.protected |= protected
            self.paused &= not protected
            if turn.first_text is None and not filler:
                turn.first_text = self._loop.time()
            turn.chunks.put(TextChunk(text, filler))

    def finish(self, number: int) -> None:
        """Mark the text of a turn as complete."""
        if turn := self._turn(number):
            turn.chunks.put(None)

    def pause(self) -> None:
        """Stop speaking at once, and keep the remaining audio."""
        self.paused = True
        self._take_back(self._line.queue())
        self._line.flush()

    def resume(self) -> None:
        """Continue after `pause`."""
        self.paused = False

    def cut(self) -> list[SpokenAnswer]:
        """Drop all unspoken audio. Returns the interrupted turns."""
        self._take_back(self._line.queue())
        self._line.flush()
        turns = list(self._turns)
        for turn in turns:
            turn.dropped = True
            turn.chunks.put(None)
            self._cut_to = max(self._cut_to, turn.number)
        self._turns.clear()
        self._pieces.clear()
        self.paused = False
        return turns

    def tick(self) -> Pcm | None:
        """Write the next audio to the output, and return it. Call this every 20 ms."""
        if not self._turns:
            return None
        queued = self._line.queue()
        self._take_back(self._line.take_unsent())
        self._end_turns()
        if self.paused or not self._pieces or not self._line.audible:
            return None
        room = round(_AHEAD_S * self._line.rate) - queued
        piece = self._pieces[0]
        if room <= 0:
            return None
        if piece.rate != self._line.rate:
            piece = self._adapt(piece)
        taken = self._line.write(piece.samples[:room])
        if taken:
            piece.turn.note_audio(piece.sentence, self._loop.time())
        piece.sentence.written += taken
        self._pieces.popleft()
        if taken < len(piece.samples):
            self._pieces.appendleft(_Piece(piece.turn, piece.sentence, piece.samples[taken:], piece.rate))
        if taken:
            self._written.append(_Piece(piece.turn, piece.sentence, piece.samples[:taken], piece.rate))
        return piece.samples[:taken]

    def _take_back(self, samples: int) -> None:
        """Speak the last samples that were written again, because they were not sent."""
        while samples > 0 and self._written:
            piece = self._written.pop()
            unsent = piece.samples[-samples:]
            samples -= len(unsent)
            piece.sentence.written -= len(unsent)
            if piece.turn in self._turns:
                self._pieces.appendleft(_Piece(piece.turn, piece.sentence, unsent, piece.rate))

    def _adapt(self, piece: _Piece) -> _Piece:
        """Resample a piece to the line's rate, which a renegotiation may have changed."""
        samples = Resampler(piece.rate, self._line.rate).finish(piece.samples)
        piece.sentence.samples += len(samples) - len(piece.samples)
        return _Piece(piece.turn, piece.sentence, samples, self._line.rate)

    def _end_turns(self) -> None:
        while self._turns and self._turns[0].complete and not self._pieces and not self._line.queue():
            self._done(self._turns.popleft())

    def _turn(self, number: int) -> SpokenAnswer | None:
        if number <= self._cut_to:
            return None
        for turn in self._turns:
            if turn.number == number:
                return turn
        turn = SpokenAnswer(number)
        self._turns.append(turn)
        synthesis = self._threads.run(self._synthesize, turn, self._line.rate or self._engine.sample_rate)
        self._tasks.add(task := self._loop.create_task(synthesis))
        task.add_done_callback(self._tasks.discard)
        return turn

    def _synthesize(self, turn: SpokenAnswer, rate: int) -> None:
        """Synthesise a turn to its end. Runs on a thread."""
        resampler = Resampler(self._engine.sample_rate, rate)
        text = _TextSource(turn.chunks)
        try:
            for spoken in speak_stream(self._engine, text):
                samples = resampler.feed(spoken.samples)
                sentence = Sentence(spoken.text, text.filler)
                self._loop.call_soon_threadsafe(self._add, turn, sentence, samples, rate)
                if turn.dropped:
                    break
        except SpeechFailed as error:
            # Earlier sentences are spoken, and the transcript contains only those.
            self._loop.call_soon_threadsafe(self._failed, str(error))
        finally:
            rest = resampler.finish(np.zeros(0, np.int16))
            self._loop.call_soon_threadsafe(self._complete, turn, rest, rate)

    def _add(self, turn: SpokenAnswer, begun: Sentence, samples: Pcm, rate: int) -> None:
        """Add audio to a new sentence, or to the last one if `begun` has no text."""
        if begun.text or not turn.sentences:
            turn.sentences.append(begun)
        sentence = turn.sentences[-1]
        sentence.samples += len(samples)
        if turn in self._turns and len(samples):
            self._pieces.append(_Piece(turn, sentence, samples, rate))

    def _complete(self, turn: SpokenAnswer, rest: Pcm, rate: int) -> None:
        if turn.sentences:
            self._add(turn, Sentence(""), rest, rate)
        turn.complete = True


class _TextSource:
    """Iterates over the text of a turn. `filler` says whether the latest part is a filler."""

    def __init__(self, chunks: "queue.SimpleQueue[TextChunk | None]") -> None:
        self._chunks = chunks
        self.filler = False

    def __iter__(self) -> Iterator[str]:
        while (chunk := self._chunks.get()) is not None:
            self.filler = chunk.filler
            yield chunk.text
