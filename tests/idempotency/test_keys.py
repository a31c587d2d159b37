"""Idempotency keys: one effect and one response, whatever happens in between."""

import uuid
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import requests

from retinue.openapi.examples import BODIES
from tests.conftest import NewUser, StartServer
from tests.support.client import Client, data, refuse

AGENT = {"agent_name": "Only one", "agent_role": "leader"}
SUBNET = "/tools/network_calculate_subnet/execute"


def key() -> dict[str, str]:
    """Return headers with a new key."""
    return {"Idempotency-Key": str(uuid.uuid4())}


def replay(response: requests.Response) -> bool:
    """Return whether the response is a replay of the first one."""
    return response.headers.get("Idempotency-Replayed") == "true"


def same(one: requests.Response, other: requests.Response) -> bool:
    """Return whether two responses are the same: the status, the kind and every byte."""
    first, second = ((it.status_code, it.headers["Content-Type"], it.content) for it in (one, other))
    return first == second


def test_the_same_request_again_has_one_effect(client: Client) -> None:
    headers = key()
    first, second = (client.post("/agents", AGENT, headers=headers) for _ in range(2))
    assert (first.status_code, second.status_code) == (201, 201)
    assert first.json() == second.json()
    assert (replay(first), replay(second)) == (False, True)
    assert client.get("/agents").json()["meta"]["total"] == 1


def test_five_at_once_have_one_effect(client: Client) -> None:
    headers = key()

    def send(_: int) -> requests.Response:
        own = Client(client.server, client.key)
        try:
            return own.post("/agents", AGENT, headers=headers)
        finally:
            own.close()

    with ThreadPoolExecutor(5) as pool:
        answers = list(pool.map(send, range(5)))
    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.json()["data"]["id"] for answer in answers}) == 1
    assert sum(map(replay, answers)) == 4
    assert client.get("/agents").json()["meta"]["total"] == 1


def test_another_body_is_refused(client: Client) -> None:
    headers = key()
    client.post("/agents", AGENT, headers=headers)
    refuse(client.post("/agents", {**AGENT, "agent_name": "Another"}, headers=headers), 400, "different body")


def test_a_key_is_bound_to_path_and_account(client: Client, stranger: Client) -> None:
    headers = key()
    agent_id = client.post("/agents", AGENT, headers=headers).json()["data"]["id"]
    assert client.post(f"/agents/{agent_id}/stop", headers=headers).status_code == 200
    assert not replay(stranger.post("/agents", AGENT, headers=headers))


@pytest.mark.parametrize("bad", ["", "x" * 256, "tab\tinside"])
def test_keys_that_are_none(client: Client, bad: str) -> None:
    assert client.post("/agents", AGENT, headers={"Idempotency-Key": bad}).status_code == 400


@pytest.mark.parametrize("good", ["a", "two words ~", "x" * 255])
def test_keys_up_to_255_characters(client: Client, good: str) -> None:
    first, second = (client.post("/agents", AGENT, headers={"Idempotency-Key": good}) for _ in range(2))
    assert (same(first, second), replay(second)) == (True, True)


def test_a_path_longer_than_any_of_the_api(client: Client) -> None:
    headers = key()
    first, second = (client.post(f"/agents/{'9' * 5000}/deploy", {}, headers=headers) for _ in range(2))
    assert first.status_code == 404
    assert same(first, second)


def test_a_limit_that_is_raised_later_is_not_remembered(client: Client) -> None:
    headers = key()
    agent = f"/agents/{data(client.post('/agents', {**AGENT, 'monthly_tokens': 0}), 201)['id']}"
    refuse(client.post(f"{agent}/execute", {"message": "Once"}, headers=headers), 429, "monthly_tokens")
    data(client.put(agent, {"monthly_tokens": None}))
    answers = [client.post(f"{agent}/execute", {"message": "Once"}, headers=headers) for _ in range(2)]
    assert [(answer.status_code, replay(answer)) for answer in answers] == [(200, False), (200, True)]


def test_refusals_are_remembered_as_well(client: Client) -> None:
    headers = key()
    first, second = (client.post("/agents", {"agent_name": "No role"}, headers=headers) for _ in range(2))
    assert same(first, second)
    assert second.status_code == 400
    assert replay(second)


def test_failures_of_the_server_are_not(sandbox: Client) -> None:
    headers = key()
    answers = [sandbox.post("/chat", {"message": "[[fail]]"}, headers=headers) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [503, 503]
    assert not any(map(replay, answers))


def test_each_kind_of_post(sandbox: Client) -> None:
    agent_id = sandbox.post("/agents", AGENT).json()["data"]["id"]
    for path, body in (
        (f"/agents/{agent_id}/execute", {"message": "Once"}),
        (f"/agents/{agent_id}/execute", {"message": "Once", "background": True}),
        (f"/agents/{agent_id}/deploy", {}),
        (f"/agents/{agent_id}/stop", {}),
        ("/chat", {"message": "Once"}),
        (SUBNET, {"args": {"cidr": "10.0.0.0/8"}}),
    ):
        headers = key()
        first, second = (sandbox.post(path, body, headers=headers) for _ in range(2))
        assert first.status_code == second.status_code < 300, path
        assert same(first, second), path
        assert replay(second), path
    assert sandbox.get(f"/agents/{agent_id}/runs").json()["meta"]["total"] == 2


CONVERT = "text_convert_case"
ASK_TOOL = f'[[tool:{CONVERT} {{"text": "two words", "style": "kebab"}}]]'
BACKGROUND = {"message": "Once", "background": True}
CRASHES = (
    ("idempotency.carried_out", "/agents/1/execute", BACKGROUND, "/agents/1/runs"),
    ("idempotency.carried_out", "/chat", {"message": ASK_TOOL, "tools": [CONVERT]}, "/chat"),
)
"""The crash point, the request, and the list that shows its effects. See `test_everywhere`."""

CREATIONS = {
    "/agents": "create_agent",
    "/fleets": "create_fleet",
    "/connections": "create_connection",
    "/schedules": "create_schedule",
    "/voice/rooms": "create_room",
}
"""Operations whose repetition finds what a process that died has created, by path."""


@pytest.mark.slow
@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
def test_a_request_that_is_sent_again_after_its_process_died(
    database: str, start_server: StartServer, new_user: NewUser
) -> None:
    """The server dies during the request. The next process determines what was done."""
    server = start_server(database)
    client = new_user(server).client(test=True)
    assert client.post("/agents", AGENT).json()["data"]["id"] == 1
    for point, path, body, listed in CRASHES:
        before = client.get(listed).json()["meta"]["total"]
        headers = key()
        server.restart(RETINUE_CRASH_AT=point)
        with pytest.raises(requests.ConnectionError):
            client.post(path, body, headers=headers)
        server.has_died()
        server.start()
        answer = client.post(path, body, headers=headers)
        assert answer.status_code < 300, (point, path, answer.text)
        again = client.post(path, body, headers=headers)
        assert (again.json(), replay(again)) == (answer.json(), True)
        assert client.get(listed).json()["meta"]["total"] == before + 1, (point, path)
    assert server.cli("check") == "All is well.\n"


def test_a_retry_after_a_crash_gets_the_created_record(start_server: StartServer, new_user: NewUser) -> None:
    server = start_server()
    client = new_user(server).client()
    assert client.post("/agents", AGENT).json()["data"]["id"] == 1
    for path, operation in CREATIONS.items():
        created = send_across_a_death(client, path, BODIES[operation], 201)
        assert client.get(f"{path}/{created['id']}").json()["data"] == created, path


def test_a_retry_after_a_crash_gets_the_started_run(start_server: StartServer, new_user: NewUser) -> None:
    server = start_server()
    client = new_user(server).client()
    hook = data(client.post("/webhooks", {"url": "https://receiver.invalid/"}), 201)
    path = f"/webhooks/{hook['id']}"
    first = send_across_a_death(client, f"{path}/test", {}, 202)
    again = send_across_a_death(client, f"{path}/deliveries/{first['id']}/replay", {}, 202)
    assert [one["id"] for one in data(client.get(f"{path}/deliveries"))] == [again["id"], first["id"]]


def test_a_background_run_that_a_dead_process_began_is_answered_as_begun(
    start_server: StartServer, new_user: NewUser
) -> None:
    client = new_user(start_server()).client()
    agent = data(client.post("/agents", AGENT), 201)["id"]
    run = send_across_a_death(client, f"/agents/{agent}/execute", {"message": "Hello", "background": True}, 202)
    assert run["agent_id"] == agent
    assert [one["id"] for one in data(client.get(f"/agents/{agent}/runs"))] == [run["id"]]


def send_across_a_death(client: Client, path: str, body: object, status: int) -> dict[str, Any]:
    """Send a request whose process dies before it answers, and send it again twice. Returns the answer."""
    headers = key()
    client.server.restart(RETINUE_CRASH_AT="idempotency.carried_out")
    with pytest.raises(requests.ConnectionError):
        client.post(path, body, headers=headers)
    client.server.has_died()
    client.server.start(RETINUE_CRASH_AT="")
    answer: dict[str, Any] = data(client.post(path, body, headers=headers), status)
    assert data(client.post(path, body, headers=headers), status) == answer, path
    return answer


@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
def test_a_run_that_its_process_interrupted_is_not_executed_again(
    database: str, start_server: StartServer, new_user: NewUser
) -> None:
    """The server dies after a tool's effect. The repeated request gets the failure of the run."""
    server = start_server(database, RETINUE_CRASH_AT="runs.tool_ended")
    client = new_user(server).client(test=True)
    headers, body = key(), {"message": '[[tool:note_create {"title": "Only one"}]]', "tools": ["note_create"]}
    with pytest.raises(requests.ConnectionError):
        client.post("/chat", body, headers=headers)
    server.has_died()
    server.start(RETINUE_CRASH_AT="")
    for _ in range(2):
        answer = client.post("/chat", body, headers=headers)
        refuse(answer, 503, "interrupted")
        assert answer.headers["x-should-retry"] == "false"
    assert client.get("/runs").json()["meta"]["total"] == 1
    found = data(client.post("/tools/note_search/execute", {"args": {}}))
    assert len(found["result"]["notes"]) == 1


@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
def test_a_tool_that_changes_something_is_not_executed_again(
    database: str, start_server: StartServer, new_user: NewUser
) -> None:
    """The server dies after the tool's effect. The outcome is unknown, and the repeated request says so."""
    server = start_server(database, RETINUE_CRASH_AT="tools.executed")
    client = new_user(server).client()
    headers, call = key(), ("/tools/note_create/execute", {"args": {"title": "Only one"}})
    with pytest.raises(requests.ConnectionError):
        client.post(*call, headers=headers)
    server.has_died()
    server.start(RETINUE_CRASH_AT="")
    first, second = (client.post(*call, headers=headers) for _ in range(2))
    refuse(first, 400, "not known")
    assert (second.json(), replay(second)) == (first.json(), True)
    found = client.post("/tools/note_search/execute", {"args": {}}, headers=key())
    assert [note["title"] for note in found.json()["data"]["result"]["notes"]] == ["Only one"]
