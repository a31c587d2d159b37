"""Due times on a running server: the runs they start, overlap, failures, and permissions."""

import json
from collections.abc import Sequence

import pytest

from tests.conftest import User
from tests.fleets.support import add_agent, make_fleet
from tests.schedules.support import Json, come_due, history, new_agent, number, schedule, statuses
from tests.support.client import Client, data, refuse
from tests.support.events import stored_events
from tests.support.rows import rows
from tests.support.server import Server
from tests.support.waiting import eventually

LONG = "[[sleep:50]]"


def describe(server: Server, name: str, path: str) -> list[Json]:
    """Return the events of one schedule."""
    return [event for event in stored_events(server, name) if event["schedule_id"] == number(path)]


def test_a_single_date_runs_the_agent_once(server: Server, sandbox: Client) -> None:
    path = come_due(sandbox, schedule(sandbox, name="Once"))
    (entry,) = history(sandbox, path)
    run = eventually(lambda: _complete(sandbox, entry["run_id"]))
    record = data(sandbox.get(path))
    assert (run["message"], run["reply"], run["agent_id"]) == ("[[words:2]]", "word1 word2", record["agent_id"])
    assert (entry["status"], entry["due_at"], entry["manual"]) == ("fired", record["at"], False)
    assert (record["next_at"], record["enabled"], record["last_run"]["outcome"]) == (None, True, "completed")
    (event,) = describe(server, "schedule.fired", path)
    assert event == {
        "schedule_id": record["id"],
        "schedule_run_id": entry["id"],
        "name": "Once",
        "due_at": entry["due_at"],
        "agent_id": record["agent_id"],
        "fleet_id": None,
        "run_id": entry["run_id"],
        "deployment_id": None,
    }


def _complete(client: Client, run: int) -> Json | None:
    found: Json = data(client.get(f"/runs/{run}"))
    return found if found["status"] == "completed" else None


def test_a_fleet_is_deployed(server: Server, sandbox: Client) -> None:
    fleet = make_fleet(sandbox)
    add_agent(sandbox, fleet, "One")
    path = come_due(sandbox, schedule(sandbox, fleet_id=number(fleet), task="[[words:2]]"))
    (entry,) = history(sandbox, path)
    deployment = data(sandbox.get(f"{fleet}/deployments/{entry['deployment_id']}"))
    assert (deployment["task"], deployment["strategy"], entry["run_id"]) == ("[[words:2]]", "parallel", None)
    assert [event["deployment_id"] for event in describe(server, "schedule.fired", path)] == [entry["deployment_id"]]
    assert data(sandbox.get(fleet))["id"] == number(fleet)


@pytest.mark.parametrize(
    ("overlap", "expected"),
    [
        ("skip", ["fired", "skipped", "skipped"]),
        ("queue", ["fired", "waiting", "skipped"]),
        ("parallel", ["fired", "fired", "fired"]),
    ],
)
def test_due_times_while_a_run_goes_on(sandbox: Client, overlap: str, expected: list[str]) -> None:
    agent = new_agent(sandbox)
    path = schedule(sandbox, agent_id=agent, message=LONG, overlap=overlap)
    data(sandbox.post(f"{path}/run"), 202)
    for entries in (2, 3):
        come_due(sandbox, path)
        assert statuses(sandbox, path, entries) == expected[:entries]
    reasons = [entry["reason"] for entry in history(sandbox, path)]
    running = f"Run {history(sandbox, path)[0]['run_id']} was still in progress"
    assert all(reason.startswith(running) for reason in reasons if reason)
    assert [reason is None for reason in reasons] == [status == "fired" for status in expected]
    data(sandbox.post(f"/agents/{agent}/stop"))
    settled = ["fired" if status == "waiting" else status for status in expected]
    eventually(lambda: statuses(sandbox, path) == settled)
    data(sandbox.post(f"/agents/{agent}/stop"))


def test_waiting_work_starts_once_a_fleet_is_done(sandbox: Client) -> None:
    fleet = make_fleet(sandbox)
    add_agent(sandbox, fleet, "One")
    path = schedule(sandbox, fleet_id=number(fleet), task=LONG, overlap="queue")
    first = data(sandbox.post(f"{path}/run"), 202)
    come_due(sandbox, path)
    assert statuses(sandbox, path, 2) == ["fired", "waiting"]
    data(sandbox.post(f"{fleet}/deployments/{first['deployment_id']}/cancel"))
    eventually(lambda: statuses(sandbox, path) == ["fired", "fired"])
    second = history(sandbox, path)[1]
    assert second["fired_at"] > second["created_at"]
    data(sandbox.post(f"{fleet}/deployments/{second['deployment_id']}/cancel"))


def test_a_pause_cancels_waiting_runs(sandbox: Client) -> None:
    path = schedule(sandbox, message=LONG, overlap="queue")
    agent = data(sandbox.get(path))["agent_id"]
    data(sandbox.post(f"{path}/run"), 202)
    come_due(sandbox, path)
    assert statuses(sandbox, path, 2) == ["fired", "waiting"]
    data(sandbox.post(f"{path}/pause"))
    assert [(e["status"], e["reason"]) for e in history(sandbox, path)][1] == ("skipped", "The schedule was paused.")
    data(sandbox.post(f"/agents/{agent}/stop"))
    data(sandbox.post(f"{path}/resume"))
    assert statuses(sandbox, path) == ["fired", "skipped"]


def test_a_paused_schedule_does_not_fire(sandbox: Client) -> None:
    agent = new_agent(sandbox)
    paused, other = (schedule(sandbox, agent_id=agent) for _ in range(2))
    data(sandbox.post(f"{paused}/pause"))
    come_due(sandbox, paused)
    come_due(sandbox, other)
    history(sandbox, other)
    assert data(sandbox.get(f"{paused}/runs")) == []
    assert data(sandbox.post(f"{paused}/run"), 202)["manual"]
    assert data(sandbox.get(paused))["next_at"] is None


def test_a_schedule_of_a_deleted_agent_is_disabled(server: Server, sandbox: Client) -> None:
    agent = new_agent(sandbox)
    path = schedule(sandbox, agent_id=agent)
    data(sandbox.delete(f"/agents/{agent}"))
    come_due(sandbox, path)
    (entry,) = history(sandbox, path)
    record = data(sandbox.get(path))
    reason = f"There is no agent {agent} in your account."
    assert (entry["status"], entry["reason"], record["enabled"], record["disabled_reason"]) == (
        "failed",
        reason,
        False,
        reason,
    )
    (event,) = describe(server, "schedule.failed", path)
    assert (event["error"], event["enabled"], event["agent_id"]) == (reason, False, agent)
    refuse(sandbox.post(f"{path}/run"), 400, reason)
    changed = data(sandbox.put(path, {"agent_id": new_agent(sandbox), "enabled": True}))
    assert (changed["enabled"], changed["disabled_reason"]) == (True, None)


def test_a_fleet_without_agents_fails_and_is_tried_again(server: Server, sandbox: Client) -> None:
    fleet = make_fleet(sandbox)
    path = come_due(sandbox, schedule(sandbox, fleet_id=number(fleet)))
    (entry,) = history(sandbox, path)
    assert (entry["status"], "has no agents" in entry["reason"]) == ("failed", True)
    assert data(sandbox.get(path))["enabled"]
    (event,) = describe(server, "schedule.failed", path)
    assert (event["enabled"], event["fleet_id"]) == (True, number(fleet))


WRITE = ["agents:read", "agents:write"]


@pytest.mark.parametrize(
    ("author", "firing", "scopes"),
    [
        (["*"], None, ["*"]),
        (WRITE, None, WRITE),
        (["*"], WRITE, WRITE),
        ([*WRITE, "tools:execute"], ["*"], [*WRITE, "tools:execute"]),
        ([*WRITE, "tools:execute"], [*WRITE, "tools:read"], WRITE),
    ],
)
def test_a_run_has_the_permissions_of_its_author(
    server: Server, user: User, author: Sequence[str], firing: Sequence[str] | None, scopes: Sequence[str]
) -> None:
    client = user.client(author, test=True)
    path = schedule(client)
    if not firing:
        come_due(client, path)
    else:
        data(user.client(firing, test=True).post(f"{path}/run"), 202)
    (entry,) = history(client, path)
    assert _scopes(server, entry["run_id"]) == sorted(scopes)


def test_whoever_changes_a_schedule_becomes_its_author(server: Server, user: User) -> None:
    wide, narrow = user.client(test=True), user.client(WRITE, test=True)
    path = schedule(wide)
    data(narrow.post(f"{path}/pause"))
    data(narrow.post(f"{path}/resume"))
    assert _scopes(server, data(wide.post(f"{path}/run"), 202)["run_id"]) == ["*"]
    data(narrow.put(path, {"message": "Delete everything."}))
    assert _scopes(server, data(wide.post(f"{path}/run"), 202)["run_id"]) == sorted(WRITE)


def _scopes(server: Server, run: int) -> list[str]:
    (row,) = rows(server, f"SELECT options FROM runs WHERE id = {run}")
    options = json.loads(row["options"])
    assert options.get("may_execute", False) == bool({"*", "tools:execute"} & set(options["scopes"]))
    return sorted(options["scopes"])
