"""The media worker's main program: receives orders, reports events, and processes the audio of calls every 20 ms."""

import asyncio
import itertools
import os
import socket
import sys
import traceback
from collections.abc import Coroutine

from retinue.core.children.parent_death import die_with
from retinue.core.runtime.executors import FairExecutor
from retinue.tools.execution.sandbox import confine_media
from retinue.voice.speech import (
    EngineMissing,
    SpeechEngine,
    SpeechOptions,
    StyledEngine,
    load_activity_model,
    open_engine,
    open_transcriber,
)
from retinue.voice.speech.options import read_options
from retinue.voice.wire import BootOptions, Message, pack, receive
from retinue.voice.worker.account_threads import AccountThreads
from retinue.voice.worker.rehearsal import understand
from retinue.voice.worker.rooms import WorkerRooms
from retinue.voice.worker.session import CallSession, SessionOptions
from retinue.voice.worker.sip import IncomingCall, SipStack
from retinue.voice.worker.sip_line import SipLine

_TICK_S = 0.02
_THREADS = 128
"""Each agent turn occupies a thread from its first word to its last. Most of that time the thread waits. An account
occupies half of them at most.
"""

_LISTENING_THREADS = max(1, (os.cpu_count() or 2) - 1)
_SPEECH_NICENESS = 5
"""Added to the nice value of a thread that computes speech: the thread that moves audio takes precedence over it. On
Linux, threads have their own nice values.
"""


def main(options: BootOptions) -> None:
    """Run until the server process ends."""
    die_with(options["parent"])
    code = [sys.prefix, sys.base_prefix, sys.exec_prefix, *sys.path]
    missing = confine_media(filter(os.path.exists, [*code, *options["readable"]]), options["writable"])
    unconfined = f"The kernel does not confine the media worker: {'; '.join(missing)}" if missing else ""
    asyncio.run(_run(options["channel"], unconfined, options["must_be_confined"]))


async def _run(channel: int, unconfined: str, must_be_confined: bool) -> None:
    reader, writer = await asyncio.open_connection(sock=socket.socket(fileno=channel))
    worker = MediaWorker(writer)
    try:
        order = await receive(reader)
        if unconfined and must_be_confined:
            worker.send({"is": "failed", "reason": f"{unconfined}; RETINUE_SANDBOX=require asks for that"})
            return await writer.drain()
        await worker.start(order)
    except (EngineMissing, OSError, RuntimeError) as error:
        worker.send({"is": "failed", "reason": str(error)})
        return await writer.drain()
    if unconfined:
        worker.send({"is": "trouble", "reason": unconfined})
    ticking = asyncio.create_task(worker.tick())
    ticking.add_done_callback(_end_after_error)
    try:
        while True:
            worker.obey(await receive(reader))
    except (asyncio.IncompleteReadError, ConnectionError):
        ticking.cancel()
        await worker.stack.close()
    return None


class MediaWorker:
    """The calls and rooms of this process."""

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self._writer = writer
        self.stack = SipStack(self._arrive, self._complain, _end_process)
        self._threads = FairExecutor("voice", _THREADS, _THREADS // 2, _SPEECH_NICENESS)
        self._ears = FairExecutor("ears", _LISTENING_THREADS, niceness=_SPEECH_NICENESS)
        self._sessions: dict[int, CallSession] = {}
        self._lines: dict[int, SipLine] = {}
        self._waiting: dict[str, SipLine] = {}
        self._beginning: dict[int, bool] = {}
        """Calls that are being dialled or answered, and whether a hang-up was requested meanwhile."""
        self._numbers = itertools.count(1)
        self._tasks: set[asyncio.Task[None]] = set()
        self._options = SpeechOptions()
        self._silence_s = 15.0

    def send(self, message: Message) -> None:
        """Send a message to the server."""
        self._writer.write(pack(message))

    async def start(self, order: Message) -> None:
        """Load the models that every call needs, and start the SIP stack."""
        self._options = read_options(order["speech"])
        self._silence_s = order["silence_s"]
        await self._threads.run(open_engine, "hibari", self._options)
        await self._threads.run(load_activity_model)
        self._transcriber = await self._threads.run(open_transcriber, self._options)
        self._rooms = WorkerRooms(
            self._transcriber, self._options, (self._threads, self._ears), self.send, self._waiting
        )
        names = ("host", "port", "ca_file", "trunks", "access", "calls")
        problems = await self.stack.start(**{name: order[name] for name in names}) if order["host"] else []
        self.send({"is": "ready"})
        for reason in problems:
            self._complain(reason)

    def obey(self, order: Message) -> None:
        """Execute an order without blocking the next one."""
        if "room" in order:
            return self._spawn(self._rooms.obey(order))
        match order["do"]:
            case "dial" | "answer":
                self._spawn(self._begin(order))
            case "reject":
                if line := self._waiting.pop(order["line"], None):
                    self._spawn(self.stack.reject(line, order["status"]))
            case "hangup":
                self._hang_up(order["call"])
            case "rehearse":
                self._spawn(self._rehearse(order))
            case "hold" | "resume" | "press" | "transfer":
                self._spawn(self._control(order))
            case _:
                if session := self._sessions.get(order["call"]):
                    self._speak(session, order)
        return None

    def _hang_up(self, call: int) -> None:
        if line := self._lines.get(call):
            self._spawn(line.hang_up())
        elif call in self._beginning:
            self._beginning[call] = True

    async def _control(self, order: Message) -> None:
        error = ""
        try:
            if session := self._sessions.get(order["call"]):
                await session.control(order)
        except OSError as problem:
            error = str(problem)
        self.send({"is": "done", "call": order["call"], "number": order["number"], "error": error})

    async def _rehearse(self, order: Message) -> None:
        """Report what is understood of a text that an engine speaks."""
        heard = error = ""
        try:
            engine = await self._threads.run(open_engine, order["engine"], self._options)
            options = SessionOptions.of({**order, "recording": None}, self._silence_s)
            threads = AccountThreads(self._threads, order["account"])
            styled = StyledEngine(engine, options.style)
            heard = await threads.run(
                understand, styled, self._transcriber, order["text"], options.wait_s, options.language, order["noise"]
            )
        except Exception as problem:  # noqa: BLE001 - somebody waits for the answer
            error = str(problem) or type(problem).__name__
        self.send({"is": "rehearsed", "rehearsal": order["rehearsal"], "heard": heard, "error": error})

    def _speak(self, session: CallSession, order: Message) -> None:
        match order["do"]:
            case "say":
                how = {name: order.get(name, False) for name in ("protected", "filler")}
                session.speaker.say(order["turn"], order["text"], **how)
            case "finish":
                session.speaker.finish(order["turn"])
            case "cut":
                session.cut_unless_protected()
            case "hangup_after":
                session.hang_up_after()

    async def tick(self) -> None:
        """Process the audio of all calls and rooms every 20 ms."""
        loop = asyncio.get_running_loop()
        due = loop.time()
        while True:
            for session in list(self._sessions.values()):
                session.tick()
            self._rooms.tick()
            due = max(due + _TICK_S, loop.time() - _TICK_S)
            await asyncio.sleep(due - loop.time())

    async def _begin(self, order: Message) -> None:
        """Dial or answer a call. Load the engine first, so that the other side does not wait for it."""
        call = order["call"]
        self._beginning[call] = False
        try:
            engine = await self._threads.run(open_engine, order["engine"], self._options)
            if not self._beginning[call]:
                await self._connect(order, engine)
            elif line := self._waiting.pop(order.get("line", ""), None):
                await self.stack.reject(line, 480)
            if self._beginning[call] and (line := self._lines.get(call)):
                await line.hang_up()
            elif self._beginning[call]:
                self.send({"is": "ended", "call": call, "reason": ""})
        except Exception as error:  # noqa: BLE001 - the call must end after any error
            self.send({"is": "failed", "call": call, "reason": str(error)})
        finally:
            del self._beginning[call]

    async def _connect(self, order: Message, engine: SpeechEngine) -> None:
        call, options = order["call"], SessionOptions.of(order, self._silence_s)
        engine = StyledEngine(engine, options.style)
        engine.speak("")  # Raises an error for an unknown voice before the other side is called.

        def notify(line: SipLine, kind: str, detail: str) -> None:
            if kind == "answered":
                threads = AccountThreads(self._threads, order["account"]), AccountThreads(self._ears, order["account"])
                session = self._sessions[call] = CallSession(
                    call, line, engine, self._transcriber, threads, self.send, options
                )
                if mode := order["detection"]:
                    session.detect(waits=mode == "detect_message_end")
                self.send({"is": "answered", "call": call, "at": line.changed_at})
            elif kind == "closed":
                self._close(call, detail, line.changed_at, hung_up=line.hung_up)
            else:
                self.send({"is": kind, "call": call, "key": detail})

        if order["do"] == "dial":
            line = await self.stack.dial(order["uri"], order["trunk"], notify)
            self.send({"is": "dialled", "call": call})
        else:
            if not (waiting := self._waiting.pop(order["line"], None)):
                # The other side has hung up while the engine was loaded.
                return self.send({"is": "ended", "call": call, "reason": "487 Request Terminated"})
            line = waiting
            line.notify = notify
            await line.answer()
        if not line.closed:
            self._lines[call] = line
        return None

    def _close(self, call: int, reason: str, at: float, *, hung_up: bool = False) -> None:
        self._lines.pop(call, None)
        try:
            if session := self._sessions.pop(call, None):
                session.close()
        finally:
            self.send({"is": "ended", "call": call, "reason": reason, "at": at, "hung_up": hung_up})

    def _arrive(self, incoming: IncomingCall) -> None:
        """Report an inbound call. The server decides who takes it."""
        name = f"in-{next(self._numbers)}"
        self._waiting[name] = incoming.line

        def notify(line: SipLine, kind: str, detail: str) -> None:
            if kind == "closed":
                self._waiting.pop(name, None)

        incoming.line.notify = notify
        self.send({"is": "incoming", "line": name, "to": incoming.to, "from": incoming.caller})

    def _complain(self, reason: str) -> None:
        self.send({"is": "trouble", "reason": reason})

    def _spawn(self, work: Coroutine[object, None, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def _end_after_error(ticking: asyncio.Task[None]) -> None:
    """End the process if its tick task failed: no audio would flow. The server then starts another worker."""
    if not ticking.cancelled() and (error := ticking.exception()):
        traceback.print_exception(error)
        _end_process()


def _end_process() -> None:
    os._exit(1)
