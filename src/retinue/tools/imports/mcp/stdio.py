"""Run MCP servers that are programs: one process per session, ended with the session or when idle."""

import asyncio
import os
import zlib
from collections.abc import Mapping
from itertools import count
from pathlib import Path

from multidict import CIMultiDict, CIMultiDictProxy

from retinue.core.errors import Unavailable
from retinue.core.runtime.executors import run_on_disk_thread
from retinue.tools.execution.confinement import Confinement
from retinue.tools.execution.parent_death_pipe import open_lifeline
from retinue.tools.imports.mcp.http_transport import McpEndpoint, McpReply
from retinue.tools.imports.mcp.launcher import LaunchOptions
from retinue.tools.imports.mcp.messages import Json, Reply, reply_to
from retinue.tools.imports.mcp.process import RunningProgram
from retinue.tools.imports.mcp.programs import SCHEME, AllowedPrograms

IDLE_S = 300.0
"""How long an idle program runs before it is ended."""

MOST_PROGRAMS = 32
"""Maximum number of programs that run at once."""

_FIRST_USER, _USERS = 1_800_000_000, 100_000_000
"""User ids of programs of a server that runs as root, below those of tool workers."""

_GRACE_S = 1.0
_LOOKS = 5
"""How many times per idle period to check for idle programs."""


class StdioTransport:
    """Exchanges messages with programs as `Wire` does over HTTP; the session id names the process.

    If the process has ended, the session is unknown (404), so that the caller opens a new one. Each program has a
    folder of its own below `homes`. `confinement` says whether a program may run that the kernel does not confine.
    """

    def __init__(
        self,
        allowed: AllowedPrograms,
        homes: Path,
        confinement: Confinement,
        most: int = MOST_PROGRAMS,
        idle_s: float = IDLE_S,
    ) -> None:
        self.allowed = allowed
        self._homes = homes.absolute()
        self._confinement = confinement
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

    async def exchange(
        self,
        server: McpEndpoint,
        message: Json,
        headers: Mapping[str, str],
        timeout_s: float,
        reply: Reply = reply_to,
    ) -> McpReply:
        """See `Transport`. The first request of a session starts the program."""
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
            return _reply(200, await program.ask(message, timeout_s, reply))
        program.send(message)
        return _reply(202)

    async def end(self, server: McpEndpoint, headers: Mapping[str, str], timeout_s: float) -> None:
        """See `Wire`: end the program."""
        await self._end(headers.get("Mcp-Session-Id", ""), timeout_s)

    async def _begin(self, server: McpEndpoint, message: Json, timeout_s: float) -> McpReply:
        session, program = await self._start(server)
        try:
            return _reply(200, await program.ask(message, timeout_s), session)
        except BaseException:
            self._running.pop(session, None)
            if not program.is_over:
                program.kill()
            raise

    async def _start(self, server: McpEndpoint) -> tuple[str, RunningProgram]:
        name = server.address.removeprefix(SCHEME)
        program = self.allowed.find_program(name)
        home = self._homes / name
        environment = program.variables(server.credential, home)
        secret = server.credential.value if server.credential else ""
        async with self._starting:
            self._make_room()
            self._lifeline = self._lifeline or open_lifeline()
            # If the server is root, a program always becomes the same user, who owns its files.
            user = _FIRST_USER + zlib.crc32(name.encode()) % _USERS
            await run_on_disk_thread(_create_home, home, user)
            start = LaunchOptions(
                command=program.command,
                environment=environment,
                memory_mb=program.memory_mb,
                parent=os.getpid(),
                lifeline=self._lifeline[0],
                home=str(home),
                files=program.files,
                network=program.network,
                user=user,
                required=self._confinement.required,
            )
            running = await RunningProgram.start(name, program, start, secret)
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


def _create_home(home: Path, user: int) -> None:
    for folder in (home, home / "tmp"):
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        if os.geteuid() == 0:
            os.chown(folder, user, user, follow_symlinks=False)


def _reply(status: int, message: Json | None = None, session: str = "") -> McpReply:
    headers = CIMultiDict({"Mcp-Session-Id": session} if session else {})
    return McpReply(status, CIMultiDictProxy(headers), message)
