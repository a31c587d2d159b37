"""Agents that speak A2A as tools: made with the official SDK, and of Retinue itself."""

from collections.abc import Iterator

import pytest

from retinue.core.errors import ValidationFailed
from retinue.tools.imports.a2a.card import AgentSource, card_address, tool_of
from tests.conftest import ONE_DATABASE
from tests.interop.test_openai import create_agent
from tests.runs.test_approvals import pending
from tests.support.client import Client, data, refuse
from tests.support.model_server import Answer, ModelServer
from tests.tools.imports.pets import Json, execute
from tests.tools.imports.sdk_agent import TOKEN, running_agent

WELL_KNOWN = "/.well-known/agent-card.json"


@pytest.fixture(scope="module")
def agent() -> Iterator[str]:
    """The address of the agent of another party."""
    with running_agent() as address:
        yield address


def import_source(client: Client, url: str, **fields: object) -> Json:
    """Import an agent. Returns its source."""
    source: Json = data(client.post("/tools/sources", {"kind": "a2a", "name": "far", "url": url, **fields}), 201)
    return source


@pytest.mark.parametrize("kind", ["new", "old"])
def test_an_agent_is_a_tool(client: Client, agent: str, kind: str) -> None:
    source = import_source(client, f"{agent}/{kind}")
    assert (source["kind"], source["tools"], source["status"]) == ("a2a", 1, "ready")
    assert source["base_url"] == f"{agent}/{kind}/rpc"
    tool = data(client.get("/tools/far_ask"))
    assert "Echo" in tool["description"]
    assert "Repeat words" in tool["description"]
    answer = execute(client, "far_ask", message="good morning")
    assert (answer["state"], answer["text"], answer["data"]) == ("completed", "You said: good morning", [{"words": 2}])
    asked = execute(client, "far_ask", message="ask")
    assert (asked["state"], asked["text"]) == ("input_required", "Which one?")
    named = {name: asked[name] for name in ("task_id", "context_id")}
    told = execute(client, "far_ask", message="the first", **named)
    assert (told["state"], told["text"], told["task_id"]) == ("completed", "You said: the first", asked["task_id"])
    assert execute(client, "far_ask", message="talk")["text"] == "No task needed."
    (file,) = execute(client, "far_ask", message="file")["files"]
    assert client.get(f"/files/{file['file']}/content").text == "hello"
    message = refuse(client.post("/tools/far_ask/execute", {"args": {"message": "fail"}}), 400)
    assert "I was told to fail." in message
    refreshed = data(client.post(f"/tools/sources/{source['id']}/refresh", {}))
    assert (refreshed["added"], refreshed["changed"], refreshed["removed"]) == ([], [], [])


def test_its_answers_are_untrusted(client: Client, agent: str, model: ModelServer) -> None:
    import_source(client, f"{agent}/new")
    own = create_agent(client, skills=["far_ask", "note_create"], approval="tainted")
    model.answers += [
        Answer(tool="far_ask", arguments={"message": "hello"}),
        Answer(tool="note_create", arguments={"title": "a"}),
    ]
    run = data(client.post(f"/agents/{own}/execute", {"message": "Ask it", "background": True}), 202)["id"]
    approval = pending(client, f"/runs/{run}")
    assert (approval["tool"], "far_ask" in approval["untrusted"]) == ("note_create", True)
    assert "You said: hello" in str(model.requests[-1]["messages"])


@ONE_DATABASE
def test_a_credential_opens_the_card_and_goes_only_to_its_host(client: Client, agent: str) -> None:
    credential = {"type": "bearer", "value": TOKEN}
    assert "401" in refuse(client.post("/tools/sources", {"kind": "a2a", "name": "far", "url": f"{agent}/closed"}), 400)
    import_source(client, f"{agent}/closed{WELL_KNOWN}", credential=credential)
    assert execute(client, "far_ask", message="hello")["text"] == "You said: hello"
    elsewhere = {"kind": "a2a", "name": "off", "url": f"{agent}/elsewhere.json", "credential": credential}
    assert "another host" in refuse(client.post("/tools/sources", elsewhere), 400)
    for fields, words in (({"base_url": agent}, "base_url"), ({"trust_hints": True}, "trust_hints")):
        wanted = {"kind": "a2a", "name": "off", "url": f"{agent}/new", **fields}
        assert words in refuse(client.post("/tools/sources", wanted), 400)


@ONE_DATABASE
def test_agents_of_retinue_are_tools_too(client: Client) -> None:
    agent = create_agent(client, task="Greets people.")
    credential = {"type": "bearer", "value": client.key}
    import_source(client, f"{client.server.url}/a2a/{agent}", credential=credential)
    answer = execute(client, "far_ask", message="Hello")
    assert (answer["state"], answer["text"]) == ("completed", "You said: Hello")
    again = execute(client, "far_ask", message="Again", context_id=answer["context_id"])
    assert again["context_id"] == answer["context_id"]


@ONE_DATABASE
def test_the_sandbox_sends_no_message(sandbox: Client, agent: str) -> None:
    import_source(sandbox, f"{agent}/new")
    assert execute(sandbox, "far_ask", message="hello")["data"][0]["simulated"] is True


@pytest.mark.parametrize(
    ("card", "words"),
    [
        ([], "no card"),
        ({"description": "nameless"}, "no card"),
        ({"name": "A"}, "JSONRPC"),
        ({"name": "A", "supportedInterfaces": "none"}, "JSONRPC"),
        ({"name": "A", "supportedInterfaces": [{"protocolBinding": "GRPC", "protocolVersion": "1.0"}]}, "JSONRPC"),
        ({"name": "A", "url": "https://a.example", "protocolVersion": "0.2.6"}, "JSONRPC"),
    ],
)
def test_unfit_cards_are_refused(card: object, words: str) -> None:
    with pytest.raises(ValidationFailed, match=words):
        tool_of(card, AgentSource("far", "web"))


def test_the_newest_interface_is_used() -> None:
    versions = ("0.3", "2.0", "1.0.1")
    listed = [
        {"url": f"https://a.example/{one}", "protocolBinding": "JSONRPC", "protocolVersion": one, "tenant": "t"}
        for one in versions
    ]
    tool, address = tool_of(
        {"name": "A", "supportedInterfaces": listed, "skills": [None, {}]}, AgentSource("far", "web")
    )
    assert (tool.call.version, tool.call.tenant, address) == ("1.0", "t", "https://a.example/1.0.1")
    assert card_address("https://a.example/a2a/") == f"https://a.example/a2a{WELL_KNOWN}"
    assert card_address("https://a.example/my.json") == "https://a.example/my.json"
