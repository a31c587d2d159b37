"""Calls of tools in progress: they report, and end with their result or when their client cancels them."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Hashable, Mapping
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

Work = Callable[[Callable[[str], None]], Awaitable[Mapping[str, Any]]]
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
        self._reports: asyncio.Queue[str] = asyncio.Queue()
        self._count = 0
        self.task = asyncio.ensure_future(self._carry_out(work))

    async def respond(self, *, may_stream: bool) -> Response:
        """Return the response. Raises `RetinueError` and `ProtocolError` of a call that ends before it streams."""
        try:
            await asyncio.wait({self.task}, timeout=_WAIT_S if may_stream else None)
            if not self.task.done():
                return EventStream(self._frames(), self._abandon)
            return JSONResponse(self._message.result(self.task.result()))
        except asyncio.CancelledError:
            self.task.cancel()
            return Response(status_code=202)

    async def _carry_out(self, work: Work) -> Mapping[str, Any]:
        return await work(self._reports.put_nowait)

    async def _abandon(self) -> None:
        self.task.cancel()

    async def _frames(self) -> AsyncGenerator[bytes]:
        try:
            while not self.task.done():
                report = asyncio.ensure_future(self._reports.get())
                await asyncio.wait({self.task, report}, return_when=asyncio.FIRST_COMPLETED)
                if report.done():
                    yield self._progress(report.result())
                report.cancel()
            while not self._reports.empty():
                yield self._progress(self._reports.get_nowait())
            if not self.task.cancelled():
                yield _frame(self._outcome())
        finally:
            self.task.cancel()

    def _progress(self, text: str) -> bytes:
        """Return a notification, or nothing if the client does not ask for any."""
        if self._token is None:
            return b""
        self._count += 1
        params = {"progressToken": self._token, "progress": self._count, "message": text}
        return _frame({"jsonrpc": "2.0", "method": "notifications/progress", "params": params})

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
