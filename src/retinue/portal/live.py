"""Parts of a page that are sent again whenever they change, as server-sent events."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import suppress

import orjson
from starlette.responses import Response

from retinue.auth.sessions.browser import session_token
from retinue.core.errors import RetinueError
from retinue.core.notifier import wait
from retinue.core.sse import EventStream
from retinue.portal.page import Page

Show = Callable[[], Awaitable[tuple[str, bool]]]
"""Makes the part's HTML, and says whether it is final."""

_LOOK_S = 2.0
"""How often it is looked whether the part has changed, should a wake-up be lost or a change have none."""

_APART_S = 0.2
"""Between two events at least: what changes all the time is shown five times a second."""

_END = b"event: end\ndata: 1\n\n"


async def live(page: Page, topics: Sequence[str], show: Show, look_s: float = _LOOK_S) -> Response:
    """The part at once, then after each wake-up of `topics` or every `look_s` seconds, where it has changed.

    What the part shows must be there: an error of the first `show` is the answer.
    """
    part, final = await show()
    return EventStream(_frames(page, topics, (part, final), show, look_s))


async def _frames(
    page: Page, topics: Sequence[str], first: tuple[str, bool], show: Show, look_s: float
) -> AsyncGenerator[bytes]:
    """Each event holds the whole part, so a browser that comes back needs nothing of what it missed."""
    (part, final), before, wakeups = first, "", page.platform.wakeups
    with wakeups.waiting(*topics) as changed, suppress(RetinueError):
        while True:
            if part != before:
                yield b"data: " + orjson.dumps(part) + b"\n\n"
                before = part
            if final:
                break
            await asyncio.sleep(_APART_S)
            wakeups.check_serving()
            await wait(changed, look_s)
            await page.platform.credentials.authenticate(session_token(page.request))  # it may have been revoked
            part, final = await show()
        yield _END
