"""Parse server-sent events (WHATWG HTML, section 9.2)."""

import re
from collections.abc import Iterator

_LINE_END = re.compile(rb"\r\n|\n|\r")
_MOST_ID = 1000


class EventReader:
    """Cuts a byte stream into the data of its events, however the network cut it.

    `last_id` names the latest event, and `retry_ms` is how long to wait before asking for those after it.
    """

    def __init__(self) -> None:
        self.last_id = ""
        self.retry_ms = 0
        self._line = bytearray()
        self._data: list[bytes] = []
        self._after_return = False

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """Yield the data of the events that `chunk` completes."""
        if self._after_return and chunk.startswith(b"\n"):
            chunk = chunk[1:]
        elif not chunk:
            return
        self._after_return = chunk.endswith(b"\r")
        first, *others = _LINE_END.split(chunk)
        self._line += first
        if not others:
            return
        lines = [bytes(self._line), *others]
        self._line = bytearray(lines.pop())
        for line in lines:
            if line:
                self._take(*line.split(b":", 1))
            elif self._data:
                data, self._data = b"\n".join(self._data), []
                if data:
                    yield data

    def _take(self, name: bytes, value: bytes = b"") -> None:
        """Process a field. One space before its value is not part of it."""
        value = value.removeprefix(b" ")
        if name == b"data":
            self._data.append(value)
        elif name == b"id" and value.isascii() and value.decode().isprintable() and len(value) <= _MOST_ID:
            self.last_id = value.decode()
        elif name == b"retry" and value.isdigit() and len(value) < 6:
            self.retry_ms = int(value)
