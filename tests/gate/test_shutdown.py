"""A shutdown ends within its deadline, whatever is open."""

import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import psutil
import pytest

from tests.conftest import NewUser, StartServer
from tests.files.support import MIB, upload
from tests.gate.test_unfinished_forms import PUBLIC, public_head, unread
from tests.support.client import Client, data
from tests.support.raw import connect, head
from tests.support.server import Server
from tests.support.waiting import eventually

PATIENCE_S, SPARE_S = 5.0, 2.0
"""The default of `RETINUE_SHUTDOWN_TIMEOUT`, and what a shutdown may take beyond twice that."""

SOON_S = 45.0
"""Less than the replies take that are under way, and far more than a shutdown takes on a busy machine."""

TRIES = 3
"""How often a server may stop too slowly, in a row: a machine may be busy, and a fault is there each time."""

LONG_CHAT = '{"message": "[[sleep:60]]Hello", "stream": %s}'


def get(client: Client, path: str) -> bytes:
    """Return a request that follows or downloads something."""
    return head(client, path).replace(b"POST", b"GET", 1)


def chat(client: Client, stream: str) -> bytes:
    """Return a request for a reply that takes a minute."""
    body = (LONG_CHAT % stream).encode()
    return head(client, "/chat", "Content-Type: application/json", f"Content-Length: {len(body)}") + body


def everything(client: Client) -> Iterator[bytes]:
    """Yield requests that do not end by themselves in the time of a test, complete and incomplete ones."""
    file = upload(client, bytes(20 * MIB))["id"]
    room = data(client.post("/voice/rooms", {"name": "a"}), 201)["id"]
    yield get(client, f"/files/{file}/content")
    yield get(client, f"/voice/rooms/{room}/events")
    yield chat(client, "true")
    yield chat(client, "false")
    yield head(client, "/files?name=a", "Content-Type: text/plain", "Content-Length: 1000") + b"half"
    yield head(client, "/agents", "Content-Type: application/json", "Content-Length: 1000") + b'{"half'
    for path, kind in PUBLIC:
        yield public_head(path, kind, 1000) + b"half"
    yield b"GET /healthz HTTP/1.1\r\nHost: a\r\nX-Half: "
    yield b""


def open_all(server: Server, requests: Iterator[bytes], stack: ExitStack) -> list[socket.socket]:
    """Send each request on a connection of its own that reads nothing."""
    connections = []
    for request in requests:
        connection = stack.enter_context(connect(server))
        connection.sendall(request)
        connections.append(connection)
    return connections


def stop_soon(server: Server) -> float:
    """Stop the server, and return the seconds. Fails unless it exits with status 0, and all its children with it."""
    assert server.process
    children = psutil.Process(server.process.pid).children(recursive=True)
    seconds = server.stop()
    assert seconds < SOON_S
    _, alive = psutil.wait_procs(children, timeout=60)
    assert alive == []
    return seconds


def events_of(log: Path) -> list[str]:
    """Return what the server logged about its shutdown, in order."""
    names = ("server.stopping", "server.closing_connections", "server.stopped", "server.parts_not_stopped")
    return [name for line in log.read_text().splitlines() for name in names if f'"event":"{name}"' in line]


def test_whatever_is_open_a_shutdown_ends(start_server: StartServer, new_user: NewUser) -> None:
    server = start_server(RETINUE_SHUTDOWN_TIMEOUT="0.5")
    client = new_user(server).client(test=True)
    data(client.post("/tools/math_evaluate_expression/execute", {"args": {"expression": "1 + 1"}}))
    with ExitStack() as stack:
        connections = open_all(server, everything(client), stack)
        assert connections[2].recv(9) == b"HTTP/1.1 "  # The chat has begun.
        eventually(lambda: unread(server) == 0)
        stop_soon(server)
        answers = [connection.recv(65_536) for connection in connections[4:6]]
    assert all(answer.startswith(b"HTTP/1.1 503 ") and b"shutting down" in answer for answer in answers), answers
    assert events_of(server.log) == ["server.stopping", "server.closing_connections", "server.stopped"]


def test_a_second_signal_ends_the_server_at_once(start_server: StartServer) -> None:
    server = start_server(RETINUE_SHUTDOWN_TIMEOUT="600")
    with connect(server) as connection:
        connection.sendall(public_head("/sign-in", "application/x-www-form-urlencoded", 1000) + b"half")
        assert server.process
        server.process.terminate()
        eventually(lambda: "server.stopping" in server.log.read_text())
        server.process.terminate()
        assert server.process.wait(120) != 0
    server.process = None


def stop_while_busy(start_server: StartServer, new_user: NewUser) -> float:
    """Stop a server with a hundred runs and hundreds of connections, and return the seconds."""
    server = start_server()
    client = new_user(server).client(test=True)
    agent = data(client.post("/agents", {"agent_name": "a", "agent_role": "leader"}), 201)["id"]
    background = {"message": "[[sleep:60]]Hello", "background": True}
    runs = [data(client.post(f"/agents/{agent}/execute", background), 202)["id"] for _ in range(100)]
    with ExitStack() as stack:
        open_all(server, (get(client, f"/runs/{run}/events") for run in runs[:3]), stack)
        open_all(server, everything(client), stack)
        open_all(server, iter([b""] * 200), stack)
        began = time.monotonic()
        seconds = stop_soon(server)
        assert time.monotonic() - began >= PATIENCE_S  # The chats have that long.
    return seconds


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_busy_server_stops_within_twelve_seconds(start_server: StartServer, new_user: NewUser) -> None:
    limit = 2 * PATIENCE_S + SPARE_S
    assert any(stop_while_busy(start_server, new_user) < limit for _ in range(TRIES))
