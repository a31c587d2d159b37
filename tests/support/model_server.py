"""A fake model provider: a real OpenAI-compatible server that responds immediately, as the test configures it."""

import asyncio
import json
import re
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

from aiohttp import web

_TOOL = re.compile(r"\[\[tool:(\w+) (\{.*\})\]\]")


@dataclass
class Answer:
    """How the server answers the next request.

    The model calls `tool` `times` times in one reply, and then the tools in `also`, with their arguments. A `status`
    other than 200 is an error before the stream, with `text` as its message and `headers`. `hold` pauses after the
    first word until the test calls `release`. `break_off` closes the connection in the middle of the reply.
    `finish` is the finish reason, if it is another than usual. `reasoning` comes before the text.
    `media_type` is that of a reply.
    """

    text: str = ""
    tool: str = ""
    arguments: dict[str, Any] = field(default_factory=dict)
    times: int = 1
    also: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    hold: bool = False
    break_off: bool = False
    finish: str = ""
    reasoning: str = ""
    media_type: str = "text/event-stream"


class ModelServer:
    """Echoes the user's last message, unless `answers` holds other answers, which it uses in order.

    `obsession` is the answer to every request, whether or not it offers tools. A message such as `[[tool:NAME
    {"argument": 1}]]` makes the model call that tool.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._released = asyncio.Event()
        self.answers: deque[Answer] = deque()
        self.obsession: Answer | None = None
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        """The headers of the requests."""
        self.queries: list[dict[str, str]] = []
        self.models: list[str] | None = None
        """What `GET /v1/models` lists; None for 404."""
        self.hung_up = threading.Event()
        """Set when a client disconnects in the middle of a reply."""
        self.url = ""

    def reset(self) -> None:
        """Forget the requests and settings of other tests."""
        self.release()
        self._released = asyncio.Event()
        self.answers.clear()
        self.obsession = None
        self.requests.clear()
        self.headers.clear()
        self.queries.clear()
        self.models = None
        self.hung_up.clear()

    def release(self) -> None:
        """Let held replies continue."""
        self._loop.call_soon_threadsafe(self._released.set)

    async def complete(self, request: web.Request) -> web.StreamResponse:
        """`POST /v1/chat/completions`."""
        body = await request.json()
        self.requests.append(body)
        self.headers.append(dict(request.headers))
        self.queries.append(dict(request.query))
        answer = self.answers.popleft() if self.answers else self.obsession or self.own_answer(body)
        if answer.status != 200:
            content = {"error": {"message": answer.text or "told to fail"}}
            return web.json_response(content, status=answer.status, headers=answer.headers)
        response = web.StreamResponse(headers={"Content-Type": answer.media_type})
        await response.prepare(request)
        try:
            await self._reply(response, answer, len(self.requests))
        except (asyncio.CancelledError, ConnectionError):
            self.hung_up.set()
            raise
        if answer.break_off and request.transport:
            request.transport.abort()
        return response

    async def list_models(self, request: web.Request) -> web.Response:
        """`GET /v1/models`."""
        if self.models is None:
            raise web.HTTPNotFound
        self.headers.append(dict(request.headers))
        return web.json_response({"object": "list", "data": [{"id": one, "object": "model"} for one in self.models]})

    def own_answer(self, body: dict[str, Any]) -> Answer:
        """Return the answer to a request for which the test configured none."""
        said = _last_said(body)
        wanted = _TOOL.fullmatch(said) if body["messages"][-1]["role"] == "user" else None
        return Answer(tool=wanted[1], arguments=json.loads(wanted[2])) if wanted else Answer(f"You said: {said}")

    async def _reply(self, response: web.StreamResponse, answer: Answer, number: int) -> None:
        if answer.reasoning:
            await send_delta(response, {"reasoning_content": answer.reasoning})
        words = answer.text.split(" ") if answer.text else []
        for place, word in enumerate(words):
            await send_delta(response, {"content": word if place == 0 else f" {word}"})
            if place == 0 and answer.hold:
                await self._released.wait()
        if answer.break_off:
            return
        if answer.tool:
            for index, (name, arguments) in enumerate([(answer.tool, answer.arguments)] * answer.times + answer.also):
                function = {"name": name, "arguments": json.dumps(arguments)}
                call = {"index": index, "id": f"call_{number}_{index}", "type": "function", "function": function}
                await send_delta(response, {"tool_calls": [call]})
        await send_delta(response, {}, finish=answer.finish or ("tool_calls" if answer.tool else "stop"))
        usage = {"choices": [], "usage": {"prompt_tokens": 10, "completion_tokens": max(len(words), 1)}}
        await response.write(f"data: {json.dumps(usage)}\n\ndata: [DONE]\n\n".encode())


def _last_said(body: dict[str, Any]) -> str:
    return next(str(message["content"]) for message in reversed(body["messages"]) if message["role"] == "user")


async def send_delta(response: web.StreamResponse, delta: dict[str, Any], finish: str | None = None) -> None:
    """Send one chunk of a streamed completion."""
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    chunk = {"id": "x", "object": "chat.completion.chunk", "choices": [choice]}
    await response.write(f"data: {json.dumps(chunk)}\n\n".encode())


Kind = TypeVar("Kind", bound=ModelServer)


@contextmanager
def running_model_server(kind: Callable[[asyncio.AbstractEventLoop], Kind]) -> Iterator[Kind]:
    """Run a model server on a free port, in its own thread."""
    loop = asyncio.new_event_loop()
    model = kind(loop)
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    runner = asyncio.run_coroutine_threadsafe(_serve(model), loop).result(10)
    try:
        yield model
    finally:
        asyncio.run_coroutine_threadsafe(runner.cleanup(), loop).result(10)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(120)
        loop.close()


async def _serve(model: ModelServer) -> web.AppRunner:
    app = web.Application()
    app.router.add_post("/v1/chat/completions", model.complete)
    app.router.add_get("/v1/models", model.list_models)
    runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    model.url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
    return runner
