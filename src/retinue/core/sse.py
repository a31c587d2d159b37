"""Server-sent events (WHATWG HTML, section 9.2) over plain ASGI."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

_COMMENT = b": still working\n\n"
_FIRST_COMMENT_S = 1.0
_COMMENT_S = 15.0
"""Proxies close connections that say nothing: a comment line keeps them open."""

_HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}


class EventStream(Response):
    """Sends the frames of `source`; calls `abandoned` when the client goes away before their end."""

    media_type = "text/event-stream"

    def __init__(self, source: AsyncIterator[bytes], abandoned: Callable[[], Awaitable[None]] | None = None) -> None:
        super().__init__(headers=_HEADERS, media_type=self.media_type)
        del self.headers["content-length"]
        self._source = source
        self._abandoned = abandoned

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Stream until the source ends or the client is gone."""
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        sending = asyncio.ensure_future(self._send_all(send))
        leaving = asyncio.ensure_future(_disconnected(receive))
        try:
            await asyncio.wait([sending, leaving], return_when=asyncio.FIRST_COMPLETED)
            if sending.done():
                return sending.result()
            if self._abandoned:
                await self._abandoned()
        finally:
            for task in (sending, leaving):
                task.cancel()
            with contextlib.suppress(asyncio.CancelledError, Exception):
                await asyncio.gather(sending, leaving, return_exceptions=True)

    async def _send_all(self, send: Send) -> None:
        frames = aiter(self._source)
        pause = _FIRST_COMMENT_S
        fetching: asyncio.Future[bytes] = asyncio.ensure_future(anext(frames))
        try:
            while True:
                ready, _ = await asyncio.wait([fetching], timeout=pause)
                pause = _COMMENT_S
                if not ready:
                    await send(_part(_COMMENT))
                    continue
                try:
                    frame = fetching.result()
                except StopAsyncIteration:
                    break
                await send(_part(frame))
                fetching = asyncio.ensure_future(anext(frames))
            await send(_part(b"", more=False))
        finally:
            fetching.cancel()


def _part(body: bytes, more: bool = True) -> dict[str, Any]:
    return {"type": "http.response.body", "body": body, "more_body": more}


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
