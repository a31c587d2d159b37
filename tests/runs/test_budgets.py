"""The limits that end a run, and ending it manually."""

from pathlib import Path

import pytest

from tests.conftest import StartServer
from tests.runs.test_runs import ASK_SUBNET, SUBNET, create, end, follow, start
from tests.support.client import Client, data, refuse
from tests.support.model_server import Answer, ModelServer
from tests.support.waiting import eventually
from tests.usage.test_usage import small_plans, use


@pytest.mark.parametrize(
    ("budget", "told"),
    [
        ({"tokens": 1}, "limit of 1 tokens. Raise tokens in its budget."),
        ({"credits": 1}, "limit of 1 credits for tools. Raise credits in its budget."),
    ],
)
def test_a_run_ends_at_its_budget(sandbox: Client, budget: dict[str, int], told: str) -> None:
    path = create(sandbox, skills=[SUBNET])
    asked = {"message": f"{ASK_SUBNET}{ASK_SUBNET}[[fail-after:3]]", "budget": budget}
    answer = sandbox.post(f"{path}/execute", asked)
    refuse(answer, 400, told)
    assert data(sandbox.get(f"/runs/{answer.headers['X-Run-Id']}"))["steps"]


def test_a_run_ends_at_its_last_step(client: Client, model: ModelServer) -> None:
    model.obsession = Answer(tool=SUBNET, arguments={"cidr": "10.0.0.0/8"})
    answer = client.post(f"{create(client, skills=[SUBNET])}/execute", {"message": "Hello", "budget": {"steps": 1}})
    refuse(answer, 400, "limit of 1 steps. Raise steps in its budget.")


def test_a_run_ends_when_the_plans_tool_executions_are_used_up(
    start_server: StartServer, model: ModelServer, tmp_path: Path
) -> None:
    server = start_server(RETINUE_PLANS_FILE=small_plans(tmp_path, tools=1))
    email = server.new_user()
    client, test_client = (Client(server, server.new_key(email, test=test)) for test in (False, True))
    path = create(client, skills=[SUBNET])
    model.obsession = Answer(tool=SUBNET, arguments={"cidr": "10.0.0.0/8"})
    refuse(client.post(f"{path}/execute", {"message": "Hello"}), 429, "tools_executed")
    assert use(client, "tools_executed") == 1
    assert end(client, start(client, path, "Hello"))["error"].startswith("The quota tools_executed of the plan")
    assert use(client, "tools_executed") == 1
    for _ in range(2):
        executed = data(test_client.post("/chat", {"message": ASK_SUBNET, "tools": [SUBNET]}))
        assert executed["tools_used"] == [SUBNET]


def test_a_run_ends_when_its_time_is_over(sandbox: Client) -> None:
    path = create(sandbox)
    refuse(
        sandbox.post(f"{path}/execute", {"message": "[[sleep:30]]", "budget": {"seconds": 0.2}}),
        400,
        "0.2 seconds",
        "budget",
    )


def test_within_its_budget_a_run_completes(sandbox: Client) -> None:
    path = create(sandbox, skills=[SUBNET])
    budget = {"steps": 3, "credits": 1, "seconds": 60}
    assert data(sandbox.post(f"{path}/execute", {"message": ASK_SUBNET, "budget": budget}))["tools_used"] == [SUBNET]


@pytest.mark.parametrize("budget", [{"steps": 0}, {"credits": -1}, {"seconds": 0}, {"hours": 1}])
def test_a_budget_must_make_sense(sandbox: Client, budget: dict[str, int]) -> None:
    refuse(sandbox.post(f"{create(sandbox)}/execute", {"message": "Hello", "budget": budget}), 400, "budget")


def test_a_cancelled_run_keeps_its_partial_reply(sandbox: Client) -> None:
    path = create(sandbox)
    run = start(sandbox, path, "[[words:1000]][[pace:0.05]]")
    chunks = follow(sandbox, run).chunks()
    first = next(chunks)
    cancelled = data(sandbox.post(f"{run}/cancel"))
    assert (cancelled["status"], cancelled["error"]) == ("cancelled", "Stopped on request.")
    assert cancelled["reply"].startswith(first["content"])
    *_, last = chunks
    assert (last["type"], last["code"], last["status"]) == ("error", "cancelled", 409)
    assert data(sandbox.get(path))["status"] == "idle"
    assert data(sandbox.post(f"{run}/cancel")) == cancelled


def test_a_chat_is_cancelled_as_well(sandbox: Client) -> None:
    first = data(sandbox.post(f"{create(sandbox)}/execute", {"message": "Hello"}))["run_id"]
    with sandbox.stream("/chat", {"message": "[[words:1000]][[pace:0.05]]", "stream": True}) as stream:
        chunks = stream.chunks()
        next(chunks)
        run = eventually(lambda: _run_after(sandbox, first))
        assert data(sandbox.post(f"/runs/{run}/cancel"))["status"] == "cancelled"
        *_, last = chunks
        assert (last["type"], last["code"], last["status"]) == ("error", "cancelled", 409)


def _run_after(client: Client, run: int) -> int:
    """Return this caller's next run. Other callers' runs are not found."""
    found = [number for number in range(run + 1, run + 200) if client.get(f"/runs/{number}").status_code == 200]
    assert found
    return found[0]
