"""Sends server-sent events (WHATWG HTML, section 9.2) over plain ASGI."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable

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

    async def _send(self, send: Send, block: bytes) -> None:
        self._frames += 1
        await super()._send(send, block)

    async def _keep_open(self, send: Send) -> None:
        """Send a comment in each pause that is long enough for a proxy to close the connection."""
        pause = _FIRST_COMMENT_S
        while True:
            before = self._frames
            await asyncio.sleep(pause)
            pause = _COMMENT_S
            if self._frames == before:
                await super()._send(send, _COMMENT)
