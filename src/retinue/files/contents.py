"""Send the content of a file as a response."""

import os
from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import BinaryIO

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from retinue.core.database.statements import Row
from retinue.core.http.streaming import BLOCK, Download
from retinue.core.runtime.executors import run_on_disk_thread
from retinue.files.file_metadata import attachment, clean_media_type, clean_name
from retinue.files.ranges import ByteRange, is_known, part_of

_SAFE = {
    "Accept-Ranges": "bytes",
    "Cache-Control": "private, no-cache",
    "Content-Security-Policy": "sandbox; default-src 'none'",
    "X-Content-Type-Options": "nosniff",
}
"""Uploads are untrusted data: these headers stop a browser from executing any of it."""

VIEWABLE = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp", "application/pdf"})
"""Types that browsers show without executing anything of them."""

_VIEWED = {"Content-Disposition": "inline", "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'"}
"""A sandbox would prevent the viewers of browsers from showing PDFs."""


async def content_of(
    record: Row, headers: Headers, opened: Callable[[], Awaitable[BinaryIO]], *, view: bool = False
) -> Response:
    """Return the file, or the range that the request's `headers` select, or 304 if the client has the current version.

    With `view`, browsers show files of the types in `VIEWABLE`, and save all others.
    """
    tag = f'"{record.sha256}"'
    if is_known(headers, tag):
        return Response(status_code=304, headers={"ETag": tag, "Cache-Control": _SAFE["Cache-Control"]})
    part = part_of(headers, tag, record.size)
    response_headers = {
        "ETag": tag,
        "Content-Type": clean_media_type(record.media_type),
        "Content-Disposition": attachment(record.name),
        **_SAFE,
    }
    if view and response_headers["Content-Type"] in VIEWABLE:
        response_headers |= _VIEWED
    if part.partial:
        response_headers["Content-Range"] = f"bytes {part.start}-{part.end - 1}/{record.size}"
    return FileContent(await opened(), part, response_headers)


def content_response(content: bytes, name: str, media_type: str) -> Response:
    """Return a response with the content of an uploaded file that is in memory."""
    headers = {"Content-Type": clean_media_type(media_type), "Content-Disposition": attachment(clean_name(name))}
    return Response(content, headers={**headers, **_SAFE, "Accept-Ranges": "none"})


async def _blocks(file: BinaryIO, part: ByteRange) -> AsyncGenerator[bytes]:
    """Yield a part of an open file."""
    for start in range(part.start, part.end, BLOCK):
        yield await run_on_disk_thread(os.pread, file.fileno(), min(BLOCK, part.end - start), start)


class FileContent(Download):
    """Sends a part of an open file, and closes the file."""

    def __init__(self, file: BinaryIO, part: ByteRange, headers: dict[str, str]) -> None:
        length = {"content-length": str(part.end - part.start)}
        super().__init__(_blocks(file, part), 206 if part.partial else 200, {**headers, **length})
        self._file = file

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the part block by block; the server asks for the next one when the client can take it."""
        with self._file:
            await super().__call__(scope, receive, send)
