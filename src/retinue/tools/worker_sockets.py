"""Connect tools to other hosts. A worker cannot open connections: the server opens permitted ones, and passes the
socket (`SCM_RIGHTS`, unix(7)).
"""

import json
import socket
from threading import Lock

from retinue.tools.declare import ToolError

REPLY_BYTES = 4096
_channels: list[socket.socket] = []
_asking = Lock()
"""Held from a request to its answer, so that no thread takes another's connection."""


class AddressRefused(ToolError):
    """The server does not connect tools to that address."""


def attach(descriptor: int) -> None:
    """Set the socket over which connections are requested."""
    _channels.append(socket.socket(fileno=descriptor))


def connect(host: str, port: int, timeout_s: float = 10.0) -> socket.socket:
    """A TCP connection to a public host, with a time limit in seconds for each later operation.

    Raises `AddressRefused` if the server does not permit the address, `OSError` if the host does not answer. Only
    tools declared with `open_world=True` get connections.
    """
    return _ask({"host": host, "port": port, "timeout_s": timeout_s}, timeout_s)


def connect_to_name_server(timeout_s: float = 5.0) -> socket.socket:
    """A TCP connection to this machine's name server, for DNS over TCP (RFC 7766)."""
    return _ask({"host": None, "port": 53, "timeout_s": timeout_s}, timeout_s)


def _ask(request: dict[str, object], timeout_s: float) -> socket.socket:
    question = json.dumps(request).encode()
    if len(question) > REPLY_BYTES:
        raise AddressRefused("That is not a host and a port.")
    channel = _channels[-1]
    with _asking:
        channel.send(question)
        message, descriptors, _, _ = socket.recv_fds(channel, REPLY_BYTES, 1)
    if descriptors:
        connection = socket.socket(fileno=descriptors[0])
        connection.settimeout(timeout_s)
        return connection
    if not message:
        raise ConnectionError("the server does not open any more connections")
    reply = json.loads(message)
    raise AddressRefused(reply["refused"]) if "refused" in reply else ConnectionError(reply["failed"])
