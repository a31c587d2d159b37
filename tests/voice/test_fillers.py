"""What an agent says while a tool works."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from retinue.runs.execution.broadcast import Chunk
from retinue.voice.calls.conversation import VoiceConversation
from retinue.voice.calls.manner import Manner
from retinue.voice.wire import Message

START: Chunk = {"type": "tool_start", "tool": "web_search"}
END: Chunk = {"type": "tool_end", "tool": "web_search", "status": "done"}
OWN: Chunk = {"type": "tool_start", "tool": "collect_digits"}
ANSWER: Chunk = {"type": "text", "content": "Here it is."}


class Run:
    """A run whose tool ends once `go` is set."""

    def __init__(self, before: Sequence[Chunk], after: Sequence[Chunk]) -> None:
        self.go = asyncio.Event()
        self.run, self.outcome, self.error = SimpleNamespace(id=1), "completed", None
        self._before, self._after = before, after

    async def follow(self) -> AsyncIterator[Sequence[Chunk]]:
        """Yield the chunks of the run."""
        yield self._before
        await self.go.wait()
        yield self._after


class Tools:
    """Hears of tools, one of which is the call's own."""

    def is_own(self, tool: str) -> bool:
        """Whether a tool is the call's own."""
        return tool == "collect_digits"

    async def note(self, chunk: Chunk, run_id: int) -> None:
        """Drop a report."""


async def spoken_during(run: Run, manner: Manner, turns: int = 1) -> list[str]:
    """Return what is said in each of some answers, whose tool ends once all timers that are due have fired."""
    sent: list[Message] = []

    async def begin(*_: Any) -> Run:
        return run

    async def drop(_: Any) -> None:
        return None

    media: Any = SimpleNamespace(send=sent.append)
    answers: Any = SimpleNamespace(begin=begin, cancel=drop)
    talk = VoiceConversation({"call": 1}, media, answers, drop, manner, Tools())
    for _ in range(turns):
        run.go.clear()
        await talk.hear("Please look it up.", {})
        await asyncio.sleep(0.01)
        run.go.set()
        assert talk._answering
        await talk._answering
    said: dict[int, str] = {}
    for message in sent:
        if message["do"] == "say":
            said[message["turn"]] = said.get(message["turn"], "") + message["text"]
    return list(said.values())


AT_ONCE = Manner(fillers=("Let me look.", "One moment."), filler_after_s=0.0)


@pytest.mark.parametrize(
    ("before", "manner", "said"),
    [
        ([START], AT_ONCE, "Let me look. Here it is."),
        ([START], Manner(filler_after_s=60.0), "Here it is."),
        ([START], Manner(fillers=(), filler_after_s=0.0), "Here it is."),
        ([{"type": "text", "content": "I look it up."}, START], AT_ONCE, "I look it up. Here it is."),
        ([OWN], AT_ONCE, "Here it is."),
    ],
)
async def test_a_filler_is_said_once_if_nothing_was(before: Sequence[Chunk], manner: Manner, said: str) -> None:
    assert await spoken_during(Run(before, [END, ANSWER]), manner) == [said]


async def test_the_fillers_take_turns() -> None:
    answers = await spoken_during(Run([START], [END, ANSWER]), AT_ONCE, turns=3)
    assert [answer.removesuffix(" Here it is.") for answer in answers] == [
        "Let me look.",
        "One moment.",
        "Let me look.",
    ]
