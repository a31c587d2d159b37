"""The official MCP client works at /mcp, with a handshake and without one: tools, agents, prompts and files."""

import asyncio
import base64
import json
import os
import subprocess
import sys
from typing import Any

import mcp_types as types
import pytest
import requests
from mcp import Client as Official
from mcp import MCPError, StdioServerParameters

from tests.conftest import ONE_DATABASE, User
from tests.files.support import upload
from tests.interop.mcp_clients import MODES, Mode, ask, ask_alone, connect, headers_for, key_of, post, text_of
from tests.interop.test_openai import create_agent
from tests.runs.test_approvals import ASK_OUT, OUT
from tests.support.client import Client, data
from tests.support.model_server import Answer, ModelServer
from tests.support.waiting import eventually

CASE = "text_convert_case"
KEBAB = {"text": "two words", "style": "kebab"}


@pytest.mark.parametrize("mode", MODES)
async def test_tools_are_found_and_executed(client: Client, mode: Mode) -> None:
    agent = create_agent(client, task="Waters the flowers.")
    async with connect(client.server, key_of(client), mode) as official:
        listed = (await official.list_tools()).tools
        assert [tool.name for tool in listed] == ["tools_search", "tools_execute", f"agent_{agent}"]
        assert listed[2].title == "Iris"
        assert "flowers" in (listed[2].description or "")
        found = await official.call_tool("tools_search", {"query": "convert a text to kebab case"})
        assert found.structured_content is not None
        assert CASE in [tool["name"] for tool in found.structured_content["tools"]]
        result = await official.call_tool("tools_execute", {"name": CASE, "arguments": KEBAB})
    assert result.structured_content is not None
    assert not result.is_error
    assert "two-words" in text_of(result)
    assert "two-words" in result.structured_content.values()
    assert data(client.get("/usage"))["tools_executed"]["used"] == 1


@pytest.mark.parametrize("mode", MODES)
async def test_an_agent_answers(client: Client, model: ModelServer, mode: Mode) -> None:
    agent = create_agent(client, skills=[CASE])
    model.answers.append(Answer(tool=CASE, arguments=KEBAB))
    model.answers.append(Answer(text="It is two-words.", hold=True))
    told: list[str | None] = []

    async def on_progress(progress: float, total: float | None, message: str | None) -> None:
        told.append(message)
        model.release()

    async with connect(client.server, key_of(client), mode) as official:
        result = await official.call_tool(f"agent_{agent}", {"message": "Convert it."}, progress_callback=on_progress)
    assert text_of(result) == "It is two-words."
    assert result.structured_content is not None
    assert result.structured_content["reply"] == "It is two-words."
    assert told == [f"Uses {CASE}"]
    run = data(client.get(f"/runs/{result.structured_content['run_id']}"))
    assert (run["agent_id"], run["status"]) == (agent, "completed")


async def test_a_run_that_waits_for_an_approval_says_so(client: Client) -> None:
    agent = create_agent(client, skills=[OUT], approval="required")
    async with connect(client.server, key_of(client)) as official:
        result = await official.call_tool(f"agent_{agent}", {"message": ASK_OUT})
    assert "waits for an approval" in text_of(result)
    assert result.structured_content is not None
    assert result.structured_content["status"] == "waiting"


@pytest.mark.parametrize("mode", MODES)
async def test_a_cancelled_call_cancels_the_run(client: Client, model: ModelServer, mode: Mode) -> None:
    agent = create_agent(client)
    model.answers.append(Answer(text="one two three", hold=True))

    def runs() -> list[Any]:
        return [run["status"] for run in data(client.get(f"/agents/{agent}/runs"))]

    async with connect(client.server, key_of(client), mode) as official:
        calling = asyncio.create_task(official.call_tool(f"agent_{agent}", {"message": "Hello"}))
        await asyncio.to_thread(eventually, lambda: runs() == ["running"])
        calling.cancel()
        with pytest.raises(asyncio.CancelledError):
            await calling
        await asyncio.to_thread(eventually, lambda: runs() == ["cancelled"])


async def test_the_url_chooses_the_tools(client: Client) -> None:
    one, two = create_agent(client), create_agent(client)
    async with connect(client.server, key_of(client), query=f"?tools={CASE},tools_search&agents={one}") as official:
        tools = (await official.list_tools()).tools
        assert [tool.name for tool in tools] == [CASE, "tools_search", f"agent_{one}"]
        assert tools[0].annotations is not None
        assert (tools[0].annotations.read_only_hint, tools[0].annotations.open_world_hint) == (True, False)
        assert tools[0].output_schema is not None
        assert "two-words" in text_of(await official.call_tool(CASE, KEBAB))
        for name in (f"agent_{two}", "text_count_words", "tools_execute"):
            with pytest.raises(MCPError, match="does not name"):
                await official.call_tool(name, {"message": "Hello"})
    async with connect(client.server, key_of(client), query="?tools=nothing_like_this") as official:
        with pytest.raises(MCPError, match="nothing_like_this"):
            await official.list_tools()


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("query", "named", "unnamed"),
    [
        ("", ["tools_search", "tools_execute", "agent_"], []),
        (f"?tools={CASE}", [], ["tools_search", "tools_execute", "agent_"]),
        ("?tools=tools_search,tools_execute", ["tools_search", "tools_execute"], ["agent_"]),
        ("?agents=AGENT", ["agent_"], ["tools_search", "tools_execute"]),
    ],
)
async def test_the_instructions_name_only_tools_that_are_listed(
    client: Client, mode: Mode, query: str, named: list[str], unnamed: list[str]
) -> None:
    url = query.replace("AGENT", str(create_agent(client)))
    async with connect(client.server, key_of(client), mode, url) as official:
        told = official.instructions or ""
        listed = " ".join(tool.name for tool in (await official.list_tools()).tools)
    assert [name for name in named if name not in told or name not in listed] == []
    assert [name for name in unnamed if name in told or name in listed] == []


async def test_the_whole_catalogue_comes_in_pages(client: Client) -> None:
    create_agent(client)
    names: list[str] = []
    async with connect(client.server, key_of(client), query="?tools=all") as official:
        page = await official.list_tools()
        while page.next_cursor:
            assert len(page.tools) <= 103
            names += [tool.name for tool in page.tools]
            page = await official.list_tools(cursor=page.next_cursor)
        names += [tool.name for tool in page.tools]
        with pytest.raises(MCPError, match="cursor"):
            await official.list_tools(cursor="tools:0")
    assert len(names) == len(set(names)) == data_total(client) + 3


def data_total(client: Client) -> int:
    """Return the number of tools in the list of the API."""
    total: int = client.get("/tools?per_page=1").json()["meta"]["total"]
    return total


@pytest.mark.parametrize("mode", MODES)
async def test_errors_have_the_form_of_the_protocol(client: Client, mode: Mode) -> None:
    async with connect(client.server, key_of(client), mode) as official:
        wrong = await official.call_tool("tools_execute", {"name": CASE, "arguments": {"text": 1}})
        assert wrong.is_error
        assert "text" in text_of(wrong)
        for name in ("no_such_tool", "agent_999999999"):
            with pytest.raises(MCPError) as error:
                await official.call_tool(name, {"message": "Hello"})
            assert error.value.error.code == -32602
        odd: list[tuple[str, dict[str, Any], str]] = [
            (f"agent_{create_agent(client)}", {"massage": "Hello"}, "message"),
            ("tools_search", {"query": 5}, "query must be a string"),
            ("tools_execute", {"name": "tools_search"}, "cannot be executed"),
            ("tools_execute", {"name": CASE, "arguments": []}, "an object"),
            ("tools_execute", {"name": CASE, "args": KEBAB}, "args is unknown"),
        ]
        for name, arguments, words in odd:
            wrong = await official.call_tool(name, arguments)
            assert wrong.is_error
            assert words in text_of(wrong)


@pytest.mark.parametrize("mode", MODES)
async def test_agents_are_prompts_and_files_are_resources(client: Client, mode: Mode) -> None:
    agent = create_agent(client, instructions="You are a gardener.")
    text, picture = upload(client, "Grüße".encode()), upload(client, b"\x89PNG", "a.png", "image/png")
    async with connect(client.server, key_of(client), mode) as official:
        (prompt,) = (await official.list_prompts()).prompts
        assert (prompt.name, prompt.title) == (f"agent_{agent}", "Iris")
        got = await official.get_prompt(prompt.name, {"message": "Water the roses."})
        assert isinstance(got.messages[0].content, types.TextContent)
        assert got.messages[0].content.text == "You are a gardener.\n\nWater the roses."
        resources = {one.name: one for one in (await official.list_resources()).resources}
        assert set(resources) == {"notes.txt", "a.png"}
        (first,) = (await official.read_resource(resources["notes.txt"].uri)).contents
        assert isinstance(first, types.TextResourceContents)
        assert (first.text, first.mime_type) == ("Grüße", "text/plain")
        (second,) = (await official.read_resource(f"retinue://files/{picture['id']}")).contents
        assert isinstance(second, types.BlobResourceContents)
        assert base64.b64decode(second.blob) == b"\x89PNG"
        with pytest.raises(MCPError, match="no resource"):
            await official.read_resource("retinue://files/file_none")
    assert text["id"] in resources["notes.txt"].uri


async def test_nothing_of_another_user_is_reached(client: Client, stranger: Client) -> None:
    agent, file = create_agent(client), upload(client, b"mine")
    async with connect(client.server, key_of(stranger)) as official:
        assert f"agent_{agent}" not in [tool.name for tool in (await official.list_tools()).tools]
        for reach in (
            official.call_tool(f"agent_{agent}", {"message": "Hello"}),
            official.get_prompt(f"agent_{agent}", {"message": "Hello"}),
            official.read_resource(f"retinue://files/{file['id']}"),
        ):
            with pytest.raises(MCPError):
                await reach
    assert data(client.get(f"/agents/{agent}/runs")) == []


NEEDED = [
    (ask("tools/call", name="tools_search", arguments={"query": "a"}), "tools:read"),
    (ask("tools/call", name="tools_execute", arguments={"name": CASE, "arguments": KEBAB}), "tools:execute"),
    (ask("tools/call", name=CASE, arguments=KEBAB), "tools:execute"),
    (ask("tools/call", name="agent_1", arguments={"message": "Hello"}), "agents:write"),
    (ask("tools/list"), "tools:read"),
    (ask("prompts/list"), "agents:read"),
    (ask("prompts/get", name="agent_1", arguments={"message": "Hello"}), "agents:read"),
    (ask("resources/list"), "tools:read"),
    (ask("resources/templates/list"), "tools:read"),
    (ask("resources/read", uri="retinue://files/a"), "tools:read"),
]


def test_every_call_needs_a_credential_and_its_scope(user: User) -> None:
    other = user.client(["usage:read"])
    metadata = f"{user.server.url}/.well-known/oauth-protected-resource/mcp"
    for body, scope in NEEDED:
        nobody = post(user.server, None, body)
        assert nobody.status_code == 401
        challenge = nobody.headers["WWW-Authenticate"]
        assert f'resource_metadata="{metadata}"' in challenge
        assert 'scope="agents:read agents:write tools:execute tools:read"' in challenge
        assert "error=" not in challenge
        refused = post(user.server, other.key, body)
        assert refused.status_code == 403, body
        assert (
            f'error="insufficient_scope", scope="{" ".join(sorted([scope, "usage:read"]))}"'
            in (refused.headers["WWW-Authenticate"])
        )
        assert refused.json()["jsonrpc"] == "2.0"
        allowed = post(user.server, user.client([scope]).key, body)
        assert allowed.status_code == 200, (body, allowed.text)
    wrong = post(user.server, "ak_live_nothing", ask("ping"))
    assert 'error="invalid_token"' in wrong.headers["WWW-Authenticate"]
    log = user.server.log.read_text()
    challenges = [json.loads(line) for line in log.splitlines() if '"oauth.challenged"' in line]
    assert {"/mcp"} == {one["path"] for one in challenges}
    assert {401, 403} <= {one["status"] for one in challenges}
    assert "ak_live_nothing" not in log


def test_the_list_shows_the_tools_that_the_credential_may_call(user: User) -> None:
    create_agent(user.client())
    listed = {
        scope: [tool["name"].partition("_")[2] for tool in tools]
        for scope in ("tools:read", "tools:execute")
        if (tools := post(user.server, user.client([scope]).key, ask("tools/list")).json()["result"]["tools"])
    }
    assert listed == {"tools:read": ["search"], "tools:execute": ["execute"]}


@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28", "nonsense"])
def test_a_handshake_never_fails(client: Client, version: str) -> None:
    hello = ask("initialize", protocolVersion=version, capabilities={}, clientInfo={"name": "a", "version": "1"})
    answer = post(client.server, client.key, hello)
    agreed = version if version < "2026" else "2025-11-25"
    assert answer.json()["result"]["protocolVersion"] == agreed
    ready = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    named = {"Mcp-Session-Id": answer.headers["Mcp-Session-Id"], "MCP-Protocol-Version": agreed}
    assert post(client.server, client.key, ready, **named).status_code == 202
    assert post(client.server, client.key, ask("ping"), **named).json()["result"] == {}
    everything = {"Authorization": f"Bearer {client.key}", **named}
    assert requests.get(f"{client.server.url}/mcp", headers=everything, timeout=60).status_code == 405
    assert requests.delete(f"{client.server.url}/mcp", headers=everything, timeout=60).status_code == 204


@pytest.mark.parametrize(
    ("body", "headers", "status", "code"),
    [
        (ask_alone("tools/list"), {}, 400, -32020),
        (ask_alone("tools/list"), headers_for("tools/call"), 400, -32020),
        (ask_alone("tools/call", name=CASE), headers_for("tools/call", "other"), 400, -32020),
        (ask("tools/list"), headers_for("tools/list"), 400, -32602),
        (ask_alone("nothing/here"), headers_for("nothing/here"), 404, -32601),
        (ask_alone("ping"), headers_for("ping"), 404, -32601),
        (ask_alone("tools/call", name="no_such"), headers_for("tools/call", "no_such"), 400, -32602),
        (ask("nothing/here"), {}, 200, -32601),
        (ask("tools/call", name=5), {}, 200, -32602),
        ([ask("ping")], {}, 400, -32600),
        ({"jsonrpc": "2.0", "id": None, "method": "ping"}, {}, 400, -32600),
        ({"jsonrpc": "1.0", "id": 1, "method": "ping"}, {}, 400, -32600),
        (ask("tools/call", name="agent_1", arguments={"message": "\0"}), {}, 400, -32600),
    ],
    ids=str,
)
def test_wrong_messages(client: Client, body: Any, headers: dict[str, str], status: int, code: int) -> None:
    answer = post(client.server, client.key, body, **headers)
    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)


def test_messages_without_an_answer(client: Client) -> None:
    cancelled = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}}
    assert post(client.server, client.key, cancelled).status_code == 202
    assert post(client.server, client.key, cancelled, **{"MCP-Protocol-Version": "2026-07-28"}).status_code == 202
    odd = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": {}}}
    assert post(client.server, client.key, odd, **{"Mcp-Session-Id": "a"}).status_code == 202
    assert post(client.server, client.key, {"jsonrpc": "2.0", "id": 1, "result": {}}).status_code == 202
    unknown = post(client.server, client.key, cancelled, **{"MCP-Protocol-Version": "2031-01-01"})
    assert unknown.json()["error"]["data"] == {"supported": ["2026-07-28"], "requested": "2031-01-01"}


def test_pages_of_other_sites_are_refused(client: Client) -> None:
    for origin in ("null", "http://["):
        assert post(client.server, client.key, ask("ping"), Origin=origin).status_code == 403
    evil = post(client.server, client.key, ask("ping"), Origin="https://evil.example.com")
    assert evil.status_code == 403
    assert "WWW-Authenticate" not in evil.headers
    assert post(client.server, client.key, ask("ping"), Origin=client.server.url).status_code == 200


@ONE_DATABASE
@pytest.mark.parametrize("mode", MODES)
async def test_the_command_speaks_over_standard_input(client: Client, model: ModelServer, mode: Mode) -> None:
    agent = create_agent(client, skills=[CASE])
    model.answers.append(Answer(tool=CASE, arguments=KEBAB))
    model.answers.append(Answer(text="Grüße.", hold=True))
    told: list[str | None] = []

    async def on_progress(progress: float, total: float | None, message: str | None) -> None:
        told.append(message)
        model.release()

    env = {**os.environ, "RETINUE_URL": client.server.url, "RETINUE_API_KEY": key_of(client)}
    command = StdioServerParameters(
        command=sys.executable, args=["-m", "retinue", "mcp", "--tools", CASE, "--agents", str(agent)], env=env
    )
    async with Official(command, mode=mode) as official:
        assert [tool.name for tool in (await official.list_tools()).tools] == [CASE, f"agent_{agent}"]
        assert "two-words" in text_of(await official.call_tool(CASE, KEBAB))
        answer = await official.call_tool(f"agent_{agent}", {"message": "Hello"}, progress_callback=on_progress)
        assert text_of(answer) == "Grüße."
        with pytest.raises(MCPError, match="does not name"):
            await official.call_tool("tools_search", {"query": "a"})
    assert told == [f"Uses {CASE}"]


@ONE_DATABASE
def test_the_command_says_why_it_cannot_answer(client: Client) -> None:
    lines = b'no JSON\n{"jsonrpc": "2.0", "id": "a", "method": "ping"}\n'

    def answers(url: str, key: str) -> list[Any]:
        command = [sys.executable, "-m", "retinue", "mcp", "--url", url, "--key", key]
        done = subprocess.run(command, input=lines, capture_output=True, timeout=300, check=True)
        return [json.loads(line) for line in done.stdout.splitlines()]

    wrong_line, wrong_key = answers(client.server.url, "ak_live_nothing")
    assert (wrong_line["id"], wrong_line["error"]["code"]) == (None, -32700)
    assert (wrong_key["id"], "API key" in wrong_key["error"]["message"]) == ("a", True)
    _, away = answers("http://127.0.0.1:9", "ak_live_nothing")
    assert (away["id"], "did not answer" in away["error"]["message"]) == ("a", True)
