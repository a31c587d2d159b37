"""Bytes over a plain socket, for what no decent client would send."""

import socket
from urllib.parse import urlsplit

from tests.support.server import Server

_TIMEOUT_S = 10.0


def send_raw(server: Server, request: bytes) -> bytes:
    """Send bytes and then no more; returns all that comes back until the server closes."""
    address = urlsplit(server.url)
    with socket.create_connection((address.hostname or "", address.port or 0), timeout=_TIMEOUT_S) as connection:
        try:
            connection.sendall(request)
            connection.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # the server may have refused and closed already; what it said can still be read
        return _read_all(connection)


def _read_all(connection: socket.socket) -> bytes:
    received = bytearray()
    try:
        while part := connection.recv(65_536):
            received += part
    except ConnectionResetError:
        pass  # closed with our bytes unread
    return bytes(received)
