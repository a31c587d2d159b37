"""Usage: what counts, under which metric, and what is refused once a quota is used up."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.conftest import NewUser, StartServer
from tests.portal.reader import reader_of
from tests.support.client import Client
from tests.support.events import stored_events
from tests.support.model_server import Answer, ModelServer
from tests.support.server import Server
from tests.support.waiting import eventually

SUBNET = "network_calculate_subnet"
METRICS = ("api_calls", "tools_executed", "agents_active", "fleets_active", "voice_minutes", "storage_mb")
SMALL_PLAN = """
[{name}]
tools = "free"
requests = {{ minute = 1000, hour = 10000, day = 100000 }}
keys = 5
[{name}.quotas]
api_calls = {calls}
tools_executed = {tools}
agents_active = {agents}
"""


def use(client: Client, metric: str) -> int:
    """Return a metric's use from the summary."""
    amount: int = client.get("/usage").json()["data"][metric]["used"]
    return amount


def new_agent(client: Client, **fields: object) -> int:
    """Create an agent. Returns its id."""
    created = client.post("/agents", {"agent_name": "Counted", "agent_role": "generalist", **fields})
    assert created.status_code == 201
    agent_id: int = created.json()["data"]["id"]
    return agent_id


def small_plans(folder: Path, *, calls: int = 1000, tools: int = 1000, agents: int = 1000) -> str:
    """Write a plans file in which every plan has these quotas. Returns its path."""
    names = ("free", "starter", "professional", "enterprise")
    path = folder / "plans.toml"
    path.write_text("".join(SMALL_PLAN.format(name=name, calls=calls, tools=tools, agents=agents) for name in names))
    return str(path)


def test_a_new_account_has_used_nothing(client: Client) -> None:
    summary = client.get("/usage").json()["data"]
    assert summary["period"] == f"{datetime.now(UTC):%Y-%m}"
    assert summary["plan"] == "enterprise"
    assert [summary[metric] for metric in METRICS] == [{"used": 0, "limit": None}] * 6


def test_the_specification_s_example_plan(server: Server, new_user: NewUser) -> None:
    summary = new_user(server, plan="professional").client().get("/usage").json()["data"]
    limits = {metric: summary[metric]["limit"] for metric in METRICS}
    assert limits == {
        "api_calls": None,
        "tools_executed": None,
        "agents_active": 20,
        "fleets_active": 10,
        "voice_minutes": 500,
        "storage_mb": 5120,
    }


def test_every_answered_call_is_counted_but_for_refusals_of_the_server(client: Client) -> None:
    client.get("/agents")
    client.get("/agents/9999999")
    client.post("/agents", {"agent_name": 5})
    client.get("/no-such-path")
    assert use(client, "api_calls") == 4
    assert use(client, "api_calls") == 5, "this request counts as well"


def test_a_model_that_is_away_costs_no_call(client: Client, sandbox: Client) -> None:
    assert sandbox.post("/chat", {"message": "[[fail]]"}).status_code == 503
    assert use(sandbox, "api_calls") == 0
    assert use(client, "api_calls") == 0


def test_the_sandbox_costs_nothing(sandbox: Client) -> None:
    new_agent(sandbox)
    sandbox.post(f"/tools/{SUBNET}/execute", {"args": {"cidr": "10.0.0.0/8"}})
    sandbox.post("/chat", {"message": "Hello"})
    assert [use(sandbox, metric) for metric in ("api_calls", "tools_executed")] == [0, 0]
    assert sandbox.get("/usage/history").json()["data"] == []


def test_agents_are_counted_while_they_exist(client: Client) -> None:
    agent_id = new_agent(client)
    assert use(client, "agents_active") == 1
    client.delete(f"/agents/{agent_id}")
    assert use(client, "agents_active") == 0


def test_history_tells_tools_agents_and_chat_apart(client: Client) -> None:
    client.post(f"/tools/{SUBNET}/execute", {"args": {"cidr": "10.0.0.0/8"}})
    client.post(f"/tools/{SUBNET}/execute", {"args": {"cidr": "10.0.0.1/8/9"}})
    client.post("/chat", {"message": "Hello"})
    client.post(f"/agents/{new_agent(client)}/execute", {"message": "Work"})
    days = {day["resource_type"]: day for day in client.get("/usage/history").json()["data"]}
    assert set(days) == {"tools", "agents", "chat"}
    assert {day["date"] for day in days.values()} == {f"{datetime.now(UTC):%Y-%m-%d}"}
    assert days["tools"]["count"] == 1 + days["tools"]["errors"]
    assert days["tools"]["credits"] == 1
    assert days["chat"]["count"] == days["agents"]["count"] == 1
    assert days["chat"]["tokens"] > 0
    assert use(client, "tools_executed") == days["tools"]["count"]


def test_a_run_that_is_cancelled_with_its_deployment_counts(client: Client, model: ModelServer) -> None:
    fleet = client.post("/fleets", {"name": "Counted"}).json()["data"]["id"]
    agent = new_agent(client, fleet_id=fleet, skills=[SUBNET])
    model.answers += [Answer(tool=SUBNET, arguments={"cidr": "10.0.0.0/8"}), Answer(text="One two", hold=True)]
    begun = client.post(f"/fleets/{fleet}/deploy", {"task": "Work"}).json()["data"]
    eventually(lambda: client.get(f"/agents/{agent}/runs").json()["data"][0]["tools_used"])
    client.post(f"/fleets/{fleet}/deployments/{begun['deployment_id']}/cancel")
    (run,) = client.get(f"/agents/{agent}/runs").json()["data"]
    assert run["status"] == "cancelled"
    (day,) = client.get("/usage/history", params={"resource_type": "agents"}).json()["data"]
    assert (day["count"], day["tokens"]) == (1, run["tokens_used"])
    assert day["tokens"] > 0


def test_filters_of_the_history(client: Client) -> None:
    client.post("/chat", {"message": "Hello"})
    client.post(f"/tools/{SUBNET}/execute", {"args": {"cidr": "10.0.0.0/8"}})
    today = datetime.now(UTC).date()
    only = client.get("/usage/history", params={"resource_type": "chat"}).json()
    assert [day["resource_type"] for day in only["data"]] == ["chat"]
    assert only["meta"]["total"] == 1
    before = {"start_date": str(today - timedelta(days=9)), "end_date": str(today - timedelta(days=1))}
    assert client.get("/usage/history", params=before).json()["data"] == []
    since = {"start_date": str(today), "end_date": str(today), "per_page": 1}
    assert client.get("/usage/history", params=since).json()["meta"]["total_pages"] == 2


@pytest.mark.parametrize(
    ("query", "word"),
    [
        ({"start_date": "2026-13-01"}, "start_date"),
        ({"start_date": "yesterday"}, "start_date"),
        ({"end_date": "1700000000"}, "end_date"),
        ({"start_date": "1700006400"}, "start_date"),  # midnight, which pydantic alone takes for a date
        ({"end_date": "2026-02-01T00:00:00"}, "end_date"),
        ({"start_date": "2026-02-02", "end_date": "2026-02-01"}, "after"),
        ({"resource_type": "storage"}, "resource_type"),
    ],
)
def test_bad_filters_are_named(client: Client, query: dict[str, str], word: str) -> None:
    refused = client.get("/usage/history", params=query)
    assert refused.status_code == 400
    assert word in refused.json()["error"]["message"]


@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
def test_a_quota_of_calls_that_is_used_up(
    database: str, start_server: StartServer, new_user: NewUser, tmp_path: Path
) -> None:
    server = start_server(database, RETINUE_PLANS_FILE=small_plans(tmp_path, calls=3))
    client = new_user(server).client()
    assert [client.get("/agents").status_code for _ in range(3)] == [200, 200, 200]
    refused = client.get("/agents")
    assert refused.status_code == 429
    assert "api_calls" in refused.json()["error"]["message"]
    assert 0 < int(refused.headers["Retry-After"]) <= 31 * 86_400
    server.restart()
    assert client.get("/agents").status_code == 429, "a restart must not reset the count"


def test_a_quota_of_tools_that_is_used_up(start_server: StartServer, new_user: NewUser, tmp_path: Path) -> None:
    server = start_server(RETINUE_PLANS_FILE=small_plans(tmp_path, tools=2))
    user = new_user(server)
    client, reader = user.client(), reader_of(user)
    call = (f"/tools/{SUBNET}/execute", {"args": {"cidr": "10.0.0.0/8"}})
    assert [client.post(*call).status_code for _ in range(3)] == [200, 200, 429]
    assert reader.post(f"/tools/{SUBNET}/try", {"cidr": "10.0.0.0/8"}).status_code == 429
    assert use(client, "api_calls") == 2, "refusals for a limit are not counted"


@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
def test_thresholds_are_told_once(database: str, start_server: StartServer, new_user: NewUser, tmp_path: Path) -> None:
    server = start_server(database, RETINUE_PLANS_FILE=small_plans(tmp_path, agents=5))
    client = new_user(server).client()
    for _ in range(5):
        new_agent(client)
    assert client.post("/agents", {"agent_name": "One more", "agent_role": "leader"}).status_code == 400

    def describe() -> list[int]:
        events = stored_events(server, "usage.threshold")
        return sorted(event["threshold"] for event in events if event["metric"] == "agents_active")

    eventually(lambda: describe() == [80, 100])
    server.restart()
    client.get("/agents")
    assert describe() == [80, 100]


@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
def test_answered_calls_are_counted_across_kill_9(database: str, start_server: StartServer, new_user: NewUser) -> None:
    server = start_server(database)
    client = new_user(server).client()
    answered = 0
    for _ in range(3):
        for _ in range(20):
            client.get("/agents")
            answered += 1
        server.kill()
        server.start()
    assert use(client, "api_calls") == answered
    assert server.cli("check") == "All is well.\n"
