"""Pages whose requests are slow, fail or arrive late, and pages that change while a person looks at them."""

import re

import pytest
from playwright.sync_api import Page, Route, expect

from tests.conftest import ONE_DATABASE
from tests.portal.conftest import Arrive
from tests.portal.reader import Reader
from tests.portal.test_knowledge import add, documents
from tests.support.client import Client
from tests.support.waiting import eventually

pytestmark = [pytest.mark.needs_program("chromium"), ONE_DATABASE]

_COUNT_SOURCES = """
window.sources = [];
window.EventSource = class extends EventSource { constructor(url) { super(url); sources.push(this); } };
"""


def hold(page: Page, pattern: str) -> list[Route]:
    """Hold back the requests for a pattern until the test continues them."""
    held: list[Route] = []

    def keep(route: Route) -> None:
        held.append(route)

    page.route(pattern, keep)
    return held


def release(page: Page, held: list[Route]) -> None:
    """Continue the request that was held back."""
    page.title()  # Playwright reports the request before it calls the handler of the route.
    (request,) = held
    request.continue_()


def set_hidden(page: Page, hidden: bool) -> None:
    """Report the page as being in the background, or as visible."""
    page.evaluate(
        "hidden => { Object.defineProperty(document, 'hidden', { value: hidden, configurable: true });"
        " document.dispatchEvent(new Event('visibilitychange')); }",
        hidden,
    )


def ask_to_delete(page: Page, title: str) -> None:
    """Open the dialog that asks whether a document should be deleted."""
    page.get_by_role("row").filter(has_text=title).get_by_role("button").click()


def confirm(page: Page) -> None:
    """Confirm the dialog."""
    page.get_by_role("dialog").get_by_role("button", name=re.compile("Delete")).click()


def test_a_confirmed_dialog_acts_on_the_record_it_names(reader: Reader, client: Client, arrive: Arrive) -> None:
    add(reader, "Almanac", "The moon orbits the earth.")
    page = arrive(reader).open("/knowledge/workspace")
    ask_to_delete(page, "Almanac")
    add(reader, "Bestiary", "The unicorn has one horn.")
    expect(page.get_by_role("row", include_hidden=True).filter(has_text="Bestiary")).to_have_count(1)
    confirm(page)
    expect(page.get_by_role("row").filter(has_text="Almanac")).to_have_count(0)
    assert documents(client) == ["bestiary"]


def test_a_confirmed_dialog_of_a_record_that_is_gone_does_nothing(
    reader: Reader, client: Client, arrive: Arrive
) -> None:
    add(reader, "Bestiary", "The unicorn has one horn.")
    path = add(reader, "Almanac", "The moon orbits the earth.")
    page = arrive(reader).open("/knowledge/workspace")
    ask_to_delete(page, "Almanac")
    reader.post(f"{path}/delete")
    expect(page.get_by_role("row", include_hidden=True).filter(has_text="Almanac")).to_have_count(0)
    confirm(page)
    expect(page.get_by_text("The list has changed")).to_be_visible()
    assert documents(client) == ["bestiary"]


def test_a_confirmed_form_cannot_be_sent_twice(reader: Reader, arrive: Arrive) -> None:
    add(reader, "Almanac", "The moon orbits the earth.")
    page = arrive(reader).open("/knowledge/workspace")
    page.evaluate("addEventListener('submit', event => event.preventDefault())")  # The answer never comes.
    ask_to_delete(page, "Almanac")
    confirm(page)
    expect(page.get_by_role("row").filter(has_text="Almanac").get_by_role("button")).to_be_disabled()
    assert not page.locator("form[data-confirmed]").count()


def test_a_live_part_that_is_refused_reconnects(reader: Reader, arrive: Arrive) -> None:
    page = arrive(reader).page
    refusal = {"status": 503, "content_type": "text/event-stream", "body": ""}
    page.route("**/knowledge/live*", lambda route: route.fulfill(**refusal), times=1)
    page.goto("/knowledge/workspace")
    expect(page.get_by_text("Trying to reconnect")).to_be_visible()
    add(reader, "Almanac", "The moon orbits the earth.")
    expect(page.get_by_role("row").filter(has_text="Almanac")).to_have_count(1)


def test_a_page_in_the_background_holds_no_connection(reader: Reader, arrive: Arrive) -> None:
    page = arrive(reader).page
    page.add_init_script(_COUNT_SOURCES)
    page.goto("/knowledge/workspace")
    eventually(lambda: page.evaluate("sources.map(source => source.readyState)") == [1])
    set_hidden(page, True)
    assert page.evaluate("sources.map(source => source.readyState)") == [2]
    set_hidden(page, False)
    add(reader, "Almanac", "The moon orbits the earth.")
    expect(page.get_by_role("row").filter(has_text="Almanac")).to_have_count(1)


def test_a_search_does_not_wait_for_an_older_one(reader: Reader, arrive: Arrive) -> None:
    page = arrive(reader).open("/tools")
    held = hold(page, "**/tools?q=calendar*")
    box = page.get_by_role("main").get_by_role("searchbox")
    with page.expect_request("**/tools?q=calendar*"):
        box.fill("calendar")
    box.fill("percentage")
    expect(page.locator("#found")).to_contain_text("percent_solve_share")
    assert len(held) == 1


def test_enter_in_the_palette_waits_for_the_results(reader: Reader, arrive: Arrive) -> None:
    page = arrive(reader).open("/agents")
    page.keyboard.press("Control+k")
    expect(page.locator("#palette .goals a").first).to_contain_text("Overview")
    held = hold(page, "**/palette?q=schedules")
    with page.expect_request("**/palette?q=schedules"):
        page.locator("#palette input").fill("schedules")
        page.keyboard.press("Enter")
    release(page, held)
    page.wait_for_url("**/schedules")


def test_a_request_without_an_answer_is_reported(reader: Reader, arrive: Arrive) -> None:
    visitor = arrive(reader)
    page = visitor.open("/tools")
    page.route("**/tools?q=*", lambda route: route.abort())
    page.get_by_role("main").get_by_role("searchbox").fill("calendar")
    expect(page.get_by_text("The server did not answer")).to_be_visible()
    assert all("Failed to " in problem for problem in visitor.problems)
    visitor.problems.clear()
