"""Sends bytes over a plain socket, for requests that no HTTP client would send."""

import socket
from urllib.parse import urlsplit

from tests.support.client import Client
from tests.support.server import Server

_TIMEOUT_S = 60.0
_PATIENCE_S = 60.0


def connect(server: Server) -> socket.socket:
    """Open a plain connection with a long timeout."""
    address = urlsplit(server.url)
    return socket.create_connection((address.hostname or "", address.port or 0), timeout=_PATIENCE_S)


def head(client: Client, path: str, *headers: str) -> bytes:
    """Return the head of a POST to the API with the client's key."""
    lines = (f"POST /api/v1{path} HTTP/1.1", "Host: a", f"Authorization: Bearer {client.key}", *headers)
    return "\r\n".join([*lines, "", ""]).encode()


def send_raw(server: Server, request: bytes) -> bytes:
    """Send bytes and close the sending side. Returns everything received until the server closes."""
    address = urlsplit(server.url)
    with socket.create_connection((address.hostname or "", address.port or 0), timeout=_TIMEOUT_S) as connection:
        try:
            connection.sendall(request)
            connection.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # The server may have refused and closed already. Its response can still be read.
        return _read_all(connection)


def _read_all(connection: socket.socket) -> bytes:
    received = bytearray()
    try:
        while part := connection.recv(65_536):
            received += part
    except ConnectionResetError:
        pass  # The server closed before it read all our bytes.
    return bytes(received)
