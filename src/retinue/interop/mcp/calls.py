"""Calls of tools in progress: they report, and end with their result or when their client cancels them."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Callable, Coroutine, Hashable, Mapping
from typing import Any

import orjson
import structlog
from starlette.responses import JSONResponse, Response

from retinue.core.errors import RetinueError
from retinue.core.http.sse import EventStream
from retinue.interop.mcp.messages import INTERNAL_ERROR, Message, ProtocolError

_WAIT_S = 1.0
"""How long a call may take before its response becomes a stream, which keeps the connection open."""

_log = structlog.get_logger()

Work = Callable[[Callable[[str], None]], Coroutine[Any, Any, Mapping[str, Any]]]
"""Carries out a call. The argument reports what it is doing."""


class RunningCalls:
    """The calls that this process carries out, by client and request."""

    def __init__(self) -> None:
        self._tasks: dict[Hashable, asyncio.Task[Any]] = {}

    def add(self, key: Hashable, task: asyncio.Task[Any]) -> None:
        """Remember a call until it ends."""
        self._tasks[key] = task
        task.add_done_callback(lambda ended: self._remove(key, ended))

    def cancel(self, key: Hashable) -> None:
        """Cancel a call, if this process carries it out."""
        if task := self._tasks.get(key):
            task.cancel()

    def _remove(self, key: Hashable, ended: asyncio.Task[Any]) -> None:
        if self._tasks.get(key) is ended:
            del self._tasks[key]


class CallResponse:
    """Answers one call: as JSON if it ends soon, else as a stream with its progress."""

    def __init__(self, message: Message, work: Work) -> None:
        self._message = message
        self._token = message.meta.get("progressToken")
        self._count = 0
        self._reports: deque[bytes] = deque()
        self._news = asyncio.Event()
        self.task = asyncio.ensure_future(work(self._report))
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

    def _report(self, text: str) -> None:
        """Send a notification, if the client asks for progress."""
        if self._token is None:
            return
        self._count += 1
        params = {"progressToken": self._token, "progress": self._count, "message": text}
        self._reports.append(_frame({"jsonrpc": "2.0", "method": "notifications/progress", "params": params}))
        self._news.set()

    async def _abandon(self) -> None:
        self.task.cancel()

    async def _frames(self) -> AsyncGenerator[bytes]:
        try:
            while self._reports or not self.task.done():
                await self._news.wait()
                self._news.clear()
                while self._reports:
                    yield self._reports.popleft()
            if not self.task.cancelled():
                yield _frame(self._outcome())
        finally:
            self.task.cancel()

    def _outcome(self) -> dict[str, Any]:
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


def _frame(message: Mapping[str, Any]) -> bytes:
    return b"event: message\ndata: " + orjson.dumps(message) + b"\n\n"
