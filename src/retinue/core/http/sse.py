"""Sends server-sent events (WHATWG HTML, section 9.2) over plain ASGI."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Collection
from contextlib import suppress
from typing import Annotated, TypeVar

from fastapi import Header
from pydantic import BaseModel
from starlette.types import Send

from retinue.core.errors import Unavailable
from retinue.core.http.streaming import StreamedResponse
from retinue.core.runtime.tasks import cancel_all

E = TypeVar("E")

LastEventId = Annotated[
    str | None,
    Header(alias="Last-Event-ID", description="ID of the last event that was received, to resume the stream after it."),
]

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
            await cancel_all([commenting])


def encode_model(event: BaseModel) -> bytes:
    """Encode an event as JSON, for `resumable_frames`."""
    return event.model_dump_json().encode()


async def resumable_frames(
    events: AsyncIterator[tuple[int | str, E]], encode: Callable[[E], bytes]
) -> AsyncGenerator[bytes]:
    """Yield events with their ids, and `DONE` at the end.

    On shutdown the stream ends without a final event, so that clients reconnect with the last ID.
    """
    with suppress(Unavailable):
        async for event_id, event in events:
            yield f"id: {event_id}\ndata: ".encode() + encode(event) + b"\n\n"
        yield DONE
