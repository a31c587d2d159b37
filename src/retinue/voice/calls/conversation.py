"""Connects speech in a call or room to the agent loop: an utterance starts a run, and its reply is spoken live."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

import structlog

from retinue.core.errors import RetinueError
from retinue.core.work.notifier import wait
from retinue.runs.execution.broadcast import RunStream
from retinue.voice.calls.records import CallTurn
from retinue.voice.media.service import MediaService
from retinue.voice.wire import Message

_log = structlog.get_logger()
_SORRY = "I am sorry, I cannot answer that right now."
_NEEDS_APPROVAL = "I need my owner's approval for that first."
_FILLER, _STILL_BUSY = "One moment, please. ", "I am still working on it. "
_PATIENCE_S = 8.0
"""Seconds without anything to say after which the agent tells that it is still working."""


class AnswerSource(Protocol):
    """The source of answers in a conversation."""

    async def begin(self, turn: CallTurn) -> RunStream:
        """Store a turn and start its answer."""
        ...

    async def cancel(self, run_id: int) -> None:
        """Cancel an answer and wait until it has ended."""
        ...

    async def shorten(self, run_id: int, said: str) -> None:
        """Shorten a stored answer to the part that was spoken."""
        ...


@dataclass
class VoiceConversation:
    """The turns on one call or in one room. `place` identifies it to the media worker."""

    place: Mapping[str, int]
    media: MediaService
    answers: AnswerSource
    add_turn: Callable[[CallTurn], Awaitable[None]]
    _turn: int = 0
    _runs: dict[int, int] = field(default_factory=dict)
    """The run of each agent turn that has not been fully spoken."""
    _answering: asyncio.Task[None] | None = None

    def say(self, text: str) -> None:
        """Speak a text that does not come from the model."""
        self._turn += 1
        self._send("say", text=text)
        self._send("finish")

    async def hear(self, text: str, timing: dict[str, int], speaker: str = "caller") -> None:
        """Handle an utterance: cancel the current answer and start the next one."""
        await self._stop()
        self._turn += 1
        try:
            live = await self.answers.begin(CallTurn(speaker, text, timing))
        except RetinueError as error:
            _log.warning("voice.no_answer", **self.place, reason=error.message)
            return self.say(_SORRY)
        self._runs[self._turn] = live.run.id
        self._answering = asyncio.create_task(self._answer(live))
        return None

    async def on_spoken(self, message: Message) -> None:
        """Record the part of an agent turn that was spoken."""
        turn, text, cut = message["turn"], message["text"], message["interrupted"]
        if cut and turn == self._turn:
            await self._stop()
        run = self._runs.pop(turn, None)
        said = CallTurn("agent", text, message["timing"], run, cut)
        if text:
            await self.add_turn(said)
        if cut and run:
            await self.answers.shorten(run, text)

    async def close(self) -> None:
        """Cancel the current answer."""
        await self._stop()

    async def _stop(self) -> None:
        if task := self._answering:
            self._answering = None
            if run := self._runs.get(self._turn):
                await self.answers.cancel(run)
            task.cancel()
            await asyncio.wait([task])

    async def _answer(self, live: RunStream) -> None:
        spoke = asyncio.Event()
        reassuring = asyncio.create_task(self._fill_silence(spoke))
        try:
            await self._speak(live, spoke)
        finally:
            reassuring.cancel()
        if live.outcome == "waiting":
            self._send("say", text=_NEEDS_APPROVAL)
        elif live.error and live.outcome != "cancelled":
            self._send("say", text=f" {_SORRY}")
        self._send("finish")

    async def _speak(self, live: RunStream, spoke: asyncio.Event) -> None:
        """Speak an answer while it is written. Sets `spoke` for each part of it."""
        said = False
        async for chunks in live.follow():
            for chunk in chunks:
                if chunk["type"] == "text":
                    text = chunk["content"]
                elif chunk["type"] == "tool_start" and not said:
                    text = _FILLER
                else:
                    continue
                said = True
                spoke.set()
                self._send("say", text=text)

    async def _fill_silence(self, spoke: asyncio.Event) -> None:
        """Fill long silences of an answer."""
        while True:
            if not await wait(spoke, _PATIENCE_S):
                self._send("say", text=_STILL_BUSY)

    def _send(self, do: str, **values: str) -> None:
        self.media.send({"do": do, **self.place, "turn": self._turn, **values})
