"""Servers that may deliver to a receiver on this machine and retry immediately."""

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from tests.conftest import DATABASES, NewServer
from tests.support.client import Client, data
from tests.support.server import Server
from tests.support.waiting import eventually
from tests.webhooks.receiver import Receiver, running_receiver

SETTINGS = {"RETINUE_ALLOWED_NETWORKS": "127.0.0.1/32", "RETINUE_WEBHOOK_SCHEDULE": "0,0.1,0.2"}
_paths = itertools.count(1)


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    """A webhook receiver. Hanging responses are released after the test."""
    with running_receiver() as running:
        yield running
        running.let_go()


@pytest.fixture(scope="package", params=DATABASES)
def shared_server(request: pytest.FixtureRequest, new_server: NewServer) -> Iterator[Server]:
    """The server of these tests, instead of the suite's shared one."""
    server = new_server(request.param, **SETTINGS).start()
    yield server
    assert server.cli("check") == "All is well.\n"
    server.close()


@dataclass
class Hook:
    """An endpoint at a path of the receiver."""

    client: Client
    receiver: Receiver
    path: str
    id: int
    secret: str

    def test(self) -> dict[str, Any]:
        """Request a test event. Returns the delivery."""
        delivery: dict[str, Any] = data(self.client.post(f"/webhooks/{self.id}/test"), 202)
        return delivery

    def record(self) -> dict[str, Any]:
        """Return the endpoint."""
        record: dict[str, Any] = data(self.client.get(f"/webhooks/{self.id}"))
        return record

    def delivery(self, delivery_id: str) -> dict[str, Any]:
        """Return a delivery with its attempts."""
        found: dict[str, Any] = data(self.client.get(f"/webhooks/{self.id}/deliveries/{delivery_id}"))
        return found

    def end(self, delivery_id: str, within: float = 10.0) -> dict[str, Any]:
        """Wait until a delivery has ended, and return it."""

        def over() -> dict[str, Any] | None:
            found = self.delivery(delivery_id)
            return found if found["status"] != "pending" else None

        return eventually(over, within)


NewHook = Callable[..., Hook]


@pytest.fixture
def new_hook(receiver: Receiver) -> NewHook:
    """Create endpoints: `new_hook(client, events=["agent.created"])`."""

    def make(client: Client, **fields: object) -> Hook:
        path = f"/hook/{next(_paths)}"
        created = data(client.post("/webhooks", {"url": receiver.url(path), **fields}), 201)
        return Hook(client, receiver, path, created["id"], created["secret"])

    return make


def new_agent(client: Client, name: str = "told of") -> int:
    """Create an agent, which emits an event. Returns its id."""
    agent_id: int = data(client.post("/agents", {"agent_name": name, "agent_role": "leader"}), 201)["id"]
    return agent_id
