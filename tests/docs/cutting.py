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
    """Passes requests on to a server. The first answer is cut off right after `cut_after`.

    `heads` are the requests as they came. `before_second` is called before the second one is passed on,
    `during_second` whenever an event of its answer is complete.
    """

    address: str
    cut_after: bytes
    before_second: Callable[[], None]
    during_second: Callable[[], None]
    heads: list[str] = field(default_factory=list)
    failures: list[Exception] = field(default_factory=list)

    def serve(self, listener: socket.socket) -> None:
        """Pass on what comes, each connection on a thread of its own, until the listener is shut down."""
        threads = []
        with suppress(OSError):
            while True:
                client, _ = listener.accept()
                threads.append(threading.Thread(target=self._keep, args=(client,), daemon=True))
                threads[-1].start()
        for thread in threads:
            thread.join()

    def _keep(self, client: socket.socket) -> None:
        try:
            with client:
                self._pass_on(client)
        except (BrokenPipeError, ConnectionResetError):
            return  # the client has what it wants
        except Exception as failure:  # noqa: BLE001 - told to the test's own thread
            self.failures.append(failure)

    def _pass_on(self, client: socket.socket) -> None:
        head = client.recv(_BYTES)
        if not head:
            return  # clients open connections that they do not use
        self.heads.append(head.decode())
        number = len(self.heads)
        if number == 2:
            self.before_second()
        parts = urlsplit(self.address)
        with socket.create_connection((parts.hostname, parts.port)) as server:
            server.sendall(head)
            for block in _answer(server, self.cut_after if number == 1 else None):
                client.sendall(block)
                if number == 2 and b"\n\n" in block:
                    self.during_second()


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


def _nothing() -> None:
    """What happens when nothing is to happen."""


@contextmanager
def cutting(
    address: str,
    cut_after: bytes,
    before_second: Callable[[], None] = _nothing,
    during_second: Callable[[], None] = _nothing,
) -> Iterator[tuple[Cutter, str]]:
    """A cutter before the server at `address`, and its own address."""
    cutter = Cutter(address, cut_after, before_second, during_second)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=cutter.serve, args=(listener,), daemon=True)
        thread.start()
        yield cutter, f"http://127.0.0.1:{listener.getsockname()[1]}"
        listener.shutdown(socket.SHUT_RDWR)
    thread.join(120)
    assert not thread.is_alive()
    assert cutter.failures == []
