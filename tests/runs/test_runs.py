"""Runs through the API: lists, details, and events."""

import time
from datetime import datetime, timedelta
from typing import Any

from retinue.tools.authoring.skeleton import skeleton
from tests.conftest import StartServer, User
from tests.support.client import Client, Stream, data, refuse
from tests.support.events import stored_events
from tests.support.model_server import Answer, ModelServer
from tests.support.waiting import eventually

FIELDS = {
    "id", "agent_id", "conversation_id", "model", "user", "key_id", "status", "message", "reply", "tools_used",
    "tokens_used", "execution_time_ms", "error", "usage", "cost_usd", "finish_reason", "output", "created_at",
    "started_at", "ended_at",
}  # fmt: skip
STEP = {
    "seq", "type", "content", "tool", "arguments", "status", "tokens", "started_at", "ended_at", "duration_ms",
    "model", "usage", "cost_usd", "finish_reason", "reasoning", "attempts",
    "next_attempt_at",
}  # fmt: skip
SUBNET = "network_calculate_subnet"
ASK_SUBNET = '[[tool:network_calculate_subnet {"cidr": "172.16.8.0/21"}]]'


def create(client: Client, **fields: Any) -> str:
    """Create an agent. Returns its path."""
    return f"/agents/{data(client.post('/agents', {'agent_name': 'Ada', 'agent_role': 'leader', **fields}), 201)['id']}"


def start(client: Client, path: str, message: str) -> str:
    """Start a background run. Returns its path."""
    return f"/runs/{data(client.post(f'{path}/execute', {'message': message, 'background': True}), 202)['id']}"


def follow(client: Client, run: str, last: str | None = None) -> Stream:
    """Follow the run's events."""
    headers = {} if last is None else {"Last-Event-ID": last}
    return Stream(client.get(f"{run}/events", stream=True, headers=headers))


def end(client: Client, run: str) -> dict[str, Any]:
    """Wait until the run has ended, and return it."""

    def look() -> dict[str, Any] | None:
        found: dict[str, Any] = data(client.get(run))
        return found if found["ended_at"] else None

    return eventually(look)


def text(chunks: list[dict[str, Any]]) -> str:
    """Return the concatenated text chunks."""
    return "".join(chunk["content"] for chunk in chunks if chunk["type"] == "text")


def test_runs_are_listed_newest_first(sandbox: Client) -> None:
    path = create(sandbox)
    ids = [data(sandbox.post(f"{path}/execute", {"message": f"No {n}"}))["run_id"] for n in range(5)]
    body = sandbox.get(f"{path}/runs?per_page=2").json()
    assert [run["id"] for run in body["data"]] == ids[:2:-1]
    assert body["meta"] == {"total": 5, "page": 1, "per_page": 2, "total_pages": 3}
    assert all(run.keys() == FIELDS for run in body["data"])
    other = create(sandbox)
    assert sandbox.get(f"{other}/runs").json()["meta"]["total"] == 0


def test_runs_of_an_agent_are_filtered_by_status_and_time(sandbox: Client) -> None:
    path = create(sandbox, skills=["web_extract_links"], approval="required")
    done = data(sandbox.post(f"{path}/execute", {"message": "Hello"}))["run_id"]
    ask = '[[tool:web_extract_links {"html": "<p>Hello</p>"}]]'
    waiting = data(sandbox.post(f"{path}/execute", {"message": ask}), 202)["id"]
    moment = data(sandbox.get(f"/runs/{waiting}"))["created_at"]
    for query, ids in {
        "status=completed": [done],
        "status=waiting": [waiting],
        "status=failed": [],
        f"since={moment}": [waiting],
        f"until={moment}": [done],
        f"since={moment}&status=completed": [],
        "status=": [waiting, done],
    }.items():
        body = sandbox.get(f"{path}/runs?{query}").json()
        assert ([run["id"] for run in body["data"]], body["meta"]["total"]) == (ids, len(ids)), query
    refuse(sandbox.get(f"{path}/runs?status=done"), 400, "status", "completed")
    refuse(sandbox.get(f"{path}/runs?since=yesterday"), 400, "since")


def test_all_runs_of_an_account_are_listed_newest_first(sandbox: Client) -> None:
    first, second = create(sandbox), create(sandbox)
    ids = [data(sandbox.post(f"{path}/execute", {"message": "Hello"}))["run_id"] for path in (first, second, first)]
    sandbox.post("/chat", {"message": "Hello"})
    body = sandbox.get("/runs?per_page=3").json()
    assert body["meta"] == {"total": 4, "page": 1, "per_page": 3, "total_pages": 2}
    assert [run["id"] for run in body["data"][1:]] == ids[:0:-1]
    assert body["data"][0]["agent_id"] is None
    assert [run["id"] for run in data(sandbox.get("/runs?per_page=3&page=2"))] == ids[:1]
    assert all(run.keys() == FIELDS for run in body["data"])
    agent_id = first.removeprefix("/agents/")
    filtered = sandbox.get(f"/runs?agent_id={agent_id}&status=completed&per_page=1&page=2").json()
    assert ([run["id"] for run in filtered["data"]], filtered["meta"]["total"]) == (ids[:1], 2)
    assert data(sandbox.get(f"/runs?agent_id={agent_id}&status=failed")) == []
    refuse(sandbox.get("/runs?agent_id=first"), 400, "agent_id")


def test_only_the_owner_of_an_account_lists_its_runs(
    user: User, sandbox: Client, stranger: Client, nobody: Client
) -> None:
    path = create(sandbox)
    run_id = data(sandbox.post(f"{path}/execute", {"message": "Hello"}))["run_id"]
    of_agent = f"/runs?agent_id={path.removeprefix('/agents/')}"
    assert [run["id"] for run in data(user.client(["agents:read"], test=True).get(of_agent))] == [run_id]
    for other in (stranger, user.client()):
        assert data(other.get("/runs")) == data(other.get(of_agent)) == []
    refuse(nobody.get("/runs"), 401)
    refuse(user.client(["agents:write"], test=True).get("/runs"), 403, "agents:read")


def test_details_show_every_step(sandbox: Client) -> None:
    path = create(sandbox, skills=[SUBNET])
    executed = data(sandbox.post(f"{path}/execute", {"message": ASK_SUBNET}))
    run = data(sandbox.get(f"/runs/{executed['run_id']}"))
    assert run.keys() == FIELDS | {"next_attempt_at", "steps"}
    assert all(step.keys() == STEP for step in run["steps"])
    assert [step["seq"] for step in run["steps"]] == [1, 2, 3]
    assert run["reply"] == executed["reply"] == run["steps"][-1]["content"]
    assert run["tokens_used"] == executed["tokens_used"] == sum(step["tokens"] for step in run["steps"])
    assert run["created_at"] <= run["started_at"] <= run["steps"][0]["started_at"] <= run["ended_at"]
    assert all(step["duration_ms"] >= 0 and step["ended_at"] >= step["started_at"] for step in run["steps"])


def test_a_tool_that_refused_is_shown_as_failed(sandbox: Client) -> None:
    path = create(sandbox, skills=[SUBNET])
    executed = data(sandbox.post(f"{path}/execute", {"message": f"[[bad-args:{SUBNET}]]"}))
    step = data(sandbox.get(f"/runs/{executed['run_id']}"))["steps"][1]
    assert (step["status"], step["arguments"]) == ("failed", '{"broken": ')


def test_a_tool_with_a_bug_is_shown_as_failed_and_not_counted_as_used(start_server: StartServer) -> None:
    server = start_server()
    client = Client(server, server.new_key(server.new_user(), test=True))
    (server.home / "tools.d").mkdir()
    source = skeleton("greeting_say_hello", "text").replace("if not name.strip():", "if 1 / 0:")
    (server.home / "tools.d" / "greeting.py").write_text(source)
    eventually(lambda: client.get("/tools/greeting_say_hello").ok, within=30)
    path = create(client, skills=["greeting_say_hello"])
    executed = data(client.post(f"{path}/execute", {"message": '[[tool:greeting_say_hello {"name": "Ada"}]]'}))
    run = data(client.get(f"/runs/{executed['run_id']}"))
    assert [step["status"] for step in run["steps"] if step["type"] == "tool"] == ["failed"]
    assert (run["status"], run["tools_used"], data(client.get("/usage"))["tools_executed"]["used"]) == (
        "completed",
        [],
        0,
    )
    server.tolerated += [r"tool\.failed", "ZeroDivisionError"]


def test_a_run_that_has_ended_can_be_read_again(sandbox: Client) -> None:
    path = create(sandbox, skills=[SUBNET])
    executed = data(sandbox.post(f"{path}/execute", {"message": ASK_SUBNET}))
    chunks = list(follow(sandbox, f"/runs/{executed['run_id']}").chunks())
    assert [chunk["type"] for chunk in chunks] == ["tool_start", "tool_end", "text", "done"]
    assert text(chunks) == executed["reply"]
    assert chunks[-1]["run_id"] == executed["run_id"]


def test_a_run_is_followed_live(client: Client, model: ModelServer) -> None:
    model.answers.append(Answer("one two three", hold=True))
    chunks = follow(client, start(client, create(client), "Count")).chunks()
    first = next(chunks)
    assert first == {"type": "text", "content": "one"}
    model.release()
    rest = list(chunks)
    assert text([first, *rest]) == "one two three"
    assert rest[-1]["type"] == "done"


def test_a_client_that_comes_back_goes_on_where_it_left(client: Client, model: ModelServer) -> None:
    model.answers.append(Answer("one two three", hold=True))
    run = start(client, create(client), "Count")
    eventually(lambda: model.requests)
    left = follow(client, run)
    assert next(left.chunks()) == {"type": "text", "content": "one"}
    back = follow(client, run, left.ids[-1]).chunks()
    model.release()
    chunks = list(back)
    assert text(chunks) == " two three"
    assert "restart" not in [chunk["type"] for chunk in chunks]


def test_a_client_that_comes_back_after_the_end_goes_on_in_the_middle_of_the_text(sandbox: Client) -> None:
    run = start(sandbox, create(sandbox), "[[pace:0.01]][[words:30]]")
    left = follow(sandbox, run)
    first = next(left.chunks())
    end(sandbox, run)
    rest = list(follow(sandbox, run, left.ids[0]).chunks())
    assert [chunk["type"] for chunk in rest] == ["text", "done"]
    assert text([first, *rest]) == data(sandbox.get(run))["reply"]


def test_a_place_that_was_never_told_makes_it_begin_again(sandbox: Client) -> None:
    executed = data(sandbox.post(f"{create(sandbox)}/execute", {"message": "Hello"}))
    for place in ("1-3-00000000", "1-999-00000000"):
        chunks = list(follow(sandbox, f"/runs/{executed['run_id']}", place).chunks())
        assert [chunk["type"] for chunk in chunks] == ["restart", "text", "done"]
        assert text(chunks) == executed["reply"]


def test_who_has_seen_the_end_is_told_nothing_again(sandbox: Client) -> None:
    executed = data(sandbox.post(f"{create(sandbox)}/execute", {"message": "Hello"}))
    assert list(follow(sandbox, f"/runs/{executed['run_id']}", "end").chunks()) == []


def test_an_event_id_that_is_none_counts_for_nothing(sandbox: Client) -> None:
    executed = data(sandbox.post(f"{create(sandbox)}/execute", {"message": "Hello"}))
    for value in ("nonsense", "-", "1-", "9" * 5000 + "-1", "²-²"):
        chunks = list(follow(sandbox, f"/runs/{executed['run_id']}", value).chunks())
        assert text(chunks) == executed["reply"]


def test_many_follow_one_run(client: Client, model: ModelServer) -> None:
    model.answers.append(Answer("one two three", hold=True))
    run = start(client, create(client), "Count")
    eventually(lambda: model.requests)
    streams = [follow(client, run).chunks() for _ in range(5)]
    assert [next(stream) for stream in streams] == [{"type": "text", "content": "one"}] * 5
    model.release()
    assert [text(list(stream)) for stream in streams] == [" two three"] * 5


def test_a_cancelled_run_ends_its_events(sandbox: Client) -> None:
    path = create(sandbox)
    run = start(sandbox, path, "[[sleep:50]]")
    eventually(lambda: data(sandbox.get(run))["status"] == "running")
    chunks = follow(sandbox, run).chunks()
    data(sandbox.post(f"{path}/stop"))
    last = list(chunks)[-1]
    assert last["type"] == "error"
    assert last.keys() == {"type", "code", "message", "status"}


def test_a_run_of_another_is_not_found(sandbox: Client, stranger: Client) -> None:
    executed = data(sandbox.post(f"{create(sandbox)}/execute", {"message": "Hello"}))
    refuse(stranger.get(f"/runs/{executed['run_id']}/events"), 404)


def test_times_are_those_of_the_work(sandbox: Client) -> None:
    began = time.time()
    over = end(sandbox, start(sandbox, create(sandbox), "[[words:4]][[pace:0.05]]"))
    wall_ms = (time.time() - began) * 1000
    (step,) = over["steps"]
    lasted = datetime.fromisoformat(step["ended_at"]) - datetime.fromisoformat(step["started_at"])
    assert step["duration_ms"] == round(lasted / timedelta(milliseconds=1))
    assert 150 <= step["duration_ms"] <= over["execution_time_ms"] + 1 <= wall_ms + 1
    (told,) = [one for one in stored_events(sandbox.server, "agent.completed") if one["run_id"] == over["id"]]
    assert (told["execution_time_ms"], told["tokens_used"]) == (over["execution_time_ms"], over["tokens_used"])


def test_arguments_that_are_no_json_object_are_told_to_the_model(client: Client, model: ModelServer) -> None:
    path = create(client, skills=[SUBNET])
    model.answers.append(Answer(tool=SUBNET, arguments=[1]))  # type: ignore[arg-type] # no object
    run = end(client, start(client, path, "Hello"))
    assert "The arguments must be a JSON object." in run["steps"][1]["content"]
    assert (run["status"], run["tools_used"], run["steps"][1]["status"]) == ("completed", [], "failed")
