"""Creating, finding, changing and deleting agents."""

import re
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.conftest import NewUser
from tests.support.client import Client, data, refuse
from tests.support.server import Server

LEAST = {"agent_name": "Ada", "agent_role": "leader"}
FULL = {
    "agent_name": "Grace",
    "agent_role": "specialist",
    "task": "Count the hosts",
    "skills": ["network_calculate_subnet"],
    "fleet_id": None,
    "voice_enabled": True,
    "voice_engine": "piper",
    "approval": "required",
}
TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z")


def create(client: Client, **fields: Any) -> dict[str, Any]:
    """Create an agent."""
    made: dict[str, Any] = data(client.post("/agents", {**LEAST, **fields}), 201)
    return made


def test_omitted_fields_have_their_defaults(client: Client) -> None:
    agent = create(client)
    assert isinstance(agent.pop("id"), int)
    assert TIMESTAMP.fullmatch(agent["created_at"])
    assert agent.pop("created_at") == agent.pop("updated_at")
    assert agent == {
        "agent_name": "Ada", "agent_role": "leader", "skills": [], "fleet_id": None, "status": "idle",
        "monthly_tokens_used": 0, "monthly_credits_used": 0, "monthly_cost_usd_used": "0",
        "voice_enabled": False, "voice_engine": "hibari", "approval": "none",
        "monthly_tokens": None, "monthly_credits": None, "monthly_cost_usd": None, "instructions": None,
        "model": None, "fallback_models": [], "temperature": None, "max_output_tokens": None, "reasoning_effort": None,
        "output_schema": None, "budget": None, "agents": [], "knowledge": [], "agent_skills": [], "memory": "none",
        "greeting": None, "metadata": {}, "voice": None,
    }  # fmt: skip


def test_sent_fields_are_stored(client: Client) -> None:
    agent = data(client.post("/agents", FULL), 201)
    assert {name: agent[name] for name in FULL} == FULL
    assert data(client.get(f"/agents/{agent['id']}")) == agent


@pytest.mark.parametrize("role", ["leader", "specialist", "generalist", "reviewer"])
@pytest.mark.parametrize("engine", ["hibari", "kokoro", "piper", "openai"])
def test_every_role_and_engine_is_accepted(client: Client, role: str, engine: str) -> None:
    agent = create(client, agent_role=role, voice_engine=engine)
    assert (agent["agent_role"], agent["voice_engine"]) == (role, engine)


def test_null_on_creation_means_absent(client: Client) -> None:
    nulls = dict.fromkeys(["task", "skills", "fleet_id", "voice_enabled", "voice_engine"])
    agent, plain = create(client, **nulls), create(client)
    for own in ("id", "created_at", "updated_at"):
        del agent[own], plain[own]
    assert agent == plain


UNKNOWN: dict[str, Any] = {
    "skills": ["none_such"],
    "fleet_id": 987_654,
    "agents": [987_655],
    "knowledge": [987_656],
    "agent_skills": [987_657],
    "model": "none-such",
    "fallback_models": ["none-like-it"],
}
"""References to records that no account has, all of which one message must name."""


def test_a_message_names_all_unknown_records(client: Client) -> None:
    names = ["none_such", "987654", "987655", "987656", "987657", "'none-such'", "'none-like-it'"]
    agent = create(client)
    refuse(client.post("/agents", {**LEAST, **UNKNOWN}), 400, *names)
    refuse(client.put(f"/agents/{agent['id']}", UNKNOWN), 400, *names)
    assert data(client.get(f"/agents/{agent['id']}")) == agent


def test_a_message_suggests_tools_with_names_like_an_unknown_one(client: Client) -> None:
    mistyped = {"skills": ["network_calculate_subnte"]}
    refuse(client.post("/agents", {**LEAST, **mistyped}), 400, "Similar tools are: network_calculate_subnet")
    agent = create(client)
    body = {"message": "Count.", "tools": ["text_convert_cas"]}
    refuse(client.post(f"/agents/{agent['id']}/execute", body), 400, "text_convert_case")
    assert "Similar" not in refuse(client.post("/agents", {**LEAST, "skills": ["qqqqqq"]}), 400, "qqqqqq")


@pytest.mark.parametrize("name", ["", "  ", "\n\t"])
def test_a_name_that_is_blank_is_refused(client: Client, name: str) -> None:
    agent = create(client)
    refuse(client.post("/agents", {**LEAST, "agent_name": name}), 400, "agent_name must not be empty.")
    refuse(client.put(f"/agents/{agent['id']}", {"agent_name": name}), 400, "agent_name must not be empty.")


def test_spaces_around_a_name_are_left_out(client: Client) -> None:
    assert create(client, agent_name="  Ada  ")["agent_name"] == "Ada"


@pytest.mark.parametrize("letter", ["a", "é", "漢", "😀"])
def test_lengths_count_code_points(client: Client, letter: str) -> None:
    agent = create(client, agent_name=letter * 100, task=letter * 2000)
    assert (agent["agent_name"], agent["task"]) == (letter * 100, letter * 2000)
    refuse(client.post("/agents", {**LEAST, "agent_name": letter * 101}), 400, "agent_name", "100")
    refuse(client.post("/agents", {**LEAST, "task": letter * 2001}), 400, "task", "2,000")
    refuse(client.put(f"/agents/{agent['id']}", {"agent_name": letter * 101}), 400, "agent_name", "100")


def test_all_missing_fields_are_named(client: Client) -> None:
    refuse(client.post("/agents", {}), 400, "Missing required fields: agent_name, agent_role")


def test_all_wrong_fields_are_named_at_once(client: Client) -> None:
    wrong = {
        "agent_name": "",
        "agent_role": "chief",
        "task": 5,
        "skills": "x",
        "voice_engine": "z",
        "colour": 1,
        "size": 2,
    }
    refuse(client.post("/agents", wrong), 400, *wrong)
    refuse(client.put(f"/agents/{create(client)['id']}", wrong), 400, *wrong)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("agent_name", None), ("agent_name", ""), ("agent_name", 5), ("agent_name", ["a"]),
        ("agent_role", None), ("agent_role", "Leader"), ("agent_role", ""),
        ("task", ""), ("task", 1), ("task", {}),
        ("skills", "network_calculate_subnet"), ("skills", [1]), ("skills", [None]), ("skills", {}), ("skills", [""]),
        ("fleet_id", "1"), ("fleet_id", 1.0), ("fleet_id", True), ("fleet_id", 0), ("fleet_id", -1), ("fleet_id", []),
        ("fleet_id", 2**63),
        ("voice_enabled", 1), ("voice_enabled", "true"), ("voice_enabled", 0.0),
        ("voice_engine", "HIBARI"), ("voice_engine", ""), ("voice_engine", 1), ("approval", "always"),
    ],
)  # fmt: skip
def test_types_are_strict(client: Client, field: str, value: Any) -> None:
    refuse(client.post("/agents", {**LEAST, field: value}), 400, field)
    agent = create(client)
    refuse(client.put(f"/agents/{agent['id']}", {field: value}), 400, field)
    assert data(client.get(f"/agents/{agent['id']}")) == agent


@pytest.mark.parametrize("field", ["skills", "voice_enabled", "voice_engine", "agent_name", "agent_role"])
def test_null_on_update_is_refused_where_nothing_can_be_cleared(client: Client, field: str) -> None:
    refuse(client.put(f"/agents/{create(client)['id']}", {field: None}), 400, field)


def test_null_on_update_clears_the_task(client: Client) -> None:
    agent = create(client, task="Count")
    assert agent["task"] == "Count"
    assert "task" not in data(client.put(f"/agents/{agent['id']}", {"task": None, "fleet_id": None}))
    assert "task" not in data(client.get(f"/agents/{agent['id']}"))


def test_skills_must_exist(client: Client) -> None:
    refuse(client.post("/agents", {**LEAST, "skills": ["one_thing", "network_calculate_subnet", "other_thing"]}), 400,
            "skills", "one_thing", "other_thing")  # fmt: skip
    agent = create(client)
    refuse(client.put(f"/agents/{agent['id']}", {"skills": ["one_thing"]}), 400, "skills", "one_thing")


def test_a_fleet_must_be_ones_own(client: Client) -> None:
    refuse(client.post("/agents", {**LEAST, "fleet_id": 999_999}), 400, "fleet_id", "999999")
    refuse(client.put(f"/agents/{create(client)['id']}", {"fleet_id": 999_999}), 400, "fleet_id", "999999")


@pytest.mark.parametrize(
    "field", ["agent_name", "agent_role", "task", "skills", "voice_enabled", "voice_engine", "approval"]
)
def test_only_sent_fields_change(client: Client, field: str) -> None:
    before = create(client)
    after = data(client.put(f"/agents/{before['id']}", {field: FULL[field]}))
    assert after[field] == FULL[field]
    assert after["updated_at"] > before["updated_at"]
    for own in (field, "updated_at"):
        before.pop(own, None)
        after.pop(own)
    assert after == before


def test_a_whole_record_can_be_put_back(client: Client) -> None:
    agent = data(client.post("/agents", FULL), 201)
    edited = data(client.put(f"/agents/{agent['id']}", {**agent, "agent_name": "Edited"}))
    assert {**edited, "updated_at": ""} == {**agent, "agent_name": "Edited", "updated_at": ""}


def test_read_only_fields_are_ignored(client: Client) -> None:
    agent = create(client)
    sent = {"id": 1, "status": "error", "created_at": "never", "updated_at": None}
    after = data(client.put(f"/agents/{agent['id']}", sent))
    assert {**after, "updated_at": ""} == {**agent, "updated_at": ""}
    refuse(client.post("/agents", {**LEAST, "id": 1, "status": "working"}), 400, "id", "status")


def test_agents_are_listed_newest_first(client: Client) -> None:
    made = [create(client, agent_name=f"Agent {number}")["id"] for number in range(7)]
    body = client.get("/agents?per_page=3").json()
    assert [agent["id"] for agent in body["data"]] == made[:3:-1]
    assert body["meta"] == {"total": 7, "page": 1, "per_page": 3, "total_pages": 3}
    assert [agent["id"] for agent in client.get("/agents?per_page=3&page=3").json()["data"]] == made[:1]
    assert client.get("/agents").json()["meta"] == {"total": 7, "page": 1, "per_page": 20, "total_pages": 1}


def test_nothing_is_an_empty_list(client: Client) -> None:
    assert client.get("/agents").json() == {
        "data": [], "meta": {"total": 0, "page": 1, "per_page": 20, "total_pages": 0},
    }  # fmt: skip


def test_a_deleted_agent_is_gone_and_its_id_not_given_again(client: Client) -> None:
    agent = create(client)
    path = f"/agents/{agent['id']}"
    assert data(client.delete(path)) == {"id": agent["id"], "agent_id": agent["id"], "deleted": True}
    refuse(client.get(path), 404, str(agent["id"]))
    refuse(client.delete(path), 404)
    refuse(client.put(path, {"task": "x"}), 404)
    refuse(client.post(f"{path}/deploy"), 404)
    assert client.get("/agents").json()["meta"]["total"] == 0
    assert create(client)["id"] > agent["id"]


def test_a_full_quota_is_named_and_room_is_made_by_deleting(server: Server, new_user: NewUser) -> None:
    client = new_user(server, "free").client()
    made = [create(client) for _ in range(3)]
    refuse(client.post("/agents", LEAST), 400, "agents_active", "free", "3")
    assert client.get("/agents").json()["meta"]["total"] == 3
    client.delete(f"/agents/{made[0]['id']}")
    create(client)


def test_everyone_sees_their_own(client: Client, stranger: Client, sandbox: Client) -> None:
    owners = {caller: create(caller)["id"] for caller in (sandbox, client, stranger)}
    for caller, mine in owners.items():
        body = caller.get("/agents").json()
        assert ([agent["id"] for agent in body["data"]], body["meta"]["total"]) == ([mine], 1)
        for other in {*owners.values()} - {mine}:
            for method in ("GET", "PUT", "DELETE"):
                refuse(caller.request(method, f"/agents/{other}", json={}), 404)


TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), min_size=1, max_size=100)


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(name=TEXTS.filter(lambda text: text == text.strip()), task=TEXTS)
def test_text_comes_back_as_it_was_sent(client: Client, name: str, task: str) -> None:
    agent = create(client, agent_name=name, task=task)
    assert (agent["agent_name"], agent["task"]) == (name, task)
    assert data(client.get(f"/agents/{agent['id']}")) == agent
