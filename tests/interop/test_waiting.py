"""Answers of runs that wait for an approval say so to programs, and in words for the users of a client's app."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.interop import test_anthropic
from tests.interop.test_openai import ask, create_agent, official
from tests.interop.test_openai_responses import ask as respond
from tests.runs.test_approvals import ASK_OUT, OUT, decide, end, pending
from tests.support.client import Client, data

QUESTION: Any = {"role": "user", "content": ASK_OUT}
NOTICE = "A person has to approve the next step first."


@pytest.fixture
def agent(sandbox: Client) -> str:
    """An agent whose calls need approval, as a model."""
    return f"agent:{create_agent(sandbox, skills=[OUT], approval='required')}"


def check_waiting(client: Client, answer: Any, text: str | None) -> None:
    """Check that an answer names its pending approval, and that its text is for users."""
    (approval,) = data(client.get("/approvals?status=pending"))
    assert answer["waiting"] == {"run_id": approval["run_id"], "approval_ids": [approval["id"]]}
    assert (text or "").startswith(NOTICE)
    assert not re.search(r"\d|portal|run ", text or "", re.IGNORECASE)


def test_chat_says_that_it_waits(sandbox: Client, agent: str) -> None:
    said = {"message": ASK_OUT, "agent_id": int(agent.removeprefix("agent:"))}
    answer = data(sandbox.post("/chat", said), 202)
    approval = pending(sandbox, f"/runs/{answer['run_id']}")
    assert (answer["status"], answer["approval_ids"]) == ("waiting", [approval["id"]])
    assert data(sandbox.post("/chat", {"message": "Hello"}))["status"] == "completed"
    with sandbox.stream("/chat", {**said, "stream": True}) as stream:
        *_, last = stream.chunks()
    approval = pending(sandbox, f"/runs/{last['run_id']}")
    assert (last["type"], last["approval_ids"]) == ("waiting", [approval["id"]])
    assert last["conversation_id"].startswith("conv_")


def test_completions_say_that_they_wait(sandbox: Client, agent: str) -> None:
    answer = ask(sandbox, QUESTION, model=agent)
    check_waiting(sandbox, answer.model_dump(), answer.choices[0].message.content)


def test_streamed_completions_say_that_they_wait(sandbox: Client, agent: str) -> None:
    chunks = list(official(sandbox).chat.completions.create(model=agent, messages=[QUESTION], stream=True))
    text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks)
    assert chunks[-1].choices[0].finish_reason == "stop"
    check_waiting(sandbox, chunks[-1].model_dump(), text)


def test_messages_say_that_they_wait(sandbox: Client, agent: str) -> None:
    answer = test_anthropic.ask(sandbox, QUESTION, model=agent)
    check_waiting(sandbox, answer.model_dump(), "".join(test_anthropic.texts(answer)))


def test_streamed_messages_say_that_they_wait(sandbox: Client, agent: str) -> None:
    client = test_anthropic.official(sandbox)
    with client.messages.stream(model=agent, max_tokens=100, messages=[QUESTION]) as stream:
        events: list[Any] = list(stream)
    (ending,) = [event for event in events if event.type == "message_delta"]
    text = "".join(event.text for event in events if event.type == "text")
    check_waiting(sandbox, ending.model_dump(warnings=False), text)


def test_responses_that_wait_are_incomplete(sandbox: Client, agent: str) -> None:
    answer = respond(sandbox, ASK_OUT, model=agent)
    assert answer.status == "incomplete"
    fields = answer.model_dump(warnings=False)
    check_waiting(sandbox, fields, answer.output_text)
    assert fields["incomplete_details"] == {"reason": None, "waiting": fields["waiting"]}


def test_streamed_responses_that_wait_are_incomplete(sandbox: Client, agent: str) -> None:
    *_, last = official(sandbox).responses.create(model=agent, input=ASK_OUT, stream=True)
    assert last.type == "response.incomplete"
    type(last).model_validate(last.model_dump(warnings=False), strict=False)
    check_waiting(sandbox, last.response.model_dump(warnings=False), last.response.output_text)


def test_a_stored_response_that_waits_goes_on_after_the_approval(sandbox: Client, agent: str) -> None:
    begun = respond(sandbox, ASK_OUT, model=agent, background=True)
    run = f"/runs/{begun.id.removeprefix('resp_')}"
    approval = pending(sandbox, run)
    stored = official(sandbox).responses.retrieve(begun.id)
    assert stored.status == "in_progress"
    assert stored.model_dump()["waiting"] == {"run_id": approval["run_id"], "approval_ids": [approval["id"]]}
    decide(sandbox, approval, "approve")
    end(sandbox, run)
    ended = official(sandbox).responses.retrieve(begun.id)
    assert (ended.status, "waiting" in ended.model_dump()) == ("completed", False)
