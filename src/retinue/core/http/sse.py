"""Sends server-sent events (WHATWG HTML, section 9.2) over plain ASGI."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from typing import Any

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

DONE = b"data: [DONE]\n\n"
"""The last event of every stream."""

_COMMENT = b": still working\n\n"
_FIRST_COMMENT_S = 1.0
_COMMENT_S = 15.0
"""Seconds between comment lines, which stop proxies from closing a silent connection."""

_HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}


class EventStream(Response):
    """Sends the frames of `source`, and calls `abandoned` if the client disconnects before the end."""

    media_type = "text/event-stream"

    def __init__(self, source: AsyncGenerator[bytes], abandoned: Callable[[], Awaitable[None]] | None = None) -> None:
        super().__init__(headers=_HEADERS, media_type=self.media_type)
        del self.headers["content-length"]
        self._source = source
        self._abandoned = abandoned
        self._frames = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Stream until the source ends or the client disconnects."""
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        sending = asyncio.ensure_future(self._send_all(send))
        others = [asyncio.ensure_future(_wait_for_disconnect(receive)), asyncio.ensure_future(self._keep_open(send))]
        try:
            await asyncio.wait([sending, *others], return_when=asyncio.FIRST_COMPLETED)
            if sending.done():
                return sending.result()
            if self._abandoned:
                await self._abandoned()
        finally:
            for task in (sending, *others):
                task.cancel()
            await asyncio.gather(sending, *others, return_exceptions=True)

    async def _send_all(self, send: Send) -> None:
        async with aclosing(self._source) as frames:
            async for frame in frames:
                self._frames += 1
                await send(_part(frame))
        await send(_part(b"", more=False))

    async def _keep_open(self, send: Send) -> None:
        """Send a comment in each pause that is long enough for a proxy to close the connection."""
        pause = _FIRST_COMMENT_S
        while True:
            before = self._frames
            await asyncio.sleep(pause)
            pause = _COMMENT_S
            if self._frames == before:
                await send(_part(_COMMENT))


def _part(body: bytes, more: bool = True) -> dict[str, Any]:
    return {"type": "http.response.body", "body": body, "more_body": more}


async def _wait_for_disconnect(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
