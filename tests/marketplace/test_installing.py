"""Installing and uninstalling every item that comes with the server, and what an installation may not do."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.conftest import ONE_DATABASE, NewUser, StartServer, User
from tests.marketplace.test_items import AGENT, SHIPPED, WORK, item_of, ship, unique
from tests.support.client import Client, data, refuse
from tests.support.model_server import ModelServer
from tests.support.server import Server
from tests.support.sql import execute
from tests.tools.imports.stand_in_mcp import running_stand_in


def of_type(kind: str) -> list[str]:
    """Return the included items of a type."""
    return sorted(slug for slug, (found, _) in SHIPPED.items() if found == kind)


@pytest.mark.either_database
@pytest.mark.parametrize("slug", of_type("agent"))
def test_an_agent_installs_and_answers_its_first_request(sandbox: Client, slug: str) -> None:
    item = ship(sandbox, slug)
    made = data(sandbox.post(f"/marketplace/{item['id']}/install", {"name": "Mine"}), 201)
    assert made.keys() == {"id", "item_id", "type", "name", "version", "installed", "needs", "installed_at"}
    ((resource, agent_id, name),) = [(one["resource"], one["id"], one["name"]) for one in made["installed"]]
    assert (resource, name, made["item_id"], made["version"]) == ("agent", "Mine", item["id"], item["version"])
    agent = data(sandbox.get(f"/agents/{agent_id}"))
    assert (agent["agent_name"], agent["skills"]) == ("Mine", item["manifest"]["skills"])
    assert agent["instructions"] == item["manifest"]["instructions"]
    answer = sandbox.post(f"/agents/{agent_id}/execute", {"message": item["manifest"]["example"]})
    assert data(answer)["reply"]


@pytest.mark.either_database
@ONE_DATABASE
def test_the_model_of_every_agent_receives_its_instructions_and_all_its_tools(
    client: Client, model: ModelServer
) -> None:
    agents = [one for _, item in SHIPPED.values() for one in item.get("agents", [item]) if "agent_role" in one]
    assert len(agents) > 40
    for manifest in agents:
        assert all(skill in manifest["instructions"] for skill in manifest["skills"]), manifest["agent_name"]
        fields = {name: manifest[name] for name in ("agent_name", "agent_role", "instructions", "skills")}
        agent = data(client.post("/agents", fields), 201)
        data(client.post("/chat", {"message": "Hello", "agent_id": agent["id"]}))
        request = model.requests[-1]
        assert request["messages"][0]["content"].startswith(manifest["instructions"])
        offered = [tool["function"]["name"] for tool in request.get("tools", [])]
        assert offered == manifest["skills"] or not manifest["skills"]


@pytest.mark.either_database
@pytest.mark.parametrize("slug", of_type("fleet_template"))
def test_a_fleet_installs_and_deploys(sandbox: Client, slug: str) -> None:
    item = ship(sandbox, slug)
    made = data(sandbox.post(f"/marketplace/{item['id']}/install"), 201)
    fleet, *agents = made["installed"]
    assert fleet["resource"] == "fleet"
    assert data(sandbox.get(f"/fleets/{fleet['id']}"))["agent_count"] == len(agents) == len(item["manifest"]["agents"])
    assert all(data(sandbox.get(f"/agents/{one['id']}"))["fleet_id"] == fleet["id"] for one in agents)
    deployed = data(sandbox.post(f"/fleets/{fleet['id']}/deploy", {"task": item["manifest"]["example"]}))
    assert deployed["agents_deployed"] >= 1


SERVERS = [slug for slug in of_type("tool") if "server_url" in SHIPPED[slug][1]]
"""Presets for MCP servers."""


@pytest.mark.either_database
@pytest.mark.parametrize("slug", sorted(set(of_type("tool")) - set(SERVERS)))
def test_a_preset_lists_its_tools_and_connects_nowhere(client: Client, slug: str) -> None:
    item = ship(client, slug)
    made = data(client.post(f"/marketplace/{item['id']}/install"), 201)
    ((resource, source_id),) = [(one["resource"], one["id"]) for one in made["installed"]]
    source = data(client.get(f"/tools/sources/{source_id}"))
    assert (resource, source["tools"]) == ("tool", len(item["manifest"]["operations"]))
    for operation in item["manifest"]["operations"]:
        name = f"{item['manifest']['source_name']}_{operation['name']}"
        tool = data(client.get(f"/tools/{name}"))
        given = {**operation["required"], **operation["optional"]}
        assert {one: about["description"] for one, about in tool["input_schema"]["properties"].items()} == given
        assert set(tool["input_schema"].get("required", [])) == set(operation["required"])
    assert data(client.post(f"/marketplace/{item['id']}/install"), 201) == made


@pytest.mark.either_database
@pytest.mark.parametrize("slug", SERVERS)
def test_a_preset_of_an_mcp_server_is_pending(client: Client, slug: str) -> None:
    item = ship(client, slug)
    made = data(client.post(f"/marketplace/{item['id']}/install"), 201)
    assert made["needs"] == item["manifest"]["needs"]
    source = data(client.get(f"/tools/sources/{made['installed'][0]['id']}"))
    assert (source["kind"], source["status"], source["tools"]) == ("mcp", "pending", 0)
    assert source["base_url"] == SHIPPED[slug][1]["server_url"]
    assert data(client.post(f"/marketplace/{item['id']}/install"), 201) == made
    data(client.delete(f"/marketplace/installed/{made['id']}"))
    refuse(client.get(f"/tools/sources/{source['id']}"), 404)


def test_a_server_is_asked_for_its_tools_by_a_refresh(start_server: StartServer, new_user: NewUser) -> None:
    """The test writes the URL into the database, because a manifest may only name public URLs with TLS."""
    server = start_server(RETINUE_ALLOWED_NETWORKS="127.0.0.0/8")
    client = new_user(server).client()
    made = data(client.post(f"/marketplace/{ship(client, 'mcp-deepwiki')['id']}/install"), 201)
    source = made["installed"][0]["id"]
    with running_stand_in() as far:
        far.tools = [{"name": "ask"}]
        server.stop()
        execute(server, f"UPDATE tool_sources SET base_url = '{far.url}' WHERE id = {source}")
        server.start()
        assert far.heard == []
        refreshed = data(client.post(f"/tools/sources/{source}/refresh"))
        assert (refreshed["status"], refreshed["added"]) == ("ready", ["deepwiki_ask"])
        assert data(client.get("/tools/deepwiki_ask"))["category"] == "code"


@pytest.mark.parametrize("slug", of_type("extension"))
def test_an_extension_makes_schedules_that_are_paused(sandbox: Client, slug: str) -> None:
    item = ship(sandbox, slug)
    made = data(sandbox.post(f"/marketplace/{item['id']}/install"), 201)
    agents = [one["id"] for one in made["installed"] if one["resource"] == "agent"]
    for one in made["installed"]:
        if one["resource"] == "extension":
            schedule = data(sandbox.get(f"/schedules/{one['id']}"))
            assert (schedule["enabled"], schedule["next_at"]) == (False, None)
            assert schedule["agent_id"] in agents
            assert data(sandbox.post(f"/schedules/{one['id']}/resume"))["next_at"]
    assert data(sandbox.post(f"/marketplace/{item['id']}/install"), 201) == made
    data(sandbox.delete(f"/marketplace/installed/{made['id']}"))
    assert data(sandbox.get("/schedules")) == []
    assert data(sandbox.get("/agents")) == []
    refuse(sandbox.get(f"/marketplace/installed/{made['id']}"), 404)


def test_a_preset_that_needs_a_credential_takes_a_connection(user: User) -> None:
    client = user.client()
    item = ship(client, "stripe")
    assert item["manifest"]["needs"] == "required"
    for name, address in (("stripe", "https://api.stripe.com"), ("elsewhere", "https://example.com")):
        wanted = {"name": name, "kind": "http", "settings": {"base_url": address}, "secret": {"value": "a secret key"}}
        data(client.post("/connections", wanted), 201)
    path = f"/marketplace/{item['id']}/install"
    refuse(user.client(["marketplace:read", "marketplace:write"]).post(path, {"connection": "stripe"}), 403)
    refuse(client.post(path, {"connection": "elsewhere"}), 400, "elsewhere")
    made = data(client.post(path, {"connection": "stripe"}), 201)
    assert data(client.get(f"/tools/sources/{made['installed'][0]['id']}"))["connection"] == "stripe"


def test_a_source_takes_a_connection_afterwards(user: User) -> None:
    client = user.client()
    made = data(client.post(f"/marketplace/{ship(client, 'stripe')['id']}/install"), 201)
    path = f"/tools/sources/{made['installed'][0]['id']}"
    assert data(client.get(path))["connection"] is None
    for name, address in (("stripe", "https://api.stripe.com"), ("elsewhere", "https://example.com")):
        wanted = {"name": name, "kind": "http", "settings": {"base_url": address}, "secret": {"value": "a secret key"}}
        data(client.post("/connections", wanted), 201)
    refuse(client.put(path, {"connection": "elsewhere"}), 400, "elsewhere")
    refuse(client.put(path, {"connection": "nothing"}), 400, "nothing")
    refuse(client.put(path, {}), 400, "connection")
    changed = data(client.put(path, {"connection": "stripe"}))
    assert (changed["connection"], changed["tools"]) == ("stripe", data(client.get(path))["tools"])
    stripe = next(one for one in data(client.get("/connections")) if one["name"] == "stripe")
    refuse(client.delete(f"/connections/{stripe['id']}"), 400, "source")
    assert data(client.put(path, {"connection": None}))["connection"] is None
    data(client.delete(f"/connections/{stripe['id']}"))


def test_an_event_is_told_and_installs_are_counted(client: Client) -> None:
    item = ship(client, "open-library")
    with ThreadPoolExecutor(4) as pool:
        ids = {
            data(r, 201)["id"] for r in pool.map(lambda _: client.post(f"/marketplace/{item['id']}/install"), range(4))
        }
    assert len(ids) == 1
    assert data(client.get(f"/marketplace/{item['id']}"))["installs"] > item["installs"]
    (made,) = data(client.get("/marketplace/installed"))
    assert {made["id"]} == ids


def test_an_idempotency_key_installs_once(client: Client) -> None:
    item = ship(client, "newsroom")
    headers = {"Idempotency-Key": "install-1"}
    first, second = (client.post(f"/marketplace/{item['id']}/install", headers=headers) for _ in range(2))
    assert data(first, 201) == data(second, 201)
    assert len(data(client.get("/fleets"))) == 1


def test_all_of_an_item_or_nothing_of_it(server: Server, new_user: NewUser) -> None:
    """The free plan has three agents, so a fleet of four does not fit."""
    client = new_user(server, plan="free").client()
    item = ship(client, "newsroom")
    refuse(client.post(f"/marketplace/{item['id']}/install"), 400, "agents_active")
    assert data(client.get("/fleets")) == []
    assert data(client.get("/agents")) == []
    assert data(client.get("/marketplace/installed")) == []


def test_a_plan_must_include_the_tier(server: Server, new_user: NewUser, client: Client) -> None:
    dear = [slug for slug in SHIPPED if ship(client, slug)["tier"] != "free"]
    poor = new_user(server, plan="free").client()
    for slug in dear:
        refuse(poor.post(f"/marketplace/{ship(client, slug)['id']}/install"), 403, "plan")


def test_uninstalling_deletes_the_created_resources(client: Client, stranger: Client) -> None:
    item = ship(client, "open-meteo")
    made = data(client.post(f"/marketplace/{item['id']}/install"), 201)
    path = f"/marketplace/installed/{made['id']}"
    refuse(stranger.get(path), 404)
    refuse(stranger.delete(path), 404)
    data(client.delete(path))
    refuse(client.get("/tools/meteo_forecast"), 404)
    assert data(client.post(f"/marketplace/{item['id']}/install"), 201)["id"] != made["id"]


def test_a_source_of_the_same_name_is_in_the_way(user: User) -> None:
    client = user.client()
    item = ship(client, "open-meteo")
    document = {"openapi": "3.1.0", "paths": {"/a": {"get": {}}}}
    wanted = {"kind": "openapi", "name": "meteo", "document": document, "base_url": "https://example.com"}
    data(client.post("/tools/sources", wanted), 201)
    refuse(client.post(f"/marketplace/{item['id']}/install"), 400, "meteo")


SUBSCRIBING = {"agents": [AGENT], "webhooks": [{"description": "Poems", "events": ["agent.completed"]}]}


def test_an_extension_with_webhooks_makes_endpoints_that_are_off(user: User) -> None:
    client = user.client()
    made = data(client.post("/marketplace", item_of(unique(client), type="extension", manifest=SUBSCRIBING)), 201)
    path = f"/marketplace/{made['id']}/install"
    address = {"webhook_url": "https://receiver.invalid/poems"}
    refuse(user.client(["marketplace:read", "marketplace:write"]).post(path, address), 403)
    refuse(client.post(path, {"webhook_url": "not an address"}), 400, "webhook_url")
    installed = data(client.post(path, address), 201)
    (hook,) = [one["id"] for one in installed["installed"] if one["resource"] == "webhook"]
    endpoint = data(client.get(f"/webhooks/{hook}"))
    assert (endpoint["url"], endpoint["events"], endpoint["enabled"]) == (
        address["webhook_url"],
        ["agent.completed"],
        False,
    )
    assert data(client.post(f"/webhooks/{hook}/rotate"))["secret"].startswith("whsec_")
    assert data(client.put(f"/webhooks/{hook}", {"enabled": True}))["enabled"] is True
    data(client.delete(f"/marketplace/installed/{installed['id']}"))
    refuse(client.get(f"/webhooks/{hook}"), 404)


def test_without_an_address_no_endpoint_is_made(client: Client) -> None:
    manifest = {**SUBSCRIBING, "schedules": [WORK]}
    made = data(client.post("/marketplace", item_of(unique(client), type="extension", manifest=manifest)), 201)
    installed = data(client.post(f"/marketplace/{made['id']}/install"), 201)["installed"]
    assert [one["resource"] for one in installed] == ["agent", "extension"]
    assert data(client.get("/webhooks")) == []


def test_an_address_for_an_item_without_events_is_refused(client: Client) -> None:
    item = next(slug for slug in of_type("extension"))
    path = f"/marketplace/{ship(client, item)['id']}/install"
    refuse(client.post(path, {"webhook_url": "https://receiver.invalid/"}), 400, "webhook_url")
    assert data(client.get("/marketplace/installed")) == []
