"""Prepare databases of a given size: fill them, check them, and run a server on each."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import asyncpg

from bench.bulk import Holder, fill
from bench.servers import Server, free_port
from retinue.core.runtime.data_dir import DataDir
from retinue.migrations.database import open_database

_COMMAND = str(Path(sys.executable).with_name("retinue"))


@dataclass(frozen=True)
class Place:
    """A database of some size, with the environment of its server."""

    rows: int
    env: Mapping[str, str]
    holders: Mapping[str, Holder]
    filled_s: float


@dataclass(frozen=True)
class Checked:
    """The cost of `retinue check`: seconds of wall time and CPU, and peak memory in MB."""

    seconds: float
    cpu_s: float
    peak_mb: float


async def place(folder: Path, url: str | None, rows: int) -> Place:
    """Fill a database."""
    home = DataDir(folder)
    home.create()
    began = time.perf_counter()
    database = await open_database(url, home)
    holders = await fill(database, rows)
    await database.close()
    if url:
        await execute(url, "VACUUM ANALYZE")
    env = {"RETINUE_HOME": str(folder), "RETINUE_LOCAL_MODEL": "off", "RETINUE_RATE_LIMITS": "off"}
    env |= {"RETINUE_DATABASE_URL": url} if url else {}
    return Place(rows, env, holders, time.perf_counter() - began)


async def execute(url: str, statement: str) -> None:
    """Run a statement on PostgreSQL outside a transaction."""
    connection = await asyncpg.connect(url)
    await connection.execute(statement)
    await connection.close()


def run_check(at: Place) -> Checked:
    """Run `retinue check` alone. Raises `RuntimeError` if it finds a fault."""
    began = time.perf_counter()
    with tempfile.TemporaryFile() as told:
        process = subprocess.Popen([_COMMAND, "check"], env={**os.environ, **at.env}, stdout=told)
        _, status, usage = os.wait4(process.pid, 0)
        told.seek(0)
        answer = told.read().decode()
    if status or answer != "All is well.\n":
        raise RuntimeError(f"retinue check: {answer}")
    return Checked(time.perf_counter() - began, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1000)


@contextmanager
def serving(at: Place, folder: Path) -> Iterator[Server]:
    """Run the server on a database."""
    port = free_port()
    server = Server([_COMMAND, "serve"], port, folder, {**at.env, "PORT": str(port)}, "/healthz")
    try:
        yield server
    finally:
        server.stop()


async def create_sibling_database(url: str) -> str:
    """Create a second database beside the one at `url`; return its URL."""
    name = f"small_{time.time_ns()}"
    await execute(url, f"CREATE DATABASE {name}")
    return urlsplit(url)._replace(path=f"/{name}").geturl()
