"""Runs and conversations tell for whom they work: the user of the app, the API key, the model and the conversation."""

from collections.abc import Callable
from typing import Any

import pytest
import requests

from tests.conftest import User
from tests.runs.test_runs import ASK_SUBNET, SUBNET, create, end
from tests.support.client import Client, data, refuse
from tests.support.events import stored_events

pytestmark = pytest.mark.either_database

Ask = Callable[[Client, str], int]
"""Sends a request for a user of the app to an agent. Returns the id of its run."""


def _execute(client: Client, agent: str) -> int:
    run: int = data(client.post(f"{agent}/execute", {"message": "Hello", "user": "cust-42"}))["run_id"]
    return run


def _execute_in_background(client: Client, agent: str) -> int:
    body = {"message": "Hello", "user": "cust-42", "background": True}
    run: int = data(client.post(f"{agent}/execute", body), 202)["id"]
    end(client, f"/runs/{run}")
    return run


def _chat(client: Client, agent: str) -> int:
    body = {"message": "Hello", "user": "cust-42", "agent_id": int(agent.rpartition("/")[2])}
    run: int = data(client.post("/chat", body))["run_id"]
    return run


def _complete(client: Client, agent: str) -> int:
    return _ask_interop(
        client, "chat/completions", agent, messages=[{"role": "user", "content": "Hello"}], user="cust-42"
    )


def _respond(client: Client, agent: str) -> int:
    return _ask_interop(client, "responses", agent, input="Hello", safety_identifier="cust-42")


def _ask_interop(client: Client, path: str, agent: str, **fields: Any) -> int:
    body = {"model": f"agent:{agent.rpartition('/')[2]}", **fields}
    headers = {"Authorization": f"Bearer {client.key}"}
    answer = requests.post(f"{client.server.url}/v1/{path}", json=body, headers=headers, timeout=60)
    assert answer.status_code == 200, answer.text
    newest: int = data(client.get("/runs?per_page=1"))[0]["id"]
    return newest


def key_of(user: User) -> tuple[Client, int]:
    """Create a key. Returns a client with it, and its id."""
    made = data(user.client().post("/keys", {}), 201)
    return user.with_key(made["key"]), made["id"]


@pytest.mark.parametrize("ask", [_execute, _execute_in_background, _chat, _complete, _respond])
def test_a_run_shows_for_whom_it_works(user: User, client: Client, ask: Ask) -> None:
    agent = create(client)
    keyed, key = key_of(user)
    run = ask(keyed, agent)
    found = data(client.get(f"/runs/{run}"))
    assert (found["user"], found["key_id"], found["model"]) == ("cust-42", key, "alfred-default")
    of_run = {"user": "cust-42", "key_id": key, "agent_id": found["agent_id"], "status": "completed"}
    for name, value in of_run.items():
        assert run in [one["id"] for one in data(client.get(f"/runs?{name}={value}"))], name
    every = "&".join(f"{name}={value}" for name, value in of_run.items())
    body = client.get(f"/runs?{every}").json()
    assert ([one["id"] for one in body["data"]], body["meta"]["total"]) == ([run], 1)
    for other in ("user=cust-4", f"key_id={key + 1}", f"user=cust-42&key_id={key + 1}"):
        assert run not in [one["id"] for one in data(client.get(f"/runs?{other}"))], other
    assert data(client.get(f"{agent}/runs?user=cust-42"))[0]["id"] == run
    assert data(client.get(f"{agent}/runs?user=cust-41")) == []


def test_a_run_shows_its_conversation(client: Client) -> None:
    agent = create(client)
    answer = data(client.post("/chat", {"message": "Hello", "user": "cust-42"}))
    for shown in (data(client.get(f"/runs/{answer['run_id']}")), data(client.get("/runs"))[0]):
        assert shown["conversation_id"] == answer["conversation_id"]
    assert data(client.get(f"/runs/{_execute(client, agent)}"))["conversation_id"] is None


def test_a_run_that_another_run_started_works_for_the_same_user(client: Client) -> None:
    helper = int(create(client).rpartition("/")[2])
    agent = create(client, skills=["agent_run_task"])
    ask = f'[[tool:agent_run_task {{"agent_id": {helper}, "message": "Work"}}]]'
    data(client.post(f"{agent}/execute", {"message": ask, "user": "cust-42"}))
    (begun,) = data(client.get(f"/runs?agent_id={helper}"))
    assert begun["user"] == "cust-42"


def test_conversations_are_found_by_user_and_by_agent(client: Client) -> None:
    agent = int(create(client).rpartition("/")[2])

    def talk(**fields: Any) -> str:
        conversation: str = data(client.post("/chat", {"message": "Hello", **fields}))["conversation_id"]
        return conversation

    both, user, mine = talk(user="cust-42", agent_id=agent), talk(user="cust-42"), talk()
    shown = {one["conversation_id"]: one["user"] for one in data(client.get("/chat"))}
    assert shown == {both: "cust-42", user: "cust-42", mine: None}
    for query, wanted in {
        "user=cust-42": [user, both],
        f"agent_id={agent}": [both],
        f"user=cust-42&agent_id={agent}": [both],
        f"user=cust-4&agent_id={agent}": [],
    }.items():
        body = client.get(f"/chat?{query}").json()
        assert ([one["conversation_id"] for one in body["data"]], body["meta"]["total"]) == (wanted, len(wanted)), query


def test_a_user_of_another_account_is_not_found(client: Client, stranger: Client) -> None:
    _execute(client, create(client))
    assert data(stranger.get("/runs?user=cust-42")) == data(stranger.get("/chat?user=cust-42")) == []


@pytest.mark.parametrize("query", [f"user={'a' * 201}", "key_id=x"])
def test_a_wrong_filter_is_refused(client: Client, query: str) -> None:
    refuse(client.get(f"/runs?{query}"), 400, query.partition("=")[0])


def test_the_events_of_a_run_name_its_user(client: Client) -> None:
    agent = create(client)
    run = _execute(client, agent)
    failing = create(client, skills=[SUBNET], budget={"steps": 1})
    assert client.post(f"{failing}/execute", {"message": ASK_SUBNET, "user": "cust-42"}).status_code >= 400
    (told,) = [one for one in stored_events(client.server, "agent.completed") if one["run_id"] == run]
    assert told["user"] == "cust-42"
    (failed,) = [one for one in stored_events(client.server, "agent.error") if failing.endswith(f"/{one['agent_id']}")]
    assert failed["user"] == "cust-42"
