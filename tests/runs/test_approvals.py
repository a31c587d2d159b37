"""Agents whose tool calls require a person's approval."""

from contextlib import suppress
from typing import Any

import pytest
import requests

from tests.conftest import StartServer
from tests.runs.test_runs import create, follow, start, text
from tests.support.chunks import merge
from tests.support.client import Client, data, refuse
from tests.support.events import stored_events
from tests.support.model_server import Answer, ModelServer
from tests.support.waiting import eventually

OUT = "web_extract_links"
ARGS = '{"html": "<a href=\\"https://example.com/\\">One</a>"}'
HTML = {"html": '<a href="https://example.com/">One</a>'}
ASK_OUT = f"[[tool:{OUT} {ARGS}]]"
CLOSED = "text_convert_case"
ASK_BOTH = f'[[tool:{CLOSED} {{"text": "two words", "style": "kebab"}}]]{ASK_OUT}'


def cautious(client: Client) -> str:
    """Create an agent whose tool calls require approval. Returns its path."""
    return create(client, skills=[OUT, CLOSED], approval="required")


def pending(client: Client, run: str) -> dict[str, Any]:
    """Wait for a run's pending approval, and return it."""
    eventually(lambda: _is(client, run, "waiting"))
    (approval,) = data(client.get("/approvals?status=pending&per_page=1"))
    return dict(approval)


def decide(client: Client, approval: dict[str, Any], decision: str, **more: Any) -> dict[str, Any]:
    """Decide on an approval."""
    return dict(data(client.post(f"/approvals/{approval['id']}", {"decision": decision, **more})))


def end(client: Client, run: str, status: str = "completed") -> dict[str, Any]:
    """Wait until the run has this status, and return it."""
    eventually(lambda: _is(client, run, status))
    return dict(data(client.get(run)))


def _is(client: Client, run: str, status: str) -> bool:
    found = data(client.get(run))
    assert found["status"] == status, found
    return True


def test_a_call_waits_and_goes_on_when_it_is_approved(sandbox: Client) -> None:
    path = cautious(sandbox)
    run = start(sandbox, path, ASK_BOTH)
    approval = pending(sandbox, run)
    assert approval.keys() == {
        "id", "run_id", "agent_id", "tool", "arguments", "untrusted", "question", "answer", "status", "reason",
        "created_at", "decided_at",
    }  # fmt: skip
    assert (approval["tool"], approval["status"], f"/runs/{approval['run_id']}") == (OUT, "pending", run)
    steps = data(sandbox.get(run))["steps"]
    assert [(step["tool"], step["status"]) for step in steps if step["type"] == "tool"] == [
        (CLOSED, "done"),
        (OUT, "waiting"),
    ]
    assert data(sandbox.get(path))["status"] == "working"
    decided = decide(sandbox, approval, "approve")
    assert (decided["status"], decided["decided_at"] is not None) == ("approved", True)
    done = end(sandbox, run)
    assert done["tools_used"] == [CLOSED, OUT]
    assert data(sandbox.get(path))["status"] == "idle"


def test_tokens_and_credits_of_before_the_pause_count_after_it(client: Client, model: ModelServer) -> None:
    """The budget of a run also applies after the pause."""
    calls = [Answer(tool=CLOSED, arguments={"text": "two words", "style": "kebab"}), Answer(tool=OUT, arguments=HTML)]
    for budget, told in (({"tokens": 30}, "30 tokens"), ({"credits": 2}, "2 credits"), ({}, None)):
        model.answers += [*calls, calls[0], Answer("It is done.")]
        path = cautious(client)
        body = {"message": "Hello", "background": True, "budget": budget}
        run = f"/runs/{data(client.post(f'{path}/execute', body), 202)['id']}"
        decide(client, pending(client, run), "approve")
        over = end(client, run, "failed" if told else "completed")
        assert (told or "") in (over["error"] or "")
        assert over["tokens_used"] == sum(step["tokens"] for step in over["steps"]) == (46 if told is None else 33)
        model.answers.clear()


def test_a_denied_call_is_told_to_the_model(sandbox: Client) -> None:
    run = start(sandbox, cautious(sandbox), ASK_OUT)
    decide(sandbox, pending(sandbox, run), "deny", reason="Not on a Sunday")
    done = end(sandbox, run)
    (call,) = (step for step in done["steps"] if step["type"] == "tool")
    assert (call["status"], done["tools_used"]) == ("failed", [])
    assert "Not on a Sunday" in call["content"]


def test_a_denial_needs_no_reason(sandbox: Client) -> None:
    run = start(sandbox, cautious(sandbox), ASK_OUT)
    assert decide(sandbox, pending(sandbox, run), "deny")["reason"] is None
    told = end(sandbox, run)["steps"][1]
    assert "A person did not allow this call: no reason given." in told["content"]


def test_a_person_may_change_the_arguments(sandbox: Client) -> None:
    run = start(sandbox, cautious(sandbox), ASK_OUT)
    approval = pending(sandbox, run)
    refuse(sandbox.post(f"/approvals/{approval['id']}", {"decision": "approve", "arguments": {"htm": "x"}}), 400, "htm")
    changed = {"html": '<a href="https://example.org/two">Two</a>'}
    assert decide(sandbox, approval, "approve", arguments=changed)["arguments"] == changed
    (call,) = (step for step in end(sandbox, run)["steps"] if step["type"] == "tool")
    assert call["arguments"] == changed
    assert '"simulated":true' in call["content"], "the sandbox must not send requests"


def test_a_decision_is_made_once(sandbox: Client) -> None:
    approval = pending(sandbox, run := start(sandbox, cautious(sandbox), ASK_OUT))
    decide(sandbox, approval, "deny")
    refuse(sandbox.post(f"/approvals/{approval['id']}", {"decision": "approve"}), 400, "already denied")
    end(sandbox, run)


def test_a_client_that_waits_is_not_kept_waiting(sandbox: Client) -> None:
    path = cautious(sandbox)
    run = data(sandbox.post(f"{path}/execute", {"message": ASK_OUT}), 202)
    assert run["status"] == "waiting"
    decide(sandbox, pending(sandbox, f"/runs/{run['id']}"), "approve")
    assert end(sandbox, f"/runs/{run['id']}")["tools_used"] == [OUT]


def test_a_stream_ends_with_the_pause(sandbox: Client) -> None:
    with sandbox.stream(f"{cautious(sandbox)}/execute", {"message": ASK_OUT, "stream": True}) as stream:
        last = list(stream.chunks())[-1]
    assert last["type"] == "waiting"
    decide(sandbox, pending(sandbox, f"/runs/{last['run_id']}"), "approve")
    end(sandbox, f"/runs/{last['run_id']}")


def test_followers_see_the_pause_and_the_rest_of_the_run(sandbox: Client) -> None:
    run = start(sandbox, cautious(sandbox), f"{ASK_OUT}[[words:3]]")
    chunks = follow(sandbox, run).chunks()
    seen = [next(chunks)]
    while seen[-1]["type"] != "waiting":
        seen.append(next(chunks))
    decide(sandbox, pending(sandbox, run), "approve")
    rest = list(chunks)
    assert [chunk["type"] for chunk in rest if chunk["type"] != "text"] == ["tool_start", "tool_end", "done"]
    assert text(rest) == "word1 word2 word3"


def test_a_client_that_comes_back_after_the_pause_misses_nothing(sandbox: Client) -> None:
    run = start(sandbox, cautious(sandbox), f"{ASK_BOTH}[[words:3]]")
    whole = follow(sandbox, run)
    chunks = whole.chunks()
    heard = [next(chunks)]
    while heard[-1]["type"] != "waiting":
        heard.append(next(chunks))
    waiting = follow(sandbox, run, whole.ids[0]).chunks()
    assert [next(waiting) for _ in heard[1:]] == heard[1:]
    decide(sandbox, pending(sandbox, run), "approve")
    heard += chunks
    assert merge([heard[0], *heard[1:3], *waiting]) == merge(heard)
    kinds = [chunk["type"] for chunk in merge(heard)]
    assert kinds == ["tool_start", "tool_end", "waiting", "tool_start", "tool_end", "text", "done"]
    for place, event_id in enumerate(whole.ids, start=1):
        rest = list(follow(sandbox, run, event_id).chunks())
        assert merge([*heard[:place], *rest]) == merge(heard)


def test_without_approval_nothing_waits(sandbox: Client) -> None:
    path = create(sandbox, skills=[OUT])
    assert data(sandbox.post(f"{path}/execute", {"message": ASK_OUT}))["tools_used"] == [OUT]


def test_a_waiting_approval_emits_an_event(sandbox: Client) -> None:
    run = start(sandbox, cautious(sandbox), ASK_OUT)
    approval = pending(sandbox, run)
    told = stored_events(sandbox.server, "approval.requested")[-1]
    assert told == {
        "approval_id": approval["id"],
        **{name: approval[name] for name in ("run_id", "agent_id", "tool", "untrusted", "question")},
    }
    decide(sandbox, approval, "deny")
    end(sandbox, run)


def test_a_cancelled_run_needs_no_decision(sandbox: Client) -> None:
    run = start(sandbox, cautious(sandbox), ASK_OUT)
    approval = pending(sandbox, run)
    assert data(sandbox.post(f"{run}/cancel"))["status"] == "cancelled"
    assert data(sandbox.get(f"/approvals/{approval['id']}"))["status"] == "cancelled"
    refuse(sandbox.post(f"/approvals/{approval['id']}", {"decision": "approve"}), 400, "already cancelled")


def test_approvals_are_listed_by_state(sandbox: Client) -> None:
    path = cautious(sandbox)
    first, second = (start(sandbox, path, ASK_OUT) for _ in range(2))
    approvals = eventually(lambda: _list(sandbox, 2))
    decide(sandbox, approvals[1], "deny")
    end(sandbox, first)
    statuses = {item["id"]: item["status"] for item in data(sandbox.get("/approvals"))}
    assert statuses == {approvals[0]["id"]: "pending", approvals[1]["id"]: "denied"}
    assert sandbox.get("/approvals?status=denied").json()["meta"]["total"] == 1
    data(sandbox.post(f"{second}/cancel"))


def _list(client: Client, count: int) -> list[Any]:
    found = sorted(data(client.get("/approvals")), key=lambda item: -item["run_id"])
    assert len(found) == count
    return found


@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
@pytest.mark.parametrize("point", ["runs.approval_requested", "runs.paused", "runs.approved_tool_started"])
@pytest.mark.slow
def test_a_crash_loses_no_pause_and_no_decision(point: str, database: str, start_server: StartServer) -> None:
    server = start_server(database, RETINUE_CRASH_AT=point)
    client = Client(server, server.new_key(server.new_user(), test=True))
    run = start(client, cautious(client), ASK_OUT)
    before_decision = point != "runs.approved_tool_started"
    if before_decision:
        server.has_died()
        server.start(RETINUE_CRASH_AT="")
    approval = pending(client, run)
    if before_decision:
        decide(client, approval, "approve")
    else:
        with suppress(requests.ConnectionError):  # the crash that follows the decision may come before its answer
            decide(client, approval, "approve")
        server.has_died()
        server.start(RETINUE_CRASH_AT="")
    assert end(client, run)["tools_used"] == [OUT]
    assert server.ask("check") == []
    client.close()


def test_a_call_that_waits_holds_up_no_other_call_of_its_step(client: Client, model: ModelServer) -> None:
    words = {"text": "two words", "style": "kebab"}
    model.answers.append(Answer(tool=OUT, arguments=HTML, also=[(CLOSED, words), (OUT, HTML)]))
    run = start(client, cautious(client), "Hello")
    eventually(lambda: _is(client, run, "waiting"))
    steps = [(step["tool"], step["status"]) for step in data(client.get(run))["steps"] if step["type"] == "tool"]
    assert steps == [(OUT, "waiting"), (CLOSED, "done"), (OUT, "waiting")]
    first, second = sorted(data(client.get("/approvals?status=pending")), key=lambda approval: approval["id"])
    decide(client, second, "deny")
    eventually(lambda: _is(client, run, "waiting"))
    decide(client, first, "approve")
    done = end(client, run)
    assert [step["status"] for step in done["steps"] if step["type"] == "tool"] == ["done", "done", "failed"]
    assert [kind for kind, _ in _sent_back(model)] == [OUT, CLOSED, OUT]


def _sent_back(model: ModelServer) -> list[tuple[str, str]]:
    """Return the tool results of the last request, with the names of the tools that the model called."""
    said = model.requests[-1]["messages"]
    names = {call["id"]: call["function"]["name"] for one in said for call in one.get("tool_calls") or ()}
    return [(names[one["tool_call_id"]], one["content"]) for one in said if one["role"] == "tool"]
