"""A customer's server: receives deliveries on a free port, and responds as the test configures it."""

import asyncio
import threading
from collections import defaultdict, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import orjson
from aiohttp import web

from tests.support.waiting import eventually


@dataclass(frozen=True)
class Answer:
    """A response of the receiver. If it `hangs`, the receiver sends it when the test releases it."""

    status: int = 200
    text: str = "ok"
    headers: dict[str, str] = field(default_factory=dict)
    hangs: bool = False


@dataclass(frozen=True)
class Received:
    """A received request."""

    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def payload(self) -> dict[str, Any]:
        """Return the body parsed as JSON."""
        found: dict[str, Any] = orjson.loads(self.body)
        return found


class Receiver:
    """Responds with 200 unless `answers` holds another response for the path. Each test uses its own paths."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.port = 0
        self.answers: dict[str, deque[Answer]] = defaultdict(deque)
        self.always: dict[str, Answer] = {}
        self.judges: dict[str, Callable[[Received], Answer]] = {}
        """Functions that choose the response to each request, by path."""
        self._loop = loop
        self._released = asyncio.Event()
        self._requests: list[Received] = []

    def url(self, path: str) -> str:
        """Return the URL of a path."""
        return f"http://127.0.0.1:{self.port}{path}"

    def receive(self, path: str, at_least: int = 0, within: float = 10.0) -> list[Received]:
        """Wait for at least `at_least` requests to a path. Returns all of them in order of arrival."""

        def enough() -> list[Received]:
            found = [request for request in list(self._requests) if request.path == path]
            assert len(found) >= at_least, f"{len(found)} of {at_least} requests arrived at {path}"
            return found

        return eventually(lambda: enough() or None, within) if at_least else enough()

    def let_go(self) -> None:
        """Complete the responses that are being held back."""
        self._loop.call_soon_threadsafe(self._released.set)

    async def take(self, request: web.Request) -> web.Response:
        """Record a request and respond to it."""
        body = await request.read()
        received = Received(request.path, dict(request.headers), body)
        self._requests.append(received)
        queue = self.answers[request.path]
        answer = queue.popleft() if queue else self._usual(received)
        if answer.hangs:
            await self._released.wait()
        return web.Response(status=answer.status, text=answer.text, headers=answer.headers)

    def _usual(self, received: Received) -> Answer:
        judge = self.judges.get(received.path)
        return judge(received) if judge else self.always.get(received.path, Answer())


@contextmanager
def running_receiver() -> Iterator[Receiver]:
    """Run a receiver in its own thread."""
    loop = asyncio.new_event_loop()
    receiver = Receiver(loop)
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    runner = asyncio.run_coroutine_threadsafe(_serve(receiver), loop).result(10)
    try:
        yield receiver
    finally:
        asyncio.run_coroutine_threadsafe(runner.cleanup(), loop).result(10)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(120)
        loop.close()


async def _serve(receiver: Receiver) -> web.AppRunner:
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", receiver.take)
    runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    receiver.port = runner.addresses[0][1]
    return runner
