"""The same request five times concurrently, and again after a kill at each crash point: one effect, one response."""

import asyncio
from collections.abc import AsyncIterator

import aiohttp
import pytest

from tests.conftest import StartServer
from tests.faults.api import Api
from tests.faults.test_crash_points import NAMES
from tests.idempotency.orders import Found, Order, prepare
from tests.support.sampling import ALSO_ON_POSTGRESQL
from tests.support.server import Server

POINTS = (
    "idempotency.claimed:5", "idempotency.carried_out:4", "idempotency.finished:6", "database.before_commit:25",
    "database.after_commit:40", "files.kept", "tools.executed", "runs.claimed", "runs.model_step", "runs.tool_started",
    "runs.tool_ended", "runs.finished:2", "runs.approval_requested", "runs.paused", "runs.approved_tool_started",
    "usage.folded", "deployments.claimed", "webhooks.claimed",
)  # fmt: skip
"""The crash points, visited in turn with requests of every kind in progress."""

ELSEWHERE = {
    "files.row_deleted", "schedules.claimed", "schedules.firing", "schedules.fired", "account_jobs.claimed",
    "deletion.batch", "export.kept", "calls.begun", "batches.decided", "batches.called", "batches.settled",
    "expiry.old_work", "knowledge.claimed", "knowledge.batch", "knowledge.served", "knowledge.removed",
    "knowledge.visited", "sources.begun", "memory.extracted", "skills.kept", "simulations.begun",
    "simulations.advanced",
}  # fmt: skip
"""Points that no POST passes."""


def test_every_point_that_a_post_passes_is_here() -> None:
    assert {point.partition(":")[0] for point in POINTS} | ELSEWHERE == set(NAMES)


@pytest.fixture
async def session() -> AsyncIterator[aiohttp.ClientSession]:
    """A session with connections for all requests."""
    connector = aiohttp.TCPConnector(limit=0)
    async with aiohttp.ClientSession(connector=connector, timeout=aiohttp.ClientTimeout(total=300)) as opened:
        yield opened


def starts(server: Server, point: str) -> bool:
    """Start the server.

    Returns false if it dies at the point before it has printed its address, while it resumes work.
    """
    try:
        server.start(RETINUE_CRASH_AT=point)
    except AssertionError:
        return False
    return True


AGAIN = 2
"""How often a request is sent again at once that was sent five times before."""


async def send_all(orders: list[Order], api: Api, again: list[Order]) -> None:
    """Send every order five times, and those of `again` twice, all concurrently."""
    sending = [*(order.send(api) for order in orders), *(order.send(api, AGAIN) for order in again)]
    await asyncio.gather(*sending)


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("database", ALSO_ON_POSTGRESQL)
async def test_one_effect_and_one_answer_whatever_dies(
    database: str, start_server: StartServer, session: aiohttp.ClientSession
) -> None:
    server = start_server(database, RETINUE_ALLOWED_NETWORKS="127.0.0.1/32")
    key = await asyncio.to_thread(lambda: server.new_key(server.new_user()))
    api = Api(session, server.url, key)
    rounds = [await prepare(api, f"round{number}") for number in range(len(POINTS) + 1)]
    server.stop()
    for number, point in enumerate(POINTS):
        unanswered = [order for orders in rounds[:number] for order in orders if not order.answers]
        if starts(server, point):
            await send_all(rounds[number], Api(session, server.url, key), again=unanswered)
        await asyncio.to_thread(server.has_died)
    server.start()
    api = Api(session, server.url, key)
    everything = [order for orders in rounds for order in orders]
    await send_all(rounds[-1], api, again=everything)
    # A busy server may respond with 503 to all.
    while unanswered := [order for order in everything if not order.answers]:
        await send_all([], api, again=unanswered)
    found = Found(api)
    for order in everything:
        await order.check(found)
    assert await asyncio.to_thread(server.ask, "check") == []
