"""Questions of MCP servers during a call: a person answers them where approvals are decided, and the call goes on."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
import requests

from tests.conftest import NewServer, User
from tests.interop.test_openai import create_agent
from tests.portal.reader import reader_of
from tests.support.client import Client, data, refuse
from tests.support.model_server import Answer, ModelServer
from tests.support.waiting import eventually
from tests.tools.imports.asker import ASKED, SEAT, book, create_booker, running_asker
from tests.tools.imports.sdk_server import running_sdk_server
from tests.tools.imports.stand_in_mcp import StandInMcp, error, phrase, result


@pytest.fixture
def far() -> Iterator[StandInMcp]:
    """A server of revision 2026-07-28 that asks before it books."""
    with running_asker() as server:
        yield server


@pytest.fixture
def agent(client: Client, far: StandInMcp, model: ModelServer) -> int:
    """An agent whose model calls the tool of that server, and then repeats the message."""
    return create_booker(client, far, model)


def ask(client: Client, agent: int) -> tuple[int, dict[str, Any]]:
    """Start a run, and return its id and the question for which it waits."""
    run = data(client.post(f"/agents/{agent}/execute", {"message": "Book", "background": True}), 202)["id"]
    eventually(lambda: data(client.get(f"/runs/{run}"))["status"] == "waiting")
    (approval,) = data(client.get("/approvals?status=pending"))
    return run, approval


def wait_for(client: Client, run: int) -> dict[str, Any]:
    """Return the run's call once the run has ended."""
    eventually(lambda: data(client.get(f"/runs/{run}"))["ended_at"] is not None)
    steps = data(client.get(f"/runs/{run}"))["steps"]
    return next(step for step in steps if step["type"] == "tool")


def test_an_answer_completes_the_call(client: Client, far: StandInMcp, agent: int) -> None:
    run, approval = ask(client, agent)
    schema = approval["question"]["answer_schema"]
    assert (approval["question"]["message"], approval["tool"]) == ("Which seat?", "far_echo")
    assert schema["properties"]["seat"]["enum"] == ["12A", "12C"]
    assert "pattern" not in schema["properties"]["bags"]
    assert far.last("tools/call").message["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"] == {
        "elicitation": {"form": {}, "url": {}}
    }
    address = f"/approvals/{approval['id']}"
    refuse(client.post(address, {"decision": "approve"}), 400, "answer: it: ", "seat")
    refuse(client.post(address, {"decision": "approve", "answer": {"seat": "1", "bags": 9}}), 400, "seat", "bags")
    refuse(client.post(address, {"decision": "approve", "arguments": {}}), 400, "Send an answer")
    decided = data(client.post(address, {"decision": "approve", "answer": {"seat": "12A", "bags": 2}}))
    assert (decided["status"], decided["answer"]) == ("approved", {"seat": "12A", "bags": 2})
    step = wait_for(client, run)
    sent = far.last("tools/call").message["params"]
    assert sent["inputResponses"] == {"seat": {"action": "accept", "content": {"seat": "12A", "bags": 2}}}
    assert sent["requestState"] == "s-1"
    assert (step["status"], "12A" in step["content"]) == ("done", True)


def test_a_refusal_is_told_to_the_model(client: Client, far: StandInMcp, agent: int) -> None:
    run, approval = ask(client, agent)
    data(client.post(f"/approvals/{approval['id']}", {"decision": "deny", "reason": "No trip"}))
    step = wait_for(client, run)
    assert (step["status"], far.methods().count("tools/call")) == ("failed", 1)
    assert "did not answer the question" in step["content"]
    assert "No trip" in step["content"]


def test_questions_of_one_call_are_one_form_and_a_server_may_ask_again(
    client: Client, far: StandInMcp, agent: int
) -> None:
    name = {"method": "elicitation/create", "params": {"message": "And who?", "requestedSchema": SEAT}}
    far.answers["tools/call"] = book({**ASKED, "who": name}, None)
    run, approval = ask(client, agent)
    assert approval["question"]["message"] == "Which seat?\n\nAnd who?"
    far.answers["tools/call"] = lambda m: phrase(result(m, {"resultType": "input_required", "inputRequests": ASKED}))
    given = {"seat.seat": "12A", "who.seat": "12C"}
    data(client.post(f"/approvals/{approval['id']}", {"decision": "approve", "answer": given}))
    eventually(lambda: data(client.get("/approvals?status=pending")) != [])
    sent = far.last("tools/call").message["params"]
    assert {key: one["content"] for key, one in sent["inputResponses"].items()} == {
        "seat": {"seat": "12A"},
        "who": {"seat": "12C"},
    }
    assert "requestState" not in sent
    far.answers["tools/call"] = book(ASKED)
    data(client.post(f"/approvals/{approval['id']}", {"decision": "approve", "answer": {"seat": "12A"}}))
    assert wait_for(client, run)["status"] == "done"


def question_id(response: requests.Response) -> str:
    """Return the id of the question in the error of a direct call."""
    found = re.search(r'"question": "([0-9a-f]{16})"', response.json()["error"]["message"])
    assert found
    return found[1]


def test_a_direct_call_is_made_again_with_the_answers(client: Client, far: StandInMcp) -> None:
    data(client.post("/tools/sources", {"kind": "mcp", "name": "far", "url": far.url}), 201)
    path = "/tools/far_echo/execute"
    asked = client.post(path, {"args": {}})
    refuse(asked, 400, "Which seat?", '"answers": [{"question": ', '"enum":["12A","12C"]')
    question = question_id(asked)
    wrong = {"question": question, "answer": {"seat": "1"}}
    refuse(client.post(path, {"args": {}, "answers": [wrong]}), 400, "answers: ", "seat: ", "JSON Schema")
    other = {"question": "0" * 16, "answer": {"seat": "12A"}}
    refuse(client.post(path, {"args": {}, "answers": [other]}), 400, question)
    given = {"question": question, "answer": {"seat": "12A"}}
    answered = data(client.post(path, {"args": {}, "answers": [other, given]}))
    sent = far.last("tools/call").message["params"]
    assert sent["inputResponses"] == {"seat": {"action": "accept", "content": {"seat": "12A"}}}
    assert sent["requestState"] == "s-1"
    assert answered["result"]["structured"]["answers"] == sent["inputResponses"]
    far.answers["tools/call"] = book({"a": {"method": "sampling/createMessage", "params": {}}})
    refuse(client.post(path, {"args": {}}), 400, "sampling/createMessage", "not supported")


def test_a_direct_call_answers_every_question_of_an_older_server(client: Client) -> None:
    with running_sdk_server() as server:
        data(client.post("/tools/sources", {"kind": "mcp", "name": "far", "url": server.url("stream")}), 201)
        path, answers = "/tools/far_book/execute", list[dict[str, Any]]()
        for words, answer in (("Which seat to Oslo?", {"seat": "12C", "bags": 3}), ("Book 12C?", {"sure": True})):
            asked = client.post(path, {"args": {"city": "Oslo"}, "answers": answers})
            refuse(asked, 400, words)
            answers.append({"question": question_id(asked), "answer": answer})
        booked = data(client.post(path, {"args": {"city": "Oslo"}, "answers": answers}))
    assert "Oslo 12C 3 True" in str(booked["result"])


def test_a_server_that_asks_the_same_again_is_answered_once_for_each_answer(client: Client, far: StandInMcp) -> None:
    data(client.post("/tools/sources", {"kind": "mcp", "name": "far", "url": far.url}), 201)
    far.answers["tools/call"] = lambda m: phrase(result(m, {"resultType": "input_required", "inputRequests": ASKED}))
    path = "/tools/far_echo/execute"
    question = question_id(client.post(path, {"args": {}}))
    given = {"question": question, "answer": {"seat": "12A"}}
    before = far.methods().count("tools/call")
    refuse(client.post(path, {"args": {}, "answers": [given, given]}), 400, "Which seat?", question)
    assert far.methods().count("tools/call") == before + 3


@pytest.mark.parametrize("place", ["stream", "program"])
def test_older_servers_ask_within_the_call(client: Client, model: ModelServer, place: str) -> None:
    """Their call is cancelled at the question, and made again with the answers so far."""
    with running_sdk_server() as server:
        found = {"program": "sdk"} if place == "program" else {"url": server.url("stream")}
        data(client.post("/tools/sources", {"kind": "mcp", "name": "far", **found}), 201)
        model.answers.append(Answer(tool="far_book", arguments={"city": "Oslo"}))
        run, approval = ask(client, create_agent(client, skills=["far_book"]))
        question = approval["question"]
        assert (question["message"], question["repeats_call"], question["urls"]) == ("Which seat to Oslo?", True, [])
        assert question["answer_schema"]["properties"]["bags"] == {
            "type": "integer", "title": "Bags", "minimum": 0, "maximum": 3, "default": 1,
        }  # fmt: skip
        data(client.post(f"/approvals/{approval['id']}", {"decision": "approve", "answer": {"seat": "12C", "bags": 3}}))
        eventually(lambda: data(client.get("/approvals?status=pending")) != [])
        (approval,) = data(client.get("/approvals?status=pending"))
        assert approval["question"]["message"] == "Book 12C?"
        data(client.post(f"/approvals/{approval['id']}", {"decision": "approve", "answer": {"sure": True}}))
        step = wait_for(client, run)
    assert (step["status"], "Oslo 12C 3 True" in step["content"]) == ("done", True)


def test_a_question_in_a_stream_of_its_own(client: Client, model: ModelServer) -> None:
    """It belongs to the call in progress."""
    with running_sdk_server() as server:
        data(client.post("/tools/sources", {"kind": "mcp", "name": "far", "url": server.url("stream")}), 201)
        model.answers.append(Answer(tool="far_rebook", arguments={}))
        run, approval = ask(client, create_agent(client, skills=["far_rebook"]))
        assert approval["question"]["message"] == "Sure?"
        data(client.post(f"/approvals/{approval['id']}", {"decision": "approve", "answer": {"sure": True}}))
        step = wait_for(client, run)
    assert (step["status"], "accept {'sure': True}" in step["content"]) == ("done", True)


def test_a_call_waits_for_its_answer_after_a_restart(new_server: NewServer, model: ModelServer) -> None:
    """Nothing of a call at an older server needs to outlive the process."""
    with running_sdk_server() as far:
        server = new_server("sqlite", RETINUE_ALLOWED_NETWORKS="127.0.0.0/8").start()
        client = Client(server, server.new_key(server.new_user()))
        data(client.post("/tools/sources", {"kind": "mcp", "name": "far", "url": far.url("stream")}), 201)
        model.answers.append(Answer(tool="far_sign", arguments={}))
        run, approval = ask(client, create_agent(client, skills=["far_sign"]))
        assert approval["question"]["urls"] == ["https://sign.example.com/form?id=7"]
        server.kill()
        server.start()
        data(client.post(f"/approvals/{approval['id']}", {"decision": "approve"}))
        step = wait_for(client, run)
        server.close()
    assert (step["status"], "accept" in step["content"]) == ("done", True)


def test_pages_that_a_person_opens_first(client: Client, user: User, far: StandInMcp, agent: int) -> None:
    page = {"mode": "url", "message": "Connect your files.", "url": "https://far.example/connect?id=1"}
    far.answers["tools/call"] = lambda message: phrase(
        {**error(message, -32042, "More is needed"), "error": {"code": -32042, "data": {"elicitations": [page]}}}
    )
    run, approval = ask(client, agent)
    assert approval["question"]["message"] == "Connect your files.\n\nhttps://far.example/connect?id=1"
    browser = reader_of(user)
    shown = browser.get(f"/approvals/{approval['id']}").text
    assert 'href="https://far.example/connect?id=1" target="_blank" rel="noopener noreferrer"' in shown
    assert "Open far.example" in shown
    far.answers["tools/call"] = book({"page": {"method": "elicitation/create", "params": page}})
    browser.post(f"/approvals/{approval['id']}/decide", {"decision": "approve"})
    eventually(lambda: data(client.get("/approvals?status=pending")) != [])
    assert "inputResponses" not in far.last("tools/call").message["params"]
    browser.post(f"/approvals/{approval['id']}/decide", {"decision": "approve"})
    browser.close()
    assert wait_for(client, run)["status"] == "done"
    assert far.last("tools/call").message["params"]["inputResponses"] == {"page": {"action": "accept"}}


@pytest.mark.parametrize("url", ["javascript:alert(1)", "https://a:b@far.example/", "https://fär.example/", "//x", 7])
def test_pages_that_no_link_may_lead_to(client: Client, far: StandInMcp, url: object) -> None:
    data(client.post("/tools/sources", {"kind": "mcp", "name": "far", "url": far.url}), 201)
    page = {"mode": "url", "message": "Open it.", "url": url}
    far.answers["tools/call"] = book({"page": {"method": "elicitation/create", "params": page}})
    refuse(client.post("/tools/far_echo/execute", {"args": {}}), 400, "not safe")
