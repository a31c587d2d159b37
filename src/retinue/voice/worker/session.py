"""One call in the media worker: hears its turns, says the agent's, and falls silent when it is interrupted."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor
from pathlib import Path
from typing import Any

from retinue.voice.speech import Engine, Resampler, SpeechEnd, SpeechFailed, SpeechStart, Transcriber, TurnDetector
from retinue.voice.wire import Message
from retinue.voice.worker.recording import Recording
from retinue.voice.worker.sip import Line
from retinue.voice.worker.speaker import Speaker, Turn

Send = Callable[[Message], None]


class Session:
    """Made when the line is answered. `tick` is called every 20 ms."""

    def __init__(
        self,
        call: int,
        line: Line,
        engine: Engine,
        transcriber: Transcriber,
        threads: tuple[Executor, Executor],
        send: Send,
        silence_s: float,
        recording: Path | None,
    ) -> None:
        self.line = line
        self._call, self._send = call, send
        speaking, self._ears = threads
        self._transcriber, self._silence_s = transcriber, silence_s
        self._recording = Recording(recording) if recording else None
        self._loop = asyncio.get_running_loop()
        self.speaker = Speaker(line, engine, speaking, self._said)
        self._turns: TurnDetector | None = None
        self._resampler: Resampler | None = None
        self._rates = 0, 0
        self._heard_s = 0.0
        self._hearing = False
        """Whether somebody speaks, or what they said is being written down."""
        self._asked_at: float | None = None
        """When the question ended that waits for its answer."""
        self._barged: int | None = None
        self._active_at = self._loop.time()
        self._speech: asyncio.Queue[tuple[SpeechEnd, float]] = asyncio.Queue()
        self._writing = asyncio.create_task(self._write_down())
        self._hang_up_after = False

    def tick(self) -> None:
        """Move sound both ways."""
        heard, moment = self.line.read(), self._loop.time()
        said = self.speaker.tick()
        if self._recording and self.line.rate:
            self._recording.add(heard, said, self.line.rate)
        if len(heard):
            self._listen(heard, moment)
        if self.speaker.busy or self._hearing or self._asked_at is not None:
            self._active_at = moment
        elif moment - self._active_at > self._silence_s:
            self._active_at = moment
            self._tell("silent")

    def cut(self) -> None:
        """Say no more of what is being said."""
        for turn in self.speaker.cut():
            self._tell_turn(turn, interrupted=True)

    def hang_up_after(self) -> None:
        """Hang up when everything has been said."""
        self._hang_up_after = True

    def close(self) -> None:
        """The line is closed: tell what was said until then."""
        self._writing.cancel()
        self.cut()
        if self._recording:
            self._recording.close()

    def _listen(self, heard: Any, moment: float) -> None:
        if self._turns is None or self._rates[0] != self.line.rate:
            rate = 8000 if self.line.rate == 8000 else 16_000
            self._rates, self._heard_s = (self.line.rate, rate), 0.0
            self._turns, self._resampler = TurnDetector(rate), Resampler(self.line.rate, rate)
        assert self._resampler is not None  # noqa: S101 - made together
        samples = self._resampler.feed(heard)
        self._heard_s += len(samples) / self._rates[1]
        for event in self._turns.feed(samples):
            if isinstance(event, SpeechStart):
                self._begin_hearing(event, moment)
            else:
                # The end was heard when this much of the audio had not come yet.
                self._speech.put_nowait((event, moment - (self._heard_s - event.at_s)))

    def _begin_hearing(self, event: SpeechStart, moment: float) -> None:
        self._hearing = True
        if self.speaker.audible and not self.speaker.paused:
            self.speaker.pause()
            late = self._heard_s - event.at_s + self._loop.time() - moment
            self._barged = round(late * 1000)
        elif self.speaker.busy:
            self.speaker.pause()

    async def _write_down(self) -> None:
        """Transcribe turns one after the other. What turns out to be no words interrupts nothing."""
        while True:
            event, ended = await self._speech.get()
            began = self._loop.time()
            try:
                text = await self._loop.run_in_executor(
                    self._ears, self._transcriber.transcribe, event.samples, self._rates[1]
                )
            except SpeechFailed:
                text = ""
            self._hearing = not self._speech.empty()
            if not text:
                self.speaker.resume()
                self._barged = None
                continue
            self.cut()
            self._barged = None
            self._asked_at = ended
            self._tell("heard", text=text, timing={"transcription_ms": round((self._loop.time() - began) * 1000)})

    def _said(self, turn: Turn) -> None:
        """A turn was said to its end."""
        self._tell_turn(turn, interrupted=False)
        self._asked_at = None
        if self._hang_up_after and not self.speaker.busy:
            self._loop.create_task(self.line.hang_up())

    def _tell_turn(self, turn: Turn, *, interrupted: bool) -> None:
        timing = {}
        if self._asked_at is not None:
            moments = {"first_text_ms": turn.first_text, "first_audio_ms": turn.first_audio}
            timing = {name: round((at - self._asked_at) * 1000) for name, at in moments.items() if at is not None}
        if interrupted and self._barged is not None:
            timing["barge_in_ms"] = self._barged
        self._tell("spoken", turn=turn.number, text=turn.heard(), interrupted=interrupted, timing=timing)

    def _tell(self, what: str, **values: Any) -> None:
        self._send({"is": what, "call": self._call, **values})
