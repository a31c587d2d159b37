"""Stalled connections, missing bodies and too many requests of one account do not block other requests."""

import resource
import select
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import pytest

from tests.conftest import NewUser, StartServer
from tests.gate.test_unfinished_forms import PUBLIC, public_head
from tests.support.client import Client, data, fetch
from tests.support.raw import connect, head
from tests.support.server import Server
from tests.support.waiting import eventually

MANY = 3000
"""More idle connections than the kernel's accept queue can hold."""

MIB = 1 << 20


@pytest.fixture
def many_files() -> Iterator[None]:
    """Raise the limit of open files for the test's ends of the connections."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (before[1], before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


def json_head(client: Client, length: int) -> bytes:
    """Return the head of a request to create an agent, with a body of that length."""
    return head(client, "/agents", "Content-Type: application/json", f"Content-Length: {length}")


def read_to_end(connection: socket.socket) -> bytes:
    """Return everything received until the server closes the connection."""
    received = bytearray()
    while part := connection.recv(65_536):
        received += part
    return bytes(received)


@contextmanager
def under_way(server: Server, request: bytes, count: int) -> Iterator[list[socket.socket]]:
    """Open connections and send the beginning of a request on each."""
    with ExitStack() as stack:
        connections = [stack.enter_context(connect(server)) for _ in range(count)]
        for connection in connections:
            connection.sendall(request)
        yield connections


@pytest.mark.usefixtures("many_files")
def test_thousands_of_idle_connections_keep_nobody_out(start_server: StartServer, new_user: NewUser) -> None:
    server = start_server()
    client = new_user(server).client()
    with under_way(server, b"", MANY) as connections:
        assert fetch(server, "/healthz").json() == {"status": "ok"}
        assert data(client.get("/agents")) == []
        for connection in connections:
            connection.setblocking(False)
            with pytest.raises(BlockingIOError):
                connection.recv(1)  # All of them are still open: none was closed to admit the two.


def test_a_body_that_does_not_come_is_ended(start_server: StartServer, new_user: NewUser) -> None:
    server = start_server(RETINUE_BODY_TIMEOUT="0.5")
    client, other = new_user(server).client(), new_user(server).client()
    beginnings = (json_head(client, 1000), json_head(client, 1000) + b"{")
    chunked = head(client, "/agents", "Content-Type: application/json", "Transfer-Encoding: chunked") + b"1\r\n{\r\n"
    forms = [public_head(path, kind, 100) + b"a" for path, kind in PUBLIC]
    for beginning in (*beginnings, chunked, *forms):
        with under_way(server, beginning, 1) as (slow,):
            assert data(other.get("/agents")) == []
            answer = read_to_end(slow)
        assert answer.startswith(b"HTTP/1.1 400 "), answer
        assert b"did not arrive within 0.5 s" in answer
    assert data(client.post("/agents", {"agent_name": "a", "agent_role": "leader"}), 201)


@pytest.mark.long
@pytest.mark.timeout(120)
def test_headers_that_never_end_are_ended(start_server: StartServer, new_user: NewUser) -> None:
    server = start_server()
    other = new_user(server).client()
    with under_way(server, b"GET /healthz HTTP/1.1\r\nHost: a\r\nX-Slow: ", 1) as (slow,):
        assert data(other.get("/agents")) == []
        assert not read_to_end(slow).startswith(b"HTTP/1.1 200")


def test_large_bodies_under_way_are_bounded_by_account(start_server: StartServer, new_user: NewUser) -> None:
    server = start_server()
    client, other = new_user(server).client(), new_user(server).client()
    with under_way(server, json_head(client, MIB), 33) as connections:
        refused_one, *_ = eventually(lambda: select.select(connections, [], [], 1)[0])
        answer = refused_one.recv(65_536)
        assert answer.startswith(b"HTTP/1.1 429 "), answer
        assert b"retry-after: 1" in answer
        assert b"32 MiB" in answer
        assert data(other.post("/agents", {"agent_name": "a", "agent_role": "leader"}), 201)
    eventually(lambda: data(client.post("/agents", {"agent_name": "x" * 100, "agent_role": "leader"}), 201))
    full = {"agent_name": "a", "agent_role": "leader", "task": "x" * 2000}
    assert all(client.post("/agents", full).status_code == 201 for _ in range(3)), "ended requests must free their room"
