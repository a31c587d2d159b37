"""Streams responses. Nothing else in the server does: here they end with their client or their credential."""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Iterator, Mapping
from contextlib import aclosing, contextmanager, suppress
from dataclasses import dataclass, field

from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from retinue.core.errors import AuthRequired, RateLimited, RetinueError
from retinue.core.runtime.tasks import cancel_all

BLOCK = 32 << 10
"""Bytes to send at a time. The server holds a few blocks of each response that its client does not read."""

DOWNLOADS_AT_ONCE = 16
"""Maximum number of concurrent downloads of an account."""

_LOOK_S = 0.1
"""Seconds between two looks for credentials to check. The first stream of a credential makes it due at once."""

_CHECK_S = 0.8
"""Seconds between two checks of a credential with open streams."""

Check = Callable[[str, Collection[Scope]], Awaitable[Collection[Scope]]]
"""Looks a token up again. Returns those of its requests that it no longer permits."""

_Ended = asyncio.Future[None]


@dataclass
class _Credential:
    """The open streams of a credential. It is checked when `due`, on the monotonic clock."""

    streams: dict[_Ended, Scope] = field(default_factory=dict)
    due: float = 0.0


class OpenStreams:
    """The responses in progress. `app.state.streams` holds the only instance.

    One task checks each credential once for all its streams.
    """

    def __init__(self, check: Check) -> None:
        self._check = check
        self._credentials: dict[str, _Credential] = {}
        self._watching: asyncio.Task[None] | None = None
        self._downloads: Counter[int] = Counter()

    @contextmanager
    def stream(self, scope: Scope) -> Iterator[_Ended]:
        """Count a response as open. The future is done when the credential of its request ends."""
        ended: _Ended = asyncio.get_running_loop().create_future()
        token = scope.get("token")
        if token is not None:
            self._credentials.setdefault(token, _Credential()).streams[ended] = scope
            if self._watching is None:
                self._watching = asyncio.create_task(self._watch())
        try:
            yield ended
        finally:
            ended.cancel()
            if token is not None:
                self._close(token, ended)

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

    def _close(self, token: str, ended: _Ended) -> None:
        if credential := self._credentials.get(token):
            credential.streams.pop(ended, None)
            if not credential.streams:
                del self._credentials[token]

    async def _watch(self) -> None:
        try:
            while self._credentials:
                for token, credential in list(self._credentials.items()):
                    if credential.due <= time.monotonic():
                        await self._end_streams(token, credential)
                        await asyncio.sleep(0)  # A look-up may not have yielded to other tasks.
                await asyncio.sleep(_LOOK_S)
        finally:
            self._watching = None

    async def _end_streams(self, token: str, credential: _Credential) -> None:
        """End those streams of a credential that it no longer permits."""
        credential.due = time.monotonic() + _CHECK_S
        try:
            refused = {id(scope) for scope in await self._check(token, credential.streams.values())}
        except RetinueError:  # the database is away
            return
        for ended, scope in list(credential.streams.items()):
            if id(scope) in refused and not ended.done():
                ended.set_result(None)


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
        self._started = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Stream until the source ends, the client disconnects, or its credential ends.

        Raises `AuthRequired` if the credential ends before the first block: the response has not begun.
        """
        streams: OpenStreams = scope["app"].state.streams
        with streams.stream(scope) as ended:
            sending = asyncio.ensure_future(self._send_all(send))
            leaving = asyncio.ensure_future(wait_for_disconnect(receive))
            try:
                await self._wait({sending, leaving, ended}, send)
                if sending.done():
                    return sending.result()
                if self._abandoned:
                    await self._abandoned()
                if ended.done() and not self._started:
                    raise AuthRequired("The credential of this request was revoked. Use another one.")
                await self._start(send)
                if ended.done() and "content-length" not in self.headers:
                    await cancel_all([sending])
                    with suppress(RuntimeError):  # the client has gone, too
                        await send(_part(b"", more=False))
            finally:
                await cancel_all([sending, leaving])

    async def _wait(self, ends: Collection[asyncio.Future[None]], send: Send) -> None:
        """Wait until one of the futures is done."""
        await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)

    async def _send_all(self, send: Send) -> None:
        async with aclosing(self._source) as blocks:
            async for block in blocks:
                await self._send(send, block)
        await self._start(send)
        await send(_part(b"", more=False))

    async def _start(self, send: Send) -> None:
        if not self._started:
            self._started = True
            await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})

    async def _send(self, send: Send, block: bytes) -> None:
        await self._start(send)
        for start in range(0, len(block), BLOCK):
            await send(_part(block[start : start + BLOCK]))


class Download(StreamedResponse):
    """A response that counts as a download of its caller."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the content. Raises `RateLimited` if the account has too many downloads in progress."""
        streams: OpenStreams = scope["app"].state.streams
        async with aclosing(self._source):
            with streams.download(scope["caller"].account_id):
                await super().__call__(scope, receive, send)


async def send_in_blocks(send: Send, message: Message) -> None:
    """Send a large body block by block, so that a client that does not read it holds little memory."""
    body: bytes = message["body"]
    for start in range(0, len(body), BLOCK):
        await send(_part(body[start : start + BLOCK]))
    await send(_part(b"", more=False))


def _part(body: bytes, more: bool = True) -> dict[str, object]:
    return {"type": "http.response.body", "body": body, "more_body": more}


async def wait_for_disconnect(receive: Receive) -> None:
    """Wait until the client of a request, whose body has been read, disconnects."""
    while (await receive())["type"] != "http.disconnect":
        pass
