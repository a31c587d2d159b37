"""The reference with a key in its examples: a test key, for this tab and for a day."""

import pytest
from playwright.sync_api import expect

from retinue.auth.sessions.browser import COOKIE
from tests.conftest import ONE_DATABASE
from tests.portal.chromium import DESKTOP, PHONE, Theme
from tests.portal.conftest import Arrive
from tests.portal.reader import Reader
from tests.support.client import Client, data, refuse
from tests.support.sampling import EXHAUSTIVE
from tests.support.server import Server

pytestmark = pytest.mark.either_database


def test_the_key_is_a_test_key_that_expires(reader: Reader, client: Client) -> None:
    answer = reader.ask("POST", "/keys/reference", {})
    assert answer.status_code == 201, answer.text
    assert answer.headers["Cache-Control"] == "no-store"
    key = answer.json()["data"]["key"]
    assert key.startswith("ak_test_")
    with_key = Client(client.server, key)
    data(with_key.get("/agents"))
    with_key.close()
    (made,) = [one for one in data(client.get("/keys")) if one["name"] == "Reference"]
    assert made["mode"] == "test"
    assert made["expires_at"]


def test_nobody_else_gets_one(passer_by: Reader, reader: Reader) -> None:
    refuse(passer_by.ask("POST", "/keys/reference", {}), 401)
    refuse(reader.ask("POST", "/keys/reference", {"Origin": "https://example.com"}), 403)
    assert reader.ask("GET", "/keys/reference", {}).status_code == 303


@pytest.mark.parametrize("path", ["/docs/guides/none", "/docs/tools/none", "/docs/tools/math/none"])
def test_a_browser_gets_a_page_for_an_unknown_reference_path(reader: Reader, path: str) -> None:
    answer = reader.get(path)
    assert answer.status_code == 404
    assert 'href="/webhooks"' in answer.text
    assert "There is no " in answer.text
    refuse(reader.get(path, headers={"Accept": "application/json"}), 404, "There is no")


@ONE_DATABASE
@pytest.mark.needs_program("chromium")
@pytest.mark.parametrize("theme", ["light", pytest.param("dark", marks=EXHAUSTIVE)])
def test_the_examples_use_the_key_in_this_tab(reader: Reader, arrive: Arrive, theme: Theme) -> None:
    visitor = arrive(reader, theme)
    page = visitor.open("/docs/guides/quickstart")
    expect(page.locator("pre").filter(has_text="$RETINUE_KEY").first).to_be_visible()
    page.get_by_role("button", name="Create a test key").click()
    expect(page.locator("pre").filter(has_text="Bearer ak_test_").first).to_be_visible()
    visitor.check_accessibility()
    page = visitor.open("/docs/api/agents")
    expect(page.locator("pre").filter(has_text="Bearer ak_test_").first).to_be_visible()
    visitor.check_accessibility()
    assert "ak_test_" not in page.url
    page.get_by_role("button", name="JavaScript").first.click()
    expect(page.locator("pre").filter(has_text="Bearer ak_test_").first).to_be_hidden()
    page = visitor.open("/docs")
    expect(page.locator("pre").filter(has_text="Retinue({ apiKey: 'ak_test_")).to_be_visible()
    page.get_by_role("button", name="curl").last.click()
    page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    visitor.check_width()
    page.get_by_role("button", name="Forget it").click()
    expect(page.locator("pre").filter(has_text="ak_test_")).to_have_count(0)
    assert page.evaluate("sessionStorage.length") == 0


@ONE_DATABASE
@pytest.mark.needs_program("chromium")
@pytest.mark.parametrize("size", [DESKTOP, PHONE])
def test_a_search_finds_operations_and_guides(passer_by: Reader, arrive: Arrive, size: tuple[int, int]) -> None:
    visitor = arrive(passer_by, "dark", size)
    page = visitor.open("/docs/guides/quickstart")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url.removeprefix(passer_by.server.url)))
    page.get_by_role("button", name="Search").wait_for()
    page.keyboard.press("/")
    field = page.get_by_role("searchbox", name="Search operations and guides")
    expect(field).to_be_focused()
    field.fill("receive deliv")
    hits = page.locator("#search-hits a")
    expect(hits.first).to_have_attribute("href", "/docs/guides/webhooks#receive-deliveries")
    field.fill("create agent post")
    expect(hits.first).to_have_text("Create agentPOST /agents")
    assert asked == ["/docs/search.json"]
    visitor.check_accessibility()
    visitor.check_width()
    page.keyboard.press("ArrowDown")
    expect(hits.first).to_be_focused()
    page.keyboard.press("ArrowUp")
    expect(field).to_be_focused()
    page.keyboard.press("Enter")
    page.wait_for_url("**/docs/api/agents#create_agent")
    visitor.check_width()


@ONE_DATABASE
@pytest.mark.needs_program("chromium")
def test_an_address_of_the_time_when_it_was_one_page_leads_to_its_place(passer_by: Reader, arrive: Arrive) -> None:
    visitor = arrive(passer_by)
    page = visitor.open("/docs#create_agent")
    page.wait_for_url("**/docs/api/agents#create_agent")
    page = visitor.open("/docs#event-agent.created")
    page.wait_for_url("**/docs/api/events#event-agent.created")
    page = visitor.open("/docs#tag-fleets")
    expect(page.locator("#tag-fleets")).to_be_in_viewport()
    visitor.check_accessibility()


def test_the_menu_is_around_it_for_who_is_signed_in(reader: Reader, passer_by: Reader, server: Server) -> None:
    operator = Reader(server).sign_in_by_link("owner@localhost")
    for path in ("/docs", "/docs/api/agents", "/docs/guides/quickstart", "/docs/tools"):
        answer = reader.get(path)
        assert 'href="/webhooks"' in answer.text
        assert 'href="/health"' not in answer.text
        assert "Cookie" in answer.headers["Vary"]
        assert 'href="/health"' in operator.get(path).text
        assert 'href="/webhooks"' not in passer_by.get(path).text
    answer = reader.get("/docs", headers={"If-None-Match": reader.get("/docs").headers["ETag"]})
    assert answer.status_code == 304
    passer_by.session.cookies.set(COOKIE, "sess_wrong")
    assert 'href="/webhooks"' not in passer_by.get("/docs").text
    operator.close()


@ONE_DATABASE
@pytest.mark.needs_program("chromium")
@pytest.mark.parametrize("theme", ["light", pytest.param("dark", marks=EXHAUSTIVE)])
@pytest.mark.parametrize("size", [DESKTOP, (1100, 800), PHONE])
def test_the_menu_leads_to_the_portal(reader: Reader, arrive: Arrive, size: tuple[int, int], theme: Theme) -> None:
    visitor = arrive(reader, theme, size)
    page = visitor.open("/docs/guides/quickstart")
    if size != DESKTOP:
        page.get_by_text("Portal", exact=True).click()
    visitor.check_width()
    visitor.check_accessibility()
    page.get_by_role("navigation", name="Portal").get_by_role("link", name="Webhooks").click()
    page.wait_for_url("**/webhooks")


@ONE_DATABASE
@pytest.mark.needs_program("chromium")
@pytest.mark.parametrize("size", [DESKTOP, PHONE])
def test_it_leads_to_the_portal_and_back(reader: Reader, arrive: Arrive, size: tuple[int, int]) -> None:
    visitor = arrive(reader, size=size)
    page = visitor.open("/docs/tools")
    visitor.check_width()
    visitor.check_accessibility()
    page.get_by_role("link", name="Open the portal").click()
    page.wait_for_url("**/overview")
    page.get_by_role("link", name="Docs", exact=True).click()
    page.wait_for_url("**/docs")


@ONE_DATABASE
@pytest.mark.needs_program("chromium")
def test_who_is_not_signed_in_is_sent_there(passer_by: Reader, arrive: Arrive) -> None:
    page = arrive(passer_by).open("/docs")
    page.get_by_role("button", name="Create a test key").click()
    expect(page.locator("#key-bar").get_by_role("link", name="Sign in")).to_have_attribute(
        "href", "/sign-in?next=%2Fdocs"
    )
