"""Every named crash point: the process dies exactly there, and the next one recovers."""

import json
import os
import re
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import requests

import retinue
from tests.conftest import DATABASES, StartServer
from tests.faults.load import TOOLS, WORK, WORK_DONE, WORK_STEPS
from tests.support.client import Client, data
from tests.support.model_server import Answer, ModelServer
from tests.support.sampling import ALSO_ON_POSTGRESQL
from tests.support.server import Server
from tests.support.waiting import eventually

_ROOT = Path(__file__).parents[2]
_SOURCE = Path(retinue.__file__).parent
NAMES = sorted({
    name for path in _SOURCE.rglob("*.py") for name in re.findall(r'crash_point\("([\w.]+)"\)', path.read_text())
})  # fmt: skip
IN_WRITES = [name for name in NAMES if name.startswith("database.")]
NEEDS_WRITING_TOOL = "runs.tool_started"
IN_METER = "usage.folded"
IN_APPROVALS = ("runs.approval_requested", "runs.paused", "runs.approved_tool_started")
"""Crash points that the tests of approvals cover."""
IN_RUNS = [name for name in NAMES if name.startswith("runs.") and name not in (NEEDS_WRITING_TOOL, *IN_APPROVALS)]


def test_every_point_is_killed_at_somewhere() -> None:
    here = {*IN_WRITES, *IN_RUNS, NEEDS_WRITING_TOOL, IN_METER}
    assert {"database.before_commit", "database.after_commit", "runs.claimed", "runs.finished"} <= here
    tests = "".join(path.read_text() for path in (_ROOT / "tests").rglob("test_*.py"))
    assert [name for name in NAMES if name not in here and name not in tests] == []


def kill(server: Server) -> bool:
    """Return whether the server has killed itself."""
    assert server.process is not None
    if server.process.poll() is None:
        return False
    assert server.process.returncode == -signal.SIGKILL
    server.process = None
    return True


def prepare(server: Server) -> tuple[Client, int]:
    """Create a sandbox client and an agent."""
    client = Client(server, server.new_key(server.new_user(), test=True))
    agent = data(client.post("/agents", {"agent_name": "worker", "agent_role": "generalist", "skills": TOOLS}), 201)
    return client, agent["id"]


def complete(client: Client, run_id: int) -> dict[str, Any]:
    """Wait until the run is complete, and return it."""
    run: dict[str, Any] = eventually(lambda: _complete(client, run_id), within=30)
    return run


def _complete(client: Client, run_id: int) -> dict[str, Any]:
    run: dict[str, Any] = data(client.get(f"/runs/{run_id}"))
    assert run["status"] == "completed", run
    return run


@pytest.mark.slow
@pytest.mark.parametrize("database", ALSO_ON_POSTGRESQL)
@pytest.mark.parametrize("name", IN_RUNS)
def test_a_run_goes_on_after_a_crash_at(name: str, database: str, start_server: StartServer) -> None:
    server = start_server(database, RETINUE_CRASH_AT=name)
    client, agent = prepare(server)
    with suppress(requests.ConnectionError):  # The crash may come before the response.
        client.post(f"/agents/{agent}/execute", {"message": WORK, "background": True})
    eventually(lambda: kill(server), within=30)
    server.start(RETINUE_CRASH_AT="")
    [run] = data(client.get(f"/agents/{agent}/runs"))
    ended = complete(client, run["id"])
    assert ended["reply"] == WORK_DONE
    assert [(step["type"], step["tool"]) for step in ended["steps"]] == WORK_STEPS
    assert data(client.get(f"/agents/{agent}"))["status"] == "idle"
    assert server.ask("check") == []


@pytest.mark.slow
@pytest.mark.parametrize("database", DATABASES)
@pytest.mark.parametrize("name", IN_WRITES)
def test_a_write_is_whole_or_not_there_after_a_crash_at(name: str, database: str, start_server: StartServer) -> None:
    server = start_server(database, RETINUE_CRASH_AT=f"{name}:100")
    client, agent = prepare(server)
    answered = {agent}
    with suppress(requests.ConnectionError):
        while True:
            answered.add(data(client.post("/agents", {"agent_name": "more", "agent_role": "reviewer"}), 201)["id"])
    eventually(lambda: kill(server))
    server.start(RETINUE_CRASH_AT="")
    found = {agent["id"] for agent in data(client.get("/agents?per_page=100"))}
    assert answered <= found
    assert len(found - answered) <= 1  # The request in progress, whose response the crash may have prevented.
    assert server.ask("check") == []


@pytest.mark.slow
@pytest.mark.parametrize("database", ALSO_ON_POSTGRESQL)
@pytest.mark.parametrize("crash_at", [f"{IN_METER}:2", ""])
def test_calls_are_metered_exactly_across_a_kill(crash_at: str, database: str, start_server: StartServer) -> None:
    server = start_server(database, RETINUE_CRASH_AT=crash_at)
    client = Client(server, server.new_key(server.new_user()))
    answered = 0
    with suppress(requests.ConnectionError):
        while crash_at or answered < 200:
            data(client.get("/agents"))
            answered += 1
        server.kill()
    eventually(lambda: server.process is None or kill(server))
    server.start(RETINUE_CRASH_AT="")
    used = data(client.get("/usage"))["api_calls"]["used"]
    # The call that reads the usage may be counted or not. So may a call that was counted but not answered.
    assert answered <= used <= answered + 2
    assert server.ask("check") == []


@pytest.mark.slow
@pytest.mark.parametrize("database", DATABASES)
def test_a_crash_between_the_calls_of_a_step_repeats_none_that_had_ended(
    database: str, start_server: StartServer, model: ModelServer
) -> None:
    calls = 8
    server = start_server(database, RETINUE_CRASH_AT="runs.tool_ended:3")
    client = Client(server, server.new_key(server.new_user()))
    body = {"agent_name": "worker", "agent_role": "generalist", "skills": TOOLS}
    agent = data(client.post("/agents", body), 201)["id"]
    model.answers.append(Answer(tool=TOOLS[0], arguments={"expression": "6 * 7"}, times=calls))
    with suppress(requests.ConnectionError):  # The crash may come before the response.
        client.post(f"/agents/{agent}/execute", {"message": "Hello", "background": True})
    eventually(lambda: kill(server), within=30)
    server.start(RETINUE_CRASH_AT="")
    [run] = data(client.get(f"/agents/{agent}/runs"))
    steps = complete(client, run["id"])["steps"]
    assert [(step["seq"], step["status"]) for step in steps if step["type"] == "tool"] == [
        (2 + place, "done") for place in range(calls)
    ]
    assert data(client.get("/usage"))["tools_executed"]["used"] == calls
    assert len(model.requests) == 2
    assert server.ask("check") == []


def _node(server: Server, what: str, **env: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tests.faults.writing_node", what]
    environment = {**os.environ, **server.env, **env}
    return subprocess.run(command, env=environment, cwd=_ROOT, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize("database", ALSO_ON_POSTGRESQL)
@pytest.mark.parametrize("point", [f"{NEEDS_WRITING_TOOL}:1", f"{NEEDS_WRITING_TOOL}:2"])
def test_a_tool_that_writes_is_repeated_only_if_that_is_harmless(
    point: str, database: str, new_server: StartServer
) -> None:
    server = new_server(database)
    died = _node(server, "begin", RETINUE_CRASH_AT=point)
    assert died.returncode == -signal.SIGKILL, died.stderr
    resumed = _node(server, "resume")
    assert resumed.returncode == 0, resumed.stderr
    run = json.loads(resumed.stdout)
    assert (run["status"], run["reply"]) == ("completed", "word1 word2 word3")
    tools = {step["tool"]: step for step in run["steps"] if step["type"] == "tool"}
    assert tools["echo"]["status"] == "done", tools["echo"]
    if point.endswith("1"):
        assert tools["process_id"]["status"] == "done"
    else:
        assert tools["process_id"]["status"] == "failed"
        assert "not known" in tools["process_id"]["content"]
    assert len(run["steps"]) == len(WORK_STEPS)
