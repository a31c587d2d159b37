"""Streams responses. Nothing else in the server does: here they end with their client or their credential."""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Mapping
from contextlib import aclosing, contextmanager, suppress
from typing import Any

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from retinue.core.errors import AuthRequired, RateLimited, RetinueError

BLOCK = 32 << 10
"""Bytes to send at a time. The server holds a few blocks of each response that its client does not read."""

DOWNLOADS_AT_ONCE = 16
"""Maximum number of concurrent downloads of an account."""

_CHECK_S = 0.1
"""Seconds between two checks of the credentials of open streams. The credentials are cached for longer than that."""

Check = Callable[[Scope], Awaitable[object]]
"""Authenticates a request again. Raises `AuthRequired` if its credential has ended."""


class OpenStreams:
    """The responses in progress. `app.state.streams` holds the only instance."""

    def __init__(self, check: Check) -> None:
        self._check = check
        self._open: dict[asyncio.Event, Scope] = {}
        self._watching: asyncio.Task[None] | None = None
        self._downloads: Counter[int] = Counter()

    @contextmanager
    def stream(self, scope: Scope) -> Iterator[asyncio.Event]:
        """Count a response as open. The event is set when the credential of its request ends."""
        ended = asyncio.Event()
        if "token" in scope:
            self._open[ended] = scope
            if self._watching is None:
                self._watching = asyncio.create_task(self._watch())
        try:
            yield ended
        finally:
            self._open.pop(ended, None)

    @contextmanager
    def download(self, account_id: int) -> Iterator[None]:
        """Count a download. Raises `RateLimited` if the account has too many."""
        if self._downloads[account_id] >= DOWNLOADS_AT_ONCE:
            raise RateLimited(
                f"You have {DOWNLOADS_AT_ONCE} downloads in progress, which is the maximum. Wait for one to finish, "
                "and try again.",
                1,
            )
        self._downloads[account_id] += 1
        try:
            yield
        finally:
            self._downloads[account_id] -= 1
            if not self._downloads[account_id]:
                del self._downloads[account_id]

    async def _watch(self) -> None:
        try:
            while self._open:
                for ended, scope in list(self._open.items()):
                    if await self._has_ended(scope):
                        ended.set()
                        self._open.pop(ended, None)
                await asyncio.sleep(_CHECK_S)
        finally:
            self._watching = None

    async def _has_ended(self, scope: Scope) -> bool:
        try:
            await self._check(scope)
        except AuthRequired:
            return True
        except RetinueError:  # the database is away
            return False
        return False


class StreamedResponse(Response):
    """Sends the blocks of `source`. Calls `abandoned` if the client or its credential goes before the end."""

    def __init__(
        self,
        source: AsyncGenerator[bytes],
        status: int = 200,
        headers: Mapping[str, str] | None = None,
        abandoned: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        super().__init__(status_code=status, headers=headers, media_type=self.media_type)
        if "content-length" not in (headers or {}):
            del self.headers["content-length"]
        self._source = source
        self._abandoned = abandoned

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Stream until the source ends, the client disconnects, or its credential ends."""
        streams: OpenStreams = scope["app"].state.streams
        with streams.stream(scope) as ended:
            await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
            sending = asyncio.ensure_future(self._send_all(send))
            others = [asyncio.ensure_future(work) for work in (_wait_for_disconnect(receive), ended.wait())]
            keeping = asyncio.ensure_future(self._keep_open(send))
            try:
                await asyncio.wait([sending, *others], return_when=asyncio.FIRST_COMPLETED)
                if sending.done():
                    return sending.result()
                if self._abandoned:
                    await self._abandoned()
                if ended.is_set() and "content-length" not in self.headers:
                    sending.cancel()
                    keeping.cancel()
                    await asyncio.gather(sending, keeping, return_exceptions=True)
                    with suppress(RuntimeError):  # the client has gone, too
                        await send(_part(b"", more=False))
            finally:
                for task in (sending, keeping, *others):
                    task.cancel()
                await asyncio.gather(sending, keeping, *others, return_exceptions=True)

    async def _send_all(self, send: Send) -> None:
        async with aclosing(self._source) as blocks:
            async for block in blocks:
                await self._send(send, block)
        await send(_part(b"", more=False))

    async def _send(self, send: Send, block: bytes) -> None:
        for start in range(0, len(block), BLOCK):
            await send(_part(block[start : start + BLOCK]))

    async def _keep_open(self, send: Send) -> None:
        """Do what keeps the connection open while the source pauses."""


class Download(StreamedResponse):
    """A response that counts as a download of its caller."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the content. Raises `RateLimited` if the account has too many downloads in progress."""
        streams: OpenStreams = scope["app"].state.streams
        async with aclosing(self._source):
            with streams.download(scope["caller"].account_id):
                await super().__call__(scope, receive, send)


async def send_in_blocks(send: Send, message: Mapping[str, Any]) -> None:
    """Send a large body block by block, so that a client that does not read it holds little memory."""
    body: bytes = message["body"]
    for start in range(0, len(body), BLOCK):
        await send(_part(body[start : start + BLOCK]))
    await send(_part(b"", more=False))


def _part(body: bytes, more: bool = True) -> dict[str, Any]:
    return {"type": "http.response.body", "body": body, "more_body": more}


async def _wait_for_disconnect(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
