"""The limits that end a run, and ending it manually."""

import pytest

from tests.runs.test_runs import ASK_SUBNET, SUBNET, create, follow, start
from tests.support.client import Client, data, refuse
from tests.support.waiting import eventually


@pytest.mark.parametrize(
    ("budget", "told"),
    [
        ({"tokens": 1}, "tokens"),
        ({"credits": 1}, "credits"),
    ],
)
def test_a_run_ends_at_its_budget(sandbox: Client, budget: dict[str, int], told: str) -> None:
    path = create(sandbox, skills=[SUBNET])
    asked = {"message": f"{ASK_SUBNET}{ASK_SUBNET}[[fail-after:3]]", "budget": budget}
    refuse(sandbox.post(f"{path}/execute", asked), 400, told)


def test_a_run_ends_when_its_time_is_over(sandbox: Client) -> None:
    path = create(sandbox)
    refuse(sandbox.post(f"{path}/execute", {"message": "[[sleep:30]]", "budget": {"seconds": 0.2}}), 400, "0.2 seconds")


def test_within_its_budget_a_run_completes(sandbox: Client) -> None:
    path = create(sandbox, skills=[SUBNET])
    budget = {"steps": 3, "credits": 1, "seconds": 60}
    assert data(sandbox.post(f"{path}/execute", {"message": ASK_SUBNET, "budget": budget}))["tools_used"] == [SUBNET]


@pytest.mark.parametrize("budget", [{"steps": 0}, {"credits": -1}, {"seconds": 0}, {"hours": 1}])
def test_a_budget_must_make_sense(sandbox: Client, budget: dict[str, int]) -> None:
    refuse(sandbox.post(f"{create(sandbox)}/execute", {"message": "Hello", "budget": budget}), 400, "budget")


def test_a_run_is_cancelled_and_keeps_what_it_said(sandbox: Client) -> None:
    path = create(sandbox)
    run = start(sandbox, path, "[[words:1000]][[pace:0.05]]")
    chunks = follow(sandbox, run).chunks()
    first = next(chunks)
    cancelled = data(sandbox.post(f"{run}/cancel"))
    assert (cancelled["status"], cancelled["error"]) == ("cancelled", "Stopped on request.")
    assert cancelled["reply"].startswith(first["content"])
    assert list(chunks)[-1]["type"] == "error"
    assert data(sandbox.get(path))["status"] == "idle"
    assert data(sandbox.post(f"{run}/cancel")) == cancelled


def test_a_chat_is_cancelled_as_well(sandbox: Client) -> None:
    first = data(sandbox.post(f"{create(sandbox)}/execute", {"message": "Hello"}))["run_id"]
    with sandbox.stream("/chat", {"message": "[[words:1000]][[pace:0.05]]", "stream": True}) as stream:
        chunks = stream.chunks()
        next(chunks)
        run = eventually(lambda: _run_after(sandbox, first))
        assert data(sandbox.post(f"/runs/{run}/cancel"))["status"] == "cancelled"
        assert list(chunks)[-1]["type"] == "error"


def _run_after(client: Client, run: int) -> int:
    """Return this caller's next run. Other callers' runs are not found."""
    found = [number for number in range(run + 1, run + 200) if client.get(f"/runs/{number}").status_code == 200]
    assert found
    return found[0]
