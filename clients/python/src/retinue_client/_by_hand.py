"""Methods with content other than JSON, and convenience methods that combine several calls."""

import mimetypes
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, Unpack

from retinue_client import types
from retinue_client._calls import Call, path_of
from retinue_client._contents import Content, Uploadable
from retinue_client._listings import AsyncListing, Listing
from retinue_client._retries import Patience
from retinue_client._streams import AsyncStream, Stream
from retinue_client._transport import AsyncTransport, Transport
from retinue_client.errors import APIError


def _upload(file: Uploadable, name: str | None, media_type: str | None, key: str | None) -> Call:
    content = Content.of(file, name)
    query = {"name": content.name}
    media_type = media_type or mimetypes.guess_type(content.name)[0]
    return Call(
        "POST", "/files", takes_key=True, key=key, query=query, content=content, content_type=media_type
    )  # fmt: skip


def _download(file_id: str) -> Call:
    return Call("GET", path_of("/files/{}/content", file_id))


class Files:
    """The shared implementation of uploads and downloads."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def upload(
        self,
        file: Uploadable,
        /,
        *,
        name: str | None = None,
        media_type: str | None = None,
        idempotency_key: str | None = None,
    ) -> types.File:
        """Upload bytes, the file at a path, or an open file. Use the returned ID in tools and messages."""
        return self._transport.record(_upload(file, name, media_type, idempotency_key), types.File)

    def download(self, id: str, /) -> bytes:
        """Download the content of a file into memory."""
        return self._transport.content(_download(id))

    def save(self, id: str, path: str | os.PathLike[str], /) -> None:
        """Download the content of a file to `path`, in chunks."""
        self._transport.save(_download(id), Path(path))


class AsyncFiles:
    """The shared implementation of uploads and downloads."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def upload(
        self,
        file: Uploadable,
        /,
        *,
        name: str | None = None,
        media_type: str | None = None,
        idempotency_key: str | None = None,
    ) -> types.File:
        """Upload bytes, the file at a path, or an open file. Use the returned ID in tools and messages."""
        return await self._transport.record(_upload(file, name, media_type, idempotency_key), types.File)

    async def download(self, id: str, /) -> bytes:
        """Download the content of a file into memory."""
        return await self._transport.content(_download(id))

    async def save(self, id: str, path: str | os.PathLike[str], /) -> None:
        """Download the content of a file to `path`, in chunks."""
        await self._transport.save(_download(id), Path(path))


def _export(format: str, start_date: str | None, end_date: str | None, resource_type: str | None) -> Call:
    query = {"format": format, "start_date": start_date, "end_date": end_date, "resource_type": resource_type}
    return Call("GET", "/usage/export", query=query)


_Kind = Literal["tools", "agents", "chat", "voice"]


class Usage:
    """The export of usage."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def export(
        self,
        *,
        format: Literal["json", "csv"] = "csv",
        start_date: str | None = None,
        end_date: str | None = None,
        resource_type: _Kind | None = None,
    ) -> bytes:
        """Export usage by day and kind as a document of up to 366 days. Dates have the format YYYY-MM-DD."""
        return self._transport.content(_export(format, start_date, end_date, resource_type))


class AsyncUsage:
    """The export of usage."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def export(
        self,
        *,
        format: Literal["json", "csv"] = "csv",
        start_date: str | None = None,
        end_date: str | None = None,
        resource_type: _Kind | None = None,
    ) -> bytes:
        """Export usage by day and kind as a document of up to 366 days. Dates have the format YYYY-MM-DD."""
        return await self._transport.content(_export(format, start_date, end_date, resource_type))


def _search(search: str, query: types.ListToolsParams) -> Call:
    return Call("GET", "/tools", query={**query, "search": search})


class Tools:
    """Search of the tool catalogue."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def search(self, search: str, /, **query: Unpack[types.ListToolsParams]) -> Listing[types.Tool]:
        """Search for tools with a question in plain language. The best matches come first."""
        return self._transport.listing(_search(search, query), types.Tool)


class AsyncTools:
    """Search of the tool catalogue."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def search(self, search: str, /, **query: Unpack[types.ListToolsParams]) -> AsyncListing[types.Tool]:
        """Search for tools with a question in plain language. The best matches come first."""
        return self._transport.listing(_search(search, query), types.Tool)


_ENDED = frozenset({"completed", "failed", "cancelled"})


@contextmanager
def _ignore_failure(stream: Stream[Any] | AsyncStream[Any]) -> Iterator[None]:
    """Ignore the failure of the run, whose record says why it failed. Other errors, as in reopening, are raised."""
    try:
        yield
    except APIError:
        if not stream.failed:
            raise


class Runs:
    """Waiting for a run to end."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def wait(self, id: int, /, *, timeout: float | None = None) -> types.RunDetails:
        """Wait until the run has ended, with any status, and return it. Follows the run's stream without polling.

        Raises `APITimeoutError` after `timeout` seconds, or at the server's next sign of life, at most 15 seconds
        later. Without `timeout`, raises an error if the server has been silent for five minutes.
        """
        patience = Patience(timeout, may_retry=self._transport.options.max_retries > 0)
        watched = Call("GET", path_of("/runs/{}/events", id))
        while True:
            with (
                self._transport.stream(watched, types.StreamRunChunk, patience) as stream,
                _ignore_failure(stream),
            ):
                for _ in stream:
                    pass
            run = self._transport.record(Call("GET", path_of("/runs/{}", id)), types.RunDetails, patience)
            if run.status in _ENDED:
                return run
            watched = replace(watched, last_event_id=stream.last_event_id)


class AsyncRuns:
    """Waiting for a run to end."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def wait(self, id: int, /, *, timeout: float | None = None) -> types.RunDetails:
        """Wait until the run has ended, with any status, and return it. Follows the run's stream without polling.

        Raises `APITimeoutError` after `timeout` seconds, or at the server's next sign of life, at most 15 seconds
        later. Without `timeout`, raises an error if the server has been silent for five minutes.
        """
        patience = Patience(timeout, may_retry=self._transport.options.max_retries > 0)
        watched = Call("GET", path_of("/runs/{}/events", id))
        while True:
            async with await self._transport.stream(watched, types.StreamRunChunk, patience) as stream:
                with _ignore_failure(stream):
                    async for _ in stream:
                        pass
            run = await self._transport.record(Call("GET", path_of("/runs/{}", id)), types.RunDetails, patience)
            if run.status in _ENDED:
                return run
            watched = replace(watched, last_event_id=stream.last_event_id)
