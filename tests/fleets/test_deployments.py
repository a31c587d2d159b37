"""Fleets at work: how each strategy assigns parts to agents, their order, and the results."""

from datetime import datetime
from typing import Any

import pytest

from tests.fleets.support import add_agent, carried_out, deploy, ended, make_fleet, message, shape
from tests.support.client import Client, data, refuse
from tests.support.model_server import Answer, ModelServer
from tests.support.waiting import eventually

TEAM = (("Rex", "reviewer"), ("Gus", "generalist"), ("Sue", "specialist"), ("Lea", "leader"), ("Sam", "specialist"))
ANSWER = {
    "deployment_id", "fleet_id", "status", "strategy", "task", "timeout", "agents", "agents_deployed", "message",
    "started_at",
}  # fmt: skip
RECORD = ANSWER - {"message"} | {"result", "error", "ended_at"}
PART = {
    "number", "kind", "agent_id", "agent_name", "agent_role", "is_copy", "task", "run_id", "status", "reply", "error",
    "started_at", "ended_at",
}  # fmt: skip


@pytest.fixture
def fleet(sandbox: Client) -> str:
    """A fleet without agents."""
    return make_fleet(sandbox, max_agents=10)


def team(client: Client, fleet: str, **fields: Any) -> list[int]:
    """Attach an agent of every role, and two specialists."""
    return [add_agent(client, fleet, name, role, **fields) for name, role in TEAM]


def working_at_once(client: Client, deployment: str) -> int:
    """Return how many parts of a deployment are running."""
    return sum(part["status"] == "running" for part in data(client.get(deployment))["parts"])


def test_deploy_answers_at_once(sandbox: Client, fleet: str) -> None:
    agents = team(sandbox, fleet)
    answer = data(sandbox.post(f"{fleet}/deploy", {"task": "[[sleep:30]]"}))
    assert answer.keys() == ANSWER
    assert (answer["status"], answer["strategy"], answer["timeout"]) == ("running", "parallel", 3600)
    assert (answer["task"], answer["agents"], answer["agents_deployed"]) == ("[[sleep:30]]", agents, 5)
    assert data(sandbox.get(fleet))["status"] == "working"
    path = f"{fleet}/deployments/{answer['deployment_id']}"
    assert eventually(lambda: working_at_once(sandbox, path) == 5)
    assert {agent["status"] for agent in data(sandbox.get("/agents"))} == {"working"}
    assert data(sandbox.post(f"{path}/cancel"))["status"] == "cancelled"
    assert data(sandbox.get(fleet))["status"] == "active"


def test_parallel_all_work_then_the_leader_synthesises_and_the_reviewer_checks(sandbox: Client, fleet: str) -> None:
    team(sandbox, fleet)
    done = carried_out(sandbox, fleet, task="Count the hosts.", strategy="parallel")
    assert shape(done) == [*(("work", name) for name, _ in TEAM), ("synthesis", "Lea"), ("review", "Rex")]
    *work, synthesis, review = done["parts"]
    assert [message(sandbox, part) for part in work] == ["Count the hosts."] * 5
    assert [part["reply"] for part in work] == ["You said: Count the hosts."] * 5
    asked = message(sandbox, synthesis)
    assert asked.count("You said: Count the hosts.") == 5
    assert all(f"{name} ({role}):" in asked for name, role in TEAM)
    assert "Count the hosts." in message(sandbox, review)
    assert synthesis["reply"] in message(sandbox, review)
    assert max(part["ended_at"] for part in work) <= synthesis["started_at"] <= review["started_at"]
    assert (done["status"], done["error"]) == ("completed", None)
    assert done["result"] == {"reply": review["reply"], "failures": []}
    assert data(sandbox.get(fleet))["tasks_completed"] == 7


def test_without_a_leader_and_a_reviewer_the_replies_stand_side_by_side(sandbox: Client, fleet: str) -> None:
    for name in ("Gus", "Sue"):
        add_agent(sandbox, fleet, name)
    done = carried_out(sandbox, fleet, task="Hello")
    assert shape(done) == [("work", "Gus"), ("work", "Sue")]
    assert done["result"]["reply"] == "You said: Hello", "equal replies are merged"


def test_one_agent_needs_no_synthesis(sandbox: Client, fleet: str) -> None:
    add_agent(sandbox, fleet, "Lea", "leader")
    done = carried_out(sandbox, fleet, task="Hello")
    assert shape(done) == [("work", "Lea")]
    assert done["result"]["reply"] == "You said: Hello"


def test_sequential_follows_roles_and_passes_on_earlier_results(sandbox: Client, fleet: str) -> None:
    team(sandbox, fleet)
    done = carried_out(sandbox, fleet, task="[[words:3]]", strategy="sequential")
    names = ["Lea", "Sue", "Sam", "Gus", "Rex"]
    assert shape(done) == [("work", name) for name in names]
    asked = [message(sandbox, part) for part in done["parts"]]
    assert asked[0] == "[[words:3]]"
    for place, text in enumerate(asked):
        assert [name in text for name in names] == [other < place for other in range(5)]
        assert text.count("word1 word2 word3") == place
    for earlier, later in zip(done["parts"], done["parts"][1:], strict=False):
        assert earlier["ended_at"] <= later["started_at"]
    assert done["result"] == {"reply": "word1 word2 word3", "failures": []}
    assert data(sandbox.get(fleet))["tasks_completed"] == 5


def test_round_robin_deals_the_items_of_a_list_in_turn(sandbox: Client, fleet: str) -> None:
    for name in ("Gus", "Sue"):
        add_agent(sandbox, fleet, name)
    done = carried_out(sandbox, fleet, task="Greet:\n- Ann\n- Ben\n  Bold\n3. Cid", strategy="round-robin")
    assert shape(done) == [("work", "Gus"), ("work", "Sue"), ("work", "Gus")]
    assert [message(sandbox, part) for part in done["parts"]] == [
        "Greet:\n\nAnn",
        "Greet:\n\nBen\nBold",
        "Greet:\n\nCid",
    ]
    assert done["parts"][0]["ended_at"] <= done["parts"][2]["started_at"]
    replies = [part["reply"] for part in done["parts"]]
    assert done["result"]["reply"] == f"Gus: {replies[0]}\n\nSue: {replies[1]}\n\nGus: {replies[2]}"
    assert data(sandbox.get(fleet))["tasks_completed"] == 3


def test_round_robin_deals_lines(sandbox: Client, fleet: str) -> None:
    for name in ("Gus", "Lea"):
        add_agent(sandbox, fleet, name, "leader" if name == "Lea" else "generalist")
    done = carried_out(sandbox, fleet, task="one\n\ntwo\nthree", strategy="round-robin")
    assert shape(done) == [("work", "Gus"), ("work", "Lea"), ("work", "Gus")]
    assert [part["reply"] for part in done["parts"]] == [f"You said: {text}" for text in ("one", "two", "three")]


def test_round_robin_lets_the_leader_plan_a_task_without_a_list(client: Client, model: ModelServer) -> None:
    fleet = make_fleet(client)
    add_agent(client, fleet, "Gus")
    add_agent(client, fleet, "Lea", "leader")
    model.answers.append(Answer("The parts:\n1. Ask Ann\n2. Ask Ben\n3. Ask Cid"))
    done = carried_out(client, fleet, task="Ask everyone.", strategy="round-robin")
    assert shape(done) == [("plan", "Lea"), ("work", "Gus"), ("work", "Lea"), ("work", "Gus")]
    assert "Ask everyone." in message(client, done["parts"][0])
    for part, name in zip(done["parts"][1:], ("Ann", "Ben", "Cid"), strict=True):
        assert message(client, part) == f"Ask everyone.\n\nYour part of it: Ask {name}"
    assert done["status"] == "completed"


@pytest.mark.parametrize("strategy", ["parallel", "sequential", "round-robin"])
def test_without_a_task_each_works_on_its_own(sandbox: Client, fleet: str, strategy: str) -> None:
    for name in ("Gus", "Sue"):
        add_agent(sandbox, fleet, name, task=f"Task of {name}")
    add_agent(sandbox, fleet, "Ida")
    answer = data(sandbox.post(f"{fleet}/deploy", {"strategy": strategy}))
    assert (answer["task"], answer["agents_deployed"]) == (None, 3)
    done = ended(sandbox, f"{fleet}/deployments/{answer['deployment_id']}")
    assert shape(done) == [("work", "Gus"), ("work", "Sue")]
    told = [message(sandbox, part) for part in done["parts"]]
    assert [text.splitlines()[0] for text in told] == ["Task of Gus", "Task of Sue"]


def test_with_no_task_anywhere_there_is_nothing_to_do(sandbox: Client, fleet: str) -> None:
    add_agent(sandbox, fleet, "Gus")
    done = carried_out(sandbox, fleet)
    assert (done["status"], done["parts"]) == ("failed", [])
    assert "task" in done["error"]
    assert done["result"] == {"reply": None, "failures": []}


def test_a_fleet_without_agents_is_not_deployed(sandbox: Client, fleet: str) -> None:
    refuse(sandbox.post(f"{fleet}/deploy", {"task": "Hello"}), 400, "no agents")
    assert sandbox.get(f"{fleet}/deployments").json()["meta"]["total"] == 0


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("task", ""), ("task", "x" * 2001), ("task", 1), ("strategy", "random"), ("strategy", "Parallel"),
        ("timeout", 0), ("timeout", 86_401), ("timeout", 1.0), ("timeout", "5"), ("more", 1),
    ],
)  # fmt: skip
def test_a_wrong_order_is_refused(sandbox: Client, fleet: str, field: str, value: object) -> None:
    add_agent(sandbox, fleet, "Gus")
    refuse(sandbox.post(f"{fleet}/deploy", {field: value}), 400, field)


def test_nulls_and_bounds_of_an_order(sandbox: Client, fleet: str) -> None:
    add_agent(sandbox, fleet, "Gus", task="Hello")
    answer = data(sandbox.post(f"{fleet}/deploy", dict.fromkeys(["task", "strategy", "timeout"])))
    assert (answer["task"], answer["strategy"], answer["timeout"]) == (None, "parallel", 3600)
    answer = data(sandbox.post(f"{fleet}/deploy", {"task": "😀" * 2000, "timeout": 86_400}))
    assert (answer["timeout"], len(answer["task"])) == (86_400, 2000)
    eventually(lambda: data(sandbox.get(fleet))["status"] == "active")


def test_deployments_are_listed_newest_first(sandbox: Client, fleet: str) -> None:
    add_agent(sandbox, fleet, "Gus")
    made = [carried_out(sandbox, fleet, task=f"No {n}") for n in range(3)]
    assert all(one.keys() == RECORD | {"parts"} for one in made)
    assert all(part.keys() == PART for one in made for part in one["parts"])
    body = sandbox.get(f"{fleet}/deployments?per_page=2").json()
    assert body["meta"] == {"total": 3, "page": 1, "per_page": 2, "total_pages": 2}
    assert body["data"] == [{name: one[name] for name in RECORD} for one in made[:0:-1]]
    assert [datetime.fromisoformat(one["ended_at"]) >= datetime.fromisoformat(one["started_at"]) for one in made]
    other = make_fleet(sandbox)
    assert sandbox.get(f"{other}/deployments").json()["meta"]["total"] == 0
    refuse(sandbox.get(f"{other}/deployments/{made[0]['deployment_id']}"), 404)
    refuse(sandbox.post(f"{other}/deployments/{made[0]['deployment_id']}/cancel"), 404)
    refuse(sandbox.get(f"{fleet}/deployments/x"), 404)


def test_members_use_their_skills(sandbox: Client, fleet: str) -> None:
    tool = "network_calculate_subnet"
    add_agent(sandbox, fleet, "Sue", "specialist", skills=[tool])
    add_agent(sandbox, fleet, "Gus", skills=["text_convert_case"])
    done = carried_out(sandbox, fleet, task='[[tool:network_calculate_subnet {"cidr": "172.16.8.0/21"}]]')
    used = [data(sandbox.get(f"/runs/{part['run_id']}"))["tools_used"] for part in done["parts"]]
    assert used == [[tool], []]


def test_two_deployments_at_once_do_not_mix(sandbox: Client, fleet: str) -> None:
    team(sandbox, fleet)
    paths = [deploy(sandbox, fleet, task=f"No {n}", strategy="sequential") for n in range(4)]
    for number, path in enumerate(paths):
        replies = {part["reply"].splitlines()[0] for part in ended(sandbox, path)["parts"]}
        assert replies == {f"You said: No {number}"}
    assert data(sandbox.get(fleet))["tasks_completed"] == 20
