"""Tools of a front end at /agui: the agent calls them, and the run goes on with results in the next request."""

from typing import Any

import pytest

from tests.conftest import ONE_DATABASE
from tests.interop.agui import FrontEnd, create_key, events_of, kinds, text_of, user_says
from tests.interop.test_openai import create_agent
from tests.runs.test_approvals import HTML, OUT
from tests.support.client import Client, data, refuse
from tests.support.model_server import Answer, ModelServer

SUBNET = "network_calculate_subnet"
OWN = {"cidr": "10.0.0.0/24"}
COLOR = {
    "name": "set_color",
    "description": "Set the color of the page.",
    "parameters": {"type": "object", "properties": {"color": {"type": "string"}}},
}
PAINT = Answer(text="With pleasure.", tool="set_color", arguments={"color": "red"})


@pytest.fixture
def front_end(client: Client) -> FrontEnd:
    """A front end of an agent with a tool of its own."""
    return FrontEnd(client.server, client.key, create_agent(client, skills=[SUBNET]))


def result(call: str, content: str = "done", **fields: Any) -> dict[str, Any]:
    """Return the message with a result of a call."""
    return {"id": f"result-{call}", "role": "tool", "toolCallId": call, "content": content, **fields}


def pending(events: list[dict[str, Any]]) -> list[str]:
    """Return the calls that wait for the front end, which the stream must have announced."""
    outcome = events[-1]["outcome"]
    assert outcome["type"] == "success"
    started = {one["toolCallId"] for one in events if one["type"] == "TOOL_CALL_START"}
    ended = {one["toolCallId"] for one in events if one["type"] == "TOOL_CALL_RESULT"}
    assert {*outcome["pendingToolCallIds"]} == started - ended
    return list(outcome["pendingToolCallIds"])


def go_on(front_end: FrontEnd, *messages: dict[str, Any]) -> list[dict[str, Any]]:
    """Send messages, and return the events."""
    return list(events_of(front_end.post(*messages, tools=[COLOR])))


def results_sent(model: ModelServer) -> list[str]:
    """Return the results of tools in the last request to the model."""
    return [one["content"] for one in model.requests[-1]["messages"] if one["role"] == "tool"]


def test_a_call_is_handed_to_the_front_end_and_the_run_goes_on(
    front_end: FrontEnd, client: Client, model: ModelServer
) -> None:
    model.answers += [PAINT, Answer(text="It is red now.")]
    events = front_end.run("Make it red", tools=[COLOR])
    assert kinds(events)[4:] == ["TOOL_CALL_START", "TOOL_CALL_ARGS", "TOOL_CALL_END", "RUN_FINISHED"]
    assert {one["function"]["name"] for one in model.requests[-1]["tools"]} >= {"set_color", SUBNET}
    (call,) = pending(events)
    shown = front_end.history()
    assert (shown["status"], shown["interrupts"], shown["pendingToolCallIds"]) == ("waiting", [], [call])

    goes_on = go_on(front_end, user_says("Make it red"), result(call, "painted"))
    assert kinds(goes_on) == [
        "RUN_STARTED", "TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END", "RUN_FINISHED",
    ]  # fmt: skip
    assert (text_of(goes_on), goes_on[-1]["outcome"]) == ("It is red now.", {"type": "success"})
    assert results_sent(model) == ['"painted"']
    (run,) = data(client.get(f"/agents/{front_end.agent}/runs"))
    assert (run["status"], run["tools_used"]) == ("completed", [])
    roles = [one["role"] for one in front_end.history()["messages"]]
    assert roles == ["user", "assistant", "tool", "assistant"]
    refuse(front_end.post(result(call)), 400, "last message must be one of the user")


def test_results_come_one_after_the_other_beside_a_tool_of_the_agent(front_end: FrontEnd, model: ModelServer) -> None:
    both = [("set_color", {"color": "red"}), (SUBNET, OWN), ("set_color", {"color": "blue"})]
    model.answers += [Answer(text="Both.", tool=both[0][0], arguments=both[0][1], also=both[1:]), Answer(text="Done.")]
    events = front_end.run("Make it red and blue", tools=[COLOR])
    first, second = pending(events)
    events = go_on(front_end, result(second, '{"is": "blue"}'))
    assert events[-1]["outcome"]["pendingToolCallIds"] == [first]
    events = go_on(front_end, result(second, '{"is": "blue"}'), result(first, "", error="no such color"))
    assert text_of(events) == "Done."
    (own,) = [one for one in events if one["type"] == "TOOL_CALL_RESULT"]
    assert "254" in own["content"]
    failed, subnet, done = results_sent(model)
    assert ("no such color" in failed, "254" in subnet, done) == (True, True, '{"is": "blue"}')


def test_a_message_instead_of_a_result_reaches_the_run(front_end: FrontEnd, model: ModelServer) -> None:
    model.answers += [PAINT, Answer(text="Then not.")]
    (call,) = pending(front_end.run("Make it red", tools=[COLOR]))
    refuse(front_end.post({"role": "assistant", "content": "Hm"}), 400, "waits for results", call)
    assert text_of(go_on(front_end, user_says("Never mind"))) == "Then not."
    last = model.requests[-1]["messages"]
    assert [one["role"] for one in last[-2:]] == ["tool", "user"]
    assert "sent no result" in last[-2]["content"]
    assert last[-1]["content"] == "Never mind"


@pytest.mark.parametrize("approved_first", [True, False])
def test_an_approval_and_a_result_of_one_step(client: Client, model: ModelServer, *, approved_first: bool) -> None:
    front_end = FrontEnd(client.server, client.key, create_agent(client, skills=[OUT], approval="required"))
    asked = Answer(tool="set_color", arguments={"color": "red"}, also=[(OUT, HTML)])
    model.answers += [asked, Answer(text="Done.")]
    events = front_end.run("Both", tools=[COLOR])
    (interrupt,) = events[-1]["outcome"]["interrupts"]
    (call,) = {one["toolCallId"] for one in events if one["type"] == "TOOL_CALL_START"} - {interrupt["toolCallId"]}
    answer = {"interruptId": interrupt["id"], "status": "resolved", "payload": {"approved": True}}
    if approved_first:
        resumed = front_end.run("", resume=[answer])
        assert resumed[-1]["outcome"] == {"type": "success", "pendingToolCallIds": [call]}
        last = go_on(front_end, result(call, "painted"))
    else:
        again = go_on(front_end, result(call, "painted"))
        assert [one["id"] for one in again[-1]["outcome"]["interrupts"]] == [interrupt["id"]]
        last = front_end.run("", resume=[answer])
    assert text_of(last) == "Done."
    assert results_sent(model)[0] == '"painted"'


@ONE_DATABASE
def test_results_are_untrusted_content(client: Client, model: ModelServer) -> None:
    front_end = FrontEnd(client.server, client.key, create_agent(client, skills=[OUT], approval="tainted"))
    model.answers += [PAINT, Answer(tool=OUT, arguments=HTML)]
    (call,) = pending(front_end.run("Make it red", tools=[COLOR]))
    assert go_on(front_end, result(call))[-1]["outcome"]["type"] == "interrupt"
    (approval,) = data(client.get("/approvals"))
    assert approval["untrusted"] == "a result of the client's tool"


@ONE_DATABASE
def test_visitors_bring_no_tools(client: Client, model: ModelServer) -> None:
    visitor = FrontEnd.of_visitor(client.server, create_key(client, create_agent(client)))
    assert visitor.run("Hello", tools=[COLOR])[-1]["outcome"] == {"type": "success"}
    assert not model.requests[-1].get("tools")


@ONE_DATABASE
def test_others_cannot_send_results(front_end: FrontEnd, client: Client, stranger: Client, model: ModelServer) -> None:
    model.answers += [PAINT]
    (call,) = pending(front_end.run("Make it red", tools=[COLOR]))
    other = FrontEnd(client.server, stranger.key, front_end.agent, thread=front_end.thread)
    assert other.post(result(call)).status_code == 404
    own = FrontEnd(client.server, stranger.key, create_agent(stranger), thread=front_end.thread)
    refuse(own.post(result(call)), 400, "last message")
    assert front_end.history()["pendingToolCallIds"] == [call]
