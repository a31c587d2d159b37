"""What an agent says while a tool works."""

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from retinue.core.runtime.executors import FairExecutor
from retinue.runs.execution.broadcast import Chunk
from retinue.voice.calls.conversation import VoiceConversation
from retinue.voice.calls.manner import Manner
from retinue.voice.speech import PLAIN, VoiceStyle
from retinue.voice.speech.pcm import Pcm
from retinue.voice.wire import Message
from retinue.voice.worker.account_threads import AccountThreads
from retinue.voice.worker.speaker import Speaker, SpokenAnswer
from tests.support.waiting import until
from tests.voice.worker_lines import SlowLine

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
    """Return what is said in each of some answers."""
    said: dict[int, str] = {}
    for message in await orders_during(run, manner, turns):
        if message["do"] == "say":
            said[message["turn"]] = said.get(message["turn"], "") + message["text"]
    return list(said.values())


async def orders_during(run: Run, manner: Manner, turns: int = 1) -> list[Message]:
    """Return the orders of some answers, whose tool ends once all timers that are due have fired."""
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
    return sent


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


async def test_a_filler_is_marked_as_none_of_the_answer() -> None:
    orders = await orders_during(Run([START], [END, ANSWER]), AT_ONCE)
    marked = [(order["text"], order["filler"]) for order in orders if order["do"] == "say"]
    assert marked == [("Let me look. ", True), ("Here it is.", False)]


class Beep:
    """Speaks every sentence for 20 ms."""

    sample_rate = SlowLine.rate

    def speak(self, text: str, style: VoiceStyle = PLAIN) -> Iterator[Pcm]:
        """See `SpeechEngine`."""
        del text, style
        yield np.full(320, 5000, np.int16)


async def test_the_latency_of_an_answer_does_not_count_its_filler() -> None:
    line: Any = SlowLine()
    spoken: list[SpokenAnswer] = []
    threads = AccountThreads(FairExecutor("voice", 1), 1)
    speaker = Speaker(line, Beep(), threads, spoken.append, lambda _: None)

    async def is_heard(name: str) -> bool:
        speaker.tick()
        return name in turn.timing(asked_at)

    asked_at = asyncio.get_running_loop().time()
    speaker.say(1, "One moment, please. ", filler=True)
    (turn,) = speaker._turns
    await until(lambda: is_heard("filler_audio_ms"))
    assert turn.timing(asked_at).keys() == {"filler_audio_ms"}
    speaker.say(1, "Here it is.")
    speaker.finish(1)
    await until(lambda: is_heard("first_audio_ms"))
    assert turn.first_text is not None
    assert turn.filler_audio is not None
    assert turn.first_audio is not None
    assert turn.filler_audio < turn.first_text <= turn.first_audio
