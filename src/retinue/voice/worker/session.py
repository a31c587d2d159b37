"""Runs one call in the media worker: transcribes the caller, speaks the agent's text, and stops at interruptions."""

import asyncio
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from retinue.voice.speech import (
    PLAIN,
    SpeechEngine,
    Transcriber,
    VoiceStyle,
    contains_phrase,
    is_backchannel,
    is_farewell,
    is_greeting,
)
from retinue.voice.wire import Message
from retinue.voice.worker.account_threads import AccountThreads
from retinue.voice.worker.answering import AnswerDetector
from retinue.voice.worker.listener import Reactions, SpeechListener, Start, TranscribedTurn
from retinue.voice.worker.recording import Recording
from retinue.voice.worker.sip_line import SipLine
from retinue.voice.worker.speaker import LAST_WORDS_S, Speaker, SpokenAnswer

Send = Callable[[Message], None]

_SOUND_S = 8.0
"""Seconds after the answer in which audio must start. It never does if the other side refuses encryption."""

_FAR_DB = 15.0
"""A voice so much quieter than the caller's is somebody else's, such as a television's."""

_NO_SOUND = "The remote side answered, but the audio connection could not be set up."


@dataclass(frozen=True, slots=True)
class SessionOptions:
    """The options of one call. `silence_s` of silence are reported. `wait_s` are the least and most seconds of silence
    that end a turn.
    """

    silence_s: float = 15.0
    recording: Path | None = None
    wait_s: tuple[float, float] = (0.3, 2.0)
    end_phrases: Sequence[str] = ()
    language: str = ""
    style: VoiceStyle = PLAIN

    @classmethod
    def of(cls, order: Message, silence_s: float) -> "SessionOptions":
        """Read the options of an order to dial or answer."""
        recording = Path(order["recording"]) if order["recording"] else None
        given = order["session"]
        least, most = given["wait_s"]
        style = VoiceStyle(given["voice"], given["speed"])
        return cls(silence_s, recording, (least, most), given["end_phrases"], given["language"], style)


class CallSession:
    """An answered call. Call `tick` every 20 ms."""

    def __init__(
        self,
        call: int,
        line: SipLine,
        engine: SpeechEngine,
        transcriber: Transcriber,
        threads: tuple[AccountThreads, AccountThreads],
        send: Send,
        options: SessionOptions,
    ) -> None:
        speaking, listening = threads
        self.line = line
        self._call, self._send, self._silence_s = call, send, options.silence_s
        self._recording = Recording(options.recording, self._complain) if options.recording else None
        self._loop = asyncio.get_running_loop()
        self.speaker = Speaker(line, engine, speaking, self._on_spoken, self._complain)
        reactions = Reactions(self._pause_speech, self._take_words, self._resume_speech, self._complain)
        self._end_phrases = options.end_phrases
        self._listener = SpeechListener(transcriber, listening, reactions, options.wait_s, options.language)
        self._asked_at: float | None = None
        """End of the question that waits for an answer, or None."""
        self._barged: int | None = None
        self._spoke_over = False
        """Whether the caller's current turn began while the agent had more to say."""
        self._caller_db: float | None = None
        """The level of the caller's voice, once known."""
        self._kept: list[TranscribedTurn] = []
        """What the caller said during speech that nothing may interrupt."""
        self._active_at = self._loop.time()
        self._mute_until = self._active_at + _SOUND_S
        """Deadline for the first outgoing audio; infinite once audio flows."""
        self._held = False
        self._hang_up_after = self._must_hang_up = False
        """Whether to hang up after the current answer: unless it is a question, and in any case."""
        self._detector: AnswerDetector | None = None
        self._failed = False

    def tick(self) -> None:
        """Process audio in both directions. After an unexpected error only this call ends."""
        if self._failed:
            return
        try:
            self._process()
        except Exception as error:  # noqa: BLE001 - the other calls must continue
            self._failed = True
            self._tell("failed", reason=f"The audio of the call could not be processed: {error!r}")

    def _process(self) -> None:
        heard, moment = self.line.read(), self._loop.time()
        if self.line.audible:
            self._mute_until = math.inf
        elif moment > self._mute_until:
            self._mute_until = math.inf
            self._tell("failed", reason=_NO_SOUND)
        said = self.speaker.tick()
        if self._held or self.line.on_hold:
            self._active_at = moment
            return
        if self._recording and self.line.rate:
            self._recording.add(heard, said, self.line.rate)
        if self._detector:
            self._active_at = moment
            self._detector.feed(heard, self.line.rate, moment)
            self._detector = None if self._detector.done else self._detector
        elif len(heard):
            self._listener.feed(heard, self.line.rate)
        if self.speaker.busy or self._listener.hearing or self._asked_at is not None:
            self._active_at = moment
        elif moment - self._active_at > self._silence_s:
            self._active_at = moment
            self._tell("silent")

    def detect(self, *, waits: bool) -> None:
        """Detect who answered. Until then, incoming speech is not a turn. See `AnswerDetector` for `waits`."""
        self._detector = AnswerDetector(
            waits=waits,
            decided=lambda who: self._tell("detected", answered_by=who),
            message_end=lambda: self._tell("message_end"),
            began=self._loop.time(),
        )

    def cut_unless_protected(self) -> None:
        """Stop speaking, unless nothing may interrupt what is being said."""
        if not self.speaker.is_protected:
            self.cut()

    def cut(self) -> None:
        """Stop speaking and report the interrupted turns."""
        for turn in self.speaker.cut():
            self._tell_turn(turn, interrupted=True)
        self._barged = None

    async def control(self, order: Message) -> None:
        """Hold, resume, press keys or transfer. Raises `OSError` with a message."""
        match order["do"]:
            case "hold":
                await self.line.hold()
                self._held = True
            case "resume":
                await self.line.resume()
                self._held = False
            case "press":
                await self.line.press(order["keys"])
            case "transfer":
                await self.line.transfer(order["uri"])

    def hang_up_after(self) -> None:
        """Hang up when everything has been spoken."""
        self._must_hang_up = True

    def close(self) -> None:
        """End the session of a closed line, and report what was spoken."""
        self._listener.close()
        self.cut()
        if self._recording:
            self._recording.close()

    def _pause_speech(self, start: Start) -> None:
        self._spoke_over = self.speaker.audible and self.speaker.left_s > LAST_WORDS_S
        if self.speaker.is_protected or (self._spoke_over and self._is_far(start.level_db)):
            return
        if self.speaker.audible and not self.speaker.paused:
            self._barged = start.late_ms
        self.speaker.pause()

    def _is_far(self, level_db: float) -> bool:
        return self._caller_db is not None and level_db < self._caller_db - _FAR_DB

    def _take_words(self, words: TranscribedTurn) -> None:
        """Answer what the caller said, unless it only shows that somebody listens or comes from somebody else."""
        if self._spoke_over and (self._is_far(words.level_db) or is_backchannel(words.text)):
            return self._resume_speech()
        self._caller_db = max(words.level_db, (self._caller_db or words.level_db) - 1)
        if not self.speaker.is_protected:
            return self._report(words)
        if not is_greeting(words.text):
            self._kept.append(words)
        return self._resume_speech()

    def _report(self, *said: TranscribedTurn) -> None:
        self.cut()
        self._asked_at = said[-1].ended
        text = " ".join(words.text for words in said)
        self._must_hang_up = False
        self._hang_up_after = is_farewell(said[-1].text) or contains_phrase(text, self._end_phrases)
        self._tell("heard", text=text, timing={"transcription_ms": said[-1].took_ms})

    def _resume_speech(self) -> None:
        """Continue speaking: the interruption had no words."""
        self.speaker.resume()
        self._barged = None

    def _on_spoken(self, turn: SpokenAnswer) -> None:
        """Report a turn that was fully spoken."""
        self._tell_turn(turn, interrupted=False)
        self._asked_at = None
        self._hang_up_after |= contains_phrase(turn.spoken_words(), self._end_phrases)
        asks = turn.spoken_words().endswith("?")
        if not self.speaker.busy and (self._must_hang_up or (self._hang_up_after and not asks)):
            self._loop.create_task(self.line.hang_up())
        elif self._kept and not self.speaker.is_protected:
            kept, self._kept = self._kept, []
            self._report(*kept)

    def _tell_turn(self, turn: SpokenAnswer, *, interrupted: bool) -> None:
        timing = turn.timing(self._asked_at)
        if interrupted and self._barged is not None:
            timing["barge_in_ms"] = self._barged
        self._tell("spoken", turn=turn.number, text=turn.spoken_words(), interrupted=interrupted, timing=timing)

    def _complain(self, reason: str) -> None:
        self._tell("trouble", reason=reason)

    def _tell(self, what: str, **values: object) -> None:
        self._send({"is": what, "call": self._call, **values})
