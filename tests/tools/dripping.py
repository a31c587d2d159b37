"""A web server that answers a byte at a time, until it is told to finish."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

_DRIP_S = 0.2


class DrippingServer:
    """Answers every request with a body that comes slowly."""

    def __init__(self) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._finished = threading.Event()
        self._requests = threading.Semaphore(0)
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self._socket.getsockname()[1]}/"

    def wait_for_requests(self, number: int) -> None:
        """Wait until so many requests have come."""
        for _ in range(number):
            assert self._requests.acquire(timeout=60)

    def finish(self) -> None:
        """Answer the rest at once."""
        self._finished.set()

    def close(self) -> None:
        """Answer no more."""
        self.finish()
        self._socket.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self._socket.accept()
                threading.Thread(target=self._answer, args=(connection,), daemon=True).start()

    def _answer(self, connection: socket.socket) -> None:
        with connection, suppress(OSError):
            connection.recv(65_536)
            self._requests.release()
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\nConnection: close\r\n\r\n")
            left = 1000
            while left and not self._finished.wait(_DRIP_S):
                connection.sendall(b".")
                left -= 1
            connection.sendall(b"." * left)


@contextmanager
def dripping_server() -> Iterator[DrippingServer]:
    """A server of this kind, while the block runs."""
    server = DrippingServer()
    try:
        yield server
    finally:
        server.close()
