"""The pages by which authors publish: from what they have, in new versions, and out of the marketplace again."""

import html
import json
import re
from typing import Any

import pytest

from retinue.openapi.examples import BODIES
from tests.conftest import ONE_DATABASE
from tests.marketplace.test_items import item_of, operators, unique
from tests.portal.chromium import PHONE, Theme
from tests.portal.conftest import UNFIT_JSON, Arrive
from tests.portal.reader import Reader, redirect
from tests.portal.test_xss import HARMFUL
from tests.support.client import Client, data, refuse

pytestmark = pytest.mark.either_database

__all__ = ["operators"]
NASTY = "<img src=x onerror=alert(1)>"
AGENT = {
    "agent_name": "Poet",
    "agent_role": "generalist",
    "task": "Write a haiku.",
    "skills": ["network_calculate_subnet"],
}
ABOUT = "Writes a haiku about anything that you name."


def prefill(reader: Reader, path: str) -> dict[str, Any]:
    """The manifest that a form begins with."""
    page = reader.get(path)
    assert page.status_code == 200, page.text
    text = re.search(r'<textarea class="mono" name="manifest"[^>]*>(.*?)</textarea>', page.text, re.DOTALL)
    assert text
    manifest: dict[str, Any] = json.loads(html.unescape(text[1]))
    return manifest


def publish(reader: Reader, kind: str, manifest: dict[str, Any], slug: str, **fields: str) -> str:
    """Publish with the form; returns the path of the item among one's own."""
    about = {"name": "Poet", "slug": slug, "description": ABOUT, "version": "1.0.0", "tags": "haiku, poems"}
    form = {"type": kind, **about, "readme": "", "manifest": json.dumps(manifest), **fields}
    return redirect(reader.post("/marketplace/publish", form))


def make_agent(client: Client, **fields: Any) -> int:
    """An agent of one's own."""
    return int(data(client.post("/agents", {**AGENT, **fields}), 201)["id"])


def test_an_agent_is_published_changed_and_withdrawn(reader: Reader, client: Client, operators: Client) -> None:
    agent = make_agent(client)
    assert f'href="/marketplace/publish?from=agent:{agent}"' in reader.get(f"/agents/{agent}").text
    manifest = prefill(reader, f"/marketplace/publish?from=agent:{agent}")
    assert manifest == AGENT
    own = publish(reader, "agent", manifest, unique(client))
    assert "It is waiting for the operator" in reader.get(own).text
    item = f"/marketplace/{own.rsplit('/', 1)[1]}"
    assert data(client.get(item))["tags"] == ["haiku", "poems"]
    data(operators.post(f"{item}/moderate", {"status": "published"}))
    assert "Published" in reader.get("/marketplace/own").text
    changes = {"description": ABOUT, "version": "1.0.1", "tags": "", "readme": "New", "manifest": json.dumps(AGENT)}
    assert redirect(reader.post(f"{own}/change", changes)) == own
    assert "Version 1.0.1 is waiting for the operator" in reader.get(own).text
    data(operators.post(f"{item}/moderate", {"status": "published"}))
    assert redirect(reader.post(f"{own}/withdraw")) == own
    assert "It is withdrawn" in reader.get(own).text
    assert data(client.get(item))["status"] == "withdrawn"
    redirect(reader.post(f"{own}/change", {**changes, "version": "1.1.0"}))
    assert data(client.get(item))["status"] == "pending"
    data(operators.post(f"{item}/moderate", {"status": "rejected"}))
    assert "The operator rejected it" in reader.get(own).text


def test_a_fleet_is_published_with_its_agents(reader: Reader, client: Client) -> None:
    fleet = data(client.post("/fleets", {"name": "Poets", "description": "They write."}), 201)["id"]
    for name in ("Ada", "Ben"):
        make_agent(client, agent_name=name, fleet_id=fleet)
    manifest = prefill(reader, f"/marketplace/publish?from=fleet:{fleet}")
    assert {agent["agent_name"] for agent in manifest["agents"]} == {"Ada", "Ben"}
    assert "Published by you" in reader.get(publish(reader, "fleet_template", manifest, unique(client))).text


def test_an_agent_with_schedules_is_published_as_an_extension(reader: Reader, client: Client) -> None:
    agent = make_agent(client)
    schedule = {**BODIES["create_schedule"], "agent_id": agent}
    data(client.post("/schedules", schedule), 201)
    manifest = prefill(reader, f"/marketplace/publish?from=schedules:{agent}")
    assert [one["cron"] for one in manifest["schedules"]] == [schedule["cron"]]
    publish(reader, "extension", manifest, unique(client))


def test_tools_of_an_api_are_published_as_far_as_they_read(reader: Reader, client: Client) -> None:
    parameters = [
        {"name": "petId", "in": "path", "required": True, "description": "Which pet", "schema": {"type": "string"}},
        {"name": "size", "in": "query", "description": "How large", "schema": {"type": "integer"}},
    ]
    paths = {
        "/pets/{petId}": {"get": {"operationId": "getPet", "summary": "Get a pet.", "parameters": parameters}},
        "/pets": {"post": {"operationId": "addPet", "summary": "Add a pet."}},
    }
    document = {"openapi": "3.1.0", "info": {"title": "Pets", "version": "1"}, "paths": paths}
    wanted = {"kind": "openapi", "name": "pets", "document": document, "base_url": "https://example.com/v1"}
    source = data(client.post("/tools/sources", wanted), 201)["id"]
    path = f"/marketplace/publish?from=source:{source}"
    (operation,) = prefill(reader, path)["operations"]
    assert (operation["path"], operation["required"], operation["optional"]) == (
        "/pets/{petId}",
        {"petId": "Which pet"},
        {"size": "How large"},
    )
    assert "Omitted, because" in reader.get(path).text
    publish(reader, "tool", prefill(reader, path), unique(client))


def test_errors_are_shown_beside_their_field(reader: Reader, client: Client) -> None:
    data(client.post("/marketplace", item_of(unique(client))), 201)
    form = {"type": "agent", "name": "Poet", "slug": unique(client), "description": ABOUT, "version": "1.0.0"}
    for changes, field in (
        ({}, "slug"),
        ({"slug": "Not A Slug"}, "slug"),
        ({"description": "short"}, "description"),
        ({"version": "one"}, "version"),
        ({"manifest": "{"}, "manifest"),
        ({"manifest": "[]"}, "manifest"),
        ({"manifest": '{"agent_name": "x"}'}, "manifest"),
        *(({"manifest": text}, "manifest") for text, _ in UNFIT_JSON),
        ({"type": "nothing"}, ""),
    ):
        answer = reader.post("/marketplace/publish", {**form, "manifest": json.dumps(AGENT), **changes})
        assert answer.status_code == 400, changes
        assert not field or f'id="problem-{field}"' in answer.text, (changes, answer.text)


def test_resources_of_others_are_not_found(reader: Reader, client: Client, stranger: Client) -> None:
    item = data(stranger.post("/marketplace", item_of(unique(stranger))), 201)["id"]
    assert reader.get(f"/marketplace/own/{item}").status_code == 404
    for verb in ("change", "withdraw"):
        assert reader.post(f"/marketplace/own/{item}/{verb}", {"version": "2.0.0"}).status_code == 404
    for key in (f"agent:{make_agent(stranger)}", "agent:x", "nothing:1", "fleet:99999999", "source:99999999"):
        assert reader.get(f"/marketplace/publish?from={key}").status_code == 404, key
    assert "nothing to publish yet" in reader.get("/marketplace/publish").text
    assert "published nothing yet" in reader.get("/marketplace/own").text
    refuse(client.post(f"/marketplace/{item}/moderate", {"status": "withdrawn"}), 403, "operator")


@ONE_DATABASE
@pytest.mark.needs_program("chromium")
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_in_a_browser(reader: Reader, client: Client, arrive: Arrive, theme: Theme) -> None:
    make_agent(client, agent_name=NASTY)
    visitor = arrive(reader, theme)
    page = visitor.open("/marketplace/publish")
    visitor.check_accessibility()
    page.get_by_role("link", name=NASTY).click()
    visitor.check_accessibility()
    page.get_by_label("Slug").fill(unique(client))
    page.get_by_label("What it does").fill(ABOUT)
    page.get_by_role("button", name="Publish").click()
    page.get_by_text("It is waiting for the operator's approval. Until").wait_for()
    visitor.check_accessibility()
    page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    visitor.check_width()
    page.get_by_role("button", name="Withdraw").click()
    page.locator("#confirm").get_by_role("button", name="Withdraw").click()
    page.get_by_text("It is withdrawn and no longer listed").wait_for()
    assert page.evaluate(HARMFUL) == 0
