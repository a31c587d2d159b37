"""Connect tools to other hosts. A worker cannot open connections: the server opens permitted ones, and passes the
socket (`SCM_RIGHTS`, unix(7)).
"""

import json
import socket
from itertools import count
from threading import Condition

from retinue.tools.authoring.declare import ToolError

REPLY_BYTES = 4096
ID_BYTES = 8
"""Length of the number with which a request begins, and which the server puts before its answer."""


class AddressRefused(ToolError):
    """The server does not connect tools to that address."""


class HostUnreachable(ConnectionError):
    """The host has no address, or none that accepts a connection."""


class _Channel:
    """Requests connections from the server. Several threads may wait for their answers, which arrive in any order."""

    def __init__(self, descriptor: int) -> None:
        self._socket = socket.socket(fileno=descriptor)
        self._numbers = count()
        self._answers: dict[bytes, tuple[bytes, list[int]]] = {}
        self._arrived = Condition()
        self._receiving = False

    def ask(self, question: bytes) -> tuple[bytes, list[int]]:
        """Return the server's answer, with the descriptor of the connection if it has opened one."""
        number = next(self._numbers).to_bytes(ID_BYTES, "big")
        self._socket.send(number + question)
        with self._arrived:
            while number not in self._answers:
                if self._receiving:
                    self._arrived.wait()
                else:
                    self._receive()
            return self._answers.pop(number)

    def _receive(self) -> None:
        """Receive the next answer, of whichever thread, while the others can find theirs."""
        self._receiving = True
        self._arrived.release()
        try:
            message, descriptors, _, _ = socket.recv_fds(self._socket, REPLY_BYTES, 1)
        finally:
            self._arrived.acquire()
            self._receiving = False
            self._arrived.notify_all()
        if not message:
            raise ConnectionError("the server does not open any more connections")
        self._answers[message[:ID_BYTES]] = message[ID_BYTES:], descriptors


_channels: list[_Channel] = []


def attach(descriptor: int) -> None:
    """Set the socket over which connections are requested."""
    _channels.append(_Channel(descriptor))


def connect(host: str, port: int, timeout_s: float = 10.0) -> socket.socket:
    """Return a TCP connection to a public host, with a time limit in seconds for each later operation.

    Raises `AddressRefused` if the server does not permit the address, `HostUnreachable` if the host does not answer.
    Only tools declared with `open_world=True` get connections.
    """
    return _ask({"host": host, "port": port, "timeout_s": timeout_s}, timeout_s)


def connect_to_name_server(timeout_s: float = 5.0) -> socket.socket:
    """Return a TCP connection to this machine's name server, for DNS over TCP (RFC 7766)."""
    return _ask({"host": None, "port": 53, "timeout_s": timeout_s}, timeout_s)


def _ask(request: dict[str, object], timeout_s: float) -> socket.socket:
    question = json.dumps(request).encode()
    if len(question) > REPLY_BYTES - ID_BYTES:
        raise AddressRefused("That is not a host and a port.")
    message, descriptors = _channels[-1].ask(question)
    if descriptors:
        connection = socket.socket(fileno=descriptors[0])
        connection.settimeout(timeout_s)
        return connection
    reply = json.loads(message)
    raise AddressRefused(reply["refused"]) if "refused" in reply else HostUnreachable(reply["failed"])
