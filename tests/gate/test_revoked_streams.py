"""A stream ends within about a second when its credential is revoked, or when its user is suspended."""

from collections.abc import Callable
from contextlib import ExitStack, suppress

import pytest
import requests

from retinue.app import operations
from tests.conftest import User
from tests.files.support import MIB, upload
from tests.gate.test_shutdown import get
from tests.support.client import Client, data
from tests.support.raw import connect
from tests.support.server import Server
from tests.support.waiting import eventually

LONG = "[[sleep:300]]Hello"
WITHIN_S = 120.0
"""Far more than a second, because the machine may be busy, and far less than the streams take."""


def agent_of(client: Client, **fields: object) -> int:
    """Create an agent. Returns its id."""
    return int(data(client.post("/agents", {"agent_name": "a", "agent_role": "leader", **fields}), 201)["id"])


def follow_run(client: Client) -> tuple[str, dict[str, object] | None]:
    """Start a long run. Returns the path of its events."""
    body = {"message": LONG, "background": True}
    run = data(client.post(f"/agents/{agent_of(client)}/execute", body), 202)["id"]
    return f"/runs/{run}/events", None


def follow_room(client: Client) -> tuple[str, dict[str, object] | None]:
    """Open a room. Returns the path of its events."""
    return f"/voice/rooms/{data(client.post('/voice/rooms', {'name': 'a'}), 201)['id']}/events", None


def follow_deployment(client: Client) -> tuple[str, dict[str, object] | None]:
    """Deploy a fleet. Returns the path of the deployment's events."""
    fleet = data(client.post("/fleets", {"name": "a"}), 201)["id"]
    agent_of(client, fleet_id=fleet)
    deployment = data(client.post(f"/fleets/{fleet}/deploy", {"task": LONG}))["deployment_id"]
    return f"/fleets/{fleet}/deployments/{deployment}/events", None


STREAMS: dict[str, Callable[[Client], tuple[str, dict[str, object] | None]]] = {
    "stream_run": follow_run,
    "stream_room": follow_room,
    "stream_deployment": follow_deployment,
    "chat": lambda _: ("/chat", {"message": LONG, "stream": True}),
    "execute_agent": lambda client: (f"/agents/{agent_of(client)}/execute", {"message": LONG, "stream": True}),
}


def open_streams(client: Client, stack: ExitStack) -> dict[str, requests.Response]:
    """Open a stream of each operation that has one."""
    opened = {}
    for name, prepare in STREAMS.items():
        path, body = prepare(client)
        response = client.request("POST" if body else "GET", path, json=body, stream=True)
        stack.callback(response.close)
        assert response.headers["Content-Type"].startswith("text/event-stream"), name
        opened[name] = response
    return opened


def wait_for_ends(streams: dict[str, requests.Response]) -> None:
    """Read each stream to its end. Fails if a stream is silent for too long instead."""
    for response in streams.values():
        response.raw._connection.sock.settimeout(WITHIN_S)
        with suppress(requests.exceptions.ChunkedEncodingError):  # It may end in the middle.
            assert len(response.content) < MIB


ENDED = {"stream_call"}
"""Streams that end by themselves on a server without telephones. They are sent by the code of `stream_room`."""


def test_every_stream_is_tried() -> None:
    assert STREAMS.keys() | ENDED == {operation.name for operation in operations() if operation.streams}


@pytest.mark.either_database
def test_streams_end_when_the_key_is_revoked(server: Server, user: User, sandbox: Client) -> None:
    keys = data(sandbox.get("/keys"))
    with ExitStack() as stack:
        streams = open_streams(sandbox, stack)
        other = user.client(test=True)
        following = other.request("GET", follow_room(other)[0], stream=True)
        stack.callback(following.close)
        for key in keys:
            assert other.delete(f"/keys/{key['id']}").status_code == 200
        wait_for_ends(streams)
        assert following.raw.read(1)  # Another key's stream goes on.
        assert other.get("/agents").status_code == 200


@pytest.mark.either_database
def test_streams_end_when_the_user_is_suspended(server: Server, user: User, sandbox: Client) -> None:
    with ExitStack() as stack:
        streams = open_streams(sandbox, stack)
        server.ask("users.suspend", email=user.email)
        wait_for_ends(streams)


def test_a_download_ends_when_the_key_is_revoked(server: Server, user: User, client: Client) -> None:
    file = upload(client, bytes(20 * MIB))["id"]
    (key,) = data(client.get("/keys"))
    with connect(server) as connection:
        connection.sendall(get(client, f"/files/{file}/content"))
        assert connection.recv(15) == b"HTTP/1.1 200 OK"
        other = user.client()
        assert other.delete(f"/keys/{key['id']}").status_code == 200
        eventually(lambda: f'"path":"/api/v1/files/{file}/content"' in server.log.read_text())
        size = 0
        while block := connection.recv(1 << 20):
            size += len(block)
    assert size < 20 * MIB
