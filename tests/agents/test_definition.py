"""What an agent is: its instructions, model, limits, form of the reply, and the agents that it may call."""

from typing import Any

import pytest

from tests.conftest import NewUser
from tests.support.client import Client, data, refuse
from tests.support.model_server import ModelServer
from tests.support.server import Server

LEAST = {"agent_name": "Ada", "agent_role": "specialist"}
SCHEMA = {"type": "object", "properties": {"total": {"type": "number"}}, "required": ["total"]}
DEFINITION: dict[str, Any] = {
    "instructions": "You answer for a shoe shop.\n" + "漢" * 90_000,
    "model": "alfred-default",
    "fallback_models": ["alfred-default"],
    "temperature": 0.25,
    "max_output_tokens": 900,
    "reasoning_effort": "low",
    "output_schema": SCHEMA,
    "budget": {"steps": 7, "tokens": 5000, "seconds": 30.5, "credits": 0, "cost_usd": "0.50"},
    "greeting": "Shoe shop, good morning.",
    "metadata": {"team": "sales", "cost centre": "4711"},
}
DEFAULTS: dict[str, Any] = {
    **dict.fromkeys(DEFINITION),
    "fallback_models": [],
    "metadata": {},
    "agents": [],
    "knowledge": [],
    "memory": "none",
}


def create(client: Client, **fields: Any) -> dict[str, Any]:
    """Create an agent."""
    made: dict[str, Any] = data(client.post("/agents", {**LEAST, **fields}), 201)
    return made


def nest_schema(depth: int) -> dict[str, Any]:
    """Return a valid schema that is nested that deep."""
    schema: dict[str, Any] = {}
    for _ in range(depth - 1):
        schema = {"not": schema}
    return schema


def test_every_field_is_kept_and_null_returns_it_to_its_default(client: Client) -> None:
    other = create(client)["id"]
    fields = {**DEFINITION, "agents": [other]}
    agent = create(client, **fields)
    path = f"/agents/{agent['id']}"
    assert {name: agent[name] for name in fields} == fields
    assert data(client.get(path)) == agent
    assert data(client.get("/agents?per_page=1")) == [agent]
    unchanged = data(client.put(path, agent))
    assert {**unchanged, "updated_at": agent["updated_at"]} == agent
    reset = data(client.put(path, dict.fromkeys(fields)))
    assert {name: reset[name] for name in DEFAULTS} == DEFAULTS
    set_again = data(client.put(path, fields))
    assert {name: set_again[name] for name in fields} == fields


@pytest.mark.parametrize("field", sorted(DEFINITION))
def test_only_sent_fields_change(client: Client, field: str) -> None:
    before = create(client)
    after = data(client.put(f"/agents/{before['id']}", {field: DEFINITION[field]}))
    assert {**after, "updated_at": None} == {**before, field: DEFINITION[field], "updated_at": None}


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"instructions": "x" * 100_001}, ["instructions", "100,000"]),
        ({"instructions": ""}, ["instructions", "empty"]),
        ({"model": "gpt-nonsense"}, ["gpt-nonsense", "alfred-default"]),
        ({"fallback_models": ["gpt-nonsense"]}, ["gpt-nonsense", "alfred-default"]),
        ({"fallback_models": ["alfred-default"] * 6}, ["fallback_models", "5"]),
        ({"temperature": 1.1}, ["temperature", "1"]),
        ({"max_output_tokens": 0}, ["max_output_tokens", "1"]),
        ({"reasoning_effort": "extreme"}, ["reasoning_effort", "none", "high"]),
        ({"output_schema": {"type": "objekt"}}, ["output_schema", "objekt"]),
        ({"output_schema": {"$ref": "http://127.0.0.1:9/schema"}}, ["output_schema", "valid JSON Schema"]),
        ({"output_schema": {"enum": ["x" * 33_000]}}, ["output_schema", "32 KiB"]),
        ({"output_schema": nest_schema(33)}, ["output_schema", "32 levels"]),
        ({"output_schema": []}, ["output_schema", "object"]),
        ({"budget": {"steps": 0}}, ["budget.steps", "1"]),
        ({"budget": {"cost_usd": "a lot"}}, ["budget.cost_usd", "decimal string"]),
        ({"budget": {"cost_usd": -1}}, ["budget.cost_usd", "decimal string"]),
        ({"budget": {"cost_usd": "1.0000000001"}}, ["budget.cost_usd", "9 digits"]),
        ({"budget": {"colour": 1}}, ["budget.colour"]),
        ({"agents": [999_999]}, ["agents", "no agent 999999"]),
        ({"agents": ["1"]}, ["agents", "integer"]),
        ({"agents": list(range(1, 22))}, ["agents", "20"]),
        ({"greeting": "x" * 1001}, ["greeting", "1,000"]),
        ({"metadata": {str(number): "x" for number in range(17)}}, ["metadata", "16"]),
        ({"metadata": {"a": 1}}, ["metadata.a", "string"]),
        ({"metadata": {"a": "x" * 501}}, ["metadata.a", "500"]),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)  # fmt: skip
def test_wrong_values_are_refused(client: Client, fields: dict[str, Any], named: list[str]) -> None:
    refuse(client.post("/agents", {**LEAST, **fields}), 400, *named)
    agent = create(client)
    refuse(client.put(f"/agents/{agent['id']}", fields), 400, *named)
    assert data(client.get(f"/agents/{agent['id']}")) == agent


def test_a_number_is_accepted_as_a_cost(client: Client) -> None:
    assert create(client, budget={"cost_usd": 1e-7})["budget"] == {"cost_usd": "0.0000001"}
    assert create(client, budget={"cost_usd": 2})["budget"] == {"cost_usd": "2"}
    assert create(client, budget={})["budget"] is None


def test_an_agent_calls_neither_itself_nor_agents_of_others(client: Client, server: Server, new_user: NewUser) -> None:
    agent, foreign = create(client), create(new_user(server).client())
    path = f"/agents/{agent['id']}"
    refuse(client.put(path, {"agents": [agent["id"]]}), 400, "agents", "itself")
    refuse(client.put(path, {"agents": [foreign["id"]]}), 400, "agents", f"no agent {foreign['id']}")
    refuse(client.post("/agents", {**LEAST, "agents": [foreign["id"]]}), 400, f"no agent {foreign['id']}")


def test_execute_replaces_the_settings_for_one_run(client: Client, model: ModelServer) -> None:
    agent = create(client, temperature=0.25, max_output_tokens=900, budget={"steps": 7})
    path = f"/agents/{agent['id']}/execute"
    data(client.post(path, {"message": "Hello"}))
    data(client.post(path, {"message": "Hello", "temperature": 0.75, "max_output_tokens": 300, "model": "stand-in"}))
    assert [request["temperature"] for request in model.requests] == [0.25, 0.75]
    refuse(client.post(path, {"message": "Hello", "model": "gpt-nonsense"}), 400, "gpt-nonsense", "alfred-default")
    refuse(client.post(path, {"message": "Hello", "output_schema": {"type": 5}}), 400, "output_schema")
    refuse(client.post(path, {"message": "Hello", "budget": {"cost_usd": "x"}}), 400, "budget.cost_usd")
    refuse(client.post(path, {"message": "Hello", "max_output_tokens": 0}), 400, "max_output_tokens")


def test_the_budget_of_a_run_replaces_only_the_limits_that_it_names(client: Client) -> None:
    skill = "network_calculate_subnet"
    agent = create(client, skills=[skill], budget={"steps": 3, "credits": 0})
    message = f'[[tool:{skill} {{"cidr": "10.0.0.0/8"}}]]'
    path = f"/agents/{agent['id']}/execute"
    refuse(client.post(path, {"message": message, "budget": {"steps": 2}}), 400, "limit of 0 credits")
    refuse(client.post(path, {"message": message, "budget": {"tokens": 1, "credits": 1}}), 400, "limit of 1 tokens")
    assert data(client.post(path, {"message": message, "budget": {"credits": 5}}))["tools_used"] == [skill]
