"""Run a program that speaks MCP, one message per line over its standard input and output (2025-06-18, "stdio")."""

import asyncio
import sys
import time
from contextlib import suppress
from typing import Self

import orjson
import structlog

from retinue.core.children import processes
from retinue.core.errors import Unavailable
from retinue.tools.authoring.libraries import PACKAGE
from retinue.tools.imports.mcp.elicitation import Asked
from retinue.tools.imports.mcp.http_transport import MESSAGE_BYTES, parse
from retinue.tools.imports.mcp.launcher import LaunchOptions
from retinue.tools.imports.mcp.messages import Json, Reply, reply_to
from retinue.tools.imports.mcp.programs import Program

_LINE_COST = 100
"""Bytes that each line counts beyond its length: many short lines also take time."""

_KEPT_BYTES = 4096
_MOST_CHARACTERS = 1000
_PAUSE_S = 0.05
"""Pause after a full read, so that endless output does not take all processor time."""
_BOOT = "import sys; sys.path += sys.argv[1:]; from retinue.tools.imports.mcp.launcher import main; main()"
_MOST_QUESTIONS = 20
_ENDING_S = 1.0
_log = structlog.get_logger()


class RunningProgram:
    """One process. Requests may run concurrently; each answer goes to the request with its number."""

    def __init__(self, name: str, process: processes.Process, secret: str, program: Program) -> None:
        self.answers = 0
        self.is_wanted = True
        """False once the server has ended it."""
        self._name, self._program = name, program
        self._process = process
        self._waiting: dict[object, tuple[asyncio.Future[Json], Reply]] = {}
        self._used = time.monotonic()
        self._lines = self._unasked = self._questions = 0
        self._fault = ""
        assert process.stdout is not None  # noqa: S101 - all three were asked for
        assert process.stderr is not None  # noqa: S101
        self._last_words = StderrTail(process.stderr, secret)
        self._reading = asyncio.create_task(self._read(process.stdout))

    @classmethod
    async def start(cls, name: str, program: Program, start: LaunchOptions, secret: str) -> Self:
        """Start a program. Raises `Unavailable` if the machine cannot start another process."""
        try:
            process = await processes.start(
                [sys.executable, "-I", "-c", _BOOT, str(PACKAGE.parents[1])],
                stdin=processes.PIPE,
                stdout=processes.PIPE,
                stderr=processes.PIPE,
                line_bytes=MESSAGE_BYTES,
                env={"PATH": start.environment["PATH"], "LANG": "C.UTF-8"},
                pass_fds=(start.lifeline,),
                niceness=processes.BACKGROUND,
            )
        except OSError as error:
            raise Unavailable(f"The program {name} cannot be started at the moment: {error.strerror}.") from error
        running = cls(name, process, secret, program)
        running._write(orjson.dumps(start))
        return running

    @property
    def is_over(self) -> bool:
        """True if it has ended, or is about to."""
        return bool(self._fault) or not self.is_wanted or self._reading.done()

    @property
    def idle_s(self) -> float:
        """Seconds since its last request; 0 while a request is in progress."""
        return 0.0 if self._waiting else time.monotonic() - self._used

    async def ask(self, message: Json, timeout_s: float, reply: Reply = reply_to) -> Json:
        """Return the response to a request. Raises `Unavailable` if none arrives in time or the program ends first.

        `reply` answers what the program asks meanwhile.
        """
        answer: asyncio.Future[Json] = asyncio.get_running_loop().create_future()
        self._waiting[message["id"]] = (answer, reply)
        lines_before = self._lines
        try:
            self.send(message)
            async with asyncio.timeout(timeout_s):
                return await answer
        except TimeoutError as error:
            if self._lines == lines_before and len(self._waiting) == 1:
                self._break("produced no output and was ended")
            raise Unavailable(f"The program {self._name} did not respond within {timeout_s:g} seconds.") from error
        finally:
            self._waiting.pop(message["id"], None)
            self._used = time.monotonic()

    def send(self, message: Json) -> None:
        """Send a message. Raises `Unavailable` if the program has ended or does not read its input."""
        if self.is_over:
            raise self.failure()
        self._write(orjson.dumps(message))

    def failure(self) -> Unavailable:
        """Return the error for requests that wait for an answer."""
        return Unavailable(f"The program {self._name} {self._fault or self._end()}. The next call restarts it.")

    def _end(self) -> str:
        status = self._process.returncode or 0
        return f"was ended by signal {-status}" if status < 0 else f"exited with status {status} before it responded"

    async def close(self, grace_s: float) -> None:
        """End it as the protocol prescribes: close its input, and kill it after a grace period."""
        self.is_wanted = False
        if self._process.stdin:
            self._process.stdin.close()
        await asyncio.wait({self._reading}, timeout=grace_s)
        self.kill()
        await asyncio.wait({self._reading}, timeout=_ENDING_S)

    def kill(self) -> None:
        """Kill it and the processes it has started."""
        self.is_wanted = False
        self._process.kill_group()

    def _break(self, fault: str) -> None:
        """Kill it because of its own fault."""
        self._fault = fault
        self._process.kill_group()

    def _write(self, line: bytes) -> None:
        stdin = self._process.stdin
        if stdin is None or stdin.is_closing():
            self._break("closed its input and was ended")
            raise self.failure()
        if stdin.transport.get_write_buffer_size() > MESSAGE_BYTES:
            raise Unavailable(f"The program {self._name} does not read its input. Try again later.")
        stdin.write(line + b"\n")

    async def _read(self, output: asyncio.StreamReader) -> None:
        """Dispatch answers until the output ends, then fail the requests that still wait."""
        try:
            async for line in output:
                self._take(line)
                await asyncio.sleep(0)  # many short lines must not block the event loop
        except ValueError:  # a line beyond the limit raises this as well
            self._break(f"wrote more than {MESSAGE_BYTES >> 20} MiB without a response and was ended")
        finally:
            await self._wait()

    def _take(self, line: bytes) -> None:
        """Handle one line: an answer or a request. Raises `ValueError` after too much output without an answer."""
        self._lines += 1
        self._unasked += len(line) + _LINE_COST
        message = parse(line) or {}
        number = message.get("id")
        if "method" in message:
            if isinstance(number, str | int) and self._questions < _MOST_QUESTIONS:
                self._questions += 1
                self._reply(message)
        elif isinstance(number, int) and (waiting := self._waiting.pop(number, None)) and not waiting[0].done():
            waiting[0].set_result(message)
            self.answers += 1
            self._unasked = self._questions = 0
        if self._unasked > MESSAGE_BYTES:
            raise ValueError("too much output without a response")

    def _reply(self, request: Json) -> None:
        """Answer a request of the program. It belongs to the call in progress; with several, nobody knows to which."""
        waiting = list(self._waiting.values())
        answer, reply = waiting[0] if len(waiting) == 1 else (None, reply_to)
        try:
            self.send(reply(request))
        except Unavailable:
            return
        except Asked as asked:
            if answer and not answer.done():
                answer.set_exception(asked)

    async def _wait(self) -> None:
        """Wait for the end of the process, which has closed its output, and clean up after it."""
        with suppress(TimeoutError):
            async with asyncio.timeout(0 if self._fault else _ENDING_S):
                await self._process.wait()
        self._process.kill_group()
        await self._process.wait()
        words = await self._last_words.text(_ENDING_S)
        self._process.close()
        if self.is_wanted:
            _log.warning(
                "mcp.program_ended",
                program=self._name,
                status=self._process.returncode,
                last_words=words,
                network=self._program.network,
                files=self._program.files,
            )
        for answer, _ in self._waiting.values():
            if not answer.done():
                answer.set_exception(self.failure())


class StderrTail:
    """Reads a stream to its end, so that its pipe never fills up, and stores the last part."""

    def __init__(self, stream: asyncio.StreamReader, secret: str) -> None:
        self._secret = secret
        self._tail = b""
        self._listening = asyncio.create_task(self._listen(stream))

    async def text(self, patience_s: float) -> str:
        """Return the last whole lines, without the secret. This stops reading."""
        await asyncio.wait({self._listening}, timeout=patience_s)
        self._listening.cancel()
        lines = self._tail.partition(b"\n")[2] if len(self._tail) == _KEPT_BYTES else self._tail
        output = lines.decode(errors="replace").strip()
        return (output.replace(self._secret, "***") if self._secret else output)[-_MOST_CHARACTERS:]

    async def _listen(self, stream: asyncio.StreamReader) -> None:
        while output := await stream.read(_KEPT_BYTES):
            self._tail = (self._tail + output)[-_KEPT_BYTES:]
            await asyncio.sleep(_PAUSE_S if len(output) == _KEPT_BYTES else 0)
