"""A connection to a server that breaks at a moment of the test's choice."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from urllib.parse import urlsplit

_BYTES = 65_536
_LAST_CHUNK = b"0\r\n\r\n"
"""Ends an answer on a connection that stays open (RFC 9112, 7.1)."""


@dataclass
class Cutter:
    """Passes connections on to a server. The first answer is cut off once `cut_after` stands in it, at its end.

    `heads` are the requests as they came; `between` is called before the second one is passed on.
    """

    address: str
    cut_after: bytes
    between: Callable[[], None]
    heads: list[str] = field(default_factory=list)
    failures: list[BaseException] = field(default_factory=list)

    def serve(self, listener: socket.socket) -> None:
        """Pass on one connection after the other until the listener is closed."""
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            try:
                with client, suppress(BrokenPipeError, ConnectionResetError):  # a client may leave early
                    self._pass_on(client)
            except BaseException as failure:  # noqa: BLE001 - told to the test's own thread
                self.failures.append(failure)

    def _pass_on(self, client: socket.socket) -> None:
        head = client.recv(_BYTES)
        self.heads.append(head.decode())
        if len(self.heads) == 2:
            self.between()
        parts = urlsplit(self.address)
        with socket.create_connection((parts.hostname, parts.port)) as server:
            server.sendall(head)
            cut_after = self.cut_after if len(self.heads) == 1 else None
            for block in _answer(server, cut_after):
                client.sendall(block)


def _answer(server: socket.socket, cut_after: bytes | None) -> Iterator[bytes]:
    """The answer as it comes, up to and including `cut_after`."""
    told = b""
    while block := server.recv(_BYTES):
        before, told = len(told), told + block
        at = told.find(cut_after) if cut_after else -1
        if cut_after and at >= 0:
            yield told[before : at + len(cut_after)]
            return
        yield block
        if told.endswith(_LAST_CHUNK):
            return


@contextmanager
def cutting(address: str, cut_after: bytes, between: Callable[[], None]) -> Iterator[tuple[Cutter, str]]:
    """A cutter before the server at `address`, and its own address."""
    cutter = Cutter(address, cut_after, between)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=cutter.serve, args=(listener,), daemon=True)
        thread.start()
        yield cutter, f"http://127.0.0.1:{listener.getsockname()[1]}"
        listener.shutdown(socket.SHUT_RDWR)
    thread.join(10)
    assert not thread.is_alive()
    assert cutter.failures == []
