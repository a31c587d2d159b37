"""Whatever starts an agent, its model receives its instructions, its task, its tools and its settings."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from tests.conftest import User
from tests.support.client import Client, data
from tests.support.model_server import Answer, ModelServer
from tests.support.rows import rows
from tests.support.server import Server
from tests.support.waiting import eventually

SKILL = "network_calculate_subnet"
INSTRUCTIONS = "You answer for a shoe shop. Returns are possible within 30 days."
AGENT = {
    "agent_name": "Iris",
    "agent_role": "specialist",
    "instructions": INSTRUCTIONS,
    "task": "Count the open returns.",
    "skills": [SKILL],
    "temperature": 0.25,
    "model": "default/stand-in",
    "fallback_models": ["alfred-default"],
    "max_output_tokens": 321,
    "reasoning_effort": "low",
    "output_schema": {"type": "object", "required": ["text"]},
    "budget": {"steps": 7, "tokens": 5000, "seconds": 30.5, "credits": 3, "cost_usd": "0.50"},
}


def execute(client: Client, agent: int) -> None:
    """Execute an agent and wait."""
    data(client.post(f"/agents/{agent}/execute", {"message": "Hello"}))


def execute_in_background(client: Client, agent: int) -> None:
    """Execute an agent in the background."""
    data(client.post(f"/agents/{agent}/execute", {"message": "Hello", "background": True}), 202)


def chat(client: Client, agent: int) -> None:
    """Send a message to an agent in a conversation."""
    data(client.post("/chat", {"message": "Hello", "agent_id": agent}))


def deploy(client: Client, agent: int) -> None:
    """Deploy an agent."""
    data(client.post(f"/agents/{agent}/deploy"))


def deploy_fleet(client: Client, agent: int) -> None:
    """Deploy a fleet with the agent alone."""
    fleet = data(client.post("/fleets", {"name": "Shop"}), 201)["id"]
    data(client.put(f"/agents/{agent}", {"fleet_id": fleet}))
    data(client.post(f"/fleets/{fleet}/deploy", {"task": "Hello"}))


def schedule(client: Client, agent: int) -> None:
    """Let a schedule run the agent at once."""
    body = {"name": "Daily", "cron": "0 6 * * *", "agent_id": agent, "message": "Hello"}
    made = data(client.post("/schedules", body), 201)
    data(client.post(f"/schedules/{made['id']}/run"), 202)


ENTRY_POINTS = [execute, execute_in_background, chat, deploy, deploy_fleet, schedule]


@pytest.mark.parametrize("entry_point", ENTRY_POINTS, ids=lambda entry_point: str(entry_point.__name__))
def test_every_entry_point_gives_the_model_the_agents_persona(
    server: Server, client: Client, model: ModelServer, entry_point: Callable[[Client, int], None]
) -> None:
    called = data(client.post("/agents", {"agent_name": "Bob", "agent_role": "specialist"}), 201)["id"]
    agent = data(client.post("/agents", {**AGENT, "agents": [called]}), 201)["id"]
    model.obsession = Answer('{"text": "Done."}')
    entry_point(client, agent)
    eventually(lambda: bool(model.requests))
    request = model.requests[0]
    system = request["messages"][0]
    today = f"Today is {datetime.now(UTC).date().isoformat()}."
    assert system["role"] == "system"
    assert system["content"] == f"{INSTRUCTIONS}\nYour name is Iris.\nYour task: {AGENT['task']}\n{today}"
    assert [tool["function"]["name"] for tool in request["tools"]] == [SKILL, f"agent_{called}"]
    assert (request["model"], request["temperature"], request["max_tokens"]) == ("stand-in", 0.25, 321)
    assert request["reasoning_effort"] == "low"
    assert request["response_format"]["json_schema"]["schema"] == AGENT["output_schema"]
    (run,) = rows(server, f"SELECT model, options FROM runs WHERE agent_id = {agent}")
    options = json.loads(run["options"])
    assert run["model"] == AGENT["model"]
    assert (options["budget"], options["fallback_models"]) == (AGENT["budget"], AGENT["fallback_models"])
    eventually(lambda: data(client.get(f"/agents/{agent}"))["status"] == "idle")
    assert client.get(f"/agents/{agent}/runs").json()["meta"]["total"] == 1


def system_of(model: ModelServer) -> str:
    """Return the last system prompt."""
    return str(model.requests[-1]["messages"][0]["content"])


def test_without_instructions_the_prompt_has_name_role_and_task(client: Client, model: ModelServer) -> None:
    fields = {"agent_name": "Ada", "agent_role": "reviewer", "task": "Check the invoices."}
    agent = data(client.post("/agents", fields), 201)["id"]
    execute(client, agent)
    assert all(part in system_of(model) for part in ("Your name is Ada.", "You review.", "Check the invoices."))


def test_instructions_that_mention_the_name_are_left_as_they_are(client: Client, model: ModelServer) -> None:
    fields = {"agent_name": "Ada", "agent_role": "reviewer", "instructions": "You are ada, a poet."}
    agent = data(client.post("/agents", fields), 201)["id"]
    execute(client, agent)
    first, _, rest = system_of(model).partition("\n")
    assert first == "You are ada, a poet."
    assert rest.startswith("Today is ")


def test_requests_of_a_conversation_begin_with_the_same_bytes(client: Client, model: ModelServer) -> None:
    agent = data(client.post("/agents", {**AGENT, "output_schema": None}), 201)["id"]
    sent: dict[str, Any] = {"message": "One", "agent_id": agent}
    first = data(client.post("/chat", sent))
    data(client.post("/chat", {"message": "Two", "conversation_id": first["conversation_id"]}))
    one, two = model.requests
    assert two["messages"][: len(one["messages"])] == one["messages"]
    assert two["tools"] == one["tools"]


def test_the_message_for_one_run_does_not_change_the_prompt(user: User, model: ModelServer) -> None:
    client = user.client(["agents:write", "agents:read"])
    agent = data(client.post("/agents", {**AGENT, "skills": [], "output_schema": None}), 201)["id"]
    data(client.post(f"/agents/{agent}/execute", {"message": "Hello", "context": {"order": 7}}))
    instructions, _, rest = system_of(model).partition("\n")
    assert instructions == INSTRUCTIONS
    assert 'Context of this request, as JSON: {"order":7}\nToday is ' in rest
