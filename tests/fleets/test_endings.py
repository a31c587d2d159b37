"""Deployments that fail or are cancelled, and copies of agents that help with waiting parts."""

import pytest

from tests.fleets.support import add_agent, carried_out, deploy, ended, fleet_id, make_fleet, message, shape
from tests.support.client import Client, data, refuse
from tests.support.events import stored_events
from tests.support.model_server import Answer, ModelServer
from tests.support.server import Server
from tests.support.waiting import eventually

LONG = "[[sleep:50]]"
NO_PATIENCE = Answer("maximum context length", status=400)
"""An error that a retry does not fix."""


@pytest.fixture
def fleet(sandbox: Client) -> str:
    """A fleet without agents."""
    return make_fleet(sandbox, max_agents=10)


def test_one_failure_does_not_fail_the_rest(client: Client, model: ModelServer) -> None:
    fleet = make_fleet(client)
    for name, role in (("Gus", "generalist"), ("Sue", "specialist"), ("Lea", "leader")):
        add_agent(client, fleet, name, role)
    model.answers += [NO_PATIENCE, Answer("fine"), Answer("good"), Answer("all in all")]
    done = carried_out(client, fleet, task="Go")
    assert done["status"] == "completed"
    (failed,) = [part for part in done["parts"] if part["status"] == "failed"]
    assert (failed["kind"], failed["reply"]) == ("work", None)
    assert done["result"]["reply"] == "all in all"
    (failure,) = done["result"]["failures"]
    assert (failure["part"], failure["agent_id"]) == (failed["number"], failed["agent_id"])
    assert failure["error"] == failed["error"] == data(client.get(f"/runs/{failed['run_id']}"))["error"]
    assert f"{failed['agent_name']} ({failed['agent_role']}) failed:" in message(client, done["parts"][-1])
    assert data(client.get(fleet))["tasks_completed"] == 3


def test_a_sequence_goes_on_after_a_failure(client: Client, model: ModelServer) -> None:
    fleet = make_fleet(client)
    for name in ("Gus", "Sue", "Tom"):
        add_agent(client, fleet, name)
    model.answers += [Answer("one"), NO_PATIENCE, Answer("three")]
    done = carried_out(client, fleet, task="Go", strategy="sequential")
    assert [part["status"] for part in done["parts"]] == ["completed", "failed", "completed"]
    assert "Sue (generalist) failed:" in message(client, done["parts"][2])
    assert (done["status"], done["result"]["reply"]) == ("completed", "three")


def test_a_failed_synthesis_leaves_the_replies(client: Client, model: ModelServer) -> None:
    fleet = make_fleet(client)
    add_agent(client, fleet, "Gus")
    add_agent(client, fleet, "Lea", "leader")
    model.answers += [Answer("one"), Answer("other"), NO_PATIENCE]
    done = carried_out(client, fleet, task="Go")
    assert done["status"] == "completed"
    assert done["result"]["reply"] in ("Gus: one\n\nLea: other", "Gus: other\n\nLea: one")
    assert [failure["agent_name"] for failure in done["result"]["failures"]] == ["Lea"]


def test_a_failed_plan_leaves_the_task_whole(client: Client, model: ModelServer) -> None:
    fleet = make_fleet(client)
    add_agent(client, fleet, "Lea", "leader")
    model.answers += [NO_PATIENCE, Answer("done")]
    done = carried_out(client, fleet, task="Go", strategy="round-robin")
    assert shape(done) == [("plan", "Lea"), ("work", "Lea")]
    assert (message(client, done["parts"][1]), done["result"]["reply"]) == ("Go", "done")


def test_when_all_fail_the_deployment_fails(client: Client, model: ModelServer) -> None:
    fleet = make_fleet(client)
    for name, role in (("Gus", "generalist"), ("Lea", "leader"), ("Rex", "reviewer")):
        add_agent(client, fleet, name, role)
    model.answers += [NO_PATIENCE] * 3
    done = carried_out(client, fleet, task="Go")
    assert [part["status"] for part in done["parts"]] == ["failed"] * 3 + ["cancelled"] * 2
    assert [part["run_id"] for part in done["parts"][3:]] == [None, None]
    assert (done["status"], done["error"]) == ("failed", "No agent completed its part.")
    assert len(done["result"]["failures"]) == 5
    assert data(client.get(fleet))["tasks_completed"] == 0


def test_a_deleted_agent_fails_its_part_alone(sandbox: Client, fleet: str) -> None:
    first, second, third = (add_agent(sandbox, fleet, name) for name in ("Gus", "Sue", "Tom"))
    deployment = deploy(sandbox, fleet, task="[[sleep:1]]", strategy="sequential")
    data(sandbox.delete(f"/agents/{second}"))
    done = ended(sandbox, deployment)
    assert [part["agent_id"] for part in done["parts"]] == [first, second, third]
    assert [part["status"] for part in done["parts"]] == ["completed", "failed", "completed"]
    assert done["parts"][1]["error"] == "The agent was deleted."


def test_stopping_an_agent_ends_its_part_alone(sandbox: Client, fleet: str) -> None:
    agent = add_agent(sandbox, fleet, "Gus")
    add_agent(sandbox, fleet, "Sue", task="Hello")
    data(sandbox.put(f"/agents/{agent}", {"task": LONG}))
    deployment = deploy(sandbox, fleet)
    data(sandbox.post(f"/agents/{agent}/stop"))
    done = ended(sandbox, deployment)
    assert [part["status"] for part in done["parts"]] == ["cancelled", "completed"]
    assert done["status"] == "completed"


@pytest.mark.parametrize("strategy", ["parallel", "sequential", "round-robin"])
def test_the_time_is_up(sandbox: Client, fleet: str, strategy: str) -> None:
    fast = add_agent(sandbox, fleet, "Gus", task="Hello")
    slow = add_agent(sandbox, fleet, "Sue", task=LONG)
    add_agent(sandbox, fleet, "Lea", "reviewer", task=LONG)
    done = carried_out(sandbox, fleet, strategy=strategy, timeout=1)
    assert (done["status"], done["error"]) == ("timed_out", "The deployment timed out after 1 seconds.")
    statuses = {part["agent_id"]: part["status"] for part in done["parts"] if part["kind"] == "work"}
    assert (statuses[fast], statuses[slow]) == ("completed", "cancelled")
    assert done["result"]["reply"] == "You said: Hello"
    assert {failure["error"] for failure in done["result"]["failures"]} == {done["error"]}
    runs = [data(sandbox.get(f"/runs/{part['run_id']}")) for part in done["parts"] if part["run_id"]]
    assert {run["status"] for run in runs} == {"completed", "cancelled"}
    assert {agent["status"] for agent in data(sandbox.get("/agents"))} == {"idle"}
    assert data(sandbox.get(fleet))["status"] == "active"
    assert data(sandbox.get(fleet))["tasks_completed"] == 1


def test_cancel_ends_everything_and_may_be_repeated(sandbox: Client, fleet: str) -> None:
    for name in ("Gus", "Sue"):
        add_agent(sandbox, fleet, name)
    deployment = deploy(sandbox, fleet, task=LONG, strategy="sequential")
    done = data(sandbox.post(f"{deployment}/cancel"))
    assert (done["status"], done["error"]) == ("cancelled", "Cancelled on request.")
    assert [part["status"] for part in done["parts"]] == ["cancelled", "cancelled"]
    assert [part["run_id"] is None for part in done["parts"]] == [False, True]
    assert data(sandbox.get(f"/runs/{done['parts'][0]['run_id']}"))["status"] == "cancelled"
    assert data(sandbox.post(f"{deployment}/cancel")) == done
    finished = deploy(sandbox, fleet, task="Hello")
    over = ended(sandbox, finished)
    assert data(sandbox.post(f"{finished}/cancel")) == over


def test_copies_help_while_parts_wait(server: Server, sandbox: Client) -> None:
    fleet = make_fleet(sandbox, max_agents=3, auto_scale=True)
    agent = add_agent(sandbox, fleet, "Gus")
    task = "\n".join(["[[sleep:0.5]]"] * 4)
    deployment = deploy(sandbox, fleet, task=task, strategy="round-robin")
    parts = data(sandbox.get(deployment))["parts"]
    assert [(part["status"], part["is_copy"]) for part in parts] == [
        ("running", False), ("running", True), ("running", True), ("waiting", False),
    ]  # fmt: skip
    assert len(data(sandbox.get("/agents"))) == 1
    assert data(sandbox.get(fleet))["agent_count"] == 1
    done = ended(sandbox, deployment)
    assert [part["status"] for part in done["parts"]] == ["completed"] * 4
    assert {part["agent_id"] for part in done["parts"]} == {agent}
    started = [told for told in stored_events(server, "agent.deployed") if told["fleet_id"] == fleet_id(fleet)]
    assert [told["agent_id"] for told in started] == [agent]
    assert len(data(sandbox.get("/agents"))) == 1


def test_deployments_share_the_places_of_copies(sandbox: Client) -> None:
    fleet = make_fleet(sandbox, max_agents=2, auto_scale=True)
    add_agent(sandbox, fleet, "Gus")
    task = "\n".join([LONG] * 3)
    paths = [deploy(sandbox, fleet, task=task, strategy="round-robin") for _ in range(2)]
    parts = [part for path in paths for part in data(sandbox.get(path))["parts"]]
    assert sum(part["is_copy"] for part in parts) == 1
    assert sum(part["status"] == "running" for part in parts) == 3
    for path in paths:
        data(sandbox.post(f"{path}/cancel"))


def test_without_auto_scale_an_agent_does_one_part_at_a_time(sandbox: Client) -> None:
    fleet = make_fleet(sandbox)
    add_agent(sandbox, fleet, "Gus")
    done = carried_out(sandbox, fleet, task="[[sleep:0.1]]\n[[sleep:0.1]]\n[[sleep:0.1]]", strategy="round-robin")
    for earlier, later in zip(done["parts"], done["parts"][1:], strict=False):
        assert earlier["ended_at"] <= later["started_at"]
    assert not any(part["is_copy"] for part in done["parts"])


def test_another_users_deployment_is_not_found(sandbox: Client, stranger: Client, fleet: str) -> None:
    add_agent(sandbox, fleet, "Gus")
    deployment = deploy(sandbox, fleet, task=LONG)
    for response in (stranger.get(deployment), stranger.post(f"{deployment}/cancel"), stranger.delete(fleet)):
        refuse(response, 404)
    assert data(sandbox.get(deployment))["status"] == "running"
    data(sandbox.post(f"{deployment}/cancel"))
    eventually(lambda: data(sandbox.get(fleet))["status"] == "active")
