"""Sends server-sent events (WHATWG HTML, section 9.2) over plain ASGI."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection

from starlette.types import Send

from retinue.core.http.streaming import StreamedResponse

DONE = b"data: [DONE]\n\n"
"""The last event of every stream."""

_COMMENT = b": still working\n\n"
_FIRST_COMMENT_S = 1.0
_COMMENT_S = 15.0
"""Seconds between comment lines, which stop proxies from closing a silent connection."""

_HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}


class EventStream(StreamedResponse):
    """Sends the frames of `source`, and calls `abandoned` if the client disconnects before the end."""

    media_type = "text/event-stream"

    def __init__(self, source: AsyncGenerator[bytes], abandoned: Callable[[], Awaitable[None]] | None = None) -> None:
        super().__init__(source, headers=_HEADERS, abandoned=abandoned)
        self._frames = 0
        self._is_sending = False

    async def _send(self, send: Send, block: bytes) -> None:
        self._frames += 1
        self._is_sending = True
        await super()._send(send, block)
        self._is_sending = False

    async def _wait(self, ends: Collection[asyncio.Future[None]], send: Send) -> None:
        """Wait, and send a comment in each pause that is long enough for a proxy to close the connection."""
        pause = _FIRST_COMMENT_S
        while True:
            before = self._frames
            done, _ = await asyncio.wait(ends, timeout=pause, return_when=asyncio.FIRST_COMPLETED)
            if done:
                return
            pause = _COMMENT_S
            if self._frames == before and not self._is_sending:
                await self._comment(ends, send)

    async def _comment(self, ends: Collection[asyncio.Future[None]], send: Send) -> None:
        """Send a comment, or as much of it as possible until one of the futures is done."""
        commenting = asyncio.ensure_future(super()._send(send, _COMMENT))
        try:
            await asyncio.wait([*ends, commenting], return_when=asyncio.FIRST_COMPLETED)
        finally:
            commenting.cancel()
            await asyncio.gather(commenting, return_exceptions=True)
