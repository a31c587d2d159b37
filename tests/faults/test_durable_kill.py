"""Runs, deployments and deliveries under SIGKILL: all accepted work ends once, and every repetition is detected.

One server on SQLite, three on PostgreSQL. `RETINUE_TEST_DURABLE_KILLS` sets the number of kills.
"""

import asyncio
import os
import random
import time
from collections.abc import AsyncIterator, Iterator
from functools import partial

import aiohttp
import pytest

from tests.conftest import StartServer
from tests.faults.api import Api
from tests.faults.audit import all_idle
from tests.faults.durable_audit import DurableAudit
from tests.faults.nodes import MASTER_KEY, RESUMED_S, TAKEN_OVER_S, Nodes
from tests.faults.orders import Customer, Orders
from tests.faults.receivers import all_delivered, deliveries, four_urls
from tests.faults.scripted_provider import ScriptedProvider
from tests.support.model_server import running_model_server
from tests.support.server import Server
from tests.support.waiting import eventually
from tests.webhooks.receiver import Receiver, running_receiver

KILLS = int(os.environ.get("RETINUE_TEST_DURABLE_KILLS", "2"))
CUSTOMERS = 8
_PROGRESS_S = 60.0
_SETTLED_S = 300.0
_SETTINGS = {
    "RETINUE_ALLOWED_NETWORKS": "127.0.0.1/32",
    "RETINUE_WEBHOOK_SCHEDULE": "0,1,5,30,60",
    "RETINUE_MASTER_KEY": MASTER_KEY,
}


@pytest.fixture
def provider() -> Iterator[ScriptedProvider]:
    """The model provider."""
    with running_model_server(ScriptedProvider) as running:
        yield running


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    """The webhook receivers."""
    with running_receiver() as running:
        yield running
        running.let_go()


@pytest.fixture
async def session() -> AsyncIterator[aiohttp.ClientSession]:
    """A session with connections for all customers."""
    connector = aiohttp.TCPConnector(limit=0)
    async with aiohttp.ClientSession(connector=connector, timeout=aiohttp.ClientTimeout(total=60)) as opened:
        yield opened


def start(start_server: StartServer, database: str, number: int, provider: ScriptedProvider) -> list[Server]:
    """Start `number` nodes on one database."""
    settings = {**_SETTINGS, "RETINUE_MODEL_URL": provider.url}
    first = start_server(database, **settings)
    shared = {name: first.env[name] for name in first.env if name == "RETINUE_DATABASE_URL"}
    return [first, *(start_server(**settings, **shared) for _ in range(number - 1))]


async def kill_and_restart(nodes: Nodes, chance: random.Random, number: int) -> tuple[str, float]:
    """Kill a node and restart it. Returns who took over its work, and in how many seconds.

    With several nodes, every other time the rest take over before the dead one restarts.
    """
    server = nodes.any(chance)
    assert server
    node = await nodes.kill(server)
    died = time.monotonic()
    if nodes.up and number % 2:
        took = await nodes.taken_over(node, died, TAKEN_OVER_S)
        await nodes.start(server)
        return "others", took
    await nodes.start(server)
    return "itself", await nodes.taken_over(node, time.monotonic(), RESUMED_S)


@pytest.mark.slow
@pytest.mark.timeout(400 + 60 * KILLS)
@pytest.mark.parametrize(("database", "number"), [("sqlite", 1), ("postgresql", 3)])
async def test_durable_work_survives_kills(
    database: str,
    number: int,
    start_server: StartServer,
    session: aiohttp.ClientSession,
    provider: ScriptedProvider,
    receiver: Receiver,
) -> None:
    servers = await asyncio.to_thread(start, start_server, database, number, provider)
    nodes, orders, chance = Nodes(servers), Orders(), random.Random(database)
    key = await asyncio.to_thread(lambda: servers[0].new_key(servers[0].new_user()))
    took: dict[str, list[float]] = {"others": [], "itself": []}
    with four_urls(receiver) as urls:
        for url in urls:
            await Api(session, servers[0].url, key).data("POST", "/webhooks", {"url": url})
        began = time.monotonic()
        customers = [Customer(f"customer {name}", nodes, session, key, orders) for name in range(CUSTOMERS)]
        working = asyncio.gather(*(customer.work() for customer in customers))
        for kill in range(KILLS):
            goal = provider.calls.total() + chance.randint(20, 150)
            await asyncio.to_thread(eventually, partial(provider.call, goal), _PROGRESS_S)
            who, seconds = await kill_and_restart(nodes, chance, kill)
            took[who].append(seconds)
        orders.closed = True
        await working
        lasted = time.monotonic() - began
        await asyncio.to_thread(eventually, partial(all_delivered, servers[0], receiver), _SETTLED_S, 0.5)
    api = Api(session, servers[0].url, key)
    agents, fleets = await all_idle(api), await api.pages("/fleets")
    assert {agent["status"] for agent in agents} <= {"idle", "error"}
    assert {fleet["status"] for fleet in fleets} == {"active"}
    audit = await asyncio.to_thread(DurableAudit, servers[0], orders, provider, receiver)
    audit.check()
    assert await asyncio.to_thread(servers[0].ask, "check") == []
    told = {who: f"{max(times):.2f} s" for who, times in took.items() if times}
    sent = await asyncio.to_thread(deliveries, servers[0])
    print(
        f"\n{database}, {number} nodes: {KILLS} kills in {lasted:.0f} s; slowest takeover by {told};"
        f" {dict(audit.figures)}; deliveries {[dict(counts) for counts in sent.values()]}"
    )
