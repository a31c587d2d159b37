"""A fake model provider: a real server on a free port that responds as the test configures it."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import orjson
from aiohttp import web

from retinue.models.providers.endpoint import DEFAULT_ORIGIN, Endpoint, ModelLimits, Timeouts
from retinue.models.providers.openai import OpenAIModel

Answer = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Provider:
    """Serves `POST /v1/chat/completions` with `answer`, and records the bodies and headers of requests."""

    def __init__(self) -> None:
        self.answer: Answer = completion("Hello")
        self.bodies: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.hung_up = asyncio.Event()
        self.url = ""

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """Record the request, then respond with `answer`."""
        self.bodies.append(await request.json())
        self.headers.append(dict(request.headers))
        try:
            return await self.answer(request)
        except (asyncio.CancelledError, ConnectionError):
            self.hung_up.set()
            raise


@asynccontextmanager
async def serving() -> AsyncIterator[Provider]:
    """Run a provider on a free port of the loopback address."""
    provider = Provider()
    app = web.Application()
    app.router.add_post("/v1/chat/completions", provider.handle)
    runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    provider.url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
    try:
        yield provider
    finally:
        await runner.cleanup()


@asynccontextmanager
async def client_of(url: str, timeouts: Timeouts | None = None) -> AsyncIterator[OpenAIModel]:
    """Create a client of that endpoint with its own session and the key `sk-hidden`."""
    async with aiohttp.ClientSession() as session:
        limits = ModelLimits(8192, timeouts=timeouts or Timeouts())
        yield OpenAIModel(DEFAULT_ORIGIN, "wire-1", Endpoint(url, "sk-hidden"), session, limits)


def sse(*events: dict[str, Any] | str) -> bytes:
    """Encode server-sent events. Strings are sent unchanged."""
    payloads = (event.encode() if isinstance(event, str) else orjson.dumps(event) for event in events)
    return b"".join(b"data: " + payload + b"\n\n" for payload in payloads)


def delta(**fields: Any) -> dict[str, Any]:
    """Return one chunk of a streamed completion."""
    return {"id": "x", "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": fields}]}


FINISH: dict[str, Any] = {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
USAGE: dict[str, Any] = {"choices": [], "usage": {"prompt_tokens": 11, "completion_tokens": 7}}


def whole(text: str) -> bytes:
    """Return a complete stream with `text`, one word per chunk."""
    return sse(*(delta(content=word + " ") for word in text.split()), FINISH, USAGE, "[DONE]")


def stream_of(*pieces: bytes, hang: bool = False) -> Answer:
    """Send the pieces one by one, then end the stream or let it hang."""

    async def answer(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        for piece in pieces:
            await response.write(piece)
        if hang:
            await asyncio.Event().wait()
        return response

    return answer


def completion(text: str) -> Answer:
    """Return a normal streamed answer."""
    return stream_of(whole(text))


def refusal(status: int, body: Any = None, **headers: str) -> Answer:
    """Return an answer with an error status."""

    async def answer(request: web.Request) -> web.StreamResponse:
        names = {name.replace("_", "-"): value for name, value in headers.items()}
        return web.Response(status=status, body=orjson.dumps(body), headers=names)

    return answer
