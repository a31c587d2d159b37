"""Run MCP servers that are programs: one process per session, ended with the session or when idle."""

import asyncio
import os
from collections.abc import Mapping
from itertools import count

from multidict import CIMultiDict, CIMultiDictProxy

from retinue.core.errors import Unavailable
from retinue.tools.imports.mcp.http_transport import Endpoint, Reply
from retinue.tools.imports.mcp.messages import Json
from retinue.tools.imports.mcp.process import RunningProgram
from retinue.tools.imports.mcp.programs import SCHEME, AllowedPrograms
from retinue.tools.parent_death_pipe import open_lifeline

IDLE_S = 300.0
"""How long an idle program runs before it is ended."""

MOST_PROGRAMS = 32
"""Maximum number of programs that run at once."""

_GRACE_S = 1.0
_LOOKS = 5
"""How many times per idle period to check for idle programs."""


class Programs:
    """Exchanges messages with programs as `Wire` does over HTTP; the session id names the process.

    If the process has ended, the session is unknown (404), so that the caller opens a new one.
    """

    def __init__(self, allowed: AllowedPrograms, most: int = MOST_PROGRAMS, idle_s: float = IDLE_S) -> None:
        self.allowed = allowed
        self._most = most
        self._idle_s = idle_s
        self._running: dict[str, RunningProgram] = {}
        self._numbers = count(1)
        self._starting = asyncio.Lock()
        self._lifeline: tuple[int, ...] = ()

    async def run(self) -> None:
        """End idle programs, until cancelled."""
        while True:
            await asyncio.sleep(self._idle_s / _LOOKS)
            idle = [name for name, program in self._running.items() if program.idle_s >= self._idle_s]
            await asyncio.gather(*(self._end(name, _GRACE_S) for name in idle))

    async def stop(self) -> None:
        """End all programs."""
        await asyncio.gather(*(self._end(name, _GRACE_S) for name in list(self._running)))
        for end in self._lifeline:
            os.close(end)
        self._lifeline = ()

    async def exchange(self, server: Endpoint, message: Json, headers: Mapping[str, str], timeout_s: float) -> Reply:
        """See `Wire`. The first request of a session starts the program."""
        if message.get("method") == "initialize":
            return await self._begin(server, message, timeout_s)
        session = headers.get("Mcp-Session-Id", "")
        program = self._running.get(session)
        if program is None or program.is_over:
            self._running.pop(session, None)
            if program and program.is_wanted and program.answers <= 1:  # a new process would fail in the same way
                raise program.failure()
            return _reply(404)
        if "id" in message:
            return _reply(200, await program.ask(message, timeout_s))
        program.tell(message)
        return _reply(202)

    async def end(self, server: Endpoint, headers: Mapping[str, str], timeout_s: float) -> None:
        """See `Wire`: end the program."""
        await self._end(headers.get("Mcp-Session-Id", ""), timeout_s)

    async def _begin(self, server: Endpoint, message: Json, timeout_s: float) -> Reply:
        session, program = await self._start(server)
        try:
            return _reply(200, await program.ask(message, timeout_s), session)
        except BaseException:
            self._running.pop(session, None)
            if not program.is_over:
                program.kill()
            raise

    async def _start(self, server: Endpoint) -> tuple[str, RunningProgram]:
        name = server.address.removeprefix(SCHEME)
        program = self.allowed.find_program(name)
        environment = program.variables(server.credential)
        secret = server.credential.value if server.credential else ""
        async with self._starting:
            self._make_room()
            self._lifeline = self._lifeline or open_lifeline()
            running = await RunningProgram.start(name, program, environment, secret, self._lifeline[0])
            session = str(next(self._numbers))
            self._running[session] = running
        return session, running

    def _make_room(self) -> None:
        """End the program that has been idle for longest if the maximum is reached."""
        self._running = {name: program for name, program in self._running.items() if not program.is_over}
        if len(self._running) < self._most:
            return
        name, longest = max(self._running.items(), key=lambda one: one[1].idle_s)
        if not longest.idle_s:
            raise Unavailable(
                f"The limit of {self._most} concurrent programs of MCP servers is reached. Try again soon."
            )
        self._running.pop(name).kill()

    async def _end(self, session: str, grace_s: float) -> None:
        if program := self._running.get(session):
            await program.close(grace_s)
            self._running.pop(session, None)


def _reply(status: int, message: Json | None = None, session: str = "") -> Reply:
    headers = CIMultiDict({"Mcp-Session-Id": session} if session else {})
    return Reply(status, CIMultiDictProxy(headers), message)
