"""A crash of the server loses no event, and a receiver gets each event under a single id."""

from collections import Counter
from contextlib import suppress

import pytest
import requests

from tests.conftest import DATABASES, NewUser, StartServer
from tests.support.client import Client, data
from tests.support.crashes import die_again_and_again
from tests.support.waiting import eventually
from tests.webhooks.conftest import SETTINGS, NewHook, new_agent
from tests.webhooks.receiver import Answer, Receiver

EVENTS = 40
ROUNDS = 2
FAILURES = 10
"""Failed attempts in each round."""
QUICK = {**SETTINGS, "RETINUE_WEBHOOK_SCHEDULE": ",".join(["0", *["0.1"] * ROUNDS * FAILURES])}
"""One delivery may get all the failures and still has an attempt left."""


@pytest.mark.parametrize("database", DATABASES)
def test_kills_lose_no_event(
    start_server: StartServer, new_user: NewUser, new_hook: NewHook, receiver: Receiver, database: str
) -> None:
    server = start_server(database, **QUICK)
    client = new_user(server).client()
    healthy, failing, hanging = (new_hook(client, events=["agent.created"]) for _ in range(3))
    receiver.always[hanging.path] = Answer(hangs=True)
    agents = []
    for round_number in range(ROUNDS):
        receiver.answers[failing.path] += [Answer(500)] * FAILURES
        agents += [new_agent(client) for _ in range(EVENTS)]
        receiver.receive(healthy.path, EVENTS * round_number + EVENTS // 2)
        server.kill()
        server.start()
        client.close()
        client = Client(server, client.key)
    working = (healthy.path, failing.path)
    eventually(lambda: all(describe(receiver, path).keys() == set(agents) for path in working), within=20)
    for path in working:
        assert {len(ids) for ids in describe(receiver, path).values()} == {1}
    receiver.let_go()
    eventually(lambda: describe(receiver, hanging.path).keys() == set(agents), within=20)
    hooks, delivered = (healthy, failing, hanging), {"delivered": len(agents)}
    eventually(lambda: all(statuses(client, hook.id) == delivered for hook in hooks), within=20)
    client.close()
    assert server.cli("check") == "All is well.\n"


def describe(receiver: Receiver, path: str) -> dict[int, set[str]]:
    """Return the event ids that the receiver got for each agent."""
    found: dict[int, set[str]] = {}
    for request in receiver.receive(path):
        found.setdefault(request.payload["data"]["agent_id"], set()).add(request.headers["webhook-id"])
    return found


def statuses(client: Client, hook_id: int) -> dict[str, int]:
    """Return the number of deliveries by status."""
    pages = [data(client.get(f"/webhooks/{hook_id}/deliveries?per_page=100&page={page}")) for page in (1, 2)]
    return Counter(delivery["status"] for page in pages for delivery in page)


def test_a_stop_lets_attempts_end(
    start_server: StartServer, new_user: NewUser, new_hook: NewHook, receiver: Receiver
) -> None:
    server = start_server(**SETTINGS)
    client = new_user(server).client()
    hook = new_hook(client)
    receiver.answers[hook.path] += [Answer(hangs=True)]
    delivery_id = hook.test()["id"]
    receiver.receive(hook.path, 1)
    assert server.stop() < 10
    server.start()
    hook.client = Client(server, client.key)
    delivery = hook.end(delivery_id)
    hook.client.close()
    assert [(entry["number"], entry["status"]) for entry in delivery["log"]] == [(1, None), (2, 200)]


@pytest.mark.parametrize("database", DATABASES)
def test_a_delivery_that_kills_its_process_is_set_aside(
    start_server: StartServer, new_user: NewUser, new_hook: NewHook, receiver: Receiver, database: str
) -> None:
    server = start_server(database, **SETTINGS, RETINUE_CRASH_AT="webhooks.claimed")
    client = new_user(server).client()
    hook = new_hook(client)
    with suppress(requests.RequestException):
        hook.test()
    die_again_and_again(server)
    hook.client = Client(server, client.key)
    (delivery,) = data(hook.client.get(f"/webhooks/{hook.id}/deliveries"))
    over = hook.end(delivery["id"])
    hook.client.close()
    assert over["status"] == "failed"
    assert [entry["number"] for entry in over["log"]] == [1, 2, 3, 4]
    assert "abandoned after its process ended 3 times" in over["log"][-1]["error"]
    assert receiver.receive(hook.path) == []
