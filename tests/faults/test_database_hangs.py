"""PostgreSQL hangs: the server says so, requests fail soon, and all is well when it continues."""

import asyncio
import signal
import time
from collections.abc import Iterator
from contextlib import suppress

import psutil
import pytest
import requests

from retinue.core.database.postgres import READ_S, connect_once
from tests.conftest import NewUser, StartServer
from tests.support.client import Client, data, refuse
from tests.support.databases import Postgres, running_postgres
from tests.support.server import Server
from tests.support.waiting import eventually


@pytest.fixture
def own_postgres() -> Iterator[Postgres]:
    """A PostgreSQL server that no other test uses."""
    with running_postgres() as postgres:
        yield postgres


def processes(url: str) -> list[psutil.Process]:
    """Return all processes of a PostgreSQL server."""

    async def parent() -> psutil.Process | None:
        connection = await connect_once(url)
        try:
            return psutil.Process(await connection.fetchval("SELECT pg_backend_pid()")).parent()
        finally:
            await connection.close()

    found = asyncio.run(parent())
    assert found
    return [found, *found.children()]


def signal_all(all_processes: list[psutil.Process], number: int) -> None:
    """Send a signal to those that still run."""
    for process in all_processes:
        with suppress(psutil.NoSuchProcess):
            process.send_signal(number)


def is_ready(server: Server) -> bool:
    """Return what the server says of itself."""
    return requests.get(f"{server.url}/readyz", timeout=60).status_code == 200


@pytest.mark.slow
@pytest.mark.timeout(180)
def test_a_hung_database_is_noticed(own_postgres: Postgres, start_server: StartServer, new_user: NewUser) -> None:
    server = start_server("postgresql", RETINUE_DATABASE_URL=own_postgres.new_platform_database())
    server.tolerated.append(r"task\.failed|end_not_written|TimeoutError|Traceback")
    client: Client = new_user(server).client()
    data(client.get("/agents"))
    hung = processes(server.env["RETINUE_DATABASE_URL"])
    try:
        signal_all(hung, signal.SIGSTOP)
        eventually(lambda: not is_ready(server))
        began = time.monotonic()
        refuse(client.get("/agents/1"), 503, "Try again")
        assert time.monotonic() - began < 10 * READ_S  # It would hang for ever.
    finally:
        signal_all(hung, signal.SIGCONT)
    eventually(lambda: is_ready(server))
    eventually(lambda: client.get("/agents").status_code == 200)
