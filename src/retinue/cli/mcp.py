"""`retinue mcp`: the MCP server of a Retinue server, for programs that speak to MCP servers over standard input."""

import asyncio
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, Any

import orjson
import typer

from retinue.cli.remote import Key, RequestFailed, Url
from retinue.core.runtime.executors import run_on_disk_thread
from retinue.interop.mcp.messages import (
    INTERNAL_ERROR,
    ClientResponse,
    Message,
    ProtocolError,
    encode_header,
    error_body,
    headers_of,
    read_message,
)

if TYPE_CHECKING:
    import httpx

_DEFAULT_URL = "http://127.0.0.1:8000"
_ACCEPT = "application/json, text/event-stream"
_CONNECT_S = 10.0


def mcp(
    tools: Annotated[
        str | None, typer.Option(help="Names of the tools to offer, separated by commas, or all.", show_default=False)
    ] = None,
    agents: Annotated[
        str | None, typer.Option(help="IDs of the agents to offer, separated by commas.", show_default=False)
    ] = None,
    url: Url = "",
    key: Key = "",
) -> None:
    """Speak MCP over standard input and output.

    Without --tools and --agents, it offers the search for tools, their execution, and all agents.
    """
    import httpx

    if not key:
        raise RequestFailed("There is no API key. Set RETINUE_API_KEY, or use --key.")
    query = {name: value for name, value in (("tools", tools), ("agents", agents)) if value is not None}
    address = f"{(url or _DEFAULT_URL).rstrip('/')}/mcp"

    async def run() -> None:
        headers, timeout = {"Authorization": f"Bearer {key}"}, httpx.Timeout(None, connect=_CONNECT_S)
        async with httpx.AsyncClient(headers=headers, params=query, timeout=timeout, trust_env=False) as client:
            await Bridge(client, address).run()

    asyncio.run(run())


class Bridge:
    """Sends each message from standard input to the server, and writes the answers to standard output."""

    def __init__(self, client: "httpx.AsyncClient", address: str) -> None:
        self._client = client
        self._address = address
        self._handshake: dict[str, str] = {}
        """The headers of requests after a handshake."""
        self._tasks: dict[str | int, asyncio.Task[None]] = {}

    async def run(self) -> None:
        """Serve until the end of the input, and then until the last answer."""
        while line := await run_on_disk_thread(sys.stdin.buffer.readline):
            if line.strip():
                await self._take(line)
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)

    async def _take(self, line: bytes) -> None:
        try:
            message = read_message(line)
        except ProtocolError as error:
            return _write(error_body(error))
        if isinstance(message, ClientResponse):
            return await self._answer(line)
        if message.id is None:
            return await self._notify(message, line)
        task = asyncio.create_task(self._request(message, message.id, line))
        self._tasks[message.id] = task
        if message.method == "initialize":
            await task  # later messages belong to its session
        return None

    async def _answer(self, line: bytes) -> None:
        """Send the client's answer to a request of the server."""
        with suppress(ProtocolError):
            async for _ in self._post(None, line):
                pass

    async def _notify(self, message: Message, line: bytes) -> None:
        """Send a notification. A cancelled request is no longer answered."""
        request_id = message.cancelled_id
        if request_id is not None and (cancelled := self._tasks.pop(request_id, None)):
            cancelled.cancel()
        with suppress(ProtocolError):
            async for _ in self._post(message, line):
                pass

    async def _request(self, message: Message, request_id: str | int, line: bytes) -> None:
        try:
            async for answer in self._post(message, line):
                is_answer = "method" not in answer
                _write({**answer, "id": request_id} if is_answer else answer)
                if is_answer and message.method == "initialize" and "result" in answer:
                    self._handshake["mcp-protocol-version"] = answer["result"]["protocolVersion"]
        except ProtocolError as error:
            _write(message.error(error))
        finally:
            self._tasks.pop(request_id, None)

    async def _post(self, message: Message | None, line: bytes) -> AsyncIterator[Mapping[str, Any]]:
        """Send a message, and yield what comes back. Raises `ProtocolError` if the server does not answer."""
        import httpx

        own = headers_of(message) if message and message.standalone else self._handshake
        encoded = {name: encode_header(str(value)) for name, value in own.items()}
        headers = {"Accept": _ACCEPT, "Content-Type": "application/json", **encoded}
        try:
            async with self._client.stream("POST", self._address, content=line, headers=headers) as response:
                if session := response.headers.get("mcp-session-id"):
                    self._handshake["mcp-session-id"] = session
                if response.headers.get("content-type", "").startswith("text/event-stream"):
                    async for text in response.aiter_lines():
                        if text.startswith("data:"):
                            yield orjson.loads(text[5:])
                elif content := await response.aread():
                    yield orjson.loads(content)
        except (httpx.HTTPError, orjson.JSONDecodeError) as error:
            problem = f"The server at {self._address} did not answer: {str(error) or type(error).__name__}."
            raise ProtocolError(INTERNAL_ERROR, problem) from error


def _write(message: Mapping[str, Any]) -> None:
    sys.stdout.buffer.write(orjson.dumps(message) + b"\n")
    sys.stdout.buffer.flush()
