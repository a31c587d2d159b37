"""Page parts that update through server-sent events."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import suppress

import orjson
from starlette.responses import Response

from retinue.core.errors import RetinueError
from retinue.core.http.sse import EventStream
from retinue.core.work.notifier import wait
from retinue.portal.page import Page

Show = Callable[[], Awaitable[tuple[str, bool]]]
"""Renders the part; returns its HTML, and True if it is final."""

_LOOK_S = 2.0
"""Seconds between two checks for changes, in case a wake-up is lost or a change sends none."""

_APART_S = 0.2
"""Minimum seconds between two events: a part updates at most five times a second."""

_END = b"event: end\ndata: 1\n\n"


async def live(page: Page, topics: Sequence[str], show: Show, look_s: float = _LOOK_S) -> Response:
    """Send the part at once, then each changed version after a wake-up of `topics` or every `look_s` seconds.

    If the first `show` raises, so does this function, so the client gets an ordinary error response.
    """
    part, final = await show()
    return EventStream(_frames(page, topics, (part, final), show, look_s))


async def _frames(
    page: Page, topics: Sequence[str], first: tuple[str, bool], show: Show, look_s: float
) -> AsyncGenerator[bytes]:
    """Yield events that each hold the whole part, so that a reconnecting browser needs no missed event."""
    (part, final), notifier = first, page.platform.notifier
    before: str | None = None
    with notifier.waiting(*topics) as changed, suppress(RetinueError):
        while True:
            if part != before:
                yield b"data: " + orjson.dumps(part) + b"\n\n"
                before = part
            if final:
                break
            await asyncio.sleep(_APART_S)
            notifier.check_serving()
            await wait(changed, look_s)
            part, final = await show()
        yield _END
