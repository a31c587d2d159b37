"""The pages of the marketplace: browsing, installing, rating, and what is installed."""

import re

import pytest
from playwright.sync_api import Route, expect

from retinue.openapi.examples import BODIES
from tests.conftest import ONE_DATABASE
from tests.marketplace.test_items import AGENT, HOSTILE, item_of, ship, unique
from tests.portal.conftest import Arrive
from tests.portal.reader import Reader, redirect
from tests.portal.test_xss import HARMFUL, MESSAGE
from tests.support.client import Client, data
from tests.support.server import Server

pytestmark = pytest.mark.either_database

HTMX = "**/htmx-*.js"


def install(reader: Reader, item: int, **fields: str) -> str:
    """Install an item with its form; returns the path of the installation."""
    return redirect(reader.post(f"/marketplace/{item}/install", {"name": "", **fields}))


def test_items_are_found_by_words_type_and_order(reader: Reader) -> None:
    page = reader.get("/marketplace?q=invoice+sums").text
    assert "Invoice checker" in page
    assert "Newsroom" not in page
    fleets = reader.get("/marketplace?type=fleet_template&sort=newest").text
    assert "Newsroom" in fleets
    assert "Invoice checker" not in fleets
    assert "No results" in reader.get("/marketplace?q=no-such-thing-at-all").text
    assert reader.get("/marketplace?type=voice&sort=best&page=x").status_code == 200
    part = reader.get("/marketplace?q=newsroom", headers={"HX-Request": "true"}).text
    assert "Newsroom" in part
    assert "<html" not in part


def test_an_agent_is_installed_tried_and_uninstalled(reader: Reader, client: Client) -> None:
    item = ship(client, "support-triage")
    page = reader.get(f"/marketplace/{item['id']}").text
    assert all(skill in page for skill in item["manifest"]["skills"])
    path = install(reader, item["id"], name="My desk")
    made = reader.get(path).text
    agent = re.search(r'href="(/agents/\d+)"', made)
    assert agent
    assert "My desk" in reader.get(agent[1]).text
    assert f'action="{agent[1]}/run"' in made
    assert item["name"] in reader.get("/marketplace/installed").text
    assert "You have installed it" in reader.get(f"/marketplace/{item['id']}").text
    assert reader.post(f"{path}/uninstall").status_code == 303
    assert reader.get(agent[1]).status_code == 404
    assert reader.get(path).status_code == 404


def test_every_kind_of_item_shows_the_resources_that_it_creates(reader: Reader, client: Client) -> None:
    for slug, made in (("newsroom", "/fleets/"), ("daily-briefing", "/schedules/"), ("frankfurter", "/tools/")):
        item = ship(client, slug)
        assert item["name"] in reader.get(f"/marketplace/{item['id']}").text
        page = reader.get(install(reader, item["id"])).text
        (path,) = set(re.findall(rf'href="({made}\w+)"', page))
        assert reader.get(path).status_code == 200, path


def test_a_connection_that_is_needed_is_asked_for(reader: Reader, client: Client) -> None:
    item = ship(client, "stripe")
    path = install(reader, item["id"])
    assert "which is not set yet" in reader.get(path).text
    opens = {"settings": {"base_url": "https://api.stripe.com"}, "secret": {"value": "of nobody"}}
    data(client.post("/connections", {"name": "billing", "kind": "http", **opens}), 201)
    answer = reader.post(f"{path}/connect", {"connection": "nothing"})
    assert answer.status_code == 400
    assert 'id="problem-connection"' in answer.text
    assert redirect(reader.post(f"{path}/connect", {"connection": "billing"})) == path
    page = reader.get(path).text
    assert "which is not set yet" not in page
    assert "<option selected>billing</option>" in page
    reader.post(f"{path}/connect", {"connection": ""})
    assert "which is not set yet" in reader.get(path).text


def test_a_connection_is_given_to_a_source(reader: Reader, client: Client, stranger: Client) -> None:
    made = data(client.post(f"/marketplace/{ship(client, 'stripe')['id']}/install"), 201)
    source = made["installed"][0]["id"]
    ids = {}
    for name, address in (("billing", "https://api.stripe.com"), ("elsewhere", "https://example.com")):
        wanted = {"name": name, "kind": "http", "settings": {"base_url": address}, "secret": {"value": "of nobody"}}
        ids[name] = data(client.post("/connections", wanted), 201)["id"]
    for name, sent in (("elsewhere", str(source)), ("billing", "x"), ("billing", "")):
        answer = reader.post(f"/connections/{ids[name]}/give", {"source": sent})
        assert answer.status_code == 400
        assert 'id="problem-source"' in answer.text
    of_others = data(stranger.post("/tools/sources", BODIES["import_tools"]), 201)["id"]
    assert reader.post(f"/connections/{ids['billing']}/give", {"source": str(of_others)}).status_code == 404
    path = redirect(reader.post(f"/connections/{ids['billing']}/give", {"source": str(source)}))
    assert 'class="tag"' in reader.get(path).text
    assert data(client.get(f"/tools/sources/{source}"))["connection"] == "billing"


def test_errors_are_shown_beside_their_field(reader: Reader, client: Client) -> None:
    item = ship(client, "newsroom")
    answer = reader.post(f"/marketplace/{item['id']}/install", {"name": "x" * 101})
    assert answer.status_code == 400
    assert 'id="problem-name"' in answer.text
    assert "x" * 101 in answer.text
    for stars in ("", "6", "many"):
        answer = reader.post(f"/marketplace/{item['id']}/rate", {"stars": stars})
        assert answer.status_code == 400
        assert 'id="problem-stars"' in answer.text


def test_a_rating_counts_and_authors_give_none(reader: Reader, client: Client) -> None:
    item = ship(client, "regex-tutor")
    before = data(client.get(f"/marketplace/{item['id']}"))["ratings_count"]
    for stars in ("5", "4"):
        assert reader.post(f"/marketplace/{item['id']}/rate", {"stars": stars}).status_code == 303
    assert data(client.get(f"/marketplace/{item['id']}"))["ratings_count"] == before + 1
    own = data(client.post("/marketplace", item_of(unique(client))), 201)
    assert "You cannot rate your own item" in reader.get(f"/marketplace/{own['id']}").text
    assert reader.post(f"/marketplace/{own['id']}/rate", {"stars": "5"}).status_code == 400


def test_an_installed_extension_shows_its_endpoints(reader: Reader, client: Client) -> None:
    manifest = {"agents": [AGENT], "webhooks": [{"description": "Poems", "events": ["agent.completed"]}]}
    item = data(client.post("/marketplace", item_of(unique(client), type="extension", manifest=manifest)), 201)["id"]
    made = data(client.post(f"/marketplace/{item}/install", {"webhook_url": "https://receiver.invalid/poems"}), 201)
    (endpoint,) = [one["id"] for one in made["installed"] if one["resource"] == "webhook"]
    assert f'href="/webhooks/{endpoint}"' in reader.get(f"/marketplace/installed/{made['id']}").text


def test_resources_of_others_are_not_found(reader: Reader, stranger: Client) -> None:
    hidden = data(stranger.post("/marketplace", item_of(unique(stranger))), 201)
    assert reader.get(f"/marketplace/{hidden['id']}").status_code == 404
    for verb in ("install", "rate"):
        assert reader.post(f"/marketplace/{hidden['id']}/{verb}", {"stars": "5"}).status_code == 404
    item = ship(stranger, "newsroom")
    made = data(stranger.post(f"/marketplace/{item['id']}/install"), 201)
    path = f"/marketplace/installed/{made['id']}"
    assert reader.get(path).status_code == 404
    assert reader.post(f"{path}/uninstall").status_code == 404
    assert reader.post(f"{path}/connect", {"connection": ""}).status_code == 404
    data(stranger.get(f"/marketplace/installed/{made['id']}"))


@ONE_DATABASE
@pytest.mark.needs_program("chromium")
def test_nothing_that_is_published_is_executed(reader: Reader, client: Client, arrive: Arrive) -> None:
    agent = {"agent_name": MESSAGE[:100], "agent_role": "generalist", "task": MESSAGE, "example": MESSAGE}
    about = {"name": MESSAGE[:100], "description": MESSAGE[:500], "readme": f"# {MESSAGE}\n\n{MESSAGE}\n\n- {MESSAGE}"}
    new = item_of(unique(client), **about, tags=[HOSTILE[:40]], manifest=agent)
    item = data(client.post("/marketplace", new), 201)["id"]
    made = data(client.post(f"/marketplace/{item}/install"), 201)["id"]
    visitor = arrive(reader)
    visitor.page.on("dialog", lambda dialog: visitor.problems.append(f"a dialog: {dialog.message}"))
    shown = ("/marketplace?sort=newest", f"/marketplace/{item}", f"/marketplace/installed/{made}")
    for path in (*shown, "/marketplace/installed"):
        page = visitor.open(path)
        expect(page.locator("main")).to_contain_text("<script>alert(1)</script>")
        assert page.evaluate(HARMFUL) == 0, path


@ONE_DATABASE
@pytest.mark.needs_program("chromium")
def test_text_typed_while_scripts_load_is_searched(reader: Reader, arrive: Arrive) -> None:
    page = arrive(reader).page
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route(HTMX, hold)
    with page.expect_request(HTMX):
        page.goto("/marketplace", wait_until="commit")
    page.get_by_role("searchbox", name="Search the marketplace").fill("support messages urgent")
    (script,) = held
    script.continue_()
    expect(page.get_by_role("listitem").filter(has_text="by Retinue")).to_have_count(1)


@ONE_DATABASE
@pytest.mark.needs_program("chromium")
def test_from_browsing_to_an_agent_at_work(server: Server, reader: Reader, arrive: Arrive) -> None:
    visitor = arrive(reader)
    page = visitor.open("/overview")
    page.get_by_role("link", name="Marketplace").click()
    page.get_by_role("searchbox", name="Search the marketplace").fill("support messages urgent")
    expect(page.get_by_role("listitem").filter(has_text="by Retinue")).to_have_count(1)
    page.get_by_role("link", name="Support triage").click()
    visitor.check_accessibility()
    page.get_by_label("Name").fill("Front desk")
    page.get_by_role("button", name="Install").click()
    page.wait_for_url(re.compile(r"/marketplace/installed/\d+$"))
    visitor.check_accessibility()
    page.get_by_role("link", name="Front desk Agent").click()
    expect(page.get_by_role("heading", name="Front desk")).to_be_visible()
    page.go_back()
    page.get_by_role("button", name="Run this").click()
    page.wait_for_url(re.compile(r"/runs/\d+$"))
    expect(page.get_by_text("Completed")).to_be_visible()
    visitor.open("/marketplace/installed")
    visitor.check_accessibility()
    page.get_by_role("button", name="Uninstall Support triage").click()
    page.get_by_role("dialog").get_by_role("button", name="Uninstall").click()
    expect(page.get_by_text("Nothing is installed yet")).to_be_visible()
