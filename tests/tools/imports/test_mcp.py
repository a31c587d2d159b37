"""MCP servers made with the protocol's own SDK: importing their tools, and calling them."""

from collections.abc import Iterator

import pytest
import requests

from tests.conftest import User
from tests.support.client import Client, data, refuse
from tests.support.server import Server
from tests.support.waiting import eventually
from tests.tools.imports.pets import Json, execute
from tests.tools.imports.sdk_server import PIXEL, TOKEN, SdkServer, running_sdk_server

KINDS = ("stream", "json", "stateless", "newest")
TOOLS = [
    "far_add", "far_book", "far_chatter", "far_fail", "far_header", "far_picture", "far_ping", "far_rebook",
    "far_route", "far_sign", "far_sources", "far_weather",
]  # fmt: skip


@pytest.fixture(scope="module")
def servers() -> Iterator[SdkServer]:
    """The SDK's servers."""
    with running_sdk_server() as running:
        yield running


@pytest.fixture
def far(servers: SdkServer) -> SdkServer:
    """The same, with nothing noted yet."""
    servers.calls.clear()
    return servers


def import_source(client: Client, far: SdkServer, kind: str = "stream", **fields: object) -> Json:
    """The source that a server makes."""
    wanted = {"kind": "mcp", "name": "far", "url": far.url(kind), **fields}
    source: Json = data(client.post("/tools/sources", wanted), 201)
    return source


@pytest.mark.parametrize("kind", KINDS)
def test_a_server_and_its_tools(client: Client, far: SdkServer, kind: str) -> None:
    source = import_source(client, far, kind, category="geo")
    assert source == {
        "id": source["id"],
        "kind": "mcp",
        "name": "far",
        "category": "geo",
        "base_url": far.url(kind),
        "document_url": None,
        "trust_hints": False,
        "connection": None,
        "tools": len(TOOLS),
        "size": source["size"],
        "status": "ready",
        "created_at": source["created_at"],
    }
    assert data(client.get(f"/tools/sources/{source['id']}")) == source
    listed = data(client.get("/tools?per_page=20&search=imported MCP server far"))
    assert sorted(tool["name"] for tool in listed if tool["name"].startswith("far_")) == TOOLS
    assert data(client.get("/tools?search=weather of the coming days"))[0]["name"] == "far_weather"


@pytest.mark.parametrize("kind", KINDS)
def test_a_tool_of_a_server_is_called(client: Client, far: SdkServer, kind: str) -> None:
    import_source(client, far, kind)
    assert execute(client, "far_add", a=2, b=3) == {
        "text": "2 + 3 = 5",
        "structured": {"result": "2 + 3 = 5"},
        "content": [],
    }
    assert execute(client, "far_weather", city="Linz", days=4) == {
        "text": "", "structured": {"city": "Linz", "celsius": 6.0}, "content": [],
    }  # fmt: skip
    assert execute(client, "far_chatter")["text"] == "done"
    assert execute(client, "far_route", region=" grün ", size=3)["text"] == " grün  3"


def test_a_tool_shows_the_description_of_the_server(client: Client, far: SdkServer) -> None:
    import_source(client, far)
    tool = data(client.get("/tools/far_weather"))
    assert tool["description"] == (
        "The weather. Tell the weather of the coming days. Calls weather of the imported MCP server far."
    )
    assert (tool["category"], tool["tier"], tool["tags"]) == ("web", "free", ["far", "mcp"])
    assert tool["input_schema"] == {
        "type": "object",
        "properties": {
            "city": {"type": "string", "minLength": 1, "description": "Name of a city"},
            "days": {"type": "integer", "minimum": 1, "maximum": 9, "description": "Default: 3."},
        },
        "required": ["city"],
        "additionalProperties": False,
    }


@pytest.mark.parametrize(
    ("args", "words"),
    [({}, "city"), ({"city": ""}, "city"), ({"city": "a", "days": 10}, "days"), ({"city": "a", "more": 1}, "more")],
)
def test_arguments_that_are_refused(client: Client, far: SdkServer, args: Json, words: str) -> None:
    import_source(client, far)
    far.calls.clear()
    refuse(client.post("/tools/far_weather/execute", {"args": args}), 400, words)
    assert far.calls == []


@pytest.mark.parametrize("kind", KINDS)
def test_a_tool_that_fails(client: Client, far: SdkServer, kind: str) -> None:
    import_source(client, far, kind)
    call = client.post("/tools/far_fail/execute", {"args": {"reason": "There is no such city."}})
    refuse(call, 400, "far_fail failed: ", "There is no such city.")


def test_bytes_become_files(client: Client, far: SdkServer) -> None:
    import_source(client, far)
    result = execute(client, "far_picture")
    (part,) = result["content"]
    assert (result["text"], part["type"], part["media_type"]) == ("A pixel.", "image", "image/png")
    assert client.get(f"/files/{part['file']}/content").content == PIXEL
    assert data(client.get(f"/files/{part['file']}"))["name"] == "far_picture_1.png"


def test_resources_in_a_result_are_shown(client: Client, far: SdkServer) -> None:
    import_source(client, far)
    text, blob, link = execute(client, "far_sources")["content"]
    assert text == {"type": "resource", "uri": "note:a", "media_type": "text/plain", "text": "Hello"}
    assert (blob["uri"], blob["media_type"]) == ("data:b", "application/pdf")
    assert client.get(f"/files/{blob['file']}/content").content == b"%PDF"
    assert link == {
        "type": "resource_link", "uri": "https://example.com/a", "name": "a", "description": "The first.",
    }  # fmt: skip


def test_a_session_is_kept_renewed_and_ended(client: Client, far: SdkServer) -> None:
    source = import_source(client, far)
    first = {execute(client, "far_header", name="mcp-session-id")["text"] for _ in range(3)}
    assert len(first) == 1
    (lost,) = first
    gone = requests.delete(far.url("stream"), headers={"Mcp-Session-Id": lost}, timeout=120)
    assert gone.status_code == 200
    second = execute(client, "far_header", name="mcp-session-id")["text"]
    assert second not in {"", lost}
    data(client.delete(f"/tools/sources/{source['id']}"))
    ended = [headers["mcp-session-id"] for method, _, headers in far.calls if method == "DELETE"]
    assert eventually(lambda: second in [h["mcp-session-id"] for m, _, h in far.calls if m == "DELETE"])
    assert far.sessions()[0] in ended  # that of the import


def test_the_version_and_the_client_are_told(client: Client, far: SdkServer) -> None:
    import_source(client, far)
    assert execute(client, "far_header", name="mcp-protocol-version")["text"] == "2025-11-25"
    assert execute(client, "far_header", name="user-agent")["text"].startswith("Retinue/")


def test_the_server_may_ask_whether_the_client_is_there(client: Client, far: SdkServer) -> None:
    import_source(client, far)
    assert execute(client, "far_ping")["text"] == "there"


def test_a_server_is_called_with_its_credential(client: Client, far: SdkServer, server: Server) -> None:
    wanted = {"kind": "mcp", "name": "far", "url": far.url("closed")}
    refuse(client.post("/tools/sources", wanted), 400, "requires a credential")
    wrong = {**wanted, "credential": {"type": "bearer", "value": "no-7f3a9c-no"}}
    refuse(client.post("/tools/sources", wrong), 400, "credential", "401")
    made = client.post("/tools/sources", {**wanted, "credential": {"type": "bearer", "value": TOKEN}})
    assert TOKEN not in made.text
    assert data(made, 201)["tools"] == len(TOOLS)
    assert execute(client, "far_add", a=1, b=1)["text"] == "1 + 1 = 2"
    files = [path.read_bytes() for path in server.home.rglob("*") if path.is_file()]
    kept = b"".join([*files, server.dump(), server.log.read_bytes()])
    assert TOKEN.encode() not in kept
    assert b"no-7f3a9c-no" not in kept


def test_pages_are_put_together(client: Client, far: SdkServer) -> None:
    assert import_source(client, far, "paged")["tools"] == 200
    assert data(client.get("/tools/far_thing_change_199"))["input_schema"]["required"] == ["field_3"]
    assert execute(client, "far_thing_change_137", field_3="x")["text"] == "thing.change-137"
    refuse(client.post("/tools/far_thing_change_137/execute", {"args": {}}), 400, "field_3")


def test_a_tool_that_has_vanished(client: Client, far: SdkServer) -> None:
    import_source(client, far)
    data(client.delete(f"/tools/sources/{data(client.get('/tools/sources'))[0]['id']}"))
    refuse(client.post("/tools/far_add/execute", {"args": {"a": 1, "b": 1}}), 404)


def test_a_call_is_counted_and_told(client: Client, far: SdkServer) -> None:
    import_source(client, far)
    answer = data(client.post("/tools/far_add/execute", {"args": {"a": 1, "b": 1}}))
    assert (answer["tool"], answer["credits_used"]) == ("far_add", 1)
    assert data(client.get("/usage"))["tools_executed"]["used"] == 1


def test_the_sandbox_calls_nothing(sandbox: Client, far: SdkServer) -> None:
    import_source(sandbox, far, trust_hints=True)
    far.calls.clear()
    told = execute(sandbox, "far_weather", city="Linz")["structured"]
    assert told == {"simulated": True, "name": "weather", "arguments": {"city": "Linz"}}
    told = execute(sandbox, "far_add", a=1, b=1)["structured"]
    assert told == {"simulated": True, "name": "add", "arguments": {"a": 1, "b": 1}}
    assert far.calls == []


def test_an_agent_uses_them_as_skills(client: Client, far: SdkServer) -> None:
    import_source(client, far, trust_hints=True)
    wanted = {"agent_name": "a", "agent_role": "leader", "skills": ["far_weather"]}
    agent = data(client.post("/agents", wanted), 201)
    message = '[[tool:far_weather {"city": "Linz"}]]'
    reply = data(client.post(f"/agents/{agent['id']}/execute", {"message": message}))
    assert reply["tools_used"] == ["far_weather"]
    assert far.calls[-1][:2] == ("POST", "/stream")


def test_nobody_else_sees_them(client: Client, stranger: Client, nobody: Client, user: User, far: SdkServer) -> None:
    source = import_source(client, far)
    refuse(stranger.get(f"/tools/sources/{source['id']}"), 404)
    refuse(stranger.delete(f"/tools/sources/{source['id']}"), 404)
    refuse(stranger.get("/tools/far_add"), 404)
    refuse(stranger.post("/tools/far_add/execute", {"args": {"a": 1, "b": 1}}), 404)
    wanted = {"kind": "mcp", "name": "near", "url": far.url("stream")}
    refuse(nobody.post("/tools/sources", wanted), 401)
    refuse(user.client(["tools:read", "tools:execute"]).post("/tools/sources", wanted), 403, "*")
