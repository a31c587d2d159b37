"""Conversations with an agent."""

from typing import Any

import pytest

from tests.conftest import NewUser, User
from tests.runs.test_approvals import ASK_OUT, OUT
from tests.support.client import Client, data, refuse
from tests.support.model_server import ModelServer
from tests.support.server import Server

SKILL = "network_calculate_subnet"


def create(client: Client, **fields: Any) -> int:
    """Create an agent. Returns its id."""
    return int(data(client.post("/agents", {"agent_name": "Iris", "agent_role": "specialist", **fields}), 201)["id"])


def say(client: Client, message: str, **fields: Any) -> dict[str, Any]:
    """Send a message."""
    reply: dict[str, Any] = data(client.post("/chat", {"message": message, **fields}))
    return reply


def test_an_agent_remembers_its_conversation(client: Client, model: ModelServer) -> None:
    agent = create(client, instructions="You sell shoes.")
    first = say(client, "One", agent_id=agent)
    assert (first["agent_id"], first["model"]) == (agent, "alfred-default")
    again = say(client, "Two", conversation_id=first["conversation_id"])
    named = say(client, "Three", conversation_id=first["conversation_id"], agent_id=agent)
    assert again["agent_id"] == named["agent_id"] == agent
    said = [(one["role"], one["content"]) for one in model.requests[-1]["messages"]]
    assert said[0][1].startswith("You sell shoes.")
    assert said[1:] == [
        ("user", "One"), ("assistant", "You said: One"), ("user", "Two"), ("assistant", "You said: Two"),
        ("user", "Three"),
    ]  # fmt: skip
    (entry,) = data(client.get("/chat"))
    assert (entry["agent_id"], entry["message_count"]) == (agent, 6)
    assert client.get(f"/agents/{agent}/runs").json()["meta"]["total"] == 3


def test_a_deleted_conversation_leaves_the_agent_with_its_other_runs(client: Client, server: Server) -> None:
    agent = create(client)
    gone, kept = (say(client, message, agent_id=agent)["conversation_id"] for message in ("One", "Three"))
    say(client, "Two", conversation_id=gone)
    data(client.delete(f"/chat/{gone}"))
    assert [run["message"] for run in data(client.get(f"/agents/{agent}/runs"))] == ["Three"]
    assert client.get(f"/chat/{kept}").status_code == 200
    assert client.get(f"/agents/{agent}/runs").json()["meta"]["total"] == 1
    assert [fault for fault in server.ask("check") if "run" in fault] == []


def test_execute_stays_without_memory(client: Client, model: ModelServer) -> None:
    agent = create(client)
    say(client, "One", agent_id=agent)
    data(client.post(f"/agents/{agent}/execute", {"message": "Two"}))
    assert [one["content"] for one in model.requests[-1]["messages"][1:]] == ["Two"]


def test_a_conversation_keeps_its_agent(client: Client) -> None:
    agent, other = create(client), create(client)
    own, plain = say(client, "Hello", agent_id=agent)["conversation_id"], say(client, "Hello")["conversation_id"]
    refuse(client.post("/chat", {"message": "a", "conversation_id": own, "agent_id": other}), 400, f"agent {agent}")
    refuse(client.post("/chat", {"message": "a", "conversation_id": plain, "agent_id": agent}), 400, "has no agent")
    assert client.get(f"/chat/{own}").json()["meta"]["total"] == 2
    data(client.delete(f"/agents/{agent}"))
    refuse(client.post("/chat", {"message": "a", "conversation_id": own}), 400, "agent_id", f"no agent {agent}")


@pytest.mark.parametrize("agent_id", [0, -1, "1", 1.5, True])
def test_an_id_is_a_positive_integer(client: Client, agent_id: Any) -> None:
    refuse(client.post("/chat", {"message": "a", "agent_id": agent_id}), 400, "agent_id")


def test_an_agent_of_somebody_else_does_not_exist(client: Client, server: Server, new_user: NewUser) -> None:
    foreign = create(new_user(server).client())
    refuse(client.post("/chat", {"message": "a", "agent_id": foreign}), 400, "agent_id", f"no agent {foreign}")


def test_chat_with_an_agent_needs_the_scope_of_chat_alone(user: User) -> None:
    agent = create(user.client())
    assert say(user.client(["chat:write"]), "Hello", agent_id=agent)["agent_id"] == agent
    refuse(user.client(["agents:write"]).post("/chat", {"message": "a", "agent_id": agent}), 403, "chat:write")


def test_an_agent_uses_its_tools_settings_and_budget(client: Client, model: ModelServer) -> None:
    agent = create(client, skills=[SKILL], temperature=0.25, budget={"credits": 0})
    ask = f'[[tool:{SKILL} {{"cidr": "10.0.0.0/8"}}]]'
    refuse(client.post("/chat", {"message": ask, "agent_id": agent}), 400, "limit of 0 credits")
    assert model.requests[0]["temperature"] == 0.25
    say(client, "Hello", agent_id=agent, temperature=0.5, model="stand-in")
    assert model.requests[-1]["temperature"] == 0.5
    say(client, "Hello", agent_id=agent, tools=[])
    assert "tools" not in model.requests[-1]


def test_the_budget_of_the_agent_counts(client: Client) -> None:
    agent = create(client, monthly_tokens=1)
    say(client, "Hello", agent_id=agent)
    refuse(client.post("/chat", {"message": "Hello", "agent_id": agent}), 429, "monthly_tokens")


def test_a_tool_call_waits_for_the_approval_that_the_agent_requires(sandbox: Client) -> None:
    agent = create(sandbox, skills=[OUT], approval="required")
    sent = {"message": ASK_OUT, "agent_id": agent}
    waiting = data(sandbox.post("/chat", sent), 202)
    assert (waiting["agent_id"], waiting["reply"]) == (agent, "")
    assert data(sandbox.get(f"/runs/{waiting['run_id']}"))["status"] == "waiting"
    with sandbox.stream("/chat", {**sent, "stream": True}) as stream:
        assert list(stream.chunks())[-1]["type"] == "waiting"
    assert {approval["agent_id"] for approval in data(sandbox.get("/approvals"))} == {agent}


def test_the_stream_names_the_agent(client: Client) -> None:
    agent = create(client)
    with client.stream("/chat", {"message": "Hello", "agent_id": agent, "stream": True}) as stream:
        done = list(stream.chunks())[-1]
    assert (done["type"], done["agent_id"], done["model"]) == ("done", agent, "alfred-default")


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"response_format": {"type": "text"}}, ["response_format", "schema"]),
        ({"response_format": {"type": "json_schema", "schema": {"type": "objekt"}}}, ["schema", "objekt"]),
        ({"response_format": {"type": "xml", "schema": {}}}, ["response_format.type", "json_schema"]),
        ({"max_output_tokens": 0}, ["max_output_tokens"]),
        ({"include": ["everything"]}, ["include", "reasoning"]),
    ],
    ids=str,
)
def test_wrong_options_are_refused(client: Client, fields: dict[str, Any], named: list[str]) -> None:
    refuse(client.post("/chat", {"message": "a", **fields}), 400, *named)


def test_the_options_of_a_message_are_accepted(client: Client) -> None:
    form = {"type": "json_schema", "schema": {"type": "string"}}
    assert say(client, "Hello", max_output_tokens=50, include=["reasoning"])["reply"] == "You said: Hello"
    assert client.post("/chat", {"message": "Hello", "response_format": form}).status_code in (200, 503)
