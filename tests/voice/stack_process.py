"""A program of the voice environment with the SIP stack of the media worker: `python stack_process.py SOURCE OPTIONS`.

It answers all calls, unless it is told otherwise, and plays a tone on them. It reads orders from standard input, each
line a JSON list of a method's name and its arguments, and writes what happens to standard output, each line a JSON
object.
"""

import asyncio
import json
import sys
from collections.abc import Iterator
from typing import Any

SOURCE, OPTIONS = map(json.loads, sys.argv[1:3])
sys.path[:0] = SOURCE

import numpy as np

from retinue.core.runtime.executors import FairExecutor
from retinue.voice.speech import PLAIN, VoiceStyle
from retinue.voice.speech.pcm import Pcm
from retinue.voice.worker import sip
from retinue.voice.worker.account_threads import AccountThreads
from retinue.voice.worker.sip import IncomingCall, SipStack
from retinue.voice.worker.sip_line import SipLine
from retinue.voice.worker.speaker import Speaker

RINGING = 180
CODES = 100
TONE = (6000 * np.sin(np.arange(160) * 2 * np.pi / 8)).astype(np.int16)


def decode_pcmu(code: int) -> int:
    """The sample of a code (ITU-T G.711, mu-law) above 127, which are those of positive samples."""
    bits = 255 - code
    return (((bits & 15) * 8 + 132) << (bits >> 4)) - 132


class CountingEngine:
    """Speaks 20 ms of each code from 128 to 227, five times over."""

    sample_rate = 8000

    def speak(self, text: str, style: VoiceStyle = PLAIN) -> Iterator[Pcm]:
        """See `SpeechEngine`."""
        del text, style
        yield np.repeat([decode_pcmu(128 + number % CODES) for number in range(5 * CODES)], 160).astype(np.int16)


def tell(**values: Any) -> None:
    """Write what happened."""
    print(json.dumps(values), flush=True)


class FastRuntime(sip.SipRuntime):
    """The stack, with a clock that the test moves."""

    ahead = 0.0

    def clock(self) -> float:
        """The time."""
        return super().clock() + self.ahead


sip.SipRuntime = FastRuntime  # type: ignore[misc] # the stack of this process takes its clock from the test


class Program:
    """The stack and its calls."""

    def __init__(self) -> None:
        self.stack = SipStack(self.arrive, lambda reason: tell(trouble=reason), lambda: tell(dead=True))
        self.lines: list[SipLine] = []
        self.status = 0
        self.speaker: Speaker | None = None
        self.tasks: set[asyncio.Task[None]] = set()

    def arrive(self, incoming: IncomingCall) -> None:
        """Answer a call."""
        tell(incoming=incoming.to, caller=incoming.caller)
        incoming.line.notify = self.notify
        self.lines.append(incoming.line)
        if self.status == RINGING:
            return
        answer = self.stack.reject(incoming.line, self.status) if self.status else incoming.line.answer()
        task = asyncio.create_task(answer)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    def notify(self, line: SipLine, kind: str, detail: str) -> None:
        """Tell of an event of a call."""
        if kind == "closed":
            self.lines.remove(line)
            self.speaker = None
        tell(event=kind, detail=detail)

    async def play(self) -> None:
        """Play the tone."""
        while True:
            for line in self.lines:
                if self.speaker:
                    self.speaker.tick()
                elif line.audible and line.queue() < 800:
                    line.write(TONE)
                line.read()
            await asyncio.sleep(0.02)

    async def dial(self, uri: str, trunk: str | None = None) -> None:
        """Call an address."""
        self.lines.append(await self.stack.dial(uri, trunk, self.notify))

    async def look(self) -> None:
        """Tell which calls are on hold."""
        tell(on_hold=[line.on_hold for line in self.lines])

    async def react(self, status: int) -> None:
        """Reject further calls with this status, let them ring (180), or answer them (0)."""
        self.status = status
        tell(reacts=True)

    async def count(self) -> None:
        """Count on the only line instead of playing the tone."""
        threads = AccountThreads(FairExecutor("voice", 1), 1)
        self.speaker = Speaker(self.lines[0], CountingEngine(), threads, lambda turn: None, lambda reason: None)
        self.lines[0].flush()
        self.speaker.say(1, "One, two, three.")
        self.speaker.finish(1)

    async def advance(self, seconds: float) -> None:
        """Let the clock of session timers run ahead."""
        FastRuntime.ahead += seconds

    async def hang_up(self) -> None:
        """End all calls."""
        for line in [*self.lines]:
            await line.hang_up()


async def main() -> None:
    """Carry out orders until standard input ends."""
    program = Program()
    await program.stack.start(**OPTIONS)
    playing = asyncio.create_task(program.play())
    tell(ready=True)
    loop = asyncio.get_running_loop()
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        order, *values = json.loads(line)
        await getattr(program, order)(*values)
    playing.cancel()
    await program.stack.close()


asyncio.run(main())
