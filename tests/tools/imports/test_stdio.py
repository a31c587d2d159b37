"""MCP servers that are programs, through the API: importing, calling, credentials, and the end of processes."""

import json
import os
import signal
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest

from tests.conftest import StartServer
from tests.faults.processes import all_gone
from tests.support.client import Client, data, refuse
from tests.support.server import Server
from tests.support.waiting import eventually
from tests.tools.imports.pets import Json, execute
from tests.tools.imports.programs import import_source, is_running
from tests.tools.imports.sdk_server import PIXEL, TOKEN
from tests.tools.traps import Trap

pytestmark = pytest.mark.either_database


def pid(client: Client) -> int:
    """The process that answers."""
    return int(execute(client, "near_pid")["text"])


def test_a_server_made_with_the_sdk(client: Client, server: Server) -> None:
    credential = {"type": "bearer", "value": TOKEN}
    source = import_source(client, "sdk", category="geo", credential=credential)
    assert source == {
        "id": source["id"],
        "kind": "mcp",
        "name": "near",
        "category": "geo",
        "base_url": "stdio:sdk",
        "document_url": None,
        "trust_hints": False,
        "connection": None,
        "tools": 13,
        "size": source["size"],
        "status": "ready",
        "created_at": source["created_at"],
    }
    assert data(client.get("/tools?search=weather of the coming days"))[0]["name"] == "near_weather"
    assert execute(client, "near_weather", city="Linz", days=4)["structured"] == {"city": "Linz", "celsius": 6.0}
    assert execute(client, "near_chatter")["text"] == "done"
    assert execute(client, "near_ping")["text"] == "there"
    (part,) = execute(client, "near_picture")["content"]
    assert client.get(f"/files/{part['file']}/content").content == PIXEL
    refuse(client.post("/tools/near_fail/execute", {"args": {"reason": "No such city."}}), 400, "No such city.")
    assert execute(client, "near_variable", name="STAND_IN_TOKEN")["text"] == "[secret of source near]"
    for name in ("RETINUE_HOME", "RETINUE_MODEL_URL", "RETINUE_DATABASE_URL"):
        assert execute(client, "near_variable", name=name)["text"] == ""
    files = [path.read_bytes() for path in server.home.rglob("*") if path.is_file()]
    assert TOKEN.encode() not in b"".join([*files, server.dump(), server.log.read_bytes()])


def test_a_program_gets_the_token_of_a_connection_as_it_is_now(client: Client) -> None:
    wanted = {"name": "work-api", "kind": "http", "settings": {"base_url": "https://example.com"}}
    made = data(client.post("/connections", {**wanted, "secret": {"value": TOKEN}}), 201)
    assert import_source(client, "token", connection="work-api")["connection"] == "work-api"
    assert execute(client, "near_variable", name="STAND_IN_TOKEN")["text"] == "[secret of connection work-api]"
    data(client.put(f"/connections/{made['id']}", {"secret": {"value": "another-secret"}}))
    assert execute(client, "near_variable", name="STAND_IN_TOKEN")["text"] == "[secret of connection work-api]"


@pytest.mark.parametrize("program", ["well", "online"])
def test_a_program_reaches_nothing_of_the_server(client: Client, server: Server, program: str) -> None:
    assert server.process is not None
    import_source(client, program)
    trap = Trap(server.home, server.home.parent)
    succeeded = json.loads(execute(client, "near_spy", **trap.given(server.process.pid))["text"])
    assert succeeded == (["tcp"] if program == "online" else [])
    assert execute(client, "near_keep", text="of its own")["text"] == "of its own"
    trap.close()


def test_a_program_for_a_plan(server: Server, client: Client) -> None:
    wanted = {"kind": "mcp", "name": "near", "program": "for-pro"}
    refuse(client.post("/tools/sources", wanted), 400, "does not allow a program named for-pro")
    pro = Client(server, server.new_key(server.new_user("professional")))
    import_source(pro, "for-pro")
    pro.close()


def test_one_process_serves_a_source_until_it_is_deleted(client: Client) -> None:
    source = import_source(client)
    first = pid(client)
    with ThreadPoolExecutor(4) as threads:
        assert set(threads.map(lambda _: pid(client), range(4))) == {first}
    other = import_source(client, name="other")
    assert int(execute(client, "other_pid")["text"]) != first
    data(client.delete(f"/tools/sources/{source['id']}"))
    assert eventually(lambda: not is_running(first))
    refuse(client.post("/tools/near_pid/execute", {"args": {}}), 404)
    assert execute(client, "other_echo", a=1)["text"] == '{"a": 1}'
    data(client.delete(f"/tools/sources/{other['id']}"))


def test_a_process_that_was_killed_is_started_anew(client: Client) -> None:
    import_source(client)
    first = pid(client)
    os.kill(first, signal.SIGKILL)
    assert eventually(lambda: not is_running(first))
    assert eventually(lambda: pid(client)) != first


def test_a_crash_in_a_call(client: Client, server: Server) -> None:
    import_source(client)
    first = pid(client)
    call = client.post("/tools/near_misbehave/execute", {"args": {"how": "exits"}})
    refuse(call, 503, "The program well exited with status 3", "restarts it")
    assert pid(client) != first
    assert "Nobody knows the token" in server.log.read_text()


def test_credentials_in_the_output_of_a_program_are_not_logged(client: Client, server: Server) -> None:
    credential = {"type": "bearer", "value": "sesame-9d24-open"}
    wanted = {"kind": "mcp", "name": "near", "program": "exits", "credential": credential}
    refuse(client.post("/tools/sources", wanted), 503, "status 3")
    log = server.log.read_text()
    assert "Nobody knows the token ***." in log
    assert "sesame-9d24-open" not in log


def test_a_slow_call_holds_up_nobody(client: Client) -> None:
    import_source(client)
    import_source(client, name="other")
    with ThreadPoolExecutor(1) as threads:
        slow = threads.submit(execute, client, "near_nap", seconds=2)
        assert execute(client, "near_echo", a=1)["text"] == '{"a": 1}'
        assert execute(client, "other_echo", a=2)["text"] == '{"a": 2}'
        assert not slow.done()
        assert slow.result()["text"] == '{"seconds": 2}'


def test_unknown_content_is_skipped(client: Client) -> None:
    assert import_source(client, "rubbish")["tools"] == 11
    assert execute(client, "near_echo", a="ä")["text"] == '{"a": "\\u00e4"}'
    assert execute(client, "near_question")["text"] == '{"jsonrpc": "2.0", "id": "q", "result": {}}'


def test_a_program_without_sessions(client: Client) -> None:
    import_source(client, "stateless")
    first = pid(client)
    assert pid(client) == first


@pytest.mark.parametrize(
    ("fields", "status", "words"),
    [
        (
            {"program": "other"},
            400,
            "does not allow a program named other. "
            "Allowed programs: exits, missing, online, rubbish, sdk, stateless, token, well",
        ),
        ({"program": "../well"}, 400, "program"),
        ({"program": ["/bin/sh"]}, 400, "program"),
        ({"url": "https://example.com/"}, 400, "url or program"),
        ({"base_url": "https://example.com/"}, 400, "without document and base_url"),
        ({"kind": "openapi"}, 400, "either url or document"),
        ({"kind": "openapi", "document": {}}, 400, "either url or document"),
        ({"credential": {"type": "bearer", "value": "x"}}, 400, "does not use a credential"),
        ({"program": "sdk", "credential": {"type": "basic", "name": "a", "value": "x"}}, 400, "bearer"),
        ({"program": "exits"}, 503, "The program exits exited with status 3 before it responded"),
        ({"program": "missing"}, 503, "The program missing exited with status 1"),
    ],
)
def test_requests_that_start_nothing(client: Client, fields: Json, status: int, words: str) -> None:
    wanted = {"kind": "mcp", "name": "near", "program": "well", **fields}
    refuse(client.post("/tools/sources", wanted), status, words)
    assert data(client.get("/tools/sources")) == []


def test_no_program_is_started_unless_the_operator_allows_it(start_server: StartServer, programs_file: Path) -> None:
    server = start_server(RETINUE_MCP_PROGRAMS_FILE=str(programs_file))
    client = Client(server, server.new_key(server.new_user()))
    source = import_source(client)
    server.restart(RETINUE_MCP_PROGRAMS_FILE="")
    wanted = {"kind": "mcp", "name": "other", "program": "well"}
    refuse(client.post("/tools/sources", wanted), 400, "RETINUE_MCP_PROGRAMS_FILE")
    refuse(client.post("/tools/near_pid/execute", {"args": {}}), 503, "no longer allows")
    data(client.delete(f"/tools/sources/{source['id']}"))
    client.close()


@pytest.mark.parametrize("how", ["stop", "kill"])
def test_nothing_survives_the_server(start_server: StartServer, programs_file: Path, how: str) -> None:
    server = start_server(RETINUE_MCP_PROGRAMS_FILE=str(programs_file))
    client = Client(server, server.new_key(server.new_user()))
    import_source(client)
    # A number may be another process's by then: psutil tells them apart by when they began.
    ours = [psutil.Process(number) for number in (pid(client), int(execute(client, "near_start")["text"]))]
    assert all(process.is_running() for process in ours)
    client.close()
    getattr(server, how)()
    assert eventually(lambda: all_gone(ours), within=30)
