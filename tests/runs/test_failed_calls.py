"""Model calls that fail or are cut: what runs record of them, and what their clients are told."""

from datetime import datetime
from typing import Any

import pytest

from tests.runs.test_runs import create, end, follow, start, text
from tests.support.client import Client, Stream, data, refuse
from tests.support.model_server import Answer, ModelServer
from tests.support.waiting import eventually

AWAY = Answer(status=500, headers={"Retry-After": "0"})


def execute(client: Client, path: str) -> dict[str, Any]:
    """Execute an agent whose model fails. Returns the run."""
    refuse(client.post(f"{path}/execute", {"message": "Hello"}), 503)
    run: dict[str, Any] = data(client.get(f"/runs/{client.get(f'{path}/runs').json()['data'][0]['id']}"))
    return run


def retrying(client: Client, run: str) -> dict[str, Any] | None:
    """Return the run if it waits to call its model again."""
    found: dict[str, Any] = data(client.get(run))
    return found if found["next_attempt_at"] else None


def test_a_run_that_no_model_answers_lists_the_attempts(client: Client, model: ModelServer) -> None:
    model.obsession = AWAY
    run = execute(client, create(client))
    (step,) = run["steps"]
    assert (run["status"], step["type"], step["status"], step["model"]) == ("failed", "model", "failed", None)
    assert [attempt["reason"] for attempt in step["attempts"]] == [run["error"]] * 3
    assert (step["usage"], run["cost_usd"], run["tokens_used"]) == (None, "0", 0)


def test_a_background_run_shows_why_its_model_failed_and_when_it_is_called_again(
    client: Client, model: ModelServer
) -> None:
    model.obsession = AWAY
    run = start(client, create(client), "Work")
    waits = eventually(lambda: retrying(client, run))
    assert (waits["status"], len(waits["steps"][0]["attempts"])) == ("running", 3)
    assert "HTTP 500" in waits["error"]
    failed_at = datetime.fromisoformat(waits["steps"][-1]["ended_at"])
    assert datetime.fromisoformat(waits["next_attempt_at"]) > failed_at
    model.obsession = None
    chunks = list(follow(client, run).chunks())
    retries = [chunk for chunk in chunks if chunk["type"] == "retry"]
    said = "".join(chunk["content"] for chunk in chunks if chunk["type"] == "text")
    assert [chunk["type"] for chunk in chunks[: len(retries)]] == ["retry"] * len(retries)
    assert (retries[0]["message"], retries[0]["next_attempt_at"]) == (waits["error"], waits["next_attempt_at"])
    assert (said, chunks[-1]["type"]) == ("You said: Work", "done")
    over = end(client, run)
    assert (over["error"], over["next_attempt_at"], over["reply"]) == (None, None, "You said: Work")
    assert [step["status"] for step in over["steps"]] == ["failed"] * len(retries) + ["done"]


def test_followers_discard_a_reply_that_broke_off(client: Client, model: ModelServer) -> None:
    model.answers.extend([Answer("one two", hold=True, break_off=True), Answer("three")])
    run = start(client, create(client), "Work")
    stream = follow(client, run)
    chunks = stream.chunks()
    assert next(chunks) == {"type": "text", "content": "one"}
    model.release()
    types = [chunk["type"] for chunk in chunks]
    assert [one for one in types if one != "text"] == ["restart", "retry", "done"]
    replayed = list(follow(client, run).chunks())
    assert [chunk["type"] for chunk in replayed] == ["retry", "text", "done"]
    assert text(replayed) == "three"
    over = end(client, run)
    assert (over["reply"], over["cost_usd"]) == ("three", None)


def test_a_reply_that_broke_off_has_a_model_and_no_usage(client: Client, model: ModelServer) -> None:
    model.answers.append(Answer("one two", break_off=True))
    run = execute(client, create(client))
    (step,) = run["steps"]
    assert (step["content"], step["status"], step["finish_reason"]) == ("one two", "failed", None)
    assert step["model"].startswith("default/")
    assert step["attempts"] == [{"model": step["model"], "reason": run["error"]}]
    assert (step["usage"], step["cost_usd"], run["usage"], run["cost_usd"]) == (None, None, None, None)


def test_a_reply_that_is_cancelled_has_a_model_and_its_duration(client: Client, model: ModelServer) -> None:
    model.answers.append(Answer("one two", hold=True))
    run = start(client, create(client), "Work")
    stream: Stream = follow(client, run)
    assert next(stream.chunks()) == {"type": "text", "content": "one"}
    data(client.post(f"{run}/cancel"))
    over = end(client, run)
    (step,) = over["steps"]
    assert (over["status"], over["reply"], over["usage"], over["cost_usd"]) == ("cancelled", "one", None, None)
    assert step["model"].startswith("default/")
    assert step["duration_ms"] > 0
    assert step["attempts"] == []


@pytest.mark.parametrize("status", [400, 401, 403, 404])
def test_clients_do_not_retry_a_final_refusal_of_the_provider(client: Client, model: ModelServer, status: int) -> None:
    model.answers.append(Answer("Invalid parameter: foo.", status=status))
    refusal = client.post("/chat", {"message": "Hello"})
    refuse(refusal, 503)
    assert refusal.headers["x-should-retry"] == "false"


def test_clients_may_retry_while_the_provider_is_away(client: Client, model: ModelServer) -> None:
    model.answers.extend([AWAY] * 3)
    refusal = client.post("/chat", {"message": "Hello"})
    refuse(refusal, 503, "HTTP 500")
    assert "x-should-retry" not in refusal.headers


def test_a_request_that_the_provider_rejects_is_told_in_its_words(client: Client, model: ModelServer) -> None:
    model.answers.append(Answer("Invalid parameter: foo.", status=400))
    message = refuse(client.post("/chat", {"message": "Hello"}), 503, "Invalid parameter: foo")
    assert "RETINUE_MODEL_URL" not in str(message)


def test_a_page_instead_of_a_stream_says_so(client: Client, model: ModelServer) -> None:
    model.answers.append(Answer("<html>", media_type="text/html"))
    refusal = client.post("/chat", {"message": "Hello"})
    refuse(refusal, 503, "answered with text/html, not with an event stream")
    assert refusal.headers["x-should-retry"] == "false"
    assert len(model.requests) == 1


def test_one_second_is_one_second(client: Client, model: ModelServer) -> None:
    model.answers.extend([Answer(status=429, headers={"Retry-After": "1"})] * 3)
    refuse(client.post("/chat", {"message": "Hello"}), 503, "Try again in 1 second.")
