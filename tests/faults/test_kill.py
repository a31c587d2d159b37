"""The whole server under SIGKILL: no acknowledged change is lost, and all work ends exactly once."""

import asyncio
import os
import random
import time
from collections.abc import AsyncIterator
from functools import partial

import aiohttp
import pytest

from tests.conftest import StartServer
from tests.faults.api import Api
from tests.faults.audit import Audit
from tests.faults.load import Customer, Ledger, kill_under_load
from tests.faults.processes import all_gone, children
from tests.support.sampling import ALSO_ON_POSTGRESQL
from tests.support.server import Server
from tests.support.waiting import eventually

CUSTOMERS = 50
ROUNDS = int(os.environ.get("RETINUE_TEST_KILLS", "6"))


@pytest.fixture
async def session() -> AsyncIterator[aiohttp.ClientSession]:
    """A session with connections for all customers."""
    connector = aiohttp.TCPConnector(limit=0)
    async with aiohttp.ClientSession(connector=connector, timeout=aiohttp.ClientTimeout(total=60)) as opened:
        yield opened


def new_test_key(server: Server) -> str:
    """Create a test key for a new user."""
    return server.new_key(server.new_user(), test=True)


@pytest.mark.slow
@pytest.mark.timeout(400)
@pytest.mark.parametrize("database", ALSO_ON_POSTGRESQL)
async def test_nothing_answered_is_lost(
    database: str, start_server: StartServer, session: aiohttp.ClientSession
) -> None:
    server = start_server(database)
    key = await asyncio.to_thread(new_test_key, server)
    ledger, chance = Ledger(), random.Random(database)
    customers = [Customer(f"customer-{number}", ledger) for number in range(CUSTOMERS)]
    began = time.monotonic()
    for _ in range(ROUNDS):
        started = children(server)
        assert started
        api = Api(session, server.url, key)
        await kill_under_load(server, [one.work(api) for one in customers], ledger, chance.randint(10, 300))
        eventually(partial(all_gone, started), within=5)
        server.start()
    took = time.monotonic() - began
    audit = Audit(Api(session, server.url, key), ledger)
    await audit.check()
    assert await asyncio.to_thread(server.ask, "check") == []
    print(
        f"\n{database}: {ROUNDS} kills in {took:.0f} s, {ledger.answered} changes answered, {len(ledger.agents)}"
        f" agents, {len(ledger.conversations)} conversations, runs {dict(audit.figures)}"
    )
