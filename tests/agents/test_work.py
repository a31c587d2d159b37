"""Agents at work: executing, deploying and stopping them, and their states."""

from typing import Any

import pytest

from tests.conftest import StartServer, User
from tests.support.client import Client, data, refuse
from tests.support.model_server import Answer, ModelServer
from tests.support.waiting import eventually

SUBNET = "network_calculate_subnet"
ASK_SUBNET = '[[tool:network_calculate_subnet {"cidr": "172.16.8.0/21"}]]'
LONG = "[[sleep:50]]"
TOO_LONG = Answer("maximum context length", status=400)
"""An error that a retry does not fix."""


def create(client: Client, **fields: Any) -> str:
    """Create an agent. Returns its path."""
    return f"/agents/{data(client.post('/agents', {'agent_name': 'Ada', 'agent_role': 'leader', **fields}), 201)['id']}"


def status(client: Client, path: str) -> str:
    """Return the agent's status."""
    return str(data(client.get(path))["status"])


def last_run(client: Client, path: str) -> dict[str, Any]:
    """Return the agent's newest run."""
    run: dict[str, Any] = client.get(f"{path}/runs?per_page=1").json()["data"][0]
    return run


def test_execute_answers_when_it_is_done(sandbox: Client) -> None:
    path = create(sandbox)
    result = data(sandbox.post(f"{path}/execute", {"message": "Hello"}))
    assert result.keys() == {
        "reply", "tools_used", "execution_time_ms", "run_id", "tokens_used", "usage", "cost_usd", "finish_reason",
        "output",
    }  # fmt: skip
    assert (result["reply"], result["tools_used"]) == ("You said: Hello", [])
    assert result["tokens_used"] > 0
    assert status(sandbox, path) == "idle"


def test_a_skill_is_used(sandbox: Client) -> None:
    path = create(sandbox, skills=[SUBNET])
    result = data(sandbox.post(f"{path}/execute", {"message": ASK_SUBNET}))
    assert result["tools_used"] == [SUBNET]
    assert '"network":"172.16.8.0/21"' in result["reply"]


def test_a_tool_that_refuses_is_told_to_the_model_and_not_counted_as_used(sandbox: Client) -> None:
    path = create(sandbox, skills=[SUBNET])
    result = data(
        sandbox.post(f"{path}/execute", {"message": '[[tool:network_calculate_subnet {"cidr": "nonsense"}]]'})
    )
    assert "error" in result["reply"]
    assert result["tools_used"] == []
    malformed = data(sandbox.post(f"{path}/execute", {"message": f"[[bad-args:{SUBNET}]]"}))
    assert "not valid JSON" in malformed["reply"]


@pytest.mark.parametrize(
    ("skills", "tools", "offered"),
    [([SUBNET], None, {SUBNET}), ([SUBNET], [], set()), ([SUBNET], ["math_convert_roman"], {"math_convert_roman"})],
)
def test_the_requests_tools_stand_in_for_the_skills(
    client: Client, model: ModelServer, skills: list[str], tools: list[str] | None, offered: set[str]
) -> None:
    known = {tool["name"] for tool in client.get("/tools?per_page=100").json()["data"]}
    other = sorted(known - {SUBNET})[0]
    wanted = None if tools is None else [other if name != SUBNET else name for name in tools]
    body = {"message": "Hello", **({} if wanted is None else {"tools": wanted})}
    data(client.post(f"{create(client, skills=skills)}/execute", body))
    sent = {tool["function"]["name"] for tool in model.requests[-1].get("tools", [])}
    assert sent == {other if name != SUBNET else name for name in offered}


def test_an_agent_is_idle_while_only_others_work(sandbox: Client) -> None:
    working, idle = create(sandbox), create(sandbox)
    run = data(sandbox.post(f"{working}/execute", {"message": "[[words:1000]][[pace:0.05]]", "background": True}), 202)
    eventually(lambda: status(sandbox, working) == "working")
    assert status(sandbox, idle) == "idle"
    assert {agent["status"] for agent in data(sandbox.get("/agents"))} == {"working", "idle"}
    data(sandbox.post(f"/runs/{run['id']}/cancel"))


def test_role_name_and_context_reach_the_model(client: Client, model: ModelServer) -> None:
    path = create(client, agent_name="Ada Lovelace", agent_role="reviewer")
    data(client.post(f"{path}/execute", {"message": "Hello", "context": {"customer": ["Zuse", 1941, None]}}))
    system, said = model.requests[-1]["messages"]
    assert system["role"] == "system"
    assert all(part in system["content"] for part in ("Ada Lovelace", "review", '{"customer":["Zuse",1941,null]}'))
    assert said == {"role": "user", "content": "Hello"}


def test_tools_need_the_scope(user: User, model: ModelServer) -> None:
    limited = user.client(["agents:read", "agents:write"])
    path = create(limited, skills=[SUBNET])
    refuse(limited.post(f"{path}/execute", {"message": "Hello", "tools": [SUBNET]}), 403, "tools:execute")
    data(limited.post(f"{path}/execute", {"message": "Hello"}))
    data(limited.post(f"{path}/execute", {"message": "Hello", "tools": []}))
    assert ["tools" in request for request in model.requests] == [False, False]


@pytest.mark.parametrize(
    ("body", "named"),
    [
        ({}, ["message"]),
        ({"message": None}, ["message"]),
        ({"message": ""}, ["message"]),
        ({"message": "x" * 10_001}, ["message", "10,000"]),
        ({"message": "a", "tools": ["absent_tool"]}, ["tools", "absent_tool"]),
        ({"message": "a", "tools": SUBNET, "context": "x", "more": 1}, ["tools", "context", "more"]),
        ({"message": "a", "context": {"text": "x" * 66_000}}, ["context", "64 KiB"]),
        ({"message": "a", "stream": "yes", "background": 1}, ["stream", "background"]),
        ({"message": "a", "stream": True, "background": True}, ["stream", "background"]),
    ],
)
def test_a_wrong_request_is_refused_and_starts_nothing(sandbox: Client, body: dict[str, Any], named: list[str]) -> None:
    path = create(sandbox)
    refuse(sandbox.post(f"{path}/execute", body), 400, *named)
    assert sandbox.get(f"{path}/runs").json()["meta"]["total"] == 0


def test_the_longest_message_and_null_options_are_accepted(sandbox: Client) -> None:
    nulls = dict.fromkeys(["tools", "context", "stream", "background"])
    data(sandbox.post(f"{create(sandbox)}/execute", {"message": "😀" * 10_000, **nulls}))


def test_execute_streams(sandbox: Client) -> None:
    path = create(sandbox, skills=[SUBNET])
    with sandbox.stream(f"{path}/execute", {"message": f"{ASK_SUBNET} Thanks", "stream": True}) as stream:
        chunks = list(stream.chunks())
    assert chunks[:2] == [
        {"type": "tool_start", "tool": SUBNET},
        {"type": "tool_end", "tool": SUBNET, "status": "done"},
    ]
    assert '"network":"172.16.8.0/21"' in "".join(chunk["content"] for chunk in chunks[2:-1])
    assert {chunk["type"] for chunk in chunks[2:-1]} == {"text"}
    assert chunks[-1]["type"] == "done"
    assert chunks[-1]["tools_used"] == [SUBNET]


def test_a_background_run_is_accepted_and_completes(sandbox: Client) -> None:
    path = create(sandbox)
    run = data(sandbox.post(f"{path}/execute", {"message": "Hello", "background": True}), 202)
    assert run["status"] in {"queued", "running"}
    assert (run["message"], run["reply"], run["ended_at"]) == ("Hello", None, None)
    ended = eventually(lambda: _end(sandbox, run["id"]))
    assert (ended["status"], ended["reply"]) == ("completed", "You said: Hello")
    assert status(sandbox, path) == "idle"


def _end(client: Client, run_id: int) -> dict[str, Any] | None:
    run: dict[str, Any] = data(client.get(f"/runs/{run_id}"))
    return run if run["ended_at"] else None


def test_deploy_works_on_the_task_and_returns_to_idle(sandbox: Client) -> None:
    path = create(sandbox, task=f"{ASK_SUBNET}", skills=[SUBNET])
    deployed = data(sandbox.post(f"{path}/deploy"))
    assert deployed["status"] == "working"
    assert deployed["task"] == ASK_SUBNET
    eventually(lambda: status(sandbox, path) == "idle")
    run = last_run(sandbox, path)
    assert (run["status"], run["tools_used"]) == ("completed", [SUBNET])
    steps = data(sandbox.get(f"/runs/{run['id']}"))["steps"]
    assert [(step["type"], step["tool"], step["status"]) for step in steps] == [
        ("model", None, "done"), ("tool", SUBNET, "done"), ("model", None, "done"),
    ]  # fmt: skip
    assert steps[1]["arguments"] == {"cidr": "172.16.8.0/21"}
    assert "2046" in steps[1]["content"]


def test_deploy_without_a_task_stands_until_it_is_stopped(sandbox: Client) -> None:
    path = create(sandbox)
    assert data(sandbox.post(f"{path}/deploy"))["status"] == "working"
    data(sandbox.post(f"{path}/execute", {"message": "Hello"}))
    assert status(sandbox, path) == "working"
    assert sandbox.get("/agents").json()["data"][0]["status"] == "working"
    stopped = data(sandbox.post(f"{path}/stop"))
    assert stopped["status"] == "idle"
    assert status(sandbox, path) == "idle"


def test_stop_cancels_running_work(sandbox: Client) -> None:
    path = create(sandbox, task=LONG)
    data(sandbox.post(f"{path}/deploy"))
    eventually(lambda: last_run(sandbox, path)["status"] == "running")
    assert status(sandbox, path) == "working"
    assert data(sandbox.post(f"{path}/stop"))["status"] == "idle"
    run = last_run(sandbox, path)
    assert (run["status"], run["error"]) == ("cancelled", "Stopped on request.")
    assert run["ended_at"] is not None
    assert data(sandbox.post(f"{path}/stop"))["status"] == "idle"


def test_stopping_starts_none_of_the_queued_runs(start_server: StartServer) -> None:
    at_once, queued = 2, 40
    server = start_server(RETINUE_RUN_CONCURRENCY=str(at_once))
    client = Client(server, server.new_key(server.new_user(), test=True))
    path = create(client)
    body = {"message": LONG, "background": True}
    runs = [data(client.post(f"{path}/execute", body), 202)["id"] for _ in range(queued)]
    eventually(lambda: data(client.get(f"/runs/{runs[0]}"))["status"] == "running")
    assert data(client.post(f"{path}/stop"))["status"] == "idle"
    records = [data(client.get(f"/runs/{run}")) for run in runs]
    assert {record["status"] for record in records} == {"cancelled"}
    # Those that ran at first, and as many that may have taken their places before the others were cancelled.
    assert sum(record["started_at"] is not None for record in records) <= 2 * at_once


def test_several_runs_keep_it_working_until_the_last_ends(sandbox: Client) -> None:
    path = create(sandbox)
    long = data(sandbox.post(f"{path}/execute", {"message": LONG, "background": True}), 202)
    data(sandbox.post(f"{path}/execute", {"message": "Hello"}))
    assert status(sandbox, path) == "working"
    data(sandbox.post(f"{path}/stop"))
    assert data(sandbox.get(f"/runs/{long['id']}"))["status"] == "cancelled"


def test_deleting_a_working_agent_cancels_its_runs(sandbox: Client) -> None:
    path = create(sandbox, task=LONG)
    data(sandbox.post(f"{path}/deploy"))
    run = last_run(sandbox, path)["id"]
    data(sandbox.delete(path))
    refuse(sandbox.get(path), 404)
    assert data(sandbox.get(f"/runs/{run}"))["status"] == "cancelled"


def test_a_refused_deletion_cancels_no_run(sandbox: Client) -> None:
    path = create(sandbox, task=LONG)
    create(sandbox, agents=[int(path.rpartition("/")[2])])
    data(sandbox.post(f"{path}/deploy"))
    refuse(sandbox.delete(path), 400, "cannot be deleted")
    assert last_run(sandbox, path)["status"] in {"queued", "running"}
    data(sandbox.post(f"{path}/stop"))


def test_a_failed_run_leaves_it_in_error_until_the_next_run(sandbox: Client) -> None:
    path = create(sandbox)
    refuse(sandbox.post(f"{path}/execute", {"message": "[[fail]]"}), 503, "test model failed")
    assert status(sandbox, path) == "error"
    run = last_run(sandbox, path)
    assert run["status"] == "failed"
    assert "test model failed" in run["error"]
    data(sandbox.post(f"{path}/execute", {"message": "Hello"}))
    assert status(sandbox, path) == "idle"


@pytest.mark.parametrize("way", ["put", "stop", "deploy"])
def test_error_is_left_by_a_change(sandbox: Client, way: str) -> None:
    path = create(sandbox)
    refuse(sandbox.post(f"{path}/execute", {"message": "[[fail]]"}), 503)
    match way:
        case "put":
            assert data(sandbox.put(path, {"agent_name": "Better"}))["status"] == "idle"
        case "stop":
            assert data(sandbox.post(f"{path}/stop"))["status"] == "idle"
        case _:
            assert data(sandbox.post(f"{path}/deploy"))["status"] == "working"
            assert status(sandbox, path) == "working"


def test_a_failed_deployment_leaves_it_in_error(client: Client, model: ModelServer) -> None:
    model.answers.append(TOO_LONG)
    path = create(client, task="Work")
    data(client.post(f"{path}/deploy"))
    eventually(lambda: status(client, path) == "error")
    assert last_run(client, path)["status"] == "failed"


def test_a_background_run_waits_for_a_model_that_is_away(client: Client, model: ModelServer) -> None:
    model.answers.extend([Answer(status=500, headers={"Retry-After": "0"})] * 3)
    path = create(client, task="Work")
    data(client.post(f"{path}/deploy"))
    eventually(lambda: status(client, path) == "idle")
    assert last_run(client, path)["reply"] == "You said: Work"
    assert len(model.requests) == 4


def test_a_client_that_goes_away_stops_its_run(client: Client, model: ModelServer) -> None:
    model.answers.append(Answer("one two three", hold=True))
    path = create(client)
    with client.stream(f"{path}/execute", {"message": "Count", "stream": True}) as stream:
        assert next(stream.chunks()) == {"type": "text", "content": "one"}
    eventually(model.hung_up.is_set)
    run = eventually(lambda: _end(client, last_run(client, path)["id"]))
    assert (run["status"], run["reply"]) == ("cancelled", "one")
    assert status(client, path) == "idle"
