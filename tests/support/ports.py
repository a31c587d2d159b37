"""Finds free ports."""

import socket


def free_port() -> int:
    """Return a free port of the loopback interface."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port: int = probe.getsockname()[1]
        return port
