"""Agents that call other agents as tools."""

from typing import Any

from tests.conftest import User
from tests.support.client import Client, data, refuse
from tests.support.model_server import Answer, ModelServer
from tests.support.waiting import eventually

SKILL = "network_calculate_subnet"


def create(client: Client, name: str, **fields: Any) -> int:
    """Create an agent. Returns its id."""
    made = data(client.post("/agents", {"agent_name": name, "agent_role": "specialist", **fields}), 201)
    return int(made["id"])


def execute(client: Client, agent: int, **fields: Any) -> dict[str, Any]:
    """Execute an agent and wait."""
    reply: dict[str, Any] = data(client.post(f"/agents/{agent}/execute", {"message": "Hello", **fields}))
    return reply


def ask(agent: int, message: str = "What is new?") -> Answer:
    """Let the model call an agent."""
    return Answer(tool=f"agent_{agent}", arguments={"message": message})


def offered_tools(request: dict[str, Any]) -> list[str]:
    """Return the names of the tools that a request offers."""
    return [tool["function"]["name"] for tool in request.get("tools", [])]


def runs_of(client: Client, agent: int) -> list[dict[str, Any]]:
    """Return the runs of an agent, newest first."""
    runs: list[dict[str, Any]] = data(client.get(f"/agents/{agent}/runs"))
    return runs


def test_the_reply_of_the_called_agent_reaches_the_caller(client: Client, model: ModelServer) -> None:
    helper = create(client, "Researcher", instructions="You know everything about the sea.", skills=[SKILL])
    leader = create(client, "Editor", agents=[helper], skills=[SKILL])
    model.answers.append(ask(helper, "Why is it salty?"))
    result = execute(client, leader)
    first, called, last = model.requests
    assert offered_tools(first) == [SKILL, f"agent_{helper}"]
    description = first["tools"][1]["function"]["description"]
    assert all(part in description for part in ("Researcher", "specialist", "You know everything about the sea."))
    assert called["messages"][0]["content"].startswith("You know everything about the sea.")
    assert called["messages"][1:] == [{"role": "user", "content": "Why is it salty?"}]
    assert offered_tools(called) == [SKILL]
    assert "You said: Why is it salty?" in last["messages"][-1]["content"]
    assert result["tools_used"] == [f"agent_{helper}"]
    (run,) = runs_of(client, helper)
    assert (run["status"], run["message"]) == ("completed", "Why is it salty?")


def test_an_agent_without_skills_calls_agents_too_unless_the_request_allows_no_tools(
    client: Client, model: ModelServer
) -> None:
    helper = create(client, "Researcher")
    leader = create(client, "Editor", agents=[helper])
    model.answers.append(ask(helper))
    assert execute(client, leader)["tools_used"] == [f"agent_{helper}"]
    assert offered_tools(model.requests[0])[0] == f"agent_{helper}"
    execute(client, leader, tools=[])
    assert offered_tools(model.requests[-1]) == []
    execute(client, leader, tools=[SKILL])
    assert offered_tools(model.requests[-1]) == [SKILL, f"agent_{helper}"]


def test_only_the_listed_agents_that_exist_can_be_called(client: Client, model: ModelServer) -> None:
    other = create(client, "Other")
    leader = create(client, "Editor", skills=[SKILL])
    model.answers += [ask(other + 1000), ask(other)]
    assert execute(client, leader)["tools_used"] == []
    assert offered_tools(model.requests[0]) == [SKILL]
    assert str(model.requests[-1]["messages"]).count("There is no tool") == 2
    assert runs_of(client, other) == []


def test_an_agent_that_others_may_call_is_not_deleted(client: Client) -> None:
    helper = create(client, "Researcher")
    leader, bystander = create(client, "Editor", agents=[helper]), create(client, "Bystander")
    refuse(client.delete(f"/agents/{helper}"), 400, "agent Researcher cannot be deleted", f"(1): Editor ({leader}).")
    assert data(client.get(f"/agents/{leader}"))["agents"] == [helper]
    data(client.delete(f"/agents/{bystander}"))
    data(client.put(f"/agents/{leader}", {"agents": []}))
    data(client.delete(f"/agents/{helper}"))


def test_circles_end_at_the_depth_of_runs(client: Client, model: ModelServer) -> None:
    first = create(client, "First")
    second = create(client, "Second", agents=[first])
    data(client.put(f"/agents/{first}", {"agents": [second]}))
    model.answers += [ask(second), ask(first), ask(second), ask(first)]
    execute(client, first)
    assert "nested 3 levels deep" in str(model.requests[4]["messages"])
    assert (len(runs_of(client, first)), len(runs_of(client, second))) == (2, 2)


def test_content_that_the_called_agent_read_is_untrusted_for_the_caller(client: Client, model: ModelServer) -> None:
    helper = create(client, "Reader", skills=["file_read"])
    leader = create(client, "Editor", agents=[helper], approval="tainted")
    read = Answer(tool="file_read", arguments={"path": "/missing.md"})
    model.answers += [ask(helper), read, Answer("It is missing."), ask(helper)]
    run = data(client.post(f"/agents/{leader}/execute", {"message": "Hello"}), 202)
    assert run["status"] == "waiting"
    (approval,) = data(client.get("/approvals"))
    assert (approval["tool"], approval["untrusted"]) == (f"agent_{helper}", "result of file_read")


def test_a_call_waits_for_approval_if_the_caller_requires_it(client: Client, model: ModelServer) -> None:
    helper = create(client, "Researcher")
    leader = create(client, "Editor", agents=[helper], approval="required")
    model.answers.append(ask(helper))
    data(client.post(f"/agents/{leader}/execute", {"message": "Hello"}), 202)
    assert runs_of(client, helper) == []


def test_a_called_agent_that_waits_for_approval_does_not_hold_up_the_caller(client: Client, model: ModelServer) -> None:
    last = create(client, "Last")
    helper = create(client, "Careful", agents=[last], approval="required")
    leader = create(client, "Editor", agents=[helper])
    model.answers += [ask(helper), ask(last)]
    execute(client, leader)
    assert "approved" in model.requests[-1]["messages"][-1]["content"]
    assert runs_of(client, helper)[0]["status"] == "waiting"


def test_cancelling_the_caller_cancels_the_called_agent(client: Client, model: ModelServer) -> None:
    helper = create(client, "Slow")
    leader = create(client, "Editor", agents=[helper])
    model.answers += [ask(helper), Answer("one two", hold=True)]
    run = data(client.post(f"/agents/{leader}/execute", {"message": "Hello", "background": True}), 202)
    eventually(lambda: len(model.requests) == 2)
    data(client.post(f"/runs/{run['id']}/cancel"))
    eventually(lambda: runs_of(client, helper)[0]["status"] == "cancelled")


def test_the_error_of_a_called_agent_is_given_to_the_caller(client: Client, model: ModelServer) -> None:
    helper = create(client, "Broken")
    leader = create(client, "Editor", agents=[helper])
    model.answers += [ask(helper), Answer("maximum context length", status=400)]
    assert execute(client, leader)["tools_used"] == []
    assert "error" in model.requests[-1]["messages"][-1]["content"]


def test_calling_agents_needs_the_scope_of_tools(user: User, model: ModelServer) -> None:
    client = user.client()
    helper = create(client, "Researcher")
    leader = create(client, "Editor", agents=[helper])
    execute(user.client(["agents:write"]), leader)
    assert offered_tools(model.requests[-1]) == []
    execute(user.client(["agents:write", "tools:execute"]), leader)
    assert f"agent_{helper}" in offered_tools(model.requests[-1])
