"""Streams: the chunks of a response while it is generated."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import aclosing, closing
from types import TracebackType
from typing import Any, Generic, Self, TypeVar

import httpx

from retinue_client._options import failure
from retinue_client._retries import Patience
from retinue_client._sse import EventReader
from retinue_client.errors import APIConnectionError

T = TypeVar("T")


class _Progress:
    """Decides whether to reopen a broken stream. Without `patience`, it cannot be resumed."""

    def __init__(self, reader: EventReader, patience: Patience | None) -> None:
        self.reader = reader
        self._patience = patience
        self._breaks = 0

    def read(self, data: bytes) -> Iterator[Any]:
        """Yield the chunks that these bytes complete."""
        for chunk in self.reader.read(data):
            self._breaks = 0
            yield chunk
        if self._patience and not self.reader.complete:
            self._patience.renew()

    def broke(self, url: str, error: httpx.TransportError | None) -> float:
        """Return the seconds to wait before the stream is reopened, or raise the error that broke it."""
        if self._patience:
            self._patience.check()
        if self._patience is None or self._patience.is_over:
            raise (failure(error, url) if error else APIConnectionError("The stream ended before it was complete."))
        self._breaks += 1
        self.reader.reset()
        return self._patience.delay(self._breaks)


class Stream(Generic[T]):
    """An iterator of chunks. To stop early, leave its `with` block or call `close`.

    Raises the server's `APIError` if the run fails, and `APIConnectionError` if the connection breaks. Streams of runs
    and deployments resume automatically, until the server has been silent for five minutes or `timeout` is over.
    """

    def __init__(
        self, send: Callable[[str | None], httpx.Response], hint: object, patience: Patience | None = None
    ) -> None:
        self._send = send
        self._progress = _Progress(EventReader(hint), patience)
        self._response = send(None)
        self._chunks = self._read()

    @property
    def last_event_id(self) -> str | None:
        """The position from which the stream can be resumed, also in another process."""
        return self._progress.reader.last_id

    @property
    def failed(self) -> bool:
        """True if the stream has raised the failure that the run reported."""
        return self._progress.reader.failed

    def __iter__(self) -> Iterator[T]:
        return self._chunks

    def __next__(self) -> T:
        return next(self._chunks)

    def _read(self) -> Iterator[T]:
        reader = self._progress.reader
        while True:
            error = None
            with closing(self._response) as response:
                try:
                    for data in response.iter_bytes():
                        yield from self._progress.read(data)
                except httpx.TransportError as broken:
                    error = broken
            if reader.complete:
                return
            time.sleep(self._progress.broke(str(response.url), error))
            self._response = self._send(reader.last_id)

    def close(self) -> None:
        """Close the connection."""
        self._response.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class AsyncStream(Generic[T]):
    """An asynchronous `Stream`: `async for chunk in stream`."""

    def __init__(
        self,
        send: Callable[[str | None], Awaitable[httpx.Response]],
        response: httpx.Response,
        hint: object,
        patience: Patience | None = None,
    ) -> None:
        self._send = send
        self._progress = _Progress(EventReader(hint), patience)
        self._response = response
        self._chunks = self._read()

    @property
    def last_event_id(self) -> str | None:
        """The position from which the stream can be resumed, also in another process."""
        return self._progress.reader.last_id

    @property
    def failed(self) -> bool:
        """True if the stream has raised the failure that the run reported."""
        return self._progress.reader.failed

    def __aiter__(self) -> AsyncIterator[T]:
        return self._chunks

    async def __anext__(self) -> T:
        return await anext(self._chunks)

    async def _read(self) -> AsyncIterator[T]:
        reader = self._progress.reader
        while True:
            error = None
            async with aclosing(self._response) as response:
                try:
                    async for data in response.aiter_bytes():
                        for chunk in self._progress.read(data):
                            yield chunk
                except httpx.TransportError as broken:
                    error = broken
            if reader.complete:
                return
            await asyncio.sleep(self._progress.broke(str(response.url), error))
            self._response = await self._send(reader.last_id)

    async def close(self) -> None:
        """Close the connection."""
        await self._response.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()
