"""Reads request bodies. Nothing else in the server does: here their size, time and memory are limited."""

import asyncio
from collections.abc import AsyncIterator, Hashable
from contextlib import suppress

from starlette.requests import ClientDisconnect, Request

from retinue.core.http.body_limiter import MAX_BODY, BodyLimiter

MAX_PUBLIC_BODY = 16 << 10
"""Maximum size in bytes of a body whose sender is not signed in."""

_MOST_DISCARDED = 16 * MAX_BODY
"""Bytes to read of a body that is too large, so that its sender finishes writing and receives the response.

Closing a connection with unread bytes resets it, and the response may be lost (RFC 9112, section 9.6).
"""


class BadBody(Exception):
    """The body cannot be read."""


async def read_body(request: Request, at_most: int | None = None) -> bytes:
    """Return the body, of at most `at_most` bytes. Raises `BadBody`.

    The default is 1 MiB, or 16 KiB if the sender is not signed in. Raises `RateLimited` or `Unavailable` if too many
    bodies are arriving.
    """
    caller = request.scope.get("caller")
    if at_most is None:
        at_most = MAX_BODY if caller else MAX_PUBLIC_BODY
    intake: BodyLimiter = request.app.state.intake
    length = announced_length(request)
    sender: Hashable = caller.account_id if caller else request.app.state.client_info(request.scope).address
    with intake.room(sender, at_most if length is None else min(length, at_most), known=caller is not None):
        return await _read(request, at_most, intake.timeout_s)


async def stream_body(request: Request, stall_s: float, whole_s: float) -> AsyncIterator[bytes]:
    """Yield the body as it arrives.

    Raises `TimeoutError` for a pause of `stall_s`, or if the body takes longer than `whole_s`, and
    `ClientDisconnect` if it is shorter than announced.
    """
    clock = asyncio.get_running_loop().time
    blocks, end, size = request.stream(), clock() + whole_s, 0
    while True:
        async with asyncio.timeout_at(min(clock() + stall_s, end)):
            block = await anext(blocks, None)
        if block is None:
            break
        size += len(block)
        yield block
    if size < (announced_length(request) or 0):
        raise ClientDisconnect


async def discard_body(request: Request, seconds: float) -> None:
    """Read the rest of a refused body for some seconds, so that its sender receives the response."""
    with suppress(TimeoutError, ClientDisconnect, RuntimeError):
        async with asyncio.timeout(seconds):
            async for _ in request.stream():
                pass


def announced_length(request: Request) -> int | None:
    """Return the `Content-Length` in bytes, or None if it is missing or malformed."""
    length = request.headers.get("content-length", "")
    return int(length) if length.isascii() and length.isdecimal() else None


def media_type(request: Request) -> str:
    """Return the media type of the body in lower case, without its parameters."""
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


async def _read(request: Request, at_most: int, timeout_s: float) -> bytes:
    read, size = bytearray(), 0
    try:
        async with asyncio.timeout(timeout_s):
            async for block in request.stream():
                size += len(block)
                if size > _MOST_DISCARDED:
                    break
                if size <= at_most:
                    read += block
                else:
                    read.clear()
    except ClientDisconnect as error:
        raise BadBody("The body is shorter than its declared length.") from error
    except TimeoutError as error:
        if size <= at_most:
            raise BadBody(f"The body did not arrive within {timeout_s:g} s. Send the request again.") from error
    if size > at_most:
        raise BadBody(
            f"The body is larger than {_phrase(at_most)}. Send less data"
            f"{', or upload large content as a file' if at_most == MAX_BODY else ''}."
        )
    return bytes(read)


def _phrase(size: int) -> str:
    return f"{size >> 20} MiB" if size >= MAX_BODY else f"{size >> 10} KiB"
