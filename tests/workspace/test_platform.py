"""What tools at an account's desk may do on the platform, and what they may not."""

import json
from typing import Any

from tests.conftest import User
from tests.support.client import Client, data, refused
from tests.support.waiting import eventually
from tests.workspace.support import call, declined, done


def agent(client: Client, **fields: Any) -> int:
    """A new agent's id."""
    body = {"agent_name": "Helper", "agent_role": "generalist", **fields}
    return int(data(client.post("/agents", body), 201)["id"])


def ended(client: Client, run_id: int) -> Any:
    """A run, once it is over."""

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
        refused(call(plain, tool, **args), 403, scope)
    done(plain, "note_create", title="A note needs no other scope")


def test_another_users_agents_fleets_and_runs_are_not_there(client: Client, stranger: Client) -> None:
    agent_id = agent(client)
    run_id = done(client, "agent_run_task", agent_id=agent_id, message="hello")["run_id"]
    fleet_id = data(client.post("/fleets", {"name": "Mine"}), 201)["id"]
    assert done(stranger, "agent_list")["agents"] == []
    assert done(stranger, "fleet_list")["fleets"] == []
    declined(stranger, "agent_run_task", "There is no agent", agent_id=agent_id, message="hello")
    declined(stranger, "run_show_status", "There is no run", run_id=run_id)
    declined(stranger, "fleet_run_task", "There is no fleet", fleet_id=fleet_id, task="hello")


def test_a_run_begun_by_a_run_begins_no_other(sandbox: Client) -> None:
    second = agent(sandbox, skills=["agent_run_task"])
    third = {"agent_id": second, "message": "third"}
    message = f"[[tool: agent_run_task {json.dumps(third)}]]"
    first = done(sandbox, "agent_run_task", agent_id=second, message=message)["run_id"]
    assert "agent_run_task" in ended(sandbox, first)["tools_used"]
    nested = {"agent_id": second, "message": f"[[tool: agent_run_task {json.dumps(third)}]]"}
    begun = done(sandbox, "agent_run_task", agent_id=second, message=f"[[tool: agent_run_task {json.dumps(nested)}]]")
    step = next(step for step in ended(sandbox, begun["run_id"])["steps"] if step["type"] == "tool")
    inner = ended(sandbox, json.loads(step["content"])["run_id"])
    refused_step = next(step for step in inner["steps"] if step["type"] == "tool")
    assert "may not begin one itself" in refused_step["content"]


def test_an_agent_keeps_what_it_learns(sandbox: Client) -> None:
    agent_id = agent(sandbox, skills=["note_create"])
    message = '[[tool: note_create {"title": "From a run", "text": "kept"}]]'
    data(sandbox.post(f"/agents/{agent_id}/execute", {"message": message}))
    assert done(sandbox, "note_read", note="From a run")["text"] == "kept"
