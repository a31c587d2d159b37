"""What model calls cost: in answers and in the history of usage, to the last digit, and against monthly budgets."""

import csv
import io
from typing import Any

import pytest

from tests.conftest import User
from tests.providers.support import Json, provide, remote, say
from tests.support.client import Client, data, refuse
from tests.support.model_server import ModelServer

PRICE = {"input": "1000", "output": "2000.0000000001"}
"""In USD per million tokens."""
COST = "0.0160000000000003"
"""The cost of one reply to "Hello": 10 input and 3 output tokens."""
TWICE = "0.0320000000000006"
USAGE = {"input_tokens": 10, "cached_input_tokens": 0, "output_tokens": 3, "reasoning_tokens": 0}


@pytest.fixture
def priced_model(client: Client, host: ModelServer) -> str:
    """The name of a model whose price is known. The price of `mine/m2` is not."""
    provide(client, remote(host.url, models=[{"id": "m1", "price": PRICE}, {"id": "m2"}]))
    return "mine/m1"


def new_agent(client: Client, **fields: Any) -> str:
    """Create an agent. Returns its path."""
    made = data(client.post("/agents", {"agent_name": "Thrifty", "agent_role": "generalist", **fields}), 201)
    return f"/agents/{made['id']}"


def history(client: Client) -> dict[str, Json]:
    """Return today's usage by kind."""
    return {one["resource_type"]: one for one in data(client.get("/usage/history"))}


def test_the_history_equals_the_sum_of_the_reported_usage(client: Client, priced_model: str) -> None:
    path = new_agent(client, model=priced_model)
    for _ in range(2):
        answer = data(client.post(f"{path}/execute", {"message": "Hello"}))
        assert (answer["usage"], answer["cost_usd"]) == (USAGE, COST)
    twice = {name: 2 * count for name, count in USAGE.items()}
    agents = history(client)["agents"]
    assert (agents["usage"], agents["cost_usd"], agents["tokens"]) == (twice, TWICE, 26)
    summary = data(client.get("/usage"))
    assert (summary["usage"], summary["cost_usd"]) == (twice, TWICE)
    assert data(client.get("/usage/export")) == data(client.get("/usage/history"))
    lines = csv.DictReader(io.StringIO(client.get("/usage/export?format=csv").text, newline=""))
    (line,) = (one for one in lines if one["resource_type"] == "agents")
    assert (line["cost_usd"], line["input_tokens"], line["output_tokens"]) == (TWICE, "20", "6")


def test_a_cost_is_null_where_a_price_is_unknown(client: Client, priced_model: str) -> None:
    assert say(client, "mine/m2")["cost_usd"] is None
    path = new_agent(client, model=priced_model)
    data(client.post(f"{path}/execute", {"message": "Hello"}))
    found = history(client)
    assert (found["chat"]["cost_usd"], found["chat"]["usage"]) == (None, USAGE)
    assert found["agents"]["cost_usd"] == COST
    assert (found["chat"]["unpriced_tokens"], found["agents"]["unpriced_tokens"]) == (13, 0)
    summary = data(client.get("/usage"))
    assert (summary["cost_usd"], summary["unpriced_tokens"]) == (None, 13)
    lines = csv.DictReader(io.StringIO(client.get("/usage/export?format=csv").text, newline=""))
    (line,) = (one for one in lines if one["resource_type"] == "chat")
    assert (line["cost_usd"], line["unpriced_tokens"]) == ("", "13")


def test_an_agents_dollars_are_used_up(client: Client, priced_model: str) -> None:
    path = new_agent(client, model=priced_model, monthly_cost_usd="0.03")
    for _ in range(2):
        data(client.post(f"{path}/execute", {"message": "Hello"}))
    for body in ({}, {"stream": True}, {"background": True}):
        refuse(client.post(f"{path}/execute", {"message": "Hello", **body}), 429, "monthly_cost_usd", "(0.03 USD)")
    refuse(client.post("/chat", {"message": "Hello", "agent_id": int(path.rpartition("/")[2])}), 429, "cost_usd")
    assert data(client.put(path, {"monthly_cost_usd": "0.032000001"}))["monthly_cost_usd"] == "0.032000001"
    data(client.post(f"{path}/execute", {"message": "Hello"}))


def test_a_keys_dollars_are_used_up(user: User, client: Client, priced_model: str) -> None:
    made = data(client.post("/keys", {"monthly_cost_usd": "0.016"}), 201)
    with_key = user.with_key(made["key"])
    say(with_key, priced_model)
    refuse(with_key.post("/chat", {"message": "Hello", "model": priced_model}), 429, "monthly_cost_usd", "the API key")
    assert data(client.post(f"/keys/{made['id']}/rotate"), 201)["monthly_cost_usd"] == "0.016"


def test_model_calls_without_a_price_use_up_no_dollars(client: Client, priced_model: str) -> None:
    path = new_agent(client, model="mine/m2", monthly_cost_usd="0.001", budget={"cost_usd": "0.001"})
    for _ in range(2):
        assert data(client.post(f"{path}/execute", {"message": "Hello"}))["cost_usd"] is None


@pytest.mark.parametrize("path", ["/agents", "/keys"])
def test_a_budget_in_dollars_is_a_decimal(client: Client, path: str) -> None:
    required = {"agent_name": "Thrifty", "agent_role": "leader"} if path == "/agents" else {}
    made = data(client.post(path, {**required, "monthly_cost_usd": 0.5}), 201)
    one = f"{path}/{made['id']}"
    assert made["monthly_cost_usd"] == "0.5"
    assert data(client.put(one, {"monthly_cost_usd": None}))["monthly_cost_usd"] is None
    for wrong in (-1, True, "1e3", "a lot", "1.0000000001", "", " 1"):
        refuse(client.put(one, {"monthly_cost_usd": wrong}), 400, "monthly_cost_usd")
        refuse(client.post(path, {**required, "monthly_cost_usd": wrong}), 400, "monthly_cost_usd")
