"""Exchange one message with an MCP server: a POST request, answered with JSON or with server-sent events."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, urlsplit

import aiohttp
import orjson
from multidict import CIMultiDictProxy

from retinue.core.errors import RetinueError, Unavailable
from retinue.core.runtime.tasks import cancel_all
from retinue.tools.imports.client import OutsideClient, read_answer
from retinue.tools.imports.credentials import Credential
from retinue.tools.imports.mcp.events import EventReader
from retinue.tools.imports.mcp.messages import Json, Reply, reply_to
from retinue.tools.imports.requests import OutgoingRequest

MESSAGE_BYTES = 4 << 20
"""Maximum size of an answer: of the JSON, or of the event stream up to and including the answer."""

_MOST_BRACKETS = 200_000
"""Maximum number of lists and objects in a message: parsing each takes time on the event loop, and memory."""

_CHUNK = 16 << 10
_MOST_RESUMPTIONS = 20
_MOST_QUESTIONS = 20
_LONGEST_RETRY_MS = 10_000
_OPENING_S = 1.0
"""How long a call waits until the stream for the server's own requests is open."""

_SESSION = "Mcp-Session-Id"


@dataclass(frozen=True, slots=True)
class McpEndpoint:
    """The address and the credential of an MCP server. The address of a program is `stdio:` and its name."""

    address: str
    credential: Credential | None

    def outgoing(self, method: str, headers: Mapping[str, str]) -> tuple[str, OutgoingRequest]:
        """Return the address of a request, and the request with its credential."""
        parts = urlsplit(self.address)
        request = OutgoingRequest(method, parts.path or "/", parse_qsl(parts.query, keep_blank_values=True))
        request.headers.update(headers)
        if self.credential:
            self.credential.add_to(request)
        return request.address(f"{parts.scheme}://{parts.netloc}"), request


@dataclass(frozen=True, slots=True)
class McpReply:
    """The server's response, with the JSON-RPC message if it contains one."""

    status: int
    headers: CIMultiDictProxy[str]
    message: Json | None


@dataclass(slots=True)
class _Stream:
    """The state of an event stream being read. `reply` answers the server's own requests."""

    reply: Reply
    reader: EventReader = field(default_factory=EventReader)
    size: int = 0
    questions: int = 0


class HttpTransport:
    """Exchanges messages over HTTP.

    It follows no redirects: the credential goes to the server's own address alone.
    """

    def __init__(self, client: OutsideClient) -> None:
        self._client = client
        self._calls: Counter[tuple[str, str]] = Counter()
        """The number of calls in progress by address and session."""

        self._silent: set[str] = set()
        """The addresses of servers without a stream of their own requests."""

    async def exchange(
        self,
        server: McpEndpoint,
        message: Json,
        headers: Mapping[str, str],
        timeout_s: float,
        reply: Reply = reply_to,
    ) -> McpReply:
        """See `Transport`."""
        sent = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream", **headers}
        try:
            async with asyncio.timeout(timeout_s):
                if message.get("method") == "tools/call" and _SESSION in sent:
                    return await self._call(server, message, sent, timeout_s, reply)
                if message.get("method") == "initialize":
                    self._silent.discard(server.address)
                return await self._post(server, message, sent, timeout_s, reply)
        except TimeoutError as error:
            raise Unavailable(f"The MCP server did not respond within {timeout_s:g} seconds.") from error

    async def end(self, server: McpEndpoint, headers: Mapping[str, str], timeout_s: float) -> None:
        """Notify the server that a session is over; errors are ignored."""
        with suppress(RetinueError):
            address, request = server.outgoing("DELETE", headers)
            async with self._client.open_response("DELETE", address, request.headers, timeout_s=timeout_s):
                pass

    async def _call(
        self, server: McpEndpoint, message: Json, headers: Mapping[str, str], timeout_s: float, reply: Reply
    ) -> McpReply:
        """Call a tool, and listen to what the server asks meanwhile outside of the response."""
        session, opened = (server.address, headers[_SESSION]), asyncio.Event()
        self._calls[session] += 1
        listening = asyncio.ensure_future(self._listen(server, headers, timeout_s, reply, opened))
        tasks: list[asyncio.Future[None] | asyncio.Future[McpReply]] = [listening]
        try:
            with suppress(TimeoutError):
                await asyncio.wait_for(opened.wait(), _OPENING_S)
            if not opened.is_set():
                self._silent.add(server.address)
            posting = asyncio.ensure_future(self._post(server, message, headers, timeout_s, reply))
            tasks.append(posting)
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            if not posting.done():
                await listening  # raises if a question ends the call
            return await posting
        finally:
            self._calls -= Counter([session])
            await cancel_all(tasks)

    async def _listen(
        self, server: McpEndpoint, headers: Mapping[str, str], timeout_s: float, reply: Reply, opened: asyncio.Event
    ) -> None:
        """Answer requests of a server in a stream of its own (2025-11-25, "Listening for Messages from the Server").

        Servers that do not relate a question to its call send it there. It belongs to the call in progress; with
        several, nobody knows to which. Sets `opened` once the server listens to the answers, or has no such stream.
        """
        session = (server.address, headers[_SESSION])

        def answer(request: Json) -> Json:
            return reply(request) if self._calls[session] == 1 else reply_to(request)

        stream = _Stream(answer)
        try:
            if server.address in self._silent:
                return
            sent = {name: value for name, value in headers.items() if name != "Content-Type"}
            address, request = server.outgoing("GET", {**sent, "Accept": "text/event-stream"})
            async with self._client.open_response("GET", address, request.headers, timeout_s=timeout_s) as response:
                if response.status != 200 or response.content_type != "text/event-stream":
                    if response.status != 409:  # another call has the stream
                        self._silent.add(server.address)
                    return
                opened.set()
                await self._answer_in(response, stream, server, None, headers)
        except RetinueError:
            return  # the call itself fails if the server does
        finally:
            opened.set()

    async def _post(
        self, server: McpEndpoint, message: Json, headers: Mapping[str, str], timeout_s: float, reply: Reply
    ) -> McpReply:
        address, request = server.outgoing("POST", headers)
        stream = _Stream(reply)
        async with self._client.open_response(
            "POST", address, request.headers, orjson.dumps(message), timeout_s=timeout_s
        ) as response:
            if "id" not in message:
                return McpReply(response.status, response.headers, None)
            if response.status != 200 or response.content_type != "text/event-stream":
                return await _whole(response)
            answer = await self._answer_in(response, stream, server, message, headers)
            status, reply_headers = response.status, response.headers
        for _ in range(_MOST_RESUMPTIONS):
            if answer or not stream.reader.last_id:
                break
            await asyncio.sleep(min(stream.reader.retry_ms, _LONGEST_RETRY_MS) / 1000)
            answer = await self._resume(stream, server, message, headers, timeout_s)
        return McpReply(status, reply_headers, answer)

    async def _resume(
        self, stream: _Stream, server: McpEndpoint, message: Json, headers: Mapping[str, str], timeout_s: float
    ) -> Json | None:
        """Resume a stream that the server closed early (revision 2025-11-25, "Resumability and Redelivery")."""
        again = {**headers, "Accept": "text/event-stream", "Last-Event-ID": stream.reader.last_id}
        del again["Content-Type"]
        address, request = server.outgoing("GET", again)
        async with self._client.open_response("GET", address, request.headers, timeout_s=timeout_s) as response:
            if response.status != 200 or response.content_type != "text/event-stream":
                raise Unavailable("The MCP server closed the connection during its response.")
            return await self._answer_in(response, stream, server, message, headers)

    async def _answer_in(
        self,
        response: aiohttp.ClientResponse,
        stream: _Stream,
        server: McpEndpoint,
        message: Json | None,
        headers: Mapping[str, str],
    ) -> Json | None:
        """Return the response to `message`, if any, among the events; the server's own requests are answered
        meanwhile.
        """
        async for event in _messages(response, stream):
            if message and "method" not in event and event.get("id") in (message["id"], None):
                return event
            if "method" in event and isinstance(event.get("id"), (str, int)) and stream.questions < _MOST_QUESTIONS:
                stream.questions += 1
                reply = orjson.dumps(stream.reply(event))
                address, request = server.outgoing("POST", headers)
                async with self._client.open_response("POST", address, request.headers, reply):
                    pass
        return None


async def _messages(response: aiohttp.ClientResponse, stream: _Stream) -> AsyncIterator[Json]:
    async for chunk in response.content.iter_chunked(_CHUNK):
        await asyncio.sleep(0)  # many small events must not block the event loop
        stream.size += len(chunk)
        if stream.size > MESSAGE_BYTES:
            raise _too_large()
        for data in stream.reader.feed(chunk):
            if (message := parse(data)) is not None:
                yield message


async def _whole(response: aiohttp.ClientResponse) -> McpReply:
    answer = await read_answer(response, MESSAGE_BYTES)
    if answer.truncated:
        raise _too_large()
    return McpReply(answer.status, answer.headers, parse(answer.body))


def parse(data: bytes) -> Json | None:
    """Parse a message; None if it is invalid or has too many lists and objects."""
    if data.count(b"[") + data.count(b"{") > _MOST_BRACKETS:
        return None
    try:
        message: object = orjson.loads(data)
    except orjson.JSONDecodeError:
        return None
    return message if isinstance(message, dict) else None


def _too_large() -> Unavailable:
    return Unavailable(f"The MCP server's response is larger than {MESSAGE_BYTES >> 20} MiB.")
