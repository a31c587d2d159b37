"""Sockets for tools that are declared with `open_world=True`. The server opens them, and rejects private addresses.

`connect` opens a TCP connection. `connect_to_name_server` opens one to the machine's DNS server.
"""

from retinue.tools.outbound.worker_sockets import connect, connect_to_name_server

__all__ = [
    "connect",
    "connect_to_name_server",
]
