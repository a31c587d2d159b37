"""Calls of tools in progress: they report, and end with their result or when their client cancels them."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping

import orjson
import structlog
from starlette.responses import JSONResponse, Response

from retinue.core.errors import RetinueError
from retinue.core.http.sse import EventStream
from retinue.core.work.notifier import Notifier
from retinue.interop.mcp.elicitation import Channel
from retinue.interop.mcp.messages import INTERNAL_ERROR, Message, ProtocolError

_WAIT_S = 1.0
"""How long a call may take before its response becomes a stream, which keeps the connection open."""

_TOPIC = "mcp"

_log = structlog.get_logger()

Work = Callable[[Channel], Awaitable[Mapping[str, object]]]
"""Carries out a call."""


class RunningCalls:
    """The calls that this process carries out, by their keys. What a client says about one may reach any node."""

    def __init__(self, notifier: Notifier) -> None:
        self._notifier = notifier
        self._calls: dict[str, CallResponse] = {}
        notifier.listen(_TOPIC, self._on_message)

    def add(self, call: "CallResponse") -> None:
        """Remember a call until it ends."""
        self._calls[call.key] = call
        call.task.add_done_callback(lambda _: self._remove(call))

    def cancel(self, key: str) -> None:
        """Cancel a call, on the node that carries it out."""
        self._notifier.wake(f"{_TOPIC}:cancel:{key}")

    def leave(self, key: str) -> None:
        """End a call that waits for an approval, and leave the approval pending."""
        self._notifier.wake(f"{_TOPIC}:leave:{key}")

    def _on_message(self, topic: str) -> None:
        _, verb, key = topic.split(":", 2)
        if (call := self._calls.get(key)) is None:
            return
        if verb == "cancel":
            call.task.cancel()
        elif not call.left.done():
            call.left.set_result(None)

    def _remove(self, call: "CallResponse") -> None:
        if self._calls.get(call.key) is call:
            del self._calls[call.key]


class CallResponse:
    """Answers one call: as JSON if it ends soon, else as a stream with its progress."""

    def __init__(self, message: Message, work: Work, key: str = "") -> None:
        self.key = key
        self.left: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._message = message
        self._token = message.meta.get("progressToken")
        self._count = 0
        self._messages: deque[bytes] = deque()
        self._news = asyncio.Event()
        self.task = asyncio.ensure_future(work(self))
        self.task.add_done_callback(lambda _: self._news.set())

    async def respond(self, *, may_stream: bool) -> Response:
        """Return the response. Raises `RetinueError` and `ProtocolError` of a call that ends before it streams."""
        try:
            await asyncio.wait({self.task}, timeout=_WAIT_S if may_stream else None)
        except asyncio.CancelledError:
            self.task.cancel()
            raise
        if not self.task.done():
            return EventStream(self._frames(), self._abandon)
        if self.task.cancelled():
            return Response(status_code=202)
        return JSONResponse(self._message.result(self.task.result()))

    def report(self, text: str) -> None:
        """Send a notification, if the client asks for progress."""
        if self._token is None:
            return
        self._count += 1
        params = {"progressToken": self._token, "progress": self._count, "message": text}
        self._send({"jsonrpc": "2.0", "method": "notifications/progress", "params": params})

    def ask(self, request_id: str, method: str, params: Mapping[str, object]) -> None:
        """Send a request, which the client answers with a POST of its own. The request names this call."""
        self._send({"jsonrpc": "2.0", "id": request_id, "method": method, "params": params})

    def _send(self, message: Mapping[str, object]) -> None:
        self._messages.append(_frame(message))
        self._news.set()

    async def _abandon(self) -> None:
        self.task.cancel()

    async def _frames(self) -> AsyncGenerator[bytes]:
        try:
            while self._messages or not self.task.done():
                await self._news.wait()
                self._news.clear()
                while self._messages:
                    yield self._messages.popleft()
            if not self.task.cancelled():
                yield _frame(self._outcome())
        finally:
            self.task.cancel()

    def _outcome(self) -> dict[str, object]:
        """Return the response of a call that has ended."""
        try:
            return self._message.result(self.task.result())
        except ProtocolError as error:
            return self._message.error(error)
        except RetinueError as error:
            return self._message.error(ProtocolError(INTERNAL_ERROR, error.message))
        except Exception:  # noqa: BLE001 - the stream has begun, so the gate cannot answer
            _log.exception("mcp.call_failed")
            return self._message.error(ProtocolError(INTERNAL_ERROR, "Something went wrong on our side."))


def _frame(message: Mapping[str, object]) -> bytes:
    return b"event: message\ndata: " + orjson.dumps(message) + b"\n\n"
