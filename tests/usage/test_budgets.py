"""Monthly budgets of agents and API keys: what counts, and what is refused once a budget is used up."""

from collections import Counter
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from retinue.usage.periods import next_first_day
from tests.conftest import NewUser, StartServer, User
from tests.schedules.support import come_due, schedule
from tests.support.client import Client, data, refuse
from tests.support.model_server import Answer, ModelServer
from tests.support.rows import rows
from tests.support.server import Server
from tests.support.waiting import eventually

SUBNET = "network_calculate_subnet"
CALL = {"args": {"cidr": "10.0.0.0/8"}}
ASK = f'[[tool:{SUBNET} {{"cidr": "10.0.0.0/8"}}]]'
A_MONTH_S = 31 * 86_400


def new_agent(client: Client, **fields: object) -> str:
    """Create an agent. Returns its path."""
    agent = data(client.post("/agents", {"agent_name": "Thrifty", "agent_role": "generalist", **fields}), 201)
    return f"/agents/{agent['id']}"


def key_of(user: User, test: bool = False, **budgets: int) -> tuple[Client, str]:
    """Create a key with budgets. Returns a client with it, and the key's path."""
    owner = user.client(test=test)
    made = data(owner.post("/keys", budgets), 201)
    return user.with_key(made["key"]), f"/keys/{made['id']}"


def count(server: Server, kind: str, path: str) -> tuple[int, int]:
    """Return the tokens and credits that the spender at `path` used."""
    where = f"spender = '{kind}' AND spender_id = {path.rpartition('/')[2]}"
    found = rows(server, f"SELECT tokens, credits FROM budget_uses WHERE {where}")
    return (found[0]["tokens"], found[0]["credits"]) if found else (0, 0)


@pytest.mark.parametrize("path", ["/agents", "/keys"])
def test_budgets_are_set_shown_changed_and_cleared(client: Client, path: str) -> None:
    required = {"agent_name": "Thrifty", "agent_role": "leader"} if path == "/agents" else {}
    plain = data(client.post(path, required), 201)
    assert (plain["monthly_tokens"], plain["monthly_credits"]) == (None, None)
    made = data(client.post(path, {**required, "monthly_tokens": 5, "monthly_credits": 0}), 201)
    assert (made["monthly_tokens"], made["monthly_credits"]) == (5, 0)
    one = f"{path}/{made['id']}"
    changed = data(client.put(one, {"monthly_tokens": 7}))
    assert (changed["monthly_tokens"], changed["monthly_credits"]) == (7, 0)
    assert data(client.put(one, {**changed, "monthly_credits": None})) == data(client.get(one))
    assert data(client.get(one))["monthly_credits"] is None
    for wrong in (-1, 1.5, True, "5", 10**15 + 1):
        refuse(client.put(one, {"monthly_tokens": wrong}), 400, "monthly_tokens")
        refuse(client.post(path, {**required, "monthly_credits": wrong}), 400, "monthly_credits")


def test_a_key_is_renamed_and_keeps_its_rights(client: Client) -> None:
    made = data(client.post("/keys", {"name": "old", "scopes": ["agents:read"]}), 201)
    changed = data(client.put(f"/keys/{made['id']}", {"name": "new"}))
    assert (changed["name"], changed["scopes"]) == ("new", ["agents:read"])
    (entry,) = data(client.get("/audit?action=key.updated"))
    assert entry["target_id"] == made["id"]


def test_an_agents_tokens_are_used_up(client: Client, model: ModelServer) -> None:
    path = new_agent(client, monthly_tokens=15)
    other = new_agent(client)
    for _ in range(2):
        data(client.post(f"{path}/execute", {"message": "Hello"}))
    asked, runs = len(model.requests), client.get(f"{path}/runs").json()["meta"]["total"]
    for body in ({}, {"stream": True}, {"background": True}):
        answer = client.post(f"{path}/execute", {"message": "Hello", **body})
        refuse(answer, 429, "monthly_tokens")
        assert 0 < int(answer.headers["Retry-After"]) <= A_MONTH_S
    assert len(model.requests) == asked, "a model was called"
    assert client.get(f"{path}/runs").json()["meta"]["total"] == runs, "a run was created"
    data(client.post(f"{other}/execute", {"message": "Hello"}))
    data(client.put(path, {"monthly_tokens": 1000}))
    data(client.post(f"{path}/execute", {"message": "Hello"}))
    data(client.put(path, {"task": "Work", "monthly_tokens": 1}))
    refuse(client.post(f"{path}/deploy"), 429, "monthly_tokens")


def test_a_keys_tokens_are_used_up_in_chat_and_by_agents(user: User, client: Client) -> None:
    thrifty, path = key_of(user, monthly_tokens=30)
    agent = new_agent(client)
    first = data(thrifty.post("/chat", {"message": "Hello", "tools": []}))
    second = data(thrifty.post(f"{agent}/execute", {"message": "Hello"}))
    used = first["tokens_used"] + second["tokens_used"]
    assert count(user.server, "key", path)[0] == used
    data(client.put(path, {"monthly_tokens": used}))
    refuse(thrifty.post("/chat", {"message": "Hello"}), 429, "monthly_tokens", "key")
    refuse(thrifty.post("/chat", {"message": "Hello", "stream": True}), 429, "monthly_tokens")
    refuse(thrifty.post(f"{agent}/execute", {"message": "Hello"}), 429, "monthly_tokens")
    refuse(thrifty.post("/chat", {"message": "Hello", "conversation_id": "conv_unknown"}), 404)
    data(client.post("/chat", {"message": "Hello"}))
    assert thrifty.get(agent).status_code == 200, "requests without a model must still work"


def test_a_run_ends_in_the_middle(client: Client, model: ModelServer) -> None:
    path = new_agent(client, skills=[SUBNET], monthly_tokens=11)
    model.answers += [Answer(tool=SUBNET, arguments=CALL["args"])]
    refuse(client.post(f"{path}/execute", {"message": "Work"}), 429, "monthly_tokens")
    # Schedules of earlier tests may ask the model meanwhile.
    assert sum({"role": "user", "content": "Work"} in request["messages"] for request in model.requests) == 1
    (run,) = data(client.get(f"{path}/runs"))
    assert run["status"] == "failed"
    assert "monthly_tokens" in run["error"]
    assert run["tokens_used"] == count(client.server, "agent", path)[0] > 0


def test_credits_are_used_up_by_tools(user: User, client: Client) -> None:
    thrifty, path = key_of(user, monthly_credits=1)
    data(thrifty.post(f"/tools/{SUBNET}/execute", CALL))
    assert count(user.server, "key", path) == (0, 1)
    refuse(thrifty.post(f"/tools/{SUBNET}/execute", CALL), 429, "monthly_credits")
    refuse(thrifty.post("/chat", {"message": "Hello"}), 429, "monthly_credits")
    agent = new_agent(client, skills=[SUBNET], monthly_credits=1)
    refuse(client.post(f"{agent}/execute", {"message": ASK}), 429, "monthly_credits")
    assert count(user.server, "agent", agent)[1] == 1


def test_many_calls_of_one_step_stop_at_the_budget(client: Client, model: ModelServer) -> None:
    path = new_agent(client, skills=[SUBNET], monthly_credits=3)
    model.answers += [Answer(tool=SUBNET, arguments=CALL["args"], times=9)]
    refuse(client.post(f"{path}/execute", {"message": "Work"}), 429, "monthly_credits")
    assert count(client.server, "agent", path)[1] == 3


def test_runs_that_runs_and_schedules_begin_count_for_the_key(user: User, client: Client) -> None:
    thrifty, path = key_of(user, monthly_tokens=10_000)
    agent = new_agent(client)
    number = int(agent.rpartition("/")[2])
    data(thrifty.post("/tools/agent_run_task/execute", {"args": {"agent_id": number, "message": "Work"}}))
    come_due(thrifty, schedule(thrifty, agent_id=number, message="Work"))
    eventually(lambda: [run["status"] for run in data(client.get(f"{agent}/runs"))] == ["completed"] * 2)
    assert count(user.server, "key", path)[0] == count(user.server, "agent", agent)[0] > 0


def test_a_fleet_s_parts_fail_with_the_budget(client: Client) -> None:
    fleet = data(client.post("/fleets", {"name": "Thrifty"}), 201)["id"]
    new_agent(client, fleet_id=fleet, monthly_tokens=0)
    begun = data(client.post(f"/fleets/{fleet}/deploy", {"task": "Work"}))
    path = f"/fleets/{fleet}/deployments/{begun['deployment_id']}"
    ended = eventually(lambda: _end(data(client.get(path))))
    assert ended["status"] == "failed"
    assert "monthly_tokens" in str(ended["parts"])


def _end(deployment: dict[str, Any]) -> dict[str, Any] | None:
    return deployment if deployment["status"] != "running" else None


def test_the_sandbox_counts_nothing_and_obeys_a_budget_of_nothing(user: User) -> None:
    thrifty, path = key_of(user, test=True, monthly_tokens=1)
    for _ in range(2):
        data(thrifty.post("/chat", {"message": "Hello"}))
    assert count(user.server, "key", path) == (0, 0)
    none, _ = key_of(user, test=True, monthly_tokens=0)
    refuse(none.post("/chat", {"message": "Hello"}), 429, "monthly_tokens")


def test_another_users_key_is_not_changed(client: Client, stranger: Client) -> None:
    path = f"/keys/{data(client.post('/keys'), 201)['id']}"
    refuse(stranger.put(path, {"monthly_tokens": 1}), 404)
    assert data(client.get(path))["monthly_tokens"] is None


def test_a_successor_has_the_same_budgets(client: Client) -> None:
    made = data(client.post("/keys", {"monthly_tokens": 5, "monthly_credits": 6}), 201)
    successor = data(client.post(f"/keys/{made['id']}/rotate"), 201)
    assert (successor["monthly_tokens"], successor["monthly_credits"]) == (5, 6)


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["chat", "execute", "tool", "tokens", "credits"]), st.integers(0, 1), st.integers(0, 60)
    ),
    max_size=12,
)  # fmt: skip


@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS)
def test_it_refuses_the_same_values_as_the_reference_model(
    user: User, client: Client, model: ModelServer, steps: Any
) -> None:
    """Uses two keys and an agent with changing budgets. An independent count predicts which call is refused."""
    keys = [key_of(user) for _ in range(2)]
    agent = new_agent(client)
    limits: dict[tuple[str, str], int] = {}
    used: Counter[tuple[str, str]] = Counter()

    def is_used_up(*paths: str) -> bool:
        return any(used[place] >= limits[place] for place in limits if place[0] in paths)

    for kind, which, amount in steps:
        caller, path = keys[which]
        if kind in ("tokens", "credits"):
            place = agent if amount % 2 else path
            limits[place, kind] = amount
            data(client.put(place, {f"monthly_{kind}": amount}))
            continue
        spenders = (path, agent) if kind == "execute" else (path,)
        calls: dict[str, tuple[str, Any]] = {
            "chat": ("/chat", {"message": "One two three", "tools": []}),
            "execute": (f"{agent}/execute", {"message": "Hello", "tools": []}),
            "tool": (f"/tools/{SUBNET}/execute", CALL),
        }
        expected = is_used_up(*spenders)
        answer = caller.post(*calls[kind])
        assert answer.status_code == (429 if expected else 200), answer.text
        if not expected:
            amounts = data(answer)
            used.update({(spender, "tokens"): amounts.get("tokens_used", 0) for spender in spenders})
            used.update({(spender, "credits"): amounts.get("credits_used", 0) for spender in spenders})
    for kind, path in (("key", keys[0][1]), ("key", keys[1][1]), ("agent", agent)):
        assert count(user.server, kind, path) == (used[path, "tokens"], used[path, "credits"])


@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
def test_kill_9_gives_nothing_back(
    database: str, start_server: StartServer, new_user: NewUser, model: ModelServer
) -> None:
    server = start_server(database)
    user = new_user(server)
    client = user.client()
    thrifty, path = key_of(user, monthly_tokens=15)
    agent = new_agent(client)
    while (answer := thrifty.post(f"{agent}/execute", {"message": "Hello"})).status_code == 200:
        server.kill()
        server.start()
    refuse(answer, 429, "monthly_tokens")
    assert count(server, "key", path) == count(server, "agent", agent)
    assert server.cli("check") == "All is well.\n"


@pytest.mark.parametrize("path", ["/agents", "/keys"])
def test_a_spender_shows_its_use_beside_its_limits(user: User, client: Client, path: str) -> None:
    spender, key = key_of(user, monthly_tokens=1000, monthly_credits=5)
    agent = new_agent(client, skills=[SUBNET], monthly_tokens=1000, monthly_credits=5)
    record = agent if path == "/agents" else key
    fresh = data(client.get(record))
    assert (fresh["monthly_tokens_used"], fresh["monthly_credits_used"], fresh["monthly_cost_usd_used"]) == (0, 0, "0")
    answer = data(spender.post(f"{agent}/execute", {"message": ASK}))
    used = data(client.get(record))
    assert (used["monthly_tokens_used"], used["monthly_credits_used"]) == (answer["tokens_used"], 1)
    assert next(one for one in data(client.get(path)) if one["id"] == used["id"]) == used
    assert data(client.put(record, used))["monthly_tokens_used"] == answer["tokens_used"]


@pytest.mark.parametrize("path", ["/agents", "/keys"])
def test_the_refusal_names_the_budget_and_when_it_begins_again(user: User, client: Client, path: str) -> None:
    spender, key = key_of(user, monthly_tokens=9000 if path == "/agents" else 0)
    agent = new_agent(client, **({"monthly_tokens": 0} if path == "/agents" else {}))
    named = agent if path == "/agents" else key
    whose = f"{'the agent' if path == '/agents' else 'the API key'} {named.rpartition('/')[2]}"
    begins = next_first_day(datetime.now(UTC).date()).isoformat()
    answer = spender.post(f"{agent}/execute", {"message": "Hello"})
    refuse(answer, 429, f"monthly_tokens of {whose} (0) is used up", begins)
    assert answer.headers["x-should-retry"] == "false"
