"""Work that a kill interrupts: background runs resume immediately, and a partial reply is kept with a clear ending."""

import json
import time
from typing import Any

import pytest

from retinue.core.work.leases import ATTEMPTS
from tests.conftest import DATABASES, StartServer
from tests.faults.following import first_chunk, following
from tests.faults.load import TOOLS
from tests.faults.nodes import RESUMED_S
from tests.support.client import Client, Stream, data
from tests.support.waiting import eventually

_TRIES = 3
_LONG = "[[pace:0.02]][[words:150]]"
_LONG_REPLY = " ".join(f"word{number}" for number in range(1, 151))


@pytest.fixture(params=DATABASES)
def database(request: pytest.FixtureRequest) -> str:
    """The name of each database."""
    return str(request.param)


def new_agent(client: Client) -> int:
    """Create an agent. Returns its id."""
    agent = data(client.post("/agents", {"agent_name": "worker", "agent_role": "generalist", "skills": TOOLS}), 201)
    return int(agent["id"])


def only_run(client: Client, agent: int) -> dict[str, Any]:
    """Return the only run of an agent."""
    [run] = data(client.get(f"/agents/{agent}/runs"))
    return dict(run)


@pytest.mark.slow
def test_an_interrupted_background_run_goes_on_soon_after_the_start(database: str, start_server: StartServer) -> None:
    server = start_server(database)
    client = Client(server, server.new_key(server.new_user(), test=True))
    agent = new_agent(client)
    # A run that waited for its lease to end would be late each time; a busy machine is not.
    assert not all(_resumed_late(client, agent) for _ in range(_TRIES))


def _resumed_late(client: Client, agent: int) -> bool:
    """Kill and restart the server of a background run. Returns whether the run went on later than at once."""
    server = client.server
    run = data(client.post(f"/agents/{agent}/execute", {"message": _LONG, "background": True}), 202)
    first_chunk(client, run["id"])
    server.kill()
    began = time.monotonic()
    server.start()
    announced = time.monotonic() - began
    first_chunk(client, run["id"])
    took = time.monotonic() - began
    ended = eventually(lambda: _end(client, run["id"]), within=30)
    assert (ended["status"], ended["reply"]) == ("completed", _LONG_REPLY)
    print(f"\nannounced after {announced:.2f} s, work resumed after {took:.2f} s")
    return took - announced > max(RESUMED_S, 3 * announced)


@pytest.mark.slow
def test_restarts_cost_a_run_no_attempt(database: str, start_server: StartServer) -> None:
    """A run is set aside if its processes die repeatedly, but not if operators restart them, however often."""
    server = start_server(database)
    client = Client(server, server.new_key(server.new_user(), test=True))
    agent = new_agent(client)
    message = f'[[tool:math_evaluate_expression {{"expression": "6 * 7"}}]]{_LONG}'
    run = data(client.post(f"/agents/{agent}/execute", {"message": message, "background": True}), 202)["id"]
    for _ in range(ATTEMPTS + 1):
        eventually(lambda: _says(Client(server, client.key), run))
        server.stop()
        server.start()
    ended = eventually(lambda: _end(Client(server, client.key), run), within=30)
    assert (ended["status"], ended["reply"]) == ("completed", _LONG_REPLY)
    assert ended["tokens_used"] == sum(step["tokens"] for step in ended["steps"])
    assert ended["tools_used"] == ["math_evaluate_expression"]
    assert server.ask("check") == []


def _says(client: Client, run_id: int) -> bool:
    """Return whether the run has begun its reply in this process."""
    with following(client, run_id) as chunks:
        return next(True for chunk in chunks if chunk["type"] == "text")


def _end(client: Client, run_id: int) -> dict[str, Any]:
    run: dict[str, Any] = data(client.get(f"/runs/{run_id}"))
    assert run["ended_at"], run
    return run


@pytest.mark.slow
def test_the_text_of_an_interrupted_answer_is_kept(database: str, start_server: StartServer) -> None:
    server = start_server(database)
    client = Client(server, server.new_key(server.new_user(), test=True))
    agent = new_agent(client)
    message = '[[tool:math_evaluate_expression {"expression": "6 * 7"}]]' + _LONG
    with client.stream(f"/agents/{agent}/execute", {"message": message, "stream": True}) as stream:
        next(stream.chunks())
        eventually(lambda: only_run(client, agent)["reply"])
        server.kill()
    server.start()
    run = eventually(lambda: _end(client, only_run(client, agent)["id"]), within=30)
    assert run["status"] == "failed"
    assert "interrupted" in run["error"]
    assert run["reply"].startswith("word1 word2")
    assert run["tools_used"] == ["math_evaluate_expression"]
    assert run["tokens_used"] > 0
    assert [step["type"] for step in run["steps"]] == ["model", "tool", "model"]
    assert data(client.get(f"/agents/{agent}"))["status"] == "error"
    assert server.ask("check") == []


@pytest.mark.slow
def test_a_conversation_goes_on_after_an_interrupted_answer(database: str, start_server: StartServer) -> None:
    server = start_server(database)
    client = Client(server, server.new_key(server.new_user(), test=True))
    first = data(client.post("/chat", {"message": "hello", "tools": []}))
    conversation = f"/chat/{first['conversation_id']}"
    with client.stream("/chat", {**_chat(first, _LONG), "stream": True}) as stream:
        next(stream.chunks())
        server.kill()
    server.start()
    again = data(client.post("/chat", _chat(first, "and now?")))
    assert again["reply"] == "You said: and now?"
    said = [message["content"] for message in data(client.get(conversation))]
    assert said[:3] == ["hello", "You said: hello", _LONG]
    assert said[-2:] == ["and now?", "You said: and now?"]
    assert server.ask("check") == []


def _chat(first: dict[str, Any], message: str) -> dict[str, Any]:
    return {"message": message, "tools": [], "conversation_id": first["conversation_id"]}


def test_a_stop_waits_for_nobody_who_follows_a_run(start_server: StartServer) -> None:
    server = start_server()
    client = Client(server, server.new_key(server.new_user(), test=True))
    body = {"message": "[[pace:0.2]][[words:500]]", "background": True}
    run = data(client.post(f"/agents/{new_agent(client)}/execute", body), 202)["id"]
    stream = Stream(client.get(f"/runs/{run}/events", stream=True)).payloads()
    assert json.loads(next(stream))["type"] == "text"
    assert server.stop() < 15
    assert {json.loads(payload)["type"] for payload in stream} <= {"text"}
    server.start()
    again = Client(server, client.key)
    assert data(again.get(f"/runs/{run}"))["status"] in ("queued", "running")
    assert data(again.post(f"/runs/{run}/cancel"))["status"] == "cancelled"
