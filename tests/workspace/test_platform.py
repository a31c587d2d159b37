"""What tools with an account's context may do on the platform."""

import json
from typing import Any

import pytest

from tests.conftest import DATABASES, StartServer, User
from tests.support.client import Client, data, refuse
from tests.support.waiting import eventually
from tests.workspace.support import call, decline, finish


def agent(client: Client, **fields: Any) -> int:
    """Create an agent. Returns its id."""
    body = {"agent_name": "Helper", "agent_role": "generalist", **fields}
    return int(data(client.post("/agents", body), 201)["id"])


def end(client: Client, run_id: int) -> Any:
    """Wait until a run has ended, and return it."""

    def look() -> Any:
        run = data(client.get(f"/runs/{run_id}"))
        return run if run["ended_at"] else None

    return eventually(look)


def test_a_tool_does_no_more_than_the_scopes_of_its_caller(user: User) -> None:
    plain = user.client(["tools:read", "tools:execute"])
    agent_id = agent(user.client())
    calls: list[tuple[str, dict[str, Any], str]] = [
        ("agent_list", {}, "agents:read"),
        ("agent_run_task", {"agent_id": agent_id, "message": "x"}, "agents:write"),
        ("run_show_status", {"run_id": 1}, "agents:read"),
        ("fleet_list", {}, "fleets:read"),
        ("fleet_run_task", {"fleet_id": 1, "task": "x"}, "fleets:write"),
        ("usage_show_report", {}, "usage:read"),
    ]
    for tool, args, scope in calls:
        refuse(call(plain, tool, **args), 403, scope)
    finish(plain, "note_create", title="A note needs no other scope")


def test_another_users_agents_fleets_and_runs_are_not_there(client: Client, stranger: Client) -> None:
    agent_id = agent(client)
    run_id = finish(client, "agent_run_task", agent_id=agent_id, message="hello")["run_id"]
    fleet_id = data(client.post("/fleets", {"name": "Mine"}), 201)["id"]
    assert finish(stranger, "agent_list")["agents"] == []
    assert finish(stranger, "fleet_list")["fleets"] == []
    decline(stranger, "agent_run_task", "There is no agent", agent_id=agent_id, message="hello")
    decline(stranger, "run_show_status", "There is no run", run_id=run_id)
    decline(stranger, "fleet_run_task", "There is no fleet", fleet_id=fleet_id, task="hello")


def begins(agent_id: int, message: str, times: int = 1) -> str:
    """Return a message that makes a run start others with that message."""
    arguments = json.dumps({"agent_id": agent_id, "message": message})
    return f"[[tool: agent_run_task {arguments}]]" * times


def begun_by(client: Client, run_id: int) -> list[Any]:
    """Return what a run received when it started others."""
    return [json.loads(step["content"]) for step in end(client, run_id)["steps"] if step["type"] == "tool"]


def test_runs_begin_one_another_three_deep(sandbox: Client) -> None:
    agent_id = agent(sandbox, skills=["agent_run_task"])
    message = "the last"
    for _ in range(4):
        message = begins(agent_id, message)
    run_id = finish(sandbox, "agent_run_task", agent_id=agent_id, message=message)["run_id"]
    for _ in range(3):
        (told,) = begun_by(sandbox, run_id)
        run_id = told["run_id"]
    (refusal,) = begun_by(sandbox, run_id)
    assert "nested 3 levels deep and cannot start another run" in refusal["error"]


@pytest.mark.parametrize("database", DATABASES)
def test_so_many_runs_come_of_one_and_no_more(database: str, start_server: StartServer) -> None:
    server = start_server(database, RETINUE_RUN_DESCENDANTS="5")
    client = Client(server, server.new_key(server.new_user(), test=True))
    agent_id = agent(client, skills=["agent_run_task"])
    root = finish(client, "agent_run_task", agent_id=agent_id, message=begins(agent_id, begins(agent_id, "x", 4), 3))
    children = begun_by(client, root["run_id"])
    told = children + [
        answer for child in children if "run_id" in child for answer in begun_by(client, child["run_id"])
    ]
    refused_ones = [answer for answer in told if "error" in answer and "run_id" not in answer]
    assert len(told) - len(refused_ones) == 5
    assert {answer["error"] for answer in refused_ones} == {
        f"Run {root['run_id']} and its descendants have started 5 runs, which is the maximum. "
        "Answer with what you have."
    }
    assert client.get(f"/agents/{agent_id}/runs").json()["meta"]["total"] == 6
    client.close()


def test_a_fleet_that_an_agent_deploys_counts_with_its_runs(start_server: StartServer) -> None:
    server = start_server(RETINUE_RUN_DESCENDANTS="2", RETINUE_RUN_DEPTH="1")
    client = Client(server, server.new_key(server.new_user(), test=True))
    fleet = data(client.post("/fleets", {"name": "Three"}), 201)["id"]
    nested = json.dumps({"fleet_id": fleet, "task": "x"})
    for _ in range(3):
        agent(client, fleet_id=fleet, skills=["fleet_run_task"])
    starter = agent(client, skills=["fleet_run_task"])
    order = json.dumps({"fleet_id": fleet, "task": f"[[tool: fleet_run_task {nested}]]"})
    message = f"[[tool: fleet_run_task {order}]]" * 2
    run = finish(client, "agent_run_task", agent_id=starter, message=message)["run_id"]
    first, second = begun_by(client, run)
    deployment = eventually(lambda: _over(client, fleet, first["deployment_id"]))
    assert sorted(part["status"] for part in deployment["parts"]) == ["completed", "completed", "failed"]
    (failure,) = deployment["result"]["failures"]
    assert "have started 2 runs, which is the maximum" in failure["error"] == second["error"]
    inner = [told for part in deployment["parts"] if part["run_id"] for told in begun_by(client, part["run_id"])]
    assert ["nested 1 levels deep" in told["error"] for told in inner] == [True, True]
    client.close()


def _over(client: Client, fleet: int, deployment: int) -> Any:
    found = data(client.get(f"/fleets/{fleet}/deployments/{deployment}"))
    return found if found["ended_at"] else None


def test_an_agent_keeps_its_memories(sandbox: Client) -> None:
    agent_id = agent(sandbox, skills=["note_create"])
    message = '[[tool: note_create {"title": "From a run", "text": "kept"}]]'
    data(sandbox.post(f"/agents/{agent_id}/execute", {"message": message}))
    assert finish(sandbox, "note_read", note="From a run")["text"] == "kept"
