"""Verify all tools as a client would: every example and every refusal through the HTTP API of a running server."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import aiohttp

from retinue.core.errors import RateLimited, RetinueError, Unavailable, ValidationFailed
from retinue.core.http.operations import BASE
from retinue.tools.authoring.tool import Tool
from retinue.tools.verification.boundary_values import BoundarySweep
from retinue.tools.verification.example_runner import ExampleRunner

_TIMEOUT = aiohttp.ClientTimeout(total=120)
_LONGEST_PAUSE_S = 90
"""The rate limit of a minute resets sooner than this; do not wait for that of an hour or a day."""

Json = dict[str, Any]


@dataclass(frozen=True)
class ToolFaults:
    """A tool and its violations."""

    tool: Tool
    faults: list[str]


@dataclass(frozen=True)
class RemoteExecutor:
    """Executes tools on a server with an API key."""

    session: aiohttp.ClientSession

    @classmethod
    @asynccontextmanager
    async def open(cls, url: str, key: str) -> AsyncIterator["RemoteExecutor"]:
        """Open one for the server at `url`, with its own HTTP connections."""
        headers = {"Authorization": f"Bearer {key}"}
        async with aiohttp.ClientSession(url.rstrip("/"), headers=headers, timeout=_TIMEOUT) as session:
            yield cls(session)

    async def lend(self, name: str, content: bytes) -> str:
        """Upload a file."""
        return str((await self._ask("POST", "/files", lambda: {"data": _form(name, content)}))["id"])

    async def connect(self, connection: Mapping[str, object]) -> int:
        """Create a connection in the account."""
        return int((await self._ask("POST", "/connections", lambda: {"json": dict(connection)}))["id"])

    async def disconnect(self, connection_id: int) -> None:
        """Delete a connection from the account."""
        await self._ask("DELETE", f"/connections/{connection_id}", dict)

    async def execute(self, tool: str, args: Mapping[str, object]) -> Json:
        """Execute a tool."""
        answer = await self._ask("POST", f"/tools/{tool}/execute", lambda: {"json": {"args": args}})
        result: Json = answer["result"]
        return result

    async def name_of(self, file_id: str) -> str:
        """Request the file's record."""
        return str((await self._ask("GET", f"/files/{file_id}", dict))["name"])

    async def create_resources(self) -> None:
        """Create the fleet and the agent that the examples of workspace tools use, in a new account."""
        fleet = await self._ask("POST", "/fleets", lambda: {"json": {"name": "Helpers"}})
        agent = {"agent_name": "Helper", "agent_role": "generalist", "fleet_id": fleet["id"]}
        await self._ask("POST", "/agents", lambda: {"json": agent})

    async def _ask(self, method: str, path: str, body: Callable[[], Json]) -> Json:
        """Return the `data` of a response; raises if the server refuses the request.

        Waits while the rate limit of a minute is exhausted. It retries once if the server is unavailable, for example
        because a tool timed out on a busy machine.
        """
        again = True
        while True:
            try:
                async with self.session.request(method, BASE + path, **body()) as response:
                    answer = await response.json()
                    pause = float(response.headers.get("Retry-After", 0))
                    status = response.status
            except (aiohttp.ClientError, TimeoutError) as error:
                raise Unavailable(f"The server does not respond: {str(error) or 'the request timed out'}") from error
            if status < 400:
                data: Json = answer["data"]
                return data
            limited = status == RateLimited.status and pause <= _LONGEST_PAUSE_S
            if not limited and not (again and status == Unavailable.status):
                raise _refuse(status, answer["error"]["message"])
            again = again and limited
            await asyncio.sleep(pause)


async def verify(
    tools: Iterable[Tool], remote: RemoteExecutor, lanes: int, report: Callable[[ToolFaults], None], bounds: int = 0
) -> None:
    """Verify tools, `lanes` at once, and report each as it finishes; call each `bounds` times at its schema's limits.

    Tools that work with account data run one at a time: an example must not see the records of another. Their calls
    at the limits come last, since they leave records behind.
    """
    free, account = asyncio.Semaphore(lanes), asyncio.Lock()
    runner, sweep = ExampleRunner(remote), BoundarySweep(remote, bounds)
    outcomes: list[ToolFaults] = []

    async def prove(tool: Tool) -> None:
        async with free:
            report(ToolFaults(tool, await runner.faults(tool) + await sweep.faults(tool)))

    async def take_turns(tool: Tool) -> None:
        async with account, free:
            outcomes.append(ToolFaults(tool, await runner.faults(tool)))

    async with asyncio.TaskGroup() as group:
        for tool in sorted(tools, key=lambda tool: (tool.module, tool.name)):
            group.create_task(take_turns(tool) if tool.inside else prove(tool))
    for outcome in outcomes:
        report(ToolFaults(outcome.tool, outcome.faults + await sweep.faults(outcome.tool)))


def _form(name: str, content: bytes) -> aiohttp.FormData:
    form = aiohttp.FormData()
    form.add_field("file", content, filename=name)
    return form


def _refuse(status: int, message: str) -> RetinueError:
    kinds = {kind.status: kind for kind in (ValidationFailed, Unavailable)}
    return kinds[status](message) if status in kinds else RetinueError(f"{status}: {message}")
