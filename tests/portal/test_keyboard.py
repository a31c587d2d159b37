"""Jobs by keyboard alone, and what keeps the focus where a reader sees it."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.conftest import ONE_DATABASE
from tests.portal.chromium import PHONE
from tests.portal.conftest import Arrive
from tests.portal.reader import Reader
from tests.support.client import Client
from tests.support.server import Server

pytestmark = [pytest.mark.needs_program("chromium"), ONE_DATABASE]
QUESTION = "What is in the parcel?"
MOST_TABS = 120
_TOP_OF_FOCUS = "document.activeElement.getBoundingClientRect().top"
"""The distance of the focused element from the top of the window in pixels."""


def tab_to(target: Locator) -> None:
    """Press Tab until an element has the focus."""
    for _ in range(MOST_TABS):
        target.page.keyboard.press("Tab")
        if target.evaluate("element => element === document.activeElement"):
            return
    raise AssertionError(f"{MOST_TABS} times Tab do not reach {target}")


def go_to(page: Page, words: str, label: str) -> None:
    """Open a page by the command palette."""
    page.keyboard.press("Control+k")
    expect(page.get_by_role("combobox", name="Pages, actions")).to_be_focused()
    page.keyboard.type(words)
    expect(page.locator("#palette [aria-selected=true]")).to_have_text(re.compile(label))
    page.keyboard.press("Enter")


def test_a_question_is_asked_and_its_steps_are_opened(reader: Reader, arrive: Arrive) -> None:
    page = arrive(reader).open("/overview")
    go_to(page, "new conversation", "New conversation")
    page.wait_for_url("**/playground")
    expect(page.get_by_label("Message", exact=True)).to_be_focused()
    page.keyboard.type(QUESTION)
    page.keyboard.press("Enter")
    expect(page.locator(".msg.agent")).to_contain_text(QUESTION)
    steps = page.get_by_role("link", name="Steps")
    expect(steps).to_be_visible()
    tab_to(steps)
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/runs/\d+$"))
    expect(page.get_by_text("Completed")).to_be_visible()


def test_an_agent_is_made_and_tried(reader: Reader, arrive: Arrive) -> None:
    page = arrive(reader).open("/overview")
    go_to(page, "new agent", "New agent")
    page.wait_for_url("**/agents/new")
    expect(page.get_by_role("textbox", name="Name")).to_be_focused()
    page.keyboard.type("Order desk")
    page.keyboard.press("Tab")
    page.keyboard.type("You answer questions about parcels.")
    tab_to(page.get_by_role("button", name="Create and try"))
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/agents/\d+/edit"))
    tab_to(page.get_by_label("Message to the agent"))
    page.keyboard.type(QUESTION)
    page.keyboard.press("Enter")
    expect(page.locator("#messages .msg.agent")).to_contain_text(QUESTION)


def test_a_text_is_stored_and_asked(reader: Reader, arrive: Arrive) -> None:
    page = arrive(reader).open("/start")
    tab_to(page.get_by_role("link", name="Get answers from my documents"))
    page.keyboard.press("Enter")
    page.wait_for_url("**/start/documents")
    tab_to(page.get_by_role("textbox", name="Text"))
    page.keyboard.type("A parcel may be returned within 30 days.")
    tab_to(page.get_by_role("button", name="Use this text"))
    page.keyboard.press("Enter")
    ask = page.get_by_role("link", name="Ask a question")
    expect(ask).to_be_visible()
    tab_to(ask)
    page.keyboard.press("Enter")
    page.wait_for_url("**/playground?**")
    expect(page.get_by_label("Message", exact=True)).to_be_focused()
    page.keyboard.type(QUESTION)
    page.keyboard.press("Enter")
    expect(page.locator(".msg.agent")).to_contain_text(QUESTION)


def test_the_open_menu_of_a_phone_keeps_the_focus(reader: Reader, arrive: Arrive) -> None:
    page = arrive(reader, size=PHONE).open("/overview")
    opener = page.get_by_role("button", name="Open the menu")
    tab_to(opener)
    page.keyboard.press("Enter")
    tab_to(page.get_by_role("button", name="Sign out"))
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('.top, main')") is None
    page.keyboard.press("Escape")
    expect(opener).to_be_focused()


def test_the_header_does_not_cover_the_focus(reader: Reader, arrive: Arrive) -> None:
    page = arrive(reader).open("/tools")
    header = page.locator(".top").bounding_box()
    assert header
    page.locator("main a").last.focus()
    for _ in range(30):
        page.keyboard.press("Shift+Tab")
        assert page.evaluate(_TOP_OF_FOCUS) >= header["height"], page.evaluate("document.activeElement.outerHTML")


def test_a_limited_key_is_made(reader: Reader, arrive: Arrive, server: Server) -> None:
    page = arrive(reader).open("/overview")
    go_to(page, "new api key", "New API key")
    page.wait_for_url("**/keys/new")
    expect(page.get_by_role("textbox", name="Name")).to_be_focused()
    page.keyboard.type("Reports")
    tab_to(page.get_by_role("radio", name=re.compile("Everything")))
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("radio", name=re.compile("Only what I choose"))).to_be_checked()
    tab_to(page.locator("input[value='usage:read']"))
    page.keyboard.press("Space")
    tab_to(page.get_by_role("button", name="Create key"))
    page.keyboard.press("Enter")
    limited = Client(server, page.locator("#new-key").inner_text())
    expect(page.locator("#try-key")).to_contain_text("/api/v1/usage")
    assert limited.get("/usage").status_code == 200
    assert limited.get("/agents").status_code == 403
