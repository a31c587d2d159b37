"""Deliveries: what a receiver gets, how often, in which order, and what the log shows."""

import hashlib
import hmac
import time
from collections import Counter
from datetime import datetime, timedelta

import pytest
from standardwebhooks import Webhook, WebhookVerificationError

from tests.conftest import NewUser, StartServer
from tests.support.client import Client, data, refuse
from tests.support.sql import execute
from tests.support.waiting import eventually
from tests.webhooks.conftest import SETTINGS, NewHook, new_agent
from tests.webhooks.receiver import Answer, Received, Receiver


def signature(secret: str, body: bytes) -> str:
    """Compute the platform's own signature like a receiver."""
    return "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


def verify(secret: str, request: Received, body: bytes | None = None) -> bool:
    """Return whether the published library accepts the request."""
    try:
        Webhook(secret).verify(body or request.body, {name.lower(): value for name, value in request.headers.items()})
    except WebhookVerificationError:
        return False
    return True


def test_a_receiver_gets_the_specified_request(client: Client, new_hook: NewHook, receiver: Receiver) -> None:
    hook = new_hook(client)
    agent_id = new_agent(client, "Ünïcode 🎺")
    (request,) = receiver.receive(hook.path, 1)
    assert request.payload.keys() == {"id", "event", "timestamp", "data"}
    assert request.payload["event"] == "agent.created"
    assert request.payload["timestamp"].endswith("+00:00")
    assert datetime.fromisoformat(request.payload["timestamp"]).utcoffset() == timedelta(0)
    assert request.payload["data"] == {
        "agent_id": agent_id,
        "agent_name": "Ünïcode 🎺",
        "agent_role": "leader",
        "fleet_id": None,
        "status": "idle",
    }
    assert request.headers["User-Agent"] == "Retinue-Webhooks/1.0"
    assert request.headers["Content-Type"] == "application/json"
    assert request.headers["X-Webhook-Event"] == "agent.created"
    assert request.headers["X-Webhook-Delivery"].startswith("dlv_")
    assert request.headers["webhook-id"] == request.payload["id"]


def test_both_signatures_hold_and_a_changed_byte_breaks_them(
    client: Client, new_hook: NewHook, receiver: Receiver
) -> None:
    hook = new_hook(client)
    hook.test()
    (request,) = receiver.receive(hook.path, 1)
    assert request.headers["X-Webhook-Signature"] == signature(hook.secret, request.body)
    assert verify(hook.secret, request)
    for place in range(len(request.body)):
        tampered = bytearray(request.body)
        tampered[place] ^= 1
        assert signature(hook.secret, bytes(tampered)) != request.headers["X-Webhook-Signature"]
        assert not verify(hook.secret, request, bytes(tampered))


def test_every_attempt_has_the_same_id_and_is_logged(client: Client, new_hook: NewHook, receiver: Receiver) -> None:
    hook = new_hook(client)
    receiver.answers[hook.path] += [Answer(500, "x" * 3000), Answer(503, "busy")]
    delivery = hook.end(hook.test()["id"])
    requests = receiver.receive(hook.path)
    assert {request.headers["X-Webhook-Delivery"] for request in requests} == {delivery["id"]}
    assert len({request.body for request in requests}) == 1
    assert (delivery["status"], delivery["attempts"], len(requests)) == ("delivered", 3, 3)
    assert [(entry["number"], entry["status"]) for entry in delivery["log"]] == [(1, 500), (2, 503), (3, 200)]
    assert delivery["log"][0]["answer"] == "x" * 1024
    assert "500" in delivery["log"][0]["error"]
    assert delivery["log"][2]["error"] is None
    assert hook.record()["failing_since"] is None


def test_attempts_end_with_the_schedule(client: Client, new_hook: NewHook, receiver: Receiver) -> None:
    hook = new_hook(client)
    receiver.always[hook.path] = Answer(500)
    delivery = hook.end(hook.test()["id"])
    assert (delivery["status"], delivery["attempts"]) == ("failed", 3)
    assert delivery["next_attempt_at"] is None
    began = [datetime.fromisoformat(entry["started_at"]) for entry in delivery["log"]]
    assert [later - earlier > timedelta(seconds=wait) for earlier, later, wait in zip(
        began, began[1:], (0.09, 0.18), strict=False
    )] == [True, True]  # fmt: skip
    assert hook.record()["failing_since"] is not None


@pytest.mark.parametrize("retry_after", ["3600", "99999999", "Wed, 21 Oct 2099 07:28:00 GMT"])
def test_a_receiver_may_say_when_to_come_again(
    client: Client, new_hook: NewHook, receiver: Receiver, retry_after: str
) -> None:
    hook = new_hook(client)
    receiver.always[hook.path] = Answer(429, headers={"Retry-After": retry_after})
    delivery_id = hook.test()["id"]
    delivery = eventually(lambda: (found := hook.delivery(delivery_id))["log"] and found)
    began = datetime.fromisoformat(delivery["log"][0]["started_at"])
    waits = (datetime.fromisoformat(delivery["next_attempt_at"]) - began).total_seconds()
    assert waits == pytest.approx(3600 if retry_after == "3600" else 86_400, abs=5)


def test_a_redirect_is_a_failure(client: Client, new_hook: NewHook, receiver: Receiver) -> None:
    hook = new_hook(client)
    receiver.always[hook.path] = Answer(302, headers={"Location": receiver.url("/elsewhere")})
    delivery = hook.end(hook.test()["id"])
    assert delivery["status"] == "failed"
    assert "Redirects are not followed" in delivery["log"][0]["error"]
    assert receiver.receive("/elsewhere") == []


def test_gone_disables_the_endpoint(client: Client, new_hook: NewHook, receiver: Receiver) -> None:
    hook = new_hook(client)
    receiver.always[hook.path] = Answer(410)
    delivery = hook.end(hook.test()["id"])
    assert (delivery["status"], delivery["attempts"]) == ("failed", 1)
    record = hook.record()
    assert record["enabled"] is False
    assert "410" in record["disabled_reason"]
    refuse(client.post(f"/webhooks/{hook.id}/test"), 400, "disabled")
    enabled = data(client.put(f"/webhooks/{hook.id}", {"enabled": True}))
    assert (enabled["disabled_reason"], enabled["failing_since"]) == (None, None)


def test_events_start_in_order_and_each_comes_once(client: Client, new_hook: NewHook, receiver: Receiver) -> None:
    hook = new_hook(client, events=["agent.created"])
    agents = [new_agent(client) for _ in range(30)]
    requests = receiver.receive(hook.path, 30)
    told = [request.payload["data"]["agent_id"] for request in requests]
    assert sorted(told) == agents
    assert max(abs(place - agents.index(agent)) for place, agent in enumerate(told)) < 10
    listed = client.get(f"/webhooks/{hook.id}/deliveries?per_page=100").json()
    assert listed["meta"]["total"] == len(listed["data"]) == 30


def test_pages_from_both_ends_of_the_list_fit_together(client: Client, new_hook: NewHook) -> None:
    hook = new_hook(client)
    made = [hook.test()["id"] for _ in range(7)]
    for per_page in (1, 2, 3, 7, 8):
        path = f"/webhooks/{hook.id}/deliveries?per_page={per_page}&page="
        pages = [data(client.get(f"{path}{number}")) for number in range(1, 9)]
        assert [one["id"] for page in pages for one in page] == made[::-1], per_page
        assert max(len(page) for page in pages) <= per_page


def test_deliveries_are_filtered(client: Client, new_hook: NewHook, receiver: Receiver) -> None:
    hook = new_hook(client)
    tests = [hook.end(hook.test()["id"]) for _ in range(3)]
    new_agent(client)
    receiver.receive(hook.path, 4)
    path, moment = f"/webhooks/{hook.id}/deliveries", tests[1]["created_at"]
    ids = [test["id"] for test in tests[::-1]]
    for query, found in {
        "event=webhook.test": ids,
        "event=webhook.test&status=delivered": ids,
        "event=webhook.test&per_page=2&page=2": ids[2:],
        "event=agent.deployed": [],
        "status=failed": [],
        f"event=webhook.test&since={moment}": ids[:2],
        f"event=webhook.test&until={moment}": ids[2:],
    }.items():
        assert [one["id"] for one in data(client.get(f"{path}?{query}"))] == found, query
    assert [one["event"] for one in data(client.get(f"{path}?event=agent.created"))] == ["agent.created"]
    assert client.get(f"{path}?event=webhook.test&per_page=1").json()["meta"]["total"] == 3
    refuse(client.get(f"{path}?status=sent"), 400, "status", "delivered")


def test_only_the_events_asked_for_come(client: Client, new_hook: NewHook, receiver: Receiver) -> None:
    deployed, every = new_hook(client, events=["agent.deployed"]), new_hook(client)
    agent_id = new_agent(client)
    client.post(f"/agents/{agent_id}/deploy")
    assert [request.payload["event"] for request in receiver.receive(deployed.path, 1)] == ["agent.deployed"]
    assert {request.payload["event"] for request in receiver.receive(every.path, 2)} == {
        "agent.created",
        "agent.deployed",
    }
    (request,) = receiver.receive(deployed.path)
    assert request.payload["data"].keys() >= {"agent_id", "agent_name", "fleet_id", "status"}


def test_accounts_and_sandboxes_hear_their_own_events_alone(
    client: Client, sandbox: Client, stranger: Client, new_hook: NewHook, receiver: Receiver
) -> None:
    hooks = [new_hook(each) for each in (client, sandbox, stranger)]
    agents = [new_agent(each) for each in (client, sandbox, stranger)]
    told = [receiver.receive(hook.path, 1) for hook in hooks]
    assert [[request.payload["data"]["agent_id"] for request in requests] for requests in told] == [
        [agent] for agent in agents
    ]


def test_receivers_that_hang_hold_nobody_up(client: Client, new_hook: NewHook, receiver: Receiver) -> None:
    slow = new_hook(client, events=["agent.created"])
    receiver.always[slow.path] = Answer(hangs=True)
    for _ in range(15):
        new_agent(client)
    receiver.receive(slow.path, 10)
    healthy = new_hook(client, events=["agent.created"])
    made = {new_agent(client) for _ in range(5)}
    eventually(lambda: made <= {request.payload["data"]["agent_id"] for request in receiver.receive(healthy.path)})
    assert len(receiver.receive(slow.path)) == 10, "an endpoint must have at most ten concurrent attempts"
    receiver.let_go()
    requests = receiver.receive(slow.path, 20)
    assert max(Counter(request.payload["id"] for request in requests).values()) == 1


def test_the_log_has_the_duration_of_an_attempt(client: Client, new_hook: NewHook, receiver: Receiver) -> None:
    hook = new_hook(client)
    receiver.answers[hook.path] += [Answer(hangs=True)]
    began = time.perf_counter()
    delivery = hook.test()
    receiver.receive(hook.path, 1)
    arrived = time.perf_counter()
    while (held := time.perf_counter() - arrived) < 0.05:
        assert hook.delivery(delivery["id"])["status"] == "pending"
    receiver.let_go()
    (attempt,) = hook.end(delivery["id"])["log"]
    assert int(held * 1000) <= attempt["milliseconds"] <= (time.perf_counter() - began) * 1000 + 1


def test_a_test_event_goes_to_one_endpoint_alone(client: Client, new_hook: NewHook, receiver: Receiver) -> None:
    first, second = new_hook(client, events=["agent.error"]), new_hook(client)
    delivery = first.end(first.test()["id"])
    (request,) = receiver.receive(first.path)
    assert request.payload["event"] == delivery["event"] == "webhook.test"
    assert request.payload["data"]["webhook_id"] == first.id
    new_agent(client)
    assert [request.payload["event"] for request in receiver.receive(second.path, 1)] == ["agent.created"]


def test_a_replay_is_a_new_delivery_of_the_same_event(client: Client, new_hook: NewHook, receiver: Receiver) -> None:
    hook = new_hook(client)
    first = hook.end(hook.test()["id"])
    path = f"/webhooks/{hook.id}/deliveries/{first['id']}/replay"
    headers = {"Idempotency-Key": f"again-{hook.id}"}
    again, repeated = (data(client.post(path, headers=headers), 202) for _ in range(2))
    assert again == repeated
    assert again["id"] != first["id"]
    assert hook.end(again["id"])["event_id"] == first["event_id"]
    one, two = receiver.receive(hook.path)
    assert one.body == two.body
    assert [request.headers["X-Webhook-Delivery"] for request in (one, two)] == [first["id"], again["id"]]


def test_rotation_signs_with_both_until_the_switch(client: Client, new_hook: NewHook, receiver: Receiver) -> None:
    hook = new_hook(client)
    rotated = data(client.post(f"/webhooks/{hook.id}/rotate"))
    ends = datetime.fromisoformat(rotated["rotation_ends_at"]) - datetime.fromisoformat(rotated["updated_at"])
    assert ends == timedelta(hours=24)
    refuse(client.post(f"/webhooks/{hook.id}/rotate"), 400, "switch")
    hook.end(hook.test()["id"])
    assert data(client.post(f"/webhooks/{hook.id}/switch"))["rotation_ends_at"] is None
    hook.end(hook.test()["id"])
    during, after = receiver.receive(hook.path)
    assert during.headers["X-Webhook-Signature"] == signature(hook.secret, during.body)
    assert after.headers["X-Webhook-Signature"] == signature(rotated["secret"], after.body)
    assert (verify(hook.secret, during), verify(rotated["secret"], during)) == (True, True)
    assert (verify(hook.secret, after), verify(rotated["secret"], after)) == (False, True)


def test_a_rotation_ends_by_itself(
    start_server: StartServer, new_user: NewUser, new_hook: NewHook, receiver: Receiver
) -> None:
    server = start_server(**SETTINGS)
    hook = new_hook(new_user(server).client())
    rotated = data(hook.client.post(f"/webhooks/{hook.id}/rotate"))
    server.stop()
    execute(server, "UPDATE webhook_endpoints SET old_secret_until = '2020-01-01T00:00:00.000000Z'")
    server.start()
    hook.client = Client(server, hook.client.key)
    assert hook.record()["rotation_ends_at"] is None
    hook.end(hook.test()["id"])
    (request,) = receiver.receive(hook.path)
    assert (verify(hook.secret, request), verify(rotated["secret"], request)) == (False, True)
    again = data(hook.client.post(f"/webhooks/{hook.id}/rotate"))
    assert again["rotation_ends_at"] is not None
    hook.end(hook.test()["id"])
    *_, request = receiver.receive(hook.path)
    assert [verify(secret, request) for secret in (hook.secret, rotated["secret"], again["secret"])] == [
        False, True, True,
    ]  # fmt: skip
    hook.client.close()


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (200, None), (204, None), (299, None), (300, "Redirects are not followed"),
        (399, "Redirects are not followed"), (400, "responded with 400."), (599, "responded with 599."),
    ],
)  # fmt: skip
def test_a_status_below_300_is_a_success(
    client: Client, new_hook: NewHook, receiver: Receiver, status: int, error: str | None
) -> None:
    hook = new_hook(client)
    receiver.answers[hook.path].append(Answer(status, ""))
    first = hook.end(hook.test()["id"])["log"][0]
    assert first["status"] == status
    assert (first["error"] is None) if error is None else (error in first["error"])


def test_a_receiver_that_is_not_there_is_told_plainly(client: Client, new_hook: NewHook) -> None:
    hook = new_hook(client)
    client.put(f"/webhooks/{hook.id}", {"url": "http://127.0.0.1:1/closed"})
    delivery = hook.end(hook.test()["id"])
    assert delivery["status"] == "failed"
    assert {entry["status"] for entry in delivery["log"]} == {None}
    assert "The connection failed" in delivery["log"][0]["error"]


def test_disabling_cancels_waiting_deliveries(client: Client, new_hook: NewHook, receiver: Receiver) -> None:
    hook = new_hook(client)
    receiver.always[hook.path] = Answer(503, headers={"Retry-After": "600"})
    delivery_id = hook.test()["id"]
    eventually(lambda: hook.delivery(delivery_id)["next_attempt_at"] and hook.delivery(delivery_id)["log"])
    client.put(f"/webhooks/{hook.id}", {"enabled": False})
    assert hook.delivery(delivery_id)["status"] == "cancelled"
