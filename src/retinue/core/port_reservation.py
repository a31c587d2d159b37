"""The port that the server listens on."""

import contextlib
import socket
from collections.abc import Iterator

from retinue.core.errors import Unavailable


@contextlib.contextmanager
def reserved_port(host: str, port: int) -> Iterator[int]:
    """The port if it is free, or a free one for 0, kept from others until the server listens on it, seconds later.

    A socket that does not listen leaves the port to one that does, if both may share it (SO_REUSEADDR, socket(7)).
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
    """What to tell where nothing can listen."""
    return Unavailable(f"Cannot listen on {host} port {port}: {reason}. Stop what uses it, or set PORT to another.")
