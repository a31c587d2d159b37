"""Sends requests as they are, byte for byte, over one connection that is kept alive."""

import contextlib
import socket
from dataclasses import dataclass, field
from urllib.parse import urlsplit

_ANSWER_S = 300.0
_QUIET_S = 0.1
"""Seconds without data after which a stream of events is left."""
_PART = 1 << 16
_LONGEST_SHOWN = 3_000
_BARE = (204, 304)


@dataclass(frozen=True)
class Request:
    """A request. `label` names the operation or page that it is for."""

    label: str
    method: bytes
    target: bytes
    headers: tuple[tuple[bytes, bytes], ...] = ()
    body: bytes | None = None

    def encode(self, host: bytes) -> bytes:
        """Return the bytes on the wire."""
        headers = list(self.headers)
        if not any(name.lower() == b"host" for name, _ in headers):
            headers.insert(0, (b"Host", host))
        if self.body is not None:
            headers.append((b"Content-Length", b"%d" % len(self.body)))
        lines = [self.method + b" " + self.target + b" HTTP/1.1", *(name + b": " + value for name, value in headers)]
        return b"\r\n".join([*lines, b"", self.body or b""])

    def as_command(self, url: str) -> str:
        """Return a shell command that sends the request: curl, or nc if curl cannot send it."""
        if any(b"\0" in part for header in self.headers for part in header):
            address = urlsplit(url)
            wire = self.encode(address.netloc.encode())
            return f"printf {_quote(wire)} | nc -q 5 {address.hostname} {address.port}"
        parts = ["curl -sS -i --path-as-is -X", _quote(self.method)]
        parts += [f"-H {_quote(name + b': ' + value)}" for name, value in self.headers]
        if self.body is not None:
            parts.append("--data-binary @-")
        parts.append(_quote(url.encode() + self.target))
        sent = f"printf {_quote(self.body.replace(b'%', b'%%'))} | " if self.body else ""
        return sent + " ".join(parts)


@dataclass
class Answer:
    """A response. Its status is 0 if the server closed the connection without one."""

    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""

    @property
    def kind(self) -> str:
        """The media type."""
        return self.headers.get("content-type", "").partition(";")[0]


class Connection:
    """A connection to the server at `url`, opened again whenever it was closed."""

    def __init__(self, url: str) -> None:
        address = urlsplit(url)
        self._address = (address.hostname or "", address.port or 0)
        self._host = address.netloc.encode()
        self._socket: socket.socket | None = None
        self._buffer = b""

    def send(self, request: Request) -> Answer:
        """Send a request and read the response. A kept connection that turns out to be closed is opened again."""
        kept = self._socket is not None
        answer = self._exchange(request)
        return answer if answer.status or not kept else self._exchange(request)

    def close(self) -> None:
        """Close the connection."""
        if self._socket:
            self._socket.close()
        self._socket, self._buffer = None, b""

    def _exchange(self, request: Request) -> Answer:
        if self._socket is None:
            self._socket = socket.create_connection(self._address, timeout=_ANSWER_S)
            self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._socket.settimeout(_ANSWER_S)
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # An early refusal can still be read.
            self._socket.sendall(request.encode(self._host))
        try:
            answer = self._read(request.method)
        except (EOFError, ConnectionResetError):
            self.close()
            return Answer()
        if answer.headers.get("connection", "").lower() == "close":
            self.close()
        return answer

    def _read(self, method: bytes) -> Answer:
        head, _, lines = self._until(b"\r\n\r\n").partition(b"\r\n")
        pairs = (line.partition(b":") for line in lines.split(b"\r\n") if line)
        headers = {name.decode("latin-1").lower(): value.strip().decode("latin-1") for name, _, value in pairs}
        answer = Answer(int(head.split(b" ")[1]), headers)
        if method == b"HEAD" or answer.status in _BARE:
            return answer
        if answer.kind == "text/event-stream":
            answer.body = self._until_quiet()
        elif "content-length" in headers:
            answer.body = self._exactly(int(headers["content-length"]))
        else:
            answer.body = self._chunks()
        return answer

    def _receive(self) -> None:
        assert self._socket
        part = self._socket.recv(_PART)
        if not part:
            raise EOFError
        self._buffer += part

    def _until(self, end: bytes) -> bytes:
        while (place := self._buffer.find(end)) < 0:
            self._receive()
        found, self._buffer = self._buffer[:place], self._buffer[place + len(end) :]
        return found

    def _exactly(self, size: int) -> bytes:
        while len(self._buffer) < size:
            self._receive()
        found, self._buffer = self._buffer[:size], self._buffer[size:]
        return found

    def _chunks(self) -> bytes:
        parts = []
        while size := int(self._until(b"\r\n"), 16):
            parts.append(self._exactly(size))
            self._until(b"\r\n")
        self._until(b"\r\n")
        return b"".join(parts)

    def _until_quiet(self) -> bytes:
        """Read a stream until it pauses or ends, then close the connection, like a client that disconnects."""
        assert self._socket
        self._socket.settimeout(_QUIET_S)
        with contextlib.suppress(TimeoutError, EOFError, ConnectionResetError):
            while len(self._buffer) < _PART:
                self._receive()
        found = self._buffer
        self.close()
        return found


def _quote(data: bytes) -> str:
    """Return a word of the shell, cut if it is long."""
    shown = data[:_LONGEST_SHOWN]
    text = "".join(chr(byte) if 32 <= byte < 127 and byte not in b"'\\" else f"\\x{byte:02x}" for byte in shown)
    return f"$'{text}'" + (f" # of {len(data)} bytes" if len(data) > len(shown) else "")
