"""Connections of tools: which the broker opens, which it refuses, and that a worker has no other way out."""

import asyncio
import socket
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from ipaddress import ip_network
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from retinue.core.errors import Unavailable, ValidationFailed
from retinue.core.network.http_client import AddressGuard
from retinue.tools.execution.pool import ToolPool
from retinue.tools.outbound import socket_broker
from retinue.tools.verification.mock_web_server import stand_ins
from tests.tools.executors import ON_ONE_LOOP
from tests.tools.made_up import HERE, make_tool

pytestmark = ON_ONE_LOOP
ONE_ADDRESS = AddressGuard([ip_network("127.0.0.1/32")])
SPELLINGS = (
    "127.0.0.1",
    "127.1",
    "2130706433",
    "0177.0.0.1",
    "0x7f.0.0.1",
    "localhost",
    "10.0.0.8",
    "192.168.1.1",
    "169.254.169.254",
    "0.0.0.0",
    "::1",
    "::ffff:127.0.0.1",
    "::ffff:7f00:1",
    "64:ff9b::7f00:1",
    "fe80::1",
    "fd00::1",
)


def wide(name: str, **fields: Any) -> Any:
    return make_tool(name, module="network_tools", open_world=True, **fields)


async def pool_with(guard: AddressGuard, scratch: Path) -> AsyncIterator[ToolPool]:
    pool = ToolPool(1, paths=[str(HERE)], guard=guard, scratch=scratch)
    await pool.start()
    yield pool
    await pool.stop()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def near(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[ToolPool]:
    """A pool whose tools may reach 127.0.0.1."""
    async for pool in pool_with(ONE_ADDRESS, tmp_path_factory.mktemp("near")):
        yield pool


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def public(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[ToolPool]:
    """A pool whose tools may reach public addresses only."""
    async for pool in pool_with(AddressGuard(), tmp_path_factory.mktemp("public")):
        yield pool


@pytest.fixture
def echo() -> Iterator[int]:
    """The port of a server that answers the lines one, two and three."""
    answers = {"one": "1\n", "two": "2\n", "three": "3\n"}
    with stand_ins({"servers": {"echo": {"kind": "text", "answers": answers}}}) as marks:
        yield int(marks["{echo.port}"])


async def refusal(pool: ToolPool, name: str, **args: Any) -> str:
    with pytest.raises(ValidationFailed) as refused:
        await pool.execute(wide(name), args)
    return refused.value.message


async def test_an_allowed_address_is_talked_to(near: ToolPool, echo: int) -> None:
    said = await near.execute(wide("talk"), {"host": "127.0.0.1", "port": echo, "line": "one"})
    assert said == {"said": "1\r\n"}


async def test_threads_of_a_tool_get_the_connections_that_they_asked_for(near: ToolPool, echo: int) -> None:
    lines = ["one", "two", "three"] * 8
    said = await near.execute(wide("talk_at_once", memory_mb=1024), {"host": "127.0.0.1", "port": echo, "lines": lines})
    assert said == {"said": ["1\r\n", "2\r\n", "3\r\n"] * 8}


@pytest.mark.parametrize("host", SPELLINGS)
async def test_addresses_that_are_not_public_are_refused_however_they_are_spelled(
    public: ToolPool, echo: int, host: str
) -> None:
    assert "not a public address" in await refusal(public, "talk", host=host, port=echo)


async def test_a_tool_of_the_closed_world_gets_no_connection(near: ToolPool, echo: int) -> None:
    closed = make_tool("talk", module="network_tools")
    with pytest.raises(ValidationFailed, match="may open no connections"):
        await near.execute(closed, {"host": "127.0.0.1", "port": echo})
    opened = await near.execute(wide("talk"), {"host": "127.0.0.1", "port": echo, "line": "one"})
    assert opened == {"said": "1\r\n"}


async def test_a_call_may_open_so_many_connections_and_the_next_call_as_many(near: ToolPool, echo: int) -> None:
    args = {"host": "127.0.0.1", "port": echo, "lines": ["one"] * 201}
    with pytest.raises(ValidationFailed, match="may open 200 connections"):
        await near.execute(wide("talk_at_once", memory_mb=1024), args)
    assert await near.execute(wide("talk"), {"host": "127.0.0.1", "port": echo, "line": "two"}) == {"said": "2\r\n"}


@pytest.mark.parametrize(
    ("host", "port"),
    [("127.0.0.1", 0), ("127.0.0.1", 65_536), ("127.0.0.1", -1), ("a\0b", 80), ("x" * 300_000, 80), (["x"], 80)],
)
async def test_nonsense_is_refused(near: ToolPool, host: Any, port: int) -> None:
    assert "not a host and a port" in await refusal(near, "talk", host=host, port=port)


async def test_the_name_server_is_asked_at_its_own_port_alone(
    public: ToolPool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may be a private address, and must not open the way to other ports there."""
    resolver = tmp_path / "resolv.conf"
    resolver.write_text("search example\nnameserver 127.0.0.1\n")
    monkeypatch.setattr(socket_broker, "_RESOLVER", resolver)
    with socket.create_server(("127.0.0.1", 0)) as other:
        other.setblocking(False)
        with suppress(Unavailable):
            await public.execute(wide("talk"), {"host": None, "port": other.getsockname()[1], "timeout_s": 0.5})
        with pytest.raises(BlockingIOError):
            other.accept()


async def test_a_name_that_does_not_exist_is_unavailable(near: ToolPool) -> None:
    with pytest.raises(Unavailable):
        await near.execute(wide("talk"), {"host": "no-such-name.invalid", "port": 80})


async def test_a_closed_port_is_unavailable(near: ToolPool) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        with pytest.raises(Unavailable, match="refused"):
            await near.execute(wide("talk"), {"host": "127.0.0.1", "port": taken.getsockname()[1]})


@pytest.mark.parametrize("family", [socket.AF_INET, socket.AF_INET6, socket.AF_UNIX, socket.AF_NETLINK])
async def test_a_worker_makes_no_sockets_itself(near: ToolPool, family: int) -> None:
    assert "no socket" in await refusal(near, "open_raw", family=int(family))


async def test_a_connection_is_not_turned_to_another_address(near: ToolPool, echo: int) -> None:
    assert "no connect" in await refusal(near, "turn_elsewhere", host="127.0.0.1", port=echo)


async def test_a_pool_stops_while_a_tool_waits_for_a_connection(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0), backlog=0) as full, socket.socket() as filling:
        filling.connect(full.getsockname())
        pool = ToolPool(1, paths=[str(HERE)], guard=ONE_ADDRESS, scratch=tmp_path / "scratch")
        await pool.start()
        args = {"host": "127.0.0.1", "port": full.getsockname()[1], "timeout_s": 25.0}
        call = asyncio.create_task(pool.execute(wide("talk", timeout_s=30.0), args))
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(asyncio.shield(call), 1.5)
        start = time.monotonic()
        await pool.stop()
        assert time.monotonic() - start < 20  # the tool would wait for 25 s
        with pytest.raises(Unavailable):
            await call
