"""Reserved ports for the server."""

import socket

import pytest

from retinue.core.errors import Unavailable
from retinue.core.runtime.port_reservation import reserved_port


@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
def test_a_reserved_port_is_the_servers_alone(host: str) -> None:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with reserved_port(host, 0) as port:
        with socket.socket(family) as other, pytest.raises(OSError, match="in use"):
            other.bind((host, port))
        with socket.create_server((host, port), family=family), socket.create_connection((host, port)) as client:
            assert client.getpeername()[1] == port


def test_a_port_on_which_another_listens_is_refused() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(Unavailable, match=f"port {port}.*set PORT to another"), reserved_port("127.0.0.1", port):
            pass
