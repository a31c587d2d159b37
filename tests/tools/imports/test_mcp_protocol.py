"""MCP servers that say unusual things, or mean harm."""

from collections.abc import AsyncIterator, Callable, Iterator
from ipaddress import ip_network

import pytest

from retinue.core.errors import RetinueError, Unavailable
from retinue.core.network.http_client import AddressGuard
from retinue.tools.imports.client import OutsideClient
from retinue.tools.imports.mcp.http_transport import HttpTransport, McpEndpoint
from retinue.tools.imports.mcp.sessions import McpSessions
from tests.conftest import StartServer
from tests.support.client import Client, data, refuse
from tests.support.waiting import eventually
from tests.tools.imports.pets import Json, execute
from tests.tools.imports.stand_in_mcp import EVENTS, Said, StandInMcp, error, phrase, result, running_stand_in, stream

pytestmark = pytest.mark.either_database


@pytest.fixture
def far() -> Iterator[StandInMcp]:
    """A server that says what it is told to."""
    with running_stand_in() as running:
        yield running


def select(far: StandInMcp, **fields: object) -> Json:
    return {"kind": "mcp", "name": "far", "url": far.url, **fields}


def import_source(client: Client, far: StandInMcp, **fields: object) -> Json:
    source: Json = data(client.post("/tools/sources", select(far, **fields)), 201)
    return source


def test_the_order_of_messages(client: Client, far: StandInMcp) -> None:
    import_source(client, far)
    assert far.methods() == ["server/discover", "initialize", "notifications/initialized", "tools/list", "DELETE"]
    execute(client, "far_echo")
    execute(client, "far_echo")
    again = ["server/discover", "initialize", "notifications/initialized", "GET", "tools/call", "tools/call"]
    assert far.methods()[5:] == again
    hello, call = far.heard[1], far.heard[-1]
    assert hello.message["params"]["capabilities"] == {"elicitation": {"form": {}, "url": {}}}
    assert "mcp-session-id" not in hello.headers
    assert call.headers["accept"] == "application/json, text/event-stream"
    assert (call.headers["mcp-session-id"], call.headers["mcp-protocol-version"]) == ("s-7", "2025-11-25")


@pytest.mark.parametrize("version", ["2025-06-18", "2025-03-26", "2024-11-05"])
def test_older_revisions(client: Client, far: StandInMcp, version: str) -> None:
    far.answers["initialize"] = lambda message: phrase(result(message, {"protocolVersion": version}))
    import_source(client, far)
    assert far.last("tools/list").headers["mcp-protocol-version"] == version
    assert "mcp-session-id" not in far.last("tools/list").headers
    assert "DELETE" not in far.methods()


@pytest.mark.parametrize("status", [400, 404])
def test_a_lost_session_is_opened_anew(client: Client, far: StandInMcp, status: int) -> None:
    import_source(client, far)
    execute(client, "far_echo")
    known = far.answer

    def forgetful(message: Json) -> Said:
        if far.heard[-1].headers["mcp-session-id"] == "s-7":
            return Said(status=status)
        del far.answers["tools/call"]
        return known("POST", message)

    far.answers["tools/call"] = forgetful
    assert execute(client, "far_echo")["text"] == "{}"
    assert far.methods()[-5:] == ["tools/call", "initialize", "notifications/initialized", "GET", "tools/call"]


def test_a_stream_that_goes_on_after_the_answer(client: Client, far: StandInMcp) -> None:
    import_source(client, far)
    noise = {"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progress": 1}}
    answer = {"content": [{"type": "text", "text": "here"}]}
    far.answers["tools/call"] = lambda message: stream(
        noise, {**result(message, {}), "id": 999_999}, result(message, answer), then="hangs"
    )
    assert execute(client, "far_echo")["text"] == "here"


def test_a_stream_that_is_taken_up_again(client: Client, far: StandInMcp) -> None:
    import_source(client, far)
    asked: list[Json] = []

    def breaks_off(message: Json) -> Said:
        asked.append(message)
        return Said(b"id: 7\r\nretry: 1\r\ndata:\r\n\r\n", headers=EVENTS)

    far.answers["tools/call"] = breaks_off
    late = {"content": [{"type": "text", "text": "late"}]}
    far.answers["GET"] = lambda _: stream(result(asked[0], late)) if asked else Said(status=405)
    assert execute(client, "far_echo")["text"] == "late"
    assert (far.heard[-1].headers["last-event-id"], far.heard[-1].headers["accept"]) == ("7", "text/event-stream")


def test_questions_of_the_server_are_answered(client: Client, far: StandInMcp) -> None:
    import_source(client, far)
    far.answers["tools/call"] = lambda message: stream(
        {"jsonrpc": "2.0", "id": "a", "method": "ping"},
        {"jsonrpc": "2.0", "id": "b", "method": "sampling/createMessage", "params": {}},
        result(message, {"content": []}),
    )
    execute(client, "far_echo")
    replies = {one.message["id"]: one.message for one in far.heard if "method" not in one.message and one.message}
    assert replies["a"]["result"] == {}
    assert replies["b"]["error"]["code"] == -32601


@pytest.mark.parametrize(
    ("answer", "status", "words"),
    [
        (lambda m: phrase(error(m, -32602, "Unknown tool: echo")), 400, "Unknown tool: echo"),
        (lambda m: phrase(error(m, -32601, "No tools here"), 404), 400, "No tools here"),
        (lambda m: phrase(error(m, -32603, "It broke")), 503, "It broke"),
        (lambda m: phrase(error(m, -32000, "x" * 5000)), 503, "xxx…"),
        (lambda m: phrase({**error(m, 0, ""), "error": {"code": [], "message": {}}}), 503, "no reason"),
        (lambda _: Said(status=401), 400, "credential"),
        (lambda _: Said(status=403), 400, "credential"),
        (lambda _: Said(status=404), 400, "no MCP server"),
        (lambda _: Said(status=429), 503, "429"),
        (lambda _: Said(status=500), 503, "500"),
        (lambda _: Said(b"<html>"), 503, "invalid response"),
        (lambda _: Said(b"[1, 2]"), 503, "invalid response"),
        (lambda _: Said(b"data: {\n\n", headers=EVENTS), 503, "invalid response"),
        (lambda _: Said(b"x" * (5 << 20)), 503, "4 MiB"),
        (lambda _: stream(then="goes on"), 503, "4 MiB"),
        (lambda _: Said(b"data: " + b"x" * (5 << 20), headers=EVENTS), 503, "4 MiB"),
        (lambda _: Said(status=307, headers={"Location": "http://169.254.169.254/mcp"}), 400, "not followed"),
        (lambda m: phrase(result(m, {"content": [], "isError": True})), 400, "no reason"),
        (lambda m: phrase(result(m, {"resultType": "input_required", "inputRequests": {}})), 400, "requests input"),
    ],
)  # fmt: skip
def test_calls_that_fail(client: Client, far: StandInMcp, answer: object, status: int, words: str) -> None:
    import_source(client, far)
    assert callable(answer)
    far.answers["tools/call"] = answer
    refuse(client.post("/tools/far_echo/execute", {"args": {}}), status, words)


@pytest.mark.parametrize(
    ("method", "answer", "status", "words"),
    [
        ("initialize", lambda _: Said(status=404), 400, "no MCP server"),
        ("initialize", lambda _: Said(b"<html>"), 503, "invalid response"),
        ("initialize", lambda _: Said(status=308, headers={"Location": "/mcp/"}), 400, "redirects to /mcp/"),
        ("initialize", lambda m: phrase(result(m, {"protocolVersion": "1999-01-01"})), 400, "1999-01-01"),
        ("initialize", lambda m: phrase(error(m, -32603, "It broke")), 503, "It broke"),
        ("tools/list", lambda m: phrase(error(m, -32601, "No tools here")), 400, "No tools here"),
        ("tools/list", lambda m: phrase(result(m, {"tools": []})), 400, "no tools"),
        ("tools/list", lambda m: phrase(result(m, {"tools": "many"})), 400, "no tools"),
        ("tools/list", lambda m: phrase(result(m, {"tools": [{"name": f"t{n}"} for n in range(2001)]})), 400, "2,000"),
        ("tools/list", lambda m: phrase(result(m, {"tools": [], "nextCursor": "again"})), 400, "does not end"),
        ("tools/list", lambda m: phrase(result(m, {"pad": "x" * 3 * 2**20, "nextCursor": str(m["id"])})),
         400, "20 MiB"),
        ("tools/list", lambda _: stream(then="goes on"), 503, "4 MiB"),
    ],
)  # fmt: skip
def test_servers_that_cannot_be_imported(
    client: Client, far: StandInMcp, method: str, answer: object, status: int, words: str
) -> None:
    assert callable(answer)
    far.answers[method] = answer
    refuse(client.post("/tools/sources", select(far)), status, words)
    assert data(client.get("/tools/sources")) == []


def test_lists_that_mean_harm(client: Client, far: StandInMcp) -> None:
    loop = {"$ref": "#/$defs/Node"}
    tree = {"type": "object", "properties": dict.fromkeys("abcdefgh", loop)}
    far.tools = [
        "no object", {}, {"name": ""}, {"name": 7}, {"name": "n" * 300},
        {"name": "same", "description": "The first."}, {"name": "same", "description": "The second."},
        {"name": "getPet"}, {"name": "get_pet"}, {"name": "../../etc/passwd\n\x00"}, {"name": "приют"},
        {"name": "long", "description": "word " * 200_000},
        {"name": "loop", "inputSchema": {"type": "object", "properties": {"node": loop}, "$defs": {"Node": tree}}},
        {"name": "odd", "inputSchema": {"type": "object", "properties": {"a b\n": {"type": "integer"}, "": {}}}},
        {"name": "wrong", "inputSchema": [1], "annotations": "none", "title": {}, "outputSchema": 3},
        {"name": "anything", "inputSchema": {"additionalProperties": True}},
    ]  # fmt: skip
    assert import_source(client, far)["tools"] == 10
    names = {tool["name"]: tool for tool in data(client.get("/tools?per_page=100&search=imported MCP server far"))}
    assert {name for name in names if name.startswith("far_")} == {
        "far_same", "far_get_pet", "far_get_pet_2", "far_etc_passwd", "far_tool", "far_long", "far_loop", "far_odd",
        "far_wrong", "far_anything",
    }  # fmt: skip
    assert names["far_same"]["description"].startswith("The first.")
    assert len(names["far_long"]["description"]) < 2000
    execute(client, "far_etc_passwd")
    assert far.last("tools/call").message["params"]["name"] == "../../etc/passwd\n\x00"
    execute(client, "far_odd", a_b_=3)
    assert far.last("tools/call").message["params"]["arguments"] == {"a b\n": 3}
    execute(client, "far_anything", whatever=[1])
    assert far.last("tools/call").message["params"]["arguments"] == {"whatever": [1]}


def test_an_answer_with_a_nul_is_kept(client: Client, far: StandInMcp) -> None:
    far.tools = [{"name": "echo", "annotations": {"readOnlyHint": True}}]
    import_source(client, far)
    far.answers["tools/call"] = lambda message: phrase(
        result(message, {"content": [{"type": "text", "text": "a\x00b"}], "structuredContent": {"k\x00": "\x00"}})
    )
    agent = data(client.post("/agents", {"agent_name": "a", "agent_role": "leader", "skills": ["far_echo"]}), 201)
    reply = data(client.post(f"/agents/{agent['id']}/execute", {"message": "[[tool:far_echo {}]]"}))
    assert reply["tools_used"] == ["far_echo"]


def test_an_answer_full_of_rubbish(client: Client, far: StandInMcp) -> None:
    import_source(client, far)
    content = [
        "no object", {}, {"type": 3}, {"type": "text"}, {"type": "text", "text": 5}, {"type": "image"},
        {"type": "image", "data": "!", "mimeType": 7}, {"type": "image", "data": "AAA", "mimeType": "a/b\r\nx: y"},
        {"type": "resource"}, {"type": "resource", "resource": 5}, {"type": "resource_link", "uri": ["a"]},
    ]  # fmt: skip
    far.answers["tools/call"] = lambda message: phrase(result(message, {"content": content}))
    found = execute(client, "far_echo")
    assert (found["text"], found["structured"]) == ("", None)
    assert [one["type"] for one in found["content"]] == [
        "",
        "",
        "image",
        "image",
        "image",
        *["resource"] * 2,
        "resource_link",
    ]


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"url": None}, "by url or program"),
        ({"document": {}}, "imported by url"),
        ({"base_url": "https://example.com"}, "imported by url"),
        ({"url": "https://example.com/mcp#a"}, "fragment"),
        ({"url": "https://user:word@example.com/mcp"}, "credential"),
        ({"url": "ftp://example.com"}, "url"),
        ({"url": "http://10.0.0.1/mcp"}, "not a public address"),
        ({"url": "http://169.254.169.254/mcp"}, "not a public address"),
    ],
)
def test_documents_that_cannot_be_imported(client: Client, far: StandInMcp, fields: Json, words: str) -> None:
    refuse(client.post("/tools/sources", select(far, **fields)), 400, words)
    assert far.heard == []


def test_a_server_that_is_away(client: Client, far: StandInMcp) -> None:
    refuse(client.post("/tools/sources", select(far, url="http://127.0.0.1:9/mcp")), 503, "127.0.0.1")
    refuse(client.post("/tools/sources", select(far, url="http://mcp.invalid/")), 503, "mcp.invalid")


def test_this_machine_is_closed_unless_it_is_allowed(start_server: StartServer, far: StandInMcp) -> None:
    server = start_server()
    client = Client(server, server.new_key(server.new_user()))
    for host in ("127.0.0.1", "localhost", "2130706433", "[::ffff:127.0.0.1]"):
        place = f"http://{host}:{far.server_port}/mcp"
        refuse(client.post("/tools/sources", select(far, url=place)), 400, "not a public")
    assert far.heard == []
    client.close()


def test_the_query_of_an_address_is_kept(client: Client, far: StandInMcp) -> None:
    credential = {"type": "query", "name": "key", "value": "a&b"}
    seen: list[str] = []
    far.answers["initialize"] = lambda message: phrase(result(message, {"protocolVersion": "2025-11-25"}))
    source = import_source(client, far, url=f"{far.url}/?set=a%20b", credential=credential)
    seen = [one.target for one in far.heard]
    assert source["base_url"] == f"{far.url}/?set=a%20b"
    assert set(seen) == {"/mcp/?set=a%20b&key=a%26b"}


def test_a_redirect_does_not_tell_the_credential(client: Client, far: StandInMcp) -> None:
    far.answers["initialize"] = lambda _: Said(status=307, headers={"Location": f"/mcp/{far.heard[-1].target[4:]}"})
    credential = {"type": "query", "name": "key", "value": "sesame"}
    told = refuse(client.post("/tools/sources", select(far, credential=credential)), 400, "redirects to /mcp/.")
    assert far.heard[-1].target.endswith("?key=sesame")
    assert "sesame" not in told


@pytest.fixture
async def sessions() -> AsyncIterator[McpSessions]:
    """Sessions that may be with servers on this machine, two at most."""
    client = OutsideClient(AddressGuard([ip_network("127.0.0.0/8")]))
    await client.start()
    kept = McpSessions(HttpTransport(client), most=2)
    yield kept
    await kept.stop()
    await client.stop()


async def test_a_server_that_takes_too_long(sessions: McpSessions, far: StandInMcp) -> None:
    far.answers["tools/call"] = lambda _: stream(then="hangs")
    params = {"name": "echo", "arguments": {}}
    with pytest.raises(Unavailable, match=r"within 0\.2 seconds"):
        await sessions.call(1, McpEndpoint(far.url, None), params, {}, 0.2)
    await sessions.stop()
    cancelled = far.last("notifications/cancelled").message["params"]["requestId"]
    assert cancelled == far.last("tools/call").message["id"]


async def test_the_oldest_session_gives_way(sessions: McpSessions, far: StandInMcp) -> None:
    params = {"name": "echo", "arguments": {}}
    for source_id in (1, 2, 1, 3):
        await sessions.call(source_id, McpEndpoint(far.url, None), params, {}, 5)
    assert far.methods().count("initialize") == 3
    await sessions.call(1, McpEndpoint(far.url, None), params, {}, 5)
    assert far.methods().count("initialize") == 3
    await sessions.stop()
    assert far.methods().count("DELETE") == 3


def test_the_end_of_the_server_ends_sessions(start_server: StartServer, far: StandInMcp) -> None:
    server = start_server(RETINUE_ALLOWED_NETWORKS="127.0.0.0/8")
    client = Client(server, server.new_key(server.new_user()))
    import_source(client, far)
    execute(client, "far_echo")
    client.close()
    server.stop()
    assert eventually(lambda: far.methods().count("DELETE") == 2)


def discovery(*versions: str) -> Callable[[Json], Said]:
    """What a server without sessions says about itself."""
    return lambda message: phrase(result(message, {"supportedVersions": list(versions), "capabilities": {}}))


def refuse_version(*versions: str) -> Callable[[Json], Said]:
    """The refusal of a revision by a server that speaks others."""

    def refuse(message: Json) -> Said:
        body = {"code": -32022, "message": "Unsupported", "data": {"supported": list(versions)}}
        return phrase({"jsonrpc": "2.0", "id": message["id"], "error": body}, 400)

    return refuse


async def test_the_newest_revision_is_tried_first(sessions: McpSessions, far: StandInMcp) -> None:
    far.answers["server/discover"] = discovery("2026-07-28")
    for _ in range(2):
        await sessions.call(1, McpEndpoint(far.url, None), {"name": "echo", "arguments": {}}, {}, 5)
    assert far.methods() == ["server/discover", "tools/call", "tools/call"]
    headers = far.last("tools/call").headers
    assert (headers["mcp-protocol-version"], headers["mcp-method"]) == ("2026-07-28", "tools/call")


@pytest.mark.parametrize("answer", [refuse_version("2025-11-25"), discovery("2025-11-25"), lambda _: Said(status=500)])
async def test_an_older_server_gets_a_handshake(
    sessions: McpSessions, far: StandInMcp, answer: Callable[[Json], Said]
) -> None:
    far.answers["server/discover"] = answer
    await sessions.call(1, McpEndpoint(far.url, None), {"name": "echo", "arguments": {}}, {}, 5)
    assert far.methods() == ["server/discover", "initialize", "notifications/initialized", "GET", "tools/call"]


async def test_a_server_of_the_future(sessions: McpSessions, far: StandInMcp) -> None:
    far.answers["server/discover"] = refuse_version("2031-01-01")
    with pytest.raises(RetinueError, match="Unsupported"):
        await sessions.call(1, McpEndpoint(far.url, None), {"name": "echo", "arguments": {}}, {}, 5)
    assert far.methods() == ["server/discover"]
