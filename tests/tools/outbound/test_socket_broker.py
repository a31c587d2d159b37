"""How the broker opens several connections of a worker at the same time."""

import asyncio
import json
import os
import socket
from collections.abc import AsyncIterator

import pytest

from retinue.core.network.http_client import AddressGuard
from retinue.tools.outbound import worker_sockets
from retinue.tools.outbound.socket_broker import SocketBroker

PATIENCE_S = 120.0
"""How long a failing test waits for an answer."""


class SlowBroker(SocketBroker):
    """Opens no connection to the host slow until the test permits it. Each connection says the name of its host."""

    def __init__(self) -> None:
        super().__init__(AddressGuard())
        self.ours, self.theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.ours.setblocking(False)
        self.requests = self.opening = 0
        self.begun, self.permitted, self.eight = asyncio.Event(), asyncio.Event(), asyncio.Event()

    def admit(self) -> int:
        """Count the requests."""
        self.requests += 1
        return self.requests

    async def _connect(self, host: str | None, port: int) -> socket.socket:
        connection, other = socket.socketpair()
        with other:
            other.send(str(host).encode())
        if host == "slow":
            self.opening += 1
            self.begun.set()
            if self.opening == 8:
                self.eight.set()
            await self.permitted.wait()
        return connection


@pytest.fixture
async def broker(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[SlowBroker]:
    """A broker that serves the threads of this process, until its worker's end is shut down."""
    broker = SlowBroker()
    monkeypatch.setattr(worker_sockets, "_channels", [])
    worker_sockets.attach(os.dup(broker.theirs.fileno()))
    serving = asyncio.create_task(broker.serve(broker.ours, broker.admit))
    yield broker
    broker.permitted.set()
    broker.theirs.shutdown(socket.SHUT_RDWR)
    await asyncio.wait_for(serving, PATIENCE_S)
    await broker.close()
    broker.ours.close()
    broker.theirs.close()


def host_reached(host: str) -> str:
    """Request a connection as a tool does; return the name of the host at its other end."""
    with worker_sockets.connect(host, 80) as connection:
        return connection.recv(100).decode()


async def test_a_slow_host_delays_no_other_connection(broker: SlowBroker) -> None:
    slow = asyncio.create_task(asyncio.to_thread(host_reached, "slow"))
    await asyncio.wait_for(broker.begun.wait(), PATIENCE_S)
    for host in ("one", "two"):
        assert await asyncio.wait_for(asyncio.to_thread(host_reached, host), PATIENCE_S) == host
    assert not slow.done()
    broker.permitted.set()
    assert await asyncio.wait_for(slow, PATIENCE_S) == "slow"


async def test_a_worker_that_ends_has_no_connections_opened_any_more(broker: SlowBroker) -> None:
    slow = asyncio.create_task(asyncio.to_thread(host_reached, "slow"))
    await asyncio.wait_for(broker.begun.wait(), PATIENCE_S)
    broker.theirs.shutdown(socket.SHUT_RDWR)
    with pytest.raises(ConnectionError, match="does not open any more"):
        await asyncio.wait_for(slow, PATIENCE_S)


async def test_a_worker_has_eight_connections_opened_at_a_time(broker: SlowBroker) -> None:
    question = json.dumps({"host": "slow", "port": 80, "timeout_s": PATIENCE_S}).encode()
    for number in range(12):
        broker.theirs.send(number.to_bytes(worker_sockets.ID_BYTES, "big") + question)
    await asyncio.wait_for(broker.eight.wait(), PATIENCE_S)
    for _ in range(20):  # turns in which a ninth would begin
        await asyncio.sleep(0)
    assert (broker.opening, broker.requests) == (8, 8)
    broker.permitted.set()
    for _ in range(12):
        answer = await asyncio.wait_for(asyncio.to_thread(socket.recv_fds, broker.theirs, 4096, 1), PATIENCE_S)
        os.close(answer[1][0])
    assert broker.opening == 12
