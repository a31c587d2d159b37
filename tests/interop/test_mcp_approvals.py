"""Approvals in MCP clients: by requests in the stream of a call, and by results that require input."""

import json
from typing import Any, Literal

import mcp_types as types
import pytest
import requests

from tests.interop.mcp_clients import MODES, Mode, ask, ask_alone, connect, headers_for, key_of, post, text_of
from tests.interop.test_openai import create_agent
from tests.runs.test_approvals import ASK_OUT, OUT
from tests.support.client import Client, data

FORMS: dict[str, Any] = {"elicitation": {"form": {}}}
Action = Literal["accept", "decline", "cancel"]
ENDS: dict[Action, tuple[str, str]] = {
    "accept": ("completed", "approved"),
    "decline": ("completed", "denied"),
    "cancel": ("waiting", "pending"),
}


def cautious_agent(client: Client) -> str:
    """Create an agent whose calls require approval. Returns the name of its tool."""
    return f"agent_{create_agent(client, skills=[OUT], approval='required')}"


@pytest.mark.parametrize("mode", MODES)
async def test_the_client_asks_its_user(client: Client, mode: Mode) -> None:
    agent, questions, actions = cautious_agent(client), [], list(ENDS)

    async def answer(_: Any, asked: types.ElicitRequestParams) -> types.ElicitResult:
        questions.append(asked.message)
        return types.ElicitResult(action=actions[len(questions) - 1], content={})

    async with connect(client.server, key_of(client), mode, elicitation_callback=answer) as official:
        for action in actions:
            result = await official.call_tool(agent, {"message": ASK_OUT})
            assert result.structured_content is not None
            assert not result.is_error
            status, decision = ENDS[action]
            assert (result.structured_content["status"], latest(client)["status"]) == (status, decision)
            assert ("waits for an approval" in text_of(result)) is (action == "cancel")
    assert len(questions) == len(actions)
    assert all(OUT in one and "https://example.com/" in one for one in questions)


def latest(client: Client) -> dict[str, Any]:
    """Return the latest approval."""
    return dict(data(client.get("/approvals?per_page=1"))[0])


def call(client: Client, agent: str, **params: Any) -> requests.Response:
    """Call an agent with a request that stands alone."""
    body = ask_alone("tools/call", FORMS, name=agent, arguments={"message": ASK_OUT}, **params)
    return post(client.server, client.key, body, **headers_for("tools/call", agent))


def result_in(answer: requests.Response) -> Any:
    """Return the result in an answer, which is a stream if the call took long."""
    events = [line for line in answer.text.splitlines() if line.startswith("data: ")]
    return (json.loads(events[-1][6:]) if events else answer.json())["result"]


def test_a_request_state_is_good_for_one_answer_to_one_call(client: Client, stranger: Client) -> None:
    agent = cautious_agent(client)
    asked = result_in(call(client, agent))
    assert asked["resultType"] == "input_required"
    (name,), state = asked["inputRequests"], asked["requestState"]
    accepted = {name: {"action": "accept", "content": {}}}
    missing = result_in(call(client, agent, requestState=state))
    assert (missing["resultType"], list(missing["inputRequests"])) == ("input_required", [name])
    other = cautious_agent(client)
    for who, where, what in (
        (client, agent, state[:-4] + "AAA="),
        (client, agent, "nonsense"),
        (client, other, state),
        (stranger, cautious_agent(stranger), state),
    ):
        forged = call(who, where, requestState=what, inputResponses=accepted)
        assert (forged.status_code, forged.json()["error"]["code"]) == (400, -32602)
        assert "requestState" in forged.json()["error"]["message"]
    assert latest(client)["status"] == "pending"
    done = result_in(call(client, agent, requestState=state, inputResponses=accepted))
    assert (done["resultType"], done["structuredContent"]["status"]) == ("complete", "completed")
    replayed = call(client, agent, requestState=state, inputResponses=accepted)
    assert (replayed.status_code, replayed.json()["error"]["code"]) == (400, -32602)
    assert "answered before" in replayed.json()["error"]["message"]


def test_only_clients_that_show_forms_are_asked(client: Client) -> None:
    agent = cautious_agent(client)
    unable: list[dict[str, Any]] = [{}, {"elicitation": {"url": {}}}, {"elicitation": 1}]
    for capabilities in unable:
        body = ask_alone("tools/call", capabilities, name=agent, arguments={"message": ASK_OUT})
        answer = result_in(post(client.server, client.key, body, **headers_for("tools/call", agent)))
        assert (answer["resultType"], answer["structuredContent"]["status"]) == ("complete", "waiting")


def test_answers_to_no_request_change_nothing(client: Client, stranger: Client) -> None:
    call(client, cautious_agent(client))
    approval = latest(client)
    name = f"approval_{approval['id']}_{'0' * 64}"
    for who, response_id in ((stranger, name), (client, name[:-1]), (client, 7), (client, None)):
        response: dict[str, Any] = {"jsonrpc": "2.0", "id": response_id, "result": {"action": "accept", "content": {}}}
        assert post(who.server, who.key, response).status_code == 202
    results: list[Any] = [{"action": "cancel"}, {"action": "odd"}, None]
    for result in results:
        response = {"jsonrpc": "2.0", "id": name, "result": result}
        assert post(client.server, client.key, response).status_code == 202
    assert latest(client)["status"] == "pending"


def test_an_answer_needs_the_scope(client: Client) -> None:
    reader = client.server.new_key(client.server.new_user(), ["agents:read"])
    response = {"jsonrpc": "2.0", "id": "approval_1_" + "0" * 64, "result": {"action": "accept"}}
    assert post(client.server, reader, response).status_code == 403
    assert post(client.server, None, response).status_code == 401
    assert post(client.server, client.key, ask("ping")).status_code == 200
