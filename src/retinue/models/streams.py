"""Reads server-sent events (WHATWG HTML, 9.2.6) from a byte stream that arrives in chunks of any size."""

import json
from typing import Any, NamedTuple

import orjson

MAX_EVENT = 4 * 1024 * 1024
"""Most bytes of one event. A server that sends more without a blank line does not speak this protocol."""

MAX_BODY = 32 * 1024 * 1024
"""Most bytes of a JSON body that a server sends instead of a stream."""

_BOM = b"\xef\xbb\xbf"


class MalformedStream(Exception):
    """The provider sent data that violates the protocol."""


class ServerSentEvent(NamedTuple):
    """One event: its name (`message` unless the stream says otherwise) and its data."""

    name: bytes
    data: bytes


class EventParser:
    """Splits a byte stream into events. A JSON body instead of a stream becomes one event named `body`."""

    def __init__(self) -> None:
        self._rest = b""
        self._at_start = True
        self._after_cr = False
        self._is_body, self._body = False, bytearray()

    def feed(self, chunk: bytes) -> list[ServerSentEvent]:
        """Return the events that `chunk` completes. Raises `MalformedStream` for an event over `MAX_EVENT`."""
        if not (self._rest or self._after_cr or self._is_body) and _is_one_line_event(chunk):
            self._at_start = False
            return [ServerSentEvent(b"message", chunk[6:-2])]
        if self._at_start or self._after_cr or (b"\r" in chunk and not self._is_body):
            chunk = self._normalize(chunk)
        if self._is_body:
            self._body += chunk
            if len(self._body) > MAX_BODY:
                raise MalformedStream("an endless body")
            return []
        *blocks, rest = (self._rest + chunk).split(b"\n\n")
        if len(rest) > MAX_EVENT:
            raise MalformedStream("an endless event")
        self._rest = rest
        events = []
        for block in blocks:
            if block.startswith(b"data: ") and b"\n" not in block:
                events.append(ServerSentEvent(b"message", block[6:]))
            elif event := _read_event(block):
                events.append(event)
        return events

    def end(self) -> list[ServerSentEvent]:
        """Return the unterminated last event. The standard drops it, but providers that omit its end mean it."""
        if self._is_body:
            return [ServerSentEvent(b"body", bytes(self._body))]
        self._after_cr = False
        return self.feed(b"\n\n")

    def _normalize(self, chunk: bytes) -> bytes:
        """Remove the byte order mark, and turn CR LF and CR into LF, also where a chunk ends between them."""
        if self._at_start:
            chunk = self._rest + chunk
            begin = chunk.removeprefix(_BOM).lstrip()
            if not begin or (len(chunk) < len(_BOM) and _BOM.startswith(chunk)):
                self._rest = chunk
                return b""
            chunk, self._rest, self._at_start = begin, b"", False
            self._is_body = begin[:1] in (b"{", b"[")
        if self._after_cr and chunk:
            chunk = chunk.removeprefix(b"\n")
            self._after_cr = False
        if chunk.endswith(b"\r"):
            self._after_cr = True
        return chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n")


def _is_one_line_event(chunk: bytes) -> bool:
    """Return whether the chunk is one event of one line, which is the common shape."""
    return (
        chunk.startswith(b"data: ")
        and chunk.endswith(b"\n\n")
        and chunk.find(b"\n") == len(chunk) - 2
        and b"\r" not in chunk
    )


def _read_event(block: bytes) -> ServerSentEvent | None:
    """Read the lines of one event. None for comments and other blocks without data."""
    name, data = b"message", []
    for line in block.split(b"\n"):
        field, _, value = line.partition(b":")
        if field == b"data":
            data.append(value.removeprefix(b" "))
        elif field == b"event":
            name = value.strip()
    return ServerSentEvent(name or b"message", b"\n".join(data)) if data else None


def read_json(data: bytes) -> Any:
    """Parse JSON. Accepts what some providers send besides: halves of surrogate pairs, NaN, damaged UTF-8.

    Raises `MalformedStream`.
    """
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError:
        pass
    try:
        return json.loads(data.decode("utf-8", "replace"), strict=False)
    except (ValueError, RecursionError) as error:
        raise MalformedStream(f"data that is not JSON: {data[:80]!r}") from error


def read_events_json(data: bytes) -> list[object]:
    """Parse the data of one event: one JSON value, or one per line if the server omits blank lines.

    Raises `MalformedStream`.
    """
    try:
        return [read_json(data)]
    except MalformedStream:
        if b"\n" not in data:
            raise
    return [read_json(line) for line in data.split(b"\n") if line.strip() not in (b"", b"[DONE]")]


def join_surrogates(text: str) -> str:
    """Join surrogate pairs that arrived in halves, and replace single halves."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
