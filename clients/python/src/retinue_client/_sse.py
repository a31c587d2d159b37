"""Parses server-sent events (the event stream format of the HTML standard) into chunks."""

import json
from collections.abc import Iterator
from typing import Any

from retinue_client._records import build
from retinue_client.errors import error_of

_END = "[DONE]"


class EventReader:
    """Parses the bytes of a stream into chunks.

    Lines end at LF or CRLF only, because JSON may contain other characters that Python treats as line ends.
    """

    def __init__(self, hint: object) -> None:
        self._hint = hint
        self._rest = b""
        self._data: list[str] = []
        self._id: str | None = None
        self.last_id: str | None = None
        """The ID of the last complete event, from which the stream can be resumed."""
        self.complete = False
        """True once the stream has sent its end marker."""
        self.failed = False
        """True once a chunk has reported that the run failed."""

    def reset(self) -> None:
        """Discard an incomplete event before the stream is opened again."""
        self._rest, self._data, self._id = b"", [], None

    def read(self, data: bytes) -> Iterator[Any]:
        """Return the chunks that these bytes complete. Raises `APIError` for a chunk that reports a failed run."""
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            event = self._read_line(line.removesuffix(b"\r").decode())
            if event == _END:
                self.complete = True
            elif event is not None and not self.complete:
                yield self._chunk(json.loads(event))

    def _read_line(self, line: str) -> str | None:
        """Return the data of the event that ends with this line, or None."""
        if line:
            self._read_field(*line.partition(":")[::2])
            return None
        data, self._data = "\n".join(self._data), []
        if not data:
            return None
        self.last_id = self._id or self.last_id
        return data

    def _read_field(self, name: str, value: str) -> None:
        value = value.removeprefix(" ")
        if name == "data":
            self._data.append(value)
        elif name == "id":
            self._id = value

    def _chunk(self, chunk: dict[str, Any]) -> Any:
        if chunk.get("type") == "error":
            self.failed = True
            raise error_of(int(chunk.get("status", 500)), chunk)
        return build(self._hint, chunk)
