"""Reserves the port that the server listens on."""

import contextlib
import socket
from collections.abc import Iterator

from retinue.core.errors import Unavailable


@contextlib.contextmanager
def reserved_port(host: str, port: int) -> Iterator[int]:
    """Reserve `port`, or a free port for 0, until the server listens on it some seconds later.

    A bound socket that does not listen leaves the port to one that does, if both set SO_REUSEADDR (socket(7)).
    Raises `Unavailable`.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as keeper:
        keeper.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            keeper.bind((host, port))
        except OSError as error:
            raise port_taken(host, port, error.strerror) from error
        yield keeper.getsockname()[1]


def port_taken(host: str, port: int, reason: str | None) -> Unavailable:
    """Build the error for a port on which the server cannot listen."""
    return Unavailable(
        f"Cannot listen on {host} port {port}: {reason}. Stop the process that uses it, or set PORT to another port."
    )
