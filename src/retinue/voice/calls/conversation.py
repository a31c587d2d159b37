"""Connects speech in a call or room to the agent loop: an utterance starts a run, and its reply is spoken live."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

import structlog

from retinue.core.errors import RetinueError
from retinue.core.work.notifier import wait
from retinue.runs.execution.broadcast import Chunk, RunStream
from retinue.voice.calls.manner import Manner
from retinue.voice.calls.records import CallTurn
from retinue.voice.media.service import MediaService
from retinue.voice.wire import Message

_log = structlog.get_logger()
_PATIENCE_S, _LATER_PATIENCE_S = 8.0, 12.0
"""Seconds without anything to say after which the agent tells that it is still working, first and then again."""

_LAST_WRITES_S = 3.0
"""Seconds that a run which ends the call has to write its end after the line is closed."""


class AnswerSource(Protocol):
    """The source of answers in a conversation."""

    async def begin(self, turn: CallTurn, said: str, continues: int | None) -> RunStream:
        """Store a turn and start its answer.

        `said` is what to answer. If the speaker has gone on before an answer was heard, it begins with the earlier
        words, and `continues` is the run that was to answer these.
        """
        ...

    async def cancel(self, run_id: int) -> None:
        """Cancel an answer and wait until it has ended."""
        ...

    async def shorten(self, run_id: int, said: str) -> None:
        """Shorten a stored answer to the part that was spoken."""
        ...


class ToolWatcher(Protocol):
    """Hears of the tools that answers use."""

    def is_own(self, tool: str) -> bool:
        """Whether a tool of the call itself fills the silence with what it does."""
        ...

    async def note(self, chunk: Chunk, run_id: int) -> None:
        """Record that a tool started or ended."""
        ...


@dataclass
class VoiceConversation:
    """The turns on one call or in one room. `place` identifies it to the media worker."""

    place: Mapping[str, int]
    media: MediaService
    answers: AnswerSource
    add_turn: Callable[[CallTurn], Awaitable[None]]
    manner: Manner = field(default_factory=Manner)
    tools: ToolWatcher | None = None
    ends_call: bool = False
    """Set by a tool that ends the call with the current answer."""
    _turn: int = 0
    _runs: dict[int, int] = field(default_factory=dict)
    """The run of each agent turn that has not been fully spoken."""
    _announced: dict[int, asyncio.Future[bool]] = field(default_factory=dict)
    """The turns that `announce` waits for."""
    _answering: asyncio.Task[None] | None = None
    _unanswered: CallTurn | None = None
    """What was said last, with its run, until some of the answer has been heard."""
    _at_tool: asyncio.Event = field(default_factory=asyncio.Event)
    """Set while a tool of the call works, once the current answer has been spoken up to it."""
    _fillers_said: int = 0

    @property
    def answering(self) -> bool:
        """True while an answer is written, or one of its tools works."""
        return self._answering is not None and not self._answering.done()

    def say(self, text: str, *, protected: bool = False) -> int:
        """Speak a text that does not come from the model, and return the number of its turn.

        Nothing that the other side says interrupts a protected text.
        """
        self._turn += 1
        self._send("say", text=text, protected=protected)
        self._send("finish")
        return self._turn

    async def announce(self, text: str) -> bool:
        """Speak a sentence of a tool of the current answer, and wait for its end. Returns False if it was cut off."""
        await self._at_tool.wait()
        if text:
            self._speak(text)
        self._send("finish")
        spoken = self._announced[self._turn] = asyncio.get_running_loop().create_future()
        run = self._runs.get(self._turn)
        self._turn += 1
        if run:
            self._runs[self._turn] = run
        return not await spoken

    async def hear(self, text: str, timing: dict[str, int], speaker: str = "caller") -> None:
        """Handle an utterance: cancel the current answer and start the next one."""
        await self._stop()
        self._turn += 1
        before, self._unanswered = self._unanswered, None
        joined = before if before and before.speaker == speaker else None
        said = f"{joined.text} {text}" if joined else text
        try:
            live = await self.answers.begin(CallTurn(speaker, text, timing), said, joined.run_id if joined else None)
        except RetinueError as error:
            _log.warning("voice.no_answer", **self.place, reason=error.message)
            self.say(self.manner.phrases.sorry)
            return
        self._unanswered = CallTurn(speaker, said, {}, live.run.id)
        self._runs[self._turn] = live.run.id
        self._at_tool.clear()
        self._answering = asyncio.create_task(self._answer(live))

    async def on_spoken(self, message: Message) -> None:
        """Record the part of an agent turn that was spoken."""
        turn, text, cut = message["turn"], message["text"], message["interrupted"]
        if cut and turn == self._turn:
            await self._stop()
        run = self._runs.pop(turn, None)
        announced = self._announced.pop(turn, None)
        said = CallTurn("agent", text, message["timing"], run, cut)
        if text:
            self._unanswered = None
            await self.add_turn(said)
        if announced and not announced.done():
            announced.set_result(cut)
        elif cut and run:
            await self.answers.shorten(run, text)

    async def close(self) -> None:
        """Cancel the current answer, unless it is the last one of a call that a tool has ended."""
        if self._answering and self.ends_call:
            await asyncio.wait([self._answering], timeout=_LAST_WRITES_S)
        await self._stop()

    async def _stop(self) -> None:
        if task := self._answering:
            self._answering, self.ends_call = None, False
            if run := self._runs.get(self._turn):
                await self.answers.cancel(run)
            task.cancel()
            await asyncio.wait([task])

    async def _answer(self, live: RunStream) -> None:
        spoke = asyncio.Event()
        reassuring = asyncio.create_task(self._fill_silence(spoke))
        try:
            await self._follow(live, spoke)
        finally:
            reassuring.cancel()
        if live.outcome == "waiting":
            self._speak(self.manner.phrases.needs_approval)
        elif live.error and live.outcome != "cancelled":
            self._speak(f" {self.manner.phrases.sorry}")
        self._send("finish")
        if self.ends_call:
            self._send("hangup_after")

    async def _follow(self, live: RunStream, spoke: asyncio.Event) -> None:
        """Speak an answer while it is written. Sets `spoke` for each part of it."""
        said = False
        filler: asyncio.TimerHandle | None = None
        try:
            async for chunks in live.follow():
                for chunk in chunks:
                    if filler and chunk["type"] in ("text", "tool_end"):
                        filler.cancel()
                    if chunk["type"] == "text":
                        said = True
                        spoke.set()
                        self._speak(chunk["content"])
                    elif chunk["type"] == "tool_start" and said:
                        self._speak(" ")  # The sentence before the tool is complete.
                    elif chunk["type"] == "tool_start" and not self._is_own(chunk):
                        said = True
                        filler = asyncio.get_running_loop().call_later(self.manner.filler_after_s, self._fill, spoke)
                    await self._note(chunk, live.run.id)
        finally:
            if filler:
                filler.cancel()

    async def _note(self, chunk: Chunk, run_id: int) -> None:
        """Report the start or the end of a tool. Everything before the tool has been spoken then."""
        if chunk["type"] not in ("tool_start", "tool_end"):
            return
        if self.tools:
            await self.tools.note(chunk, run_id)
        if self._is_own(chunk):
            (self._at_tool.set if chunk["type"] == "tool_start" else self._at_tool.clear)()

    def _is_own(self, chunk: Chunk) -> bool:
        return self.tools is not None and self.tools.is_own(chunk["tool"])

    def _fill(self, spoke: asyncio.Event) -> None:
        """Say a filler, because a tool takes long."""
        if fillers := self.manner.fillers:
            spoke.set()
            self._speak(f"{fillers[self._fillers_said % len(fillers)]} ", filler=True)
            self._fillers_said += 1

    async def _fill_silence(self, spoke: asyncio.Event) -> None:
        """Fill long silences of an answer, not twice with the same sentence."""
        phrases, said = self.manner.phrases.still_busy, 0
        while True:
            if await wait(spoke, _LATER_PATIENCE_S if said else _PATIENCE_S):
                said = 0
            elif not self._at_tool.is_set():
                self._speak(f"{phrases[said % len(phrases)]} ", filler=True)
                said += 1

    def _speak(self, text: str, *, filler: bool = False) -> None:
        """Speak a part of the current answer. A filler does not count as the answer in its latencies."""
        self._send("say", text=text, protected=not self.manner.interruptible, filler=filler)

    def _send(self, do: str, **values: object) -> None:
        self.media.send({"do": do, **self.place, "turn": self._turn, **values})
