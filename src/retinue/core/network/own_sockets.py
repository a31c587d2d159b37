"""The TCP sockets of this process's own port: the HTTP server opens them, and its interface does not show them."""

import os
import socket
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

_FOLDER = Path("/proc/self/fd")


def limit_unread(port: int, seconds: float) -> None:
    """Close connections to `port` whose client has not taken any of the waiting bytes for some seconds.

    Connections inherit the option from the listening socket (TCP_USER_TIMEOUT, tcp(7)).
    """
    for one in _sockets_at(port):
        one.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, max(int(seconds * 1000), 1))


def close_connections(port: int) -> None:
    """Shut down all connections to `port`, also idle ones."""
    for one in _sockets_at(port):
        with suppress(OSError):  # it is not connected any more, or listens
            one.shutdown(socket.SHUT_RDWR)


def _sockets_at(port: int) -> Iterator[socket.socket]:
    for link in _FOLDER.iterdir():
        try:
            if not str(link.readlink()).startswith("socket:"):
                continue
            one = socket.socket(fileno=os.dup(int(link.name)))
        except OSError:  # closed meanwhile
            continue
        with one:
            if one.family in (socket.AF_INET, socket.AF_INET6) and one.getsockname()[1] == port:
                yield one
