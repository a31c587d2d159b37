"""Questions of a tool's server in MCP clients that call the tool: in the stream of the call, or as results."""

import json
from collections.abc import Iterator
from typing import Any

import mcp_types as types
import pytest

from tests.conftest import User
from tests.interop.mcp_clients import MODES, Mode, ask, ask_alone, connect, headers_for, key_of, post, text_of
from tests.interop.test_mcp_approvals import FORMS, result_in
from tests.support.client import Client, data
from tests.tools.imports.asker import running_asker
from tests.tools.imports.sdk_server import running_sdk_server
from tests.tools.imports.stand_in_mcp import StandInMcp

TOOL = "far_echo"
ANSWER: dict[str, Any] = {"seat": "12A", "bags": 2}
ACCEPTED = {"question": {"action": "accept", "content": ANSWER}}


@pytest.fixture
def far(client: Client) -> Iterator[StandInMcp]:
    """A server that asks before it books, as a source of the account."""
    with running_asker() as server:
        data(client.post("/tools/sources", {"kind": "mcp", "name": "far", "url": server.url}), 201)
        yield server


def call(client: Client, arguments: dict[str, Any] | None = None, forms: Any = FORMS, **params: Any) -> Any:
    """Call the tool with a request that stands alone."""
    body = ask_alone("tools/call", forms, name=TOOL, arguments=arguments or {}, **params)
    return post(client.server, client.key, body, **headers_for("tools/call", TOOL))


@pytest.mark.parametrize("mode", MODES)
async def test_the_client_asks_its_user(client: Client, far: StandInMcp, mode: Mode) -> None:
    asked: list[Any] = []
    answers = [
        types.ElicitResult(action="accept", content=ANSWER),
        types.ElicitResult(action="accept", content={"seat": "1"}),
        types.ElicitResult(action="decline"),
        types.ElicitResult(action="cancel"),
    ]

    async def answer(_: Any, params: types.ElicitRequestParams) -> types.ElicitResult:
        asked.append((params.message, params.model_dump(by_alias=True)["requestedSchema"]["required"]))
        return answers[len(asked) - 1]

    async with connect(client.server, key_of(client), mode, elicitation_callback=answer) as official:
        booked = await official.call_tool("tools_execute", {"name": TOOL, "arguments": {}})
        assert booked.structured_content is not None
        sent = {"seat": {"action": "accept", "content": ANSWER}}
        assert booked.structured_content["structured"]["answers"] == sent
        assert far.last("tools/call").message["params"]["requestState"] == "s-1"
        before = far.methods().count("tools/call")
        for problem in ("does not match its form: seat", "did not answer: Which seat?", "did not answer: Which seat?"):
            refused = await official.call_tool(TOOL, {})
            assert refused.is_error
            assert problem in text_of(refused)
    assert asked == [("Which seat?", ["seat"])] * 4
    assert far.methods().count("tools/call") == before + 3


@pytest.mark.parametrize("mode", MODES)
async def test_every_question_of_an_older_server_is_asked(client: Client, mode: Mode) -> None:
    given = {"Which seat to Oslo?": {"seat": "12C", "bags": 3}, "Book 12C?": {"sure": True}}

    async def answer(_: Any, params: types.ElicitRequestParams) -> types.ElicitResult:
        return types.ElicitResult(action="accept", content=given[params.message])  # type: ignore[arg-type]

    with running_sdk_server() as server:
        data(client.post("/tools/sources", {"kind": "mcp", "name": "far", "url": server.url("stream")}), 201)
        async with connect(client.server, key_of(client), mode, elicitation_callback=answer) as official:
            booked = await official.call_tool("far_book", {"city": "Oslo"})
    assert "Oslo 12C 3 True" in text_of(booked)


def test_a_request_state_is_good_for_one_answer_to_one_call(
    user: User, client: Client, stranger: Client, far: StandInMcp
) -> None:
    asked = result_in(call(client))
    assert (asked["resultType"], list(asked["inputRequests"])) == ("input_required", ["question"])
    state, params = asked["requestState"], asked["inputRequests"]["question"]["params"]
    assert (params["mode"], params["message"], params["requestedSchema"]["required"]) == (
        "form", "Which seat?", ["seat"],
    )  # fmt: skip
    missing = result_in(call(client, requestState=state))
    assert missing["inputRequests"] == asked["inputRequests"]
    repeated = missing["requestState"]
    data(stranger.post("/tools/sources", {"kind": "mcp", "name": "far", "url": far.url}), 201)
    other_key = user.client()
    before = far.methods().count("tools/call")
    for who, arguments, what in (
        (client, {}, state[:-4] + "AAA="),
        (client, {}, "nonsense"),
        (client, {"other": 1}, state),
        (stranger, {}, state),
        (other_key, {}, state),
    ):
        forged = call(who, arguments, requestState=what, inputResponses=ACCEPTED)
        assert (forged.status_code, forged.json()["error"]["code"]) == (400, -32602)
        assert "requestState" in forged.json()["error"]["message"]
    assert far.methods().count("tools/call") == before
    done = result_in(call(client, requestState=state, inputResponses=ACCEPTED))
    assert (done["resultType"], done["isError"]) == ("complete", False)
    for used in (state, repeated):
        replayed = call(client, requestState=used, inputResponses=ACCEPTED)
        assert (replayed.status_code, replayed.json()["error"]["code"]) == (400, -32602)
        assert "answered before" in replayed.json()["error"]["message"]
    assert far.methods().count("tools/call") == before + 1


def test_a_client_without_forms_reads_how_to_answer(client: Client, far: StandInMcp) -> None:
    unable: list[Any] = [{}, {"elicitation": {"url": {}}}]
    for capabilities in unable:
        told = result_in(call(client, forms=capabilities))
        assert (told["resultType"], told["isError"]) == ("complete", True)
        (content,) = told["content"]
        for part in ("Which seat?", f"POST /api/v1/tools/{TOOL}/execute", '"answers": [{"question": ', '"12C"'):
            assert part in content["text"]
    handshake = result_in(post(client.server, client.key, ask("tools/call", name=TOOL, arguments={})))
    assert handshake["content"] == [content]


async def test_only_the_client_that_was_asked_can_answer(
    user: User, client: Client, stranger: Client, far: StandInMcp
) -> None:
    """Answers with other credentials and with made-up IDs change nothing. A second answer does not either."""
    other_key = user.client().key

    asked: list[str] = []

    def respond(key: str | None, request_id: object) -> int:
        response = {"jsonrpc": "2.0", "id": request_id, "result": {"action": "accept", "content": {"seat": "12C"}}}
        return post(client.server, key, response).status_code

    async def answer(context: Any, _: Any) -> types.ElicitResult:
        request_id = str(context.request_id)
        asked.append(request_id)
        assert request_id.startswith("question_")
        digit = "0" if request_id[-1] != "0" else "1"
        assert respond(stranger.key, request_id) == 202
        assert respond(other_key, request_id) == 202
        assert respond(client.key, request_id[:-1] + digit) == 202
        assert respond(None, request_id) == 401
        return types.ElicitResult(action="accept", content=ANSWER)

    async with connect(client.server, key_of(client), "legacy", elicitation_callback=answer) as official:
        booked = await official.call_tool(TOOL, {})
    assert json.loads(text_of(booked))["structured"]["answers"]["seat"]["content"] == ANSWER
    assert respond(client.key, asked[0]) == 202
    assert far.methods().count("tools/call") == 2
