"""Sockets for tools that are declared with `open_world=True`. The server opens them, and refuses private addresses.

`connect` opens a TCP connection, `connect_to_name_server` one to the name server that the machine uses.
"""

from retinue.tools.worker_sockets import connect, connect_to_name_server

__all__ = [
    "connect",
    "connect_to_name_server",
]
