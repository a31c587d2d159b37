"""A server that answers what a test tells it to, one answer a request, and keeps what it was sent."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

_BYTES = 65_536
HANG_UP = b""
"""In place of an answer: the connection ends."""


def answer(status: int, body: str = "", **headers: str) -> bytes:
    """An answer as it goes over the wire."""
    lines = [f"HTTP/1.1 {status} Told", "Content-Type: application/json", f"Content-Length: {len(body.encode())}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "Connection: close", "", body]).encode()


@dataclass
class FailingServer:
    """Gives `answers` in turn. `requests` are the heads and bodies as they came."""

    url: str = ""
    answers: list[bytes] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def headers(self, name: str) -> list[str | None]:
        """The values of a header, a request each."""
        found = []
        for request in self.requests:
            lines = [line.partition(": ") for line in request.split("\r\n")]
            found.append(next((value for key, _, value in lines if key.lower() == name.lower()), None))
        return found

    def serve(self, listener: socket.socket) -> None:
        """Answer until the listener is shut down."""
        with suppress(OSError):
            while True:
                client, _ = listener.accept()
                with client:
                    self.requests.append(_whole_request(client))
                    client.sendall(self.answers.pop(0))


def _whole_request(client: socket.socket) -> str:
    data = b""
    while b"\r\n\r\n" not in data:
        data += client.recv(_BYTES)
    head, _, body = data.partition(b"\r\n\r\n")
    lengths = [line.partition(b":")[2] for line in head.split(b"\r\n") if line.lower().startswith(b"content-length")]
    while lengths and len(body) < int(lengths[0]):
        body += client.recv(_BYTES)
    return (head + b"\r\n\r\n" + body).decode()


@contextmanager
def running_failing_server() -> Iterator[FailingServer]:
    """A failing server on this machine."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = FailingServer(f"http://127.0.0.1:{listener.getsockname()[1]}")
        thread = threading.Thread(target=server.serve, args=(listener,), daemon=True)
        thread.start()
        yield server
        listener.shutdown(socket.SHUT_RDWR)
    thread.join(120)
