"""Limits hold even if the model calls tools that it was not offered."""

from typing import Any

import pytest

from tests.conftest import DATABASES, NewUser, StartServer
from tests.runs.test_runs import SUBNET, create
from tests.support.client import Client, data, refuse
from tests.support.model_server import Answer, ModelServer
from tests.support.server import Server
from tests.support.sql import execute

pytestmark = pytest.mark.either_database

ASK = Answer(tool=SUBNET, arguments={"cidr": "10.0.0.0/8"})
"""Costs 11 tokens, and 1 credit for the tool."""
DEFAULT_STEPS, CALLS_AT_ONCE = 50, 16
PRO = "aead_encrypt_text"


def only_run(client: Client, agent: str) -> dict[str, Any]:
    """Return the only run of an agent, with its steps."""
    (run,) = data(client.get(f"{agent}/runs"))
    return dict(data(client.get(f"/runs/{run['id']}")))


def steps_of(run: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    """Return the steps of one type, `model` or `tool`."""
    return [step for step in run["steps"] if step["type"] == kind]


@pytest.mark.parametrize(
    ("budget", "told", "asked", "ran"),
    [
        ({}, f"{DEFAULT_STEPS} steps", DEFAULT_STEPS, DEFAULT_STEPS),
        ({"steps": 1}, "1 steps", 1, 1),
        ({"steps": 2}, "2 steps", 2, 2),
        ({"tokens": 22}, "22 tokens", 2, 2),
        ({"tokens": 23}, "23 tokens", 3, 3),
        ({"credits": 2}, "2 credits", 3, 2),
        ({"credits": 0}, "0 credits", 1, 0),
    ],
    ids=str,
)
def test_a_model_that_never_stops_asking_is_stopped(
    client: Client, model: ModelServer, budget: dict[str, int], told: str, asked: int, ran: int
) -> None:
    model.obsession = ASK
    agent = create(client, skills=[SUBNET])
    refuse(client.post(f"{agent}/execute", {"message": "Hello", "budget": budget}), 400, told)
    run = only_run(client, agent)
    assert (run["status"], len(model.requests)) == ("failed", asked)
    assert len(steps_of(run, "model")) == asked
    assert [step["status"] for step in steps_of(run, "tool")] == ["done"] * ran
    assert run["tokens_used"] == 11 * asked == sum(step["tokens"] for step in run["steps"])
    last = budget.get("steps", DEFAULT_STEPS) - 1
    assert [number for number, request in enumerate(model.requests) if not request.get("tools")] == [
        number for number in range(asked) if number >= last
    ]


def test_only_so_many_calls_of_one_step_are_carried_out(client: Client, model: ModelServer) -> None:
    model.answers.append(Answer(tool=SUBNET, arguments={"cidr": "10.0.0.0/8"}, times=40))
    agent = create(client, skills=[SUBNET])
    data(client.post(f"{agent}/execute", {"message": "Hello"}))
    assert [step["status"] for step in steps_of(only_run(client, agent), "tool")] == ["done"] * CALLS_AT_ONCE


@pytest.mark.parametrize(
    ("message", "tool", "arguments"),
    [
        ("Create a note with the title Groceries", "note_create", {"title": "Groceries", "text": "milk, eggs"}),
        ("Remember that my sister's birthday is 4 May", "memory_store", {"text": "My sister's birthday is 4 May"}),
        ("Add an event to my calendar", "calendar_create_event", {"title": "Dentist", "start": "2027-03-03T10:00:00Z"}),
        ("Add a task to my list", "task_create", {"title": "Buy paint"}),
    ],
)
def test_requests_to_store_something_need_no_named_tool(
    client: Client, model: ModelServer, message: str, tool: str, arguments: dict[str, str]
) -> None:
    model.answers.append(Answer(tool=tool, arguments=arguments))
    reply = data(client.post("/chat", {"message": message}))
    assert reply["tools_used"] == [tool]


@pytest.mark.parametrize(("mode", "status"), [("overwrite", "failed"), ("create", "done")])
def test_a_tool_that_was_not_named_destroys_nothing(client: Client, model: ModelServer, mode: str, status: str) -> None:
    model.answers.append(Answer(tool="file_write", arguments={"path": "/new.txt", "text": "x", "mode": mode}))
    agent = create(client)
    data(client.post(f"{agent}/execute", {"message": "Create a text file /new.txt"}))
    (step,) = steps_of(only_run(client, agent), "tool")
    assert step["status"] == status


@pytest.mark.parametrize(
    ("plan", "scopes", "skills", "tool"),
    [
        ("free", ["*"], [], PRO),
        ("starter", ["*"], [], PRO),
        ("enterprise", ["*"], [], "note_delete"),
        ("enterprise", ["*"], [], "http_send_request"),
        ("enterprise", ["*"], [], "web_extract_links"),
        ("enterprise", ["*"], [], "shell_run_command"),
        ("enterprise", ["*"], [], "no_such_tool"),
        ("enterprise", ["*"], [SUBNET], "text_convert_case"),
        ("enterprise", ["*"], [SUBNET], PRO),
        ("enterprise", ["agents:read", "agents:write", "usage:read"], [], SUBNET),
        ("enterprise", ["agents:read", "agents:write", "usage:read"], [SUBNET], SUBNET),
    ],
)
def test_a_tool_that_was_not_offered_is_not_run(
    server: Server, new_user: NewUser, model: ModelServer, plan: str, scopes: list[str], skills: list[str], tool: str
) -> None:
    client = new_user(server, plan=plan).client(scopes)
    model.answers.append(Answer(tool=tool, arguments={"text": "a"}))
    agent = create(client, skills=skills)
    assert data(client.post(f"{agent}/execute", {"message": "What is 10.0.0.0/8?"}))["tools_used"] == []
    not_run(client, agent, tool)


def not_run(client: Client, agent: str, tool: str) -> None:
    """Check that the model got an error for an unknown tool, and that no tool call was counted."""
    (step,) = steps_of(only_run(client, agent), "tool")
    assert (step["status"], step["tool"]) == ("failed", tool)
    assert f"There is no tool '{tool}' among those offered" in step["content"]
    assert data(client.get("/usage"))["tools_executed"]["used"] == 0


def test_an_offered_tool_can_be_run(client: Client, model: ModelServer) -> None:
    """A control: the same call succeeds if the tool is offered."""
    model.answers.append(ASK)
    agent = create(client)
    assert data(client.post(f"{agent}/execute", {"message": "What is 10.0.0.0/8?"}))["tools_used"] == [SUBNET]


@pytest.mark.parametrize("database", DATABASES)
def test_a_skill_of_a_plan_that_was_lowered_is_not_run(
    database: str, start_server: StartServer, new_user: NewUser, model: ModelServer
) -> None:
    server = start_server(database)
    user = new_user(server)
    client = user.client()
    agent = create(client, skills=[PRO])
    server.stop()
    execute(server, "UPDATE users SET plan = 'free'")
    server.start()
    client = user.client()
    model.answers.append(Answer(tool=PRO, arguments={"text": "a"}))
    assert data(client.post(f"{agent}/execute", {"message": "Hello"}))["tools_used"] == []
    not_run(client, agent, PRO)
