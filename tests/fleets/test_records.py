"""Creating, changing and deleting fleets, and the agents attached to them."""

import threading
from typing import Any

import pytest

from tests.conftest import NewUser
from tests.fleets.support import add_agent, deploy, ended, fleet_id, make_fleet
from tests.support.client import Client, data, refuse
from tests.support.events import stored_events
from tests.support.server import Server

FIELDS = {
    "id", "name", "description", "status", "max_agents", "auto_scale", "agent_count", "tasks_completed", "created_at",
}  # fmt: skip


def get(client: Client, path: str) -> dict[str, Any]:
    found: dict[str, Any] = data(client.get(path))
    return found


def count(client: Client, path: str) -> int:
    return int(get(client, path)["agent_count"])


def test_a_fleet_begins_with_the_defaults(client: Client) -> None:
    fleet = data(client.post("/fleets", {"name": "Watch"}), 201)
    assert fleet.keys() == FIELDS
    told = {name: fleet[name] for name in FIELDS - {"id", "created_at"}}
    assert told == {
        "name": "Watch", "description": "", "status": "active", "max_agents": 5, "auto_scale": False,
        "agent_count": 0, "tasks_completed": 0,
    }  # fmt: skip
    assert get(client, f"/fleets/{fleet['id']}") == fleet


def test_nulls_mean_the_defaults(client: Client) -> None:
    fleet = data(
        client.post("/fleets", {"name": "W", "description": None, "max_agents": None, "auto_scale": None}), 201
    )
    assert (fleet["description"], fleet["max_agents"], fleet["auto_scale"]) == ("", 5, False)


def test_the_longest_match_is_kept(client: Client) -> None:
    fields = {"name": "😀" * 100, "description": "é" * 2000, "max_agents": 100, "auto_scale": True}
    fleet = data(client.post("/fleets", fields), 201)
    assert {name: fleet[name] for name in fields} == fields


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", ""), ("name", "x" * 101), ("name", 5), ("name", None), ("description", "x" * 2001), ("description", 1),
        ("max_agents", 0), ("max_agents", 101), ("max_agents", 5.0), ("max_agents", "5"), ("max_agents", True),
        ("auto_scale", 1), ("auto_scale", "yes"), ("color", "red"),
    ],
)  # fmt: skip
def test_a_wrong_field_is_named(client: Client, field: str, value: object) -> None:
    refuse(client.post("/fleets", {"name": "Watch", field: value}), 400, field)
    refuse(client.put(make_fleet(client), {field: value}), 400, field)


def test_every_wrong_field_is_named_at_once(client: Client) -> None:
    refuse(client.post("/fleets", {"max_agents": 0, "auto_scale": "x", "more": 1}), 400, "name", "max_agents", "more")


def test_the_list_is_newest_first(client: Client) -> None:
    ids = [fleet_id(make_fleet(client, name=f"No {n}")) for n in range(3)]
    body = client.get("/fleets?per_page=2").json()
    assert [fleet["id"] for fleet in body["data"]] == ids[:0:-1]
    assert body["meta"] == {"total": 3, "page": 1, "per_page": 2, "total_pages": 2}
    assert client.get("/fleets?page=9").json()["data"] == []


def test_a_whole_record_may_be_sent_back(client: Client) -> None:
    path = make_fleet(client, description="Old")
    changed = {**get(client, path), "name": "New", "description": "", "agent_count": 77, "status": "odd"}
    fleet = data(client.put(path, changed))
    assert (fleet["name"], fleet["description"], fleet["agent_count"], fleet["status"]) == ("New", "", 0, "active")
    assert get(client, path) == fleet


@pytest.mark.parametrize("value", [None])
@pytest.mark.parametrize("field", ["name", "max_agents", "auto_scale"])
def test_only_the_description_of_a_fleet_can_be_cleared(client: Client, field: str, value: None) -> None:
    refuse(client.put(make_fleet(client), {field: value}), 400, field)


def test_max_agents_is_a_bound(client: Client) -> None:
    path = make_fleet(client, max_agents=2)
    for name in ("one", "two"):
        add_agent(client, path, name)
    third = {"agent_name": "three", "agent_role": "leader", "fleet_id": fleet_id(path)}
    refuse(client.post("/agents", third), 400, "fleet_id", "full")
    loose = data(client.post("/agents", {**third, "fleet_id": None}), 201)["id"]
    refuse(client.put(f"/agents/{loose}", {"fleet_id": fleet_id(path)}), 400, "fleet_id", "full")
    refuse(client.put(path, {"max_agents": 1}), 400, "max_agents", "2")
    assert (count(client, path), get(client, f"/agents/{loose}")["fleet_id"]) == (2, None)
    data(client.put(path, {"max_agents": 3}))
    assert data(client.put(f"/agents/{loose}", {"fleet_id": fleet_id(path)}))["fleet_id"] == fleet_id(path)
    assert count(client, path) == 3


def test_moving_and_leaving_keep_the_counts(client: Client) -> None:
    one, two = make_fleet(client), make_fleet(client)
    agent = f"/agents/{add_agent(client, one, 'Ada')}"
    data(client.put(agent, {"fleet_id": fleet_id(two)}))
    assert (count(client, one), count(client, two)) == (0, 1)
    data(client.put(agent, {"fleet_id": fleet_id(two), "agent_name": "Bea"}))
    assert count(client, two) == 1
    data(client.put(agent, {"fleet_id": None}))
    assert (count(client, two), get(client, agent)["fleet_id"]) == (0, None)
    data(client.put(agent, {"fleet_id": fleet_id(one)}))
    data(client.delete(agent))
    assert count(client, one) == 0


def test_a_refused_move_changes_nothing(client: Client, stranger: Client) -> None:
    path, foreign = make_fleet(client), make_fleet(stranger)
    agent = f"/agents/{add_agent(client, path, 'Ada')}"
    for other in (fleet_id(foreign), 999_999_999):
        refuse(client.put(agent, {"fleet_id": other}), 400, "fleet_id", str(other))
        refuse(client.post("/agents", {"agent_name": "B", "agent_role": "leader", "fleet_id": other}), 400, "fleet_id")
    assert (count(client, path), count(stranger, foreign)) == (1, 0)
    assert get(client, agent)["fleet_id"] == fleet_id(path)


def test_many_at_once_do_not_overfill(server: Server, client: Client) -> None:
    path = make_fleet(client, max_agents=3)
    clients = [Client(server, client.key) for _ in range(8)]
    body = {"agent_name": "Ada", "agent_role": "leader", "fleet_id": fleet_id(path)}
    statuses: list[int] = []
    threads = [
        threading.Thread(target=lambda c=c: statuses.append(c.post("/agents", body).status_code)) for c in clients
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for each in clients:
        each.close()
    assert sorted(statuses) == [201] * 3 + [400] * 5
    assert count(client, path) == 3


def test_deleting_a_fleet_detaches_its_agents_and_ends_its_work(sandbox: Client) -> None:
    path = make_fleet(sandbox)
    agent = f"/agents/{add_agent(sandbox, path, 'Ada')}"
    deployment = data(sandbox.post(f"{path}/deploy", {"task": "[[sleep:50]]"}))
    run = sandbox.get(f"{agent}/runs").json()["data"][0]["id"]
    assert data(sandbox.delete(path)) == {"id": fleet_id(path), "fleet_id": fleet_id(path), "deleted": True}
    refuse(sandbox.get(path), 404)
    refuse(sandbox.get(f"{path}/deployments/{deployment['deployment_id']}"), 404)
    assert (get(sandbox, agent)["fleet_id"], get(sandbox, agent)["status"]) == (None, "idle")
    ended_run = get(sandbox, f"/runs/{run}")
    assert (ended_run["status"], ended_run["error"]) == ("cancelled", "The fleet was deleted.")
    refuse(sandbox.put(agent, {"fleet_id": fleet_id(path)}), 400, "fleet_id")
    refuse(sandbox.delete(path), 404)


def test_the_quota_of_fleets(server: Server, new_user: NewUser) -> None:
    client = new_user(server, plan="free").client()
    path = make_fleet(client)
    refuse(client.post("/fleets", {"name": "Two"}), 400, "fleets_active", "free")
    assert data(client.get("/usage"))["fleets_active"] == {"used": 1, "limit": 1}
    data(client.delete(path))
    make_fleet(client)


def test_messages_for_customers(server: Server, sandbox: Client) -> None:
    path = make_fleet(sandbox, max_agents=7, auto_scale=True)
    agent = add_agent(sandbox, path, "Ada")
    deployment = deploy(sandbox, path, task="Hello", strategy="round-robin")
    ended(sandbox, deployment)
    number = fleet_id(path)
    (created,) = [told for told in stored_events(server, "fleet.created") if told["fleet_id"] == number]
    assert created == {
        "fleet_id": number, "name": "Watch", "max_agents": 7, "auto_scale": True, "status": "active",
    }  # fmt: skip
    (deployed,) = [told for told in stored_events(server, "fleet.deployed") if told["fleet_id"] == number]
    assert deployed == {
        "fleet_id": number, "deployment_id": fleet_id(deployment), "strategy": "round-robin", "task": "Hello",
        "agents": [agent],
    }  # fmt: skip
    (started,) = [told for told in stored_events(server, "agent.deployed") if told["fleet_id"] == number]
    assert started == {"agent_id": agent, "agent_name": "Ada", "fleet_id": number, "status": "working"}


def test_a_repeated_request_has_one_effect(sandbox: Client) -> None:
    key = {"Idempotency-Key": "one"}
    first = sandbox.post("/fleets", {"name": "Watch"}, headers=key)
    again = sandbox.post("/fleets", {"name": "Watch"}, headers=key)
    assert data(first, 201) == data(again, 201)
    path = f"/fleets/{data(first, 201)['id']}"
    add_agent(sandbox, path, "Ada")
    answers = [data(sandbox.post(f"{path}/deploy", {"task": "Hello"}, headers=key)) for _ in range(2)]
    assert answers[0] == answers[1]
    assert sandbox.get(f"{path}/deployments").json()["meta"]["total"] == 1
