"""Bytes over a plain socket, for what no decent client would send."""

import socket
from urllib.parse import urlsplit

from tests.support.client import Client
from tests.support.server import Server

_TIMEOUT_S = 10.0
_PATIENCE_S = 60.0


def connect(server: Server) -> socket.socket:
    """A plain connection that waits patiently."""
    address = urlsplit(server.url)
    return socket.create_connection((address.hostname or "", address.port or 0), timeout=_PATIENCE_S)


def head(client: Client, path: str, *headers: str) -> bytes:
    """The head of a POST to the API with the client's key."""
    lines = (f"POST /api/v1{path} HTTP/1.1", "Host: a", f"Authorization: Bearer {client.key}", *headers)
    return "\r\n".join([*lines, "", ""]).encode()


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
