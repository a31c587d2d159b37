"""A request that has begun a run is never executed again, however it failed and whichever API it used."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import requests

from tests.idempotency.test_keys import key
from tests.support.client import Client, data, refuse
from tests.support.model_server import Answer, ModelServer
from tests.support.waiting import eventually

DOWN = [Answer(status=503, headers={"Retry-After": "0"})] * 3
"""The server calls a failing model three times for one step."""
NOTE = Answer(tool="note_create", arguments={"title": "Once"})

Request = Callable[[int], tuple[str, dict[str, Any]]]
"""Returns the path and the body of a request that runs an agent."""

MESSAGES = [{"role": "user", "content": "Hello"}]
APIS: dict[str, Request] = {
    "execute": lambda agent: (f"/api/v1/agents/{agent}/execute", {"message": "Hello"}),
    "chat": lambda agent: ("/api/v1/chat", {"message": "Hello", "agent_id": agent}),
    "completions": lambda agent: ("/v1/chat/completions", {"model": f"agent:{agent}", "messages": MESSAGES}),
    "responses": lambda agent: ("/v1/responses", {"model": f"agent:{agent}", "input": "Hello"}),
    "messages": lambda agent: ("/v1/messages", {"model": f"agent:{agent}", "messages": MESSAGES, "max_tokens": 100}),
}
every_api = pytest.mark.parametrize("api", APIS)


@pytest.fixture
def agent(client: Client) -> int:
    """An agent with a tool that changes something, without approvals."""
    fields = {"agent_name": "Ada", "agent_role": "leader", "skills": ["note_create"], "approval": "none"}
    return int(data(client.post("/agents", fields), 201)["id"])


def send(client: Client, api: str, agent: int, headers: dict[str, str] | None = None, **more: Any) -> requests.Response:
    """Send the request of an API."""
    path, body = APIS[api](agent)
    timeout = more.pop("timeout", 60)
    credential = {"Authorization": f"Bearer {client.key}", **(headers or {})}
    return requests.post(client.server.url + path, json={**body, **more}, headers=credential, timeout=timeout)


def runs(client: Client) -> list[dict[str, Any]]:
    """Return the account's runs."""
    found: list[dict[str, Any]] = data(client.get("/runs"))
    return found


def notes(client: Client) -> int:
    """Return how many notes the account has."""
    return len(data(client.post("/tools/note_search/execute", {"args": {}}))["result"]["notes"])


@every_api
def test_a_run_that_failed_is_not_executed_again_under_its_key(
    api: str, client: Client, agent: int, model: ModelServer
) -> None:
    model.answers.extend([NOTE, *DOWN])
    headers = key()
    first, *others = (send(client, api, agent, headers) for _ in range(3))
    (run,) = runs(client)
    assert (first.status_code, first.headers["X-Run-Id"]) == (503, str(run["id"]))
    for other in others:
        assert (other.status_code, other.headers["X-Run-Id"]) == (503, str(run["id"]))
        assert other.headers["x-should-retry"] == "false"
        assert run["error"] in other.text
    assert notes(client) == 1


@every_api
def test_without_a_key_a_failed_run_that_changed_something_asks_for_no_retry(
    api: str, client: Client, agent: int, model: ModelServer
) -> None:
    model.answers.extend(DOWN)
    unchanged = send(client, api, agent)
    model.answers.extend([NOTE, *DOWN])
    changed = send(client, api, agent)
    assert (unchanged.status_code, unchanged.headers.get("x-should-retry")) == (503, None)
    assert (changed.status_code, changed.headers.get("x-should-retry")) == (503, "false")
    assert [answer.headers["X-Run-Id"] for answer in (changed, unchanged)] == [str(run["id"]) for run in runs(client)]


@every_api
def test_a_stream_under_a_key_is_refused_before_it_begins(api: str, client: Client, agent: int) -> None:
    answer = send(client, api, agent, key(), stream=True)
    assert answer.status_code == 400
    assert "Leave out the header" in answer.text
    assert runs(client) == []


def test_streams_of_a2a_and_agui_are_refused_under_a_key(client: Client, agent: int) -> None:
    said = {"messageId": "m1", "role": "ROLE_USER", "parts": [{"text": "Hello"}]}
    message: dict[str, Any] = {"message": said}
    call: dict[str, Any] = {"jsonrpc": "2.0", "id": 1, "method": "SendStreamingMessage", "params": message}
    asked: dict[str, Any] = {
        "threadId": "t1",
        "runId": "r1",
        "messages": [{"id": "m1", "role": "user", "content": "Hello"}],
    }
    requests_of = {f"/a2a/{agent}/message:stream": message, f"/a2a/{agent}": call, f"/agui/{agent}": asked}
    for path, body in requests_of.items():
        headers = {"Authorization": f"Bearer {client.key}", "A2A-Version": "1.0", **key()}
        answer = requests.post(client.server.url + path, json=body, headers=headers, timeout=60)
        assert "Leave out the header" in answer.text, path
    assert runs(client) == []


@every_api
def test_a_client_that_disconnects_stops_its_run(api: str, client: Client, agent: int, model: ModelServer) -> None:
    model.answers.append(Answer("one two three", hold=True))
    with pytest.raises(requests.Timeout):
        send(client, api, agent, timeout=1)
    eventually(model.hung_up.is_set)
    eventually(lambda: runs(client)[0]["status"] == "cancelled")


@every_api
def test_a_run_under_a_key_goes_on_when_its_client_disconnects(
    api: str, client: Client, agent: int, model: ModelServer
) -> None:
    model.answers.append(Answer("one two three", hold=True))
    headers = key()
    with pytest.raises(requests.Timeout):
        send(client, api, agent, headers, timeout=1)
    model.release()
    answer = send(client, api, agent, headers)
    assert (answer.status_code, "one two three" in answer.text) == (200, True)
    assert [run["status"] for run in runs(client)] == ["completed"]


@every_api
@pytest.mark.parametrize("way", ["stop", "cancel"])
def test_the_client_of_a_cancelled_run_is_told_not_to_retry(
    api: str, way: str, client: Client, agent: int, model: ModelServer
) -> None:
    model.answers.append(Answer("one two three", hold=True))
    with ThreadPoolExecutor(1) as clients:
        waiting = clients.submit(send, client, api, agent)
        eventually(lambda: model.requests and runs(client)[0]["status"] == "running")
        run = runs(client)[0]["id"]
        data(client.post(f"/agents/{agent}/stop" if way == "stop" else f"/runs/{run}/cancel"))
        answer = waiting.result()
    assert (answer.status_code, answer.headers["x-should-retry"]) == (409, "false")
    assert answer.headers["X-Run-Id"] == str(run)
    assert "stopped" in answer.text


def test_a_cancelled_run_is_replayed_as_such(client: Client, agent: int, model: ModelServer) -> None:
    model.answers.append(Answer("one two three", hold=True))
    headers = key()
    with ThreadPoolExecutor(1) as clients:
        waiting = clients.submit(send, client, "execute", agent, headers)
        eventually(lambda: model.requests and runs(client)[0]["status"] == "running")
        data(client.post(f"/agents/{agent}/stop"))
        refuse(waiting.result(), 409, "stopped")
    again = send(client, "execute", agent, headers)
    refuse(again, 409, "stopped")
    assert again.headers["x-should-retry"] == "false"
    assert len(runs(client)) == 1
