"""Hints of MCP servers: they decide whether a tool counts as read-only and whether a person must approve a call."""

import json
from collections.abc import Iterator
from itertools import product

import pytest

from tests.support.client import Client, data, refuse
from tests.support.model_server import Answer, ModelServer
from tests.support.rows import rows
from tests.tools.imports import programs
from tests.tools.imports.pets import Json, execute, import_source
from tests.tools.imports.stand_in_api import StandInApi
from tests.tools.imports.stand_in_mcp import StandInMcp, running_stand_in

HINTS = ("readOnlyHint", "destructiveHint", "openWorldHint")
CASES = {
    "do_" + "_".join(map(str, said)).lower(): {
        hint: value for hint, value in zip(HINTS, said, strict=True) if value is not None
    }
    for said in product((None, True, False), repeat=len(HINTS))
}
"""The hints of tools by their names, in all combinations."""

HARMLESS = {"readOnlyHint": True, "destructiveHint": False, "openWorldHint": False, "idempotentHint": True}


@pytest.fixture
def far() -> Iterator[StandInMcp]:
    """A server with a tool for each case."""
    with running_stand_in() as server:
        server.tools = [{"name": name, "annotations": hints} for name, hints in CASES.items()]
        yield server


def imports(client: Client, far: StandInMcp, **fields: object) -> Json:
    source: Json = data(client.post("/tools/sources", {"kind": "mcp", "name": "far", "url": far.url, **fields}), 201)
    return source


def ask(client: Client, tools: list[str], approval: str) -> set[str]:
    """The tools at which a run of an agent waits for a person."""
    found = set()
    for tool in tools:
        wanted = {"agent_name": "a", "agent_role": "leader", "skills": [tool], "approval": approval}
        agent = data(client.post("/agents", wanted), 201)["id"]
        call = client.post(f"/agents/{agent}/execute", {"message": f"[[tool:{tool} {{}}]]"})
        if call.status_code == 202:
            found.add(tool)
        data(client.delete(f"/agents/{agent}"))
    return found


@pytest.mark.parametrize("approval", ["required", "none"])
@pytest.mark.parametrize("trusted", [True, False])
def test_a_person_is_asked_whatever_a_server_says(
    sandbox: Client, far: StandInMcp, trusted: bool, approval: str
) -> None:
    """What is at an address is out in the world, also where its hints are trusted."""
    imports(sandbox, far, trust_hints=trusted)
    tools = [f"far_{name}" for name in CASES]
    assert ask(sandbox, tools, approval) == (set(tools) if approval == "required" else set())


def test_the_sandbox_calls_nothing_whatever_a_server_says(sandbox: Client, far: StandInMcp) -> None:
    imports(sandbox, far, trust_hints=True)
    for name in CASES:
        assert execute(sandbox, f"far_{name}")["structured"]["simulated"] is True
    assert "tools/call" not in far.methods()


@pytest.mark.parametrize("trusted", [True, False])
def test_a_program_is_on_this_machine(sandbox: Client, trusted: bool) -> None:
    programs.import_source(sandbox, trust_hints=trusted)
    assert ask(sandbox, ["near_echo"], "required") == (set() if trusted else {"near_echo"})


def test_a_refresh_loosens_nothing_without_the_owner(client: Client, far: StandInMcp) -> None:
    def reads_only() -> bool:
        where = f"name = 'far_do' AND source_id = {source['id']}"
        (kept,) = rows(client.server, f"SELECT definition FROM imported_tools WHERE {where}")
        return bool(json.loads(kept["definition"])["read_only"])

    far.tools = [{"name": "do"}]
    source = imports(client, far)
    path = f"/tools/sources/{source['id']}/refresh"
    far.tools = [{"name": "do", "annotations": HARMLESS}]
    told = data(client.post(path))
    assert (told["changed"], told["trust_hints"]) == ([], False)
    assert not reads_only()
    told = data(client.post(path, {"trust_hints": True}))
    assert (told["changed"], told["trust_hints"]) == (["far_do"], True)
    assert reads_only()
    assert data(client.post(path))["trust_hints"] is True
    far.tools = [{"name": "do"}]
    assert data(client.post(path))["changed"] == ["far_do"]
    assert not reads_only()
    told = data(client.post(path, {"trust_hints": False}))
    assert (told["changed"], told["trust_hints"]) == ([], False)
    far.tools = [{"name": "do", "annotations": HARMLESS}]
    assert data(client.post(path))["changed"] == []
    assert data(client.get(f"/tools/sources/{source['id']}"))["trust_hints"] is False


def test_a_document_has_no_hints(client: Client, api: StandInApi) -> None:
    source = import_source(client, api)
    wanted = {"kind": "openapi", "name": "more", "url": api.url(), "trust_hints": True}
    refuse(client.post("/tools/sources", wanted), 400, "trust_hints")
    refuse(client.post(f"/tools/sources/{source['id']}/refresh", {"trust_hints": True}), 400, "trust_hints")


@pytest.mark.parametrize("trusted", [True, False])
def test_an_imported_tool_takes_part_where_its_owner_trusts_the_server(
    client: Client, model: ModelServer, trusted: bool
) -> None:
    tools: list[dict[str, object]] = [
        {
            "name": "list_beehives",
            "description": "List the beehives of the farm.",
            "annotations": {"readOnlyHint": True},
        },
        {"name": "burn_beehives", "description": "Burn the beehives of the farm."},
    ]
    with running_stand_in() as far:
        far.tools = [{"inputSchema": {"type": "object"}, **tool} for tool in tools]
        source = {"kind": "mcp", "name": "farm", "url": far.url, "trust_hints": trusted}
        data(client.post("/tools/sources", source), 201)
        model.answers += [Answer(tool="farm_list_beehives"), Answer("There are none.")]
        data(client.post("/chat", {"message": "Which beehives are there on the farm?"}))
        offered = [tool["function"]["name"] for tool in model.requests[0]["tools"]]
        assert ("farm_list_beehives" in offered) == trusted
        assert "farm_burn_beehives" not in offered
        assert ("tools/call" in far.methods()) == trusted
