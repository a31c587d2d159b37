"""Reads a request body as a strict JSON object of limited size."""

import asyncio
from collections.abc import Hashable
from typing import Any

import orjson
from starlette.requests import ClientDisconnect, Request

from retinue.core.http.intake import MAX_BODY, Intake

MAX_DEPTH = 64
"""Maximum nesting of lists and objects, because systems that store and forward them have limits too."""


_MOST_DISCARDED = 16 * MAX_BODY
"""Bytes to read of a body that is too large, so that its sender finishes writing and receives the response.

Closing a connection with unread bytes resets it, and the response may be lost (RFC 9112, section 9.6).
"""


class BadBody(Exception):
    """The body cannot be read as a JSON object."""


class JsonRequest(Request):
    """A request whose body is a bounded, strict JSON object."""

    async def load(self, wanted: bool) -> None:
        """Read and check the body. An empty body counts as an empty object. Raises `BadBody`.

        The body of a GET or DELETE is ignored unless it is `wanted`.
        """
        if not wanted and self.method not in {"POST", "PUT"}:
            return
        intake: Intake = self.app.state.intake
        with intake.room(self._sender(), announced_length(self)):
            raw = await self._read(intake.timeout_s)
        self._body = raw or b"{}"
        self._json = parse_object(raw) if raw else {}

    @property
    def content(self) -> dict[str, Any]:
        """The JSON object of the body. Call `load` first."""
        content: dict[str, Any] = self._json
        return content

    def wants_stream(self) -> bool:
        """Return True if the client requests a streamed response, which is not stored under idempotency keys."""
        return self.content.get("stream") is True

    def _sender(self) -> Hashable:
        """Return the account id, or the client address of an unauthenticated request."""
        caller = self.scope.get("caller")
        sender: Hashable = caller.account_id if caller else self.app.state.client_info(self.scope).address
        return sender

    async def _read(self, timeout_s: float) -> bytes:
        read, size = bytearray(), 0
        try:
            async with asyncio.timeout(timeout_s):
                async for chunk in self.stream():
                    size += len(chunk)
                    if size > _MOST_DISCARDED:
                        break
                    if size <= MAX_BODY:
                        read += chunk
        except ClientDisconnect as error:
            raise BadBody("The body is shorter than its declared length.") from error
        except TimeoutError as error:
            if size <= MAX_BODY:
                raise BadBody(f"The body did not arrive within {timeout_s:g} s. Send the request again.") from error
        if size > MAX_BODY:
            raise BadBody("The body is larger than 1 MiB. Send less data, or upload large content as a file.")
        if not read.strip():
            return b""
        if self.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
            raise BadBody("A body requires the header Content-Type: application/json.")
        return bytes(read)


def announced_length(request: Request) -> int | None:
    """Return the `Content-Length` in bytes, or None if it is missing or malformed."""
    length = request.headers.get("content-length", "")
    return int(length) if length.isascii() and length.isdecimal() else None


def parse_object(raw: bytes) -> dict[str, Any]:
    """Parse a JSON object. Raises `BadBody` for other JSON, deep nesting and NUL."""
    try:
        value = orjson.loads(raw)
    except orjson.JSONDecodeError as error:
        raise BadBody(f"The body is not valid JSON: {error}.") from error
    if not isinstance(value, dict):
        raise BadBody('The body must be a JSON object, such as {"name": "value"}.')
    if raw.count(b"[") + raw.count(b"{") > MAX_DEPTH and _is_deep(value):
        raise BadBody(f"Lists and objects can be nested at most {MAX_DEPTH} levels deep.")
    if b"\\u0000" in raw and _holds_nul(value):
        raise BadBody("Text must not contain the NUL character (U+0000).")
    return value


def _is_deep(value: dict[str, Any]) -> bool:
    level: list[Any] = [value]
    for _ in range(MAX_DEPTH):
        inner = [item for outer in level for item in (outer.values() if isinstance(outer, dict) else outer)]
        level = [item for item in inner if isinstance(item, dict | list)]
        if not level:
            return False
    return True


def _holds_nul(value: Any) -> bool:
    if isinstance(value, dict):
        return any(_holds_nul(key) or _holds_nul(item) for key, item in value.items())
    if isinstance(value, list):
        return any(map(_holds_nul, value))
    return isinstance(value, str) and "\x00" in value
