"""Visitors chat in the widget on a shop's page, which has a strict policy, and on the page of a shared agent."""

from collections.abc import Iterator
from io import BytesIO
from typing import Any

import orjson
import pytest
import requests
from babel.messages.extract import DEFAULT_KEYWORDS, extract
from playwright.sync_api import Browser, FilePayload, Page, expect

from retinue.language.translation import LANGUAGES, SOURCE
from retinue.portal.widget.bundle import messages_in, script
from tests.conftest import ONE_DATABASE
from tests.interop.agui import FrontEnd, create_key
from tests.interop.test_openai import create_agent
from tests.portal.chromium import DESKTOP, PHONE, Theme, Visitor
from tests.portal.reader import Reader
from tests.portal.shop import Shop, open_shop
from tests.runs.test_approvals import ASK_OUT, OUT
from tests.support.client import Client, data, fetch
from tests.support.model_server import Answer, ModelServer
from tests.support.waiting import eventually

pytestmark = pytest.mark.either_database

REPLY = "Within **30 days**.\n\n- in its box\n\n<img src=x onerror=alert(1)> [a](javascript:alert(1))"
LOOKS = {"title": "Mina", "subtitle": "At once", "suggestions": ["Can I return it?"], "color": "#8a4b2a"}


@pytest.fixture(scope="module")
def shop() -> Iterator[Shop]:
    """The shop's page."""
    with open_shop() as opened:
        yield opened


@pytest.fixture
def key(client: Client, shop: Shop) -> dict[str, Any]:
    """A key for the shop, whose page has the widget and allows nothing but what the guide says."""
    agent = create_agent(client, greeting="Hello! I am **Mina**.")
    created = create_key(client, agent, origins=[shop.url], appearance=LOOKS, accepts_files=True)
    own, server = "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'", client.server.url
    shop.language = "en"
    shop.policy = f"{own}; require-trusted-types-for 'script'; script-src {server}; connect-src {server}"
    shop.script = f'<script src="{server}/widget.js" data-agent="{agent}" data-key="{created["key"]}" async></script>'
    return created


def arrive(browser: Browser, client: Client, theme: Theme = "light", size: tuple[int, int] = DESKTOP) -> Visitor:
    """Open a browser of a new visitor."""
    return Visitor.arrive(browser, client.server, theme=theme, size=size)


def leave(visitor: Visitor, shop: Shop) -> None:
    """Close the page. Anything that went wrong but the requests to the shop fails the test."""
    visitor.problems = [one for one in visitor.problems if shop.url not in one]
    visitor.leave()


def open_chat(page: Page, shop: Shop) -> None:
    """Go to the shop and open the bubble with the keyboard."""
    page.goto(shop.url)
    page.get_by_role("button", name="Chat", exact=True).press("Enter")
    expect(page.get_by_label("Your message")).to_be_focused()


@ONE_DATABASE
@pytest.mark.parametrize(("theme", "size"), [("light", DESKTOP), ("dark", PHONE)])
def test_a_reply_survives_a_reload_on_a_page_with_a_strict_policy(
    client: Client, model: ModelServer, key: dict[str, Any], shop: Shop, chromium: Browser, theme: Theme, size: Any
) -> None:
    visitor = arrive(chromium, client, theme, size)
    page = visitor.page
    open_chat(page, shop)
    expect(page.get_by_role("button", name="Can I return it?")).to_be_visible()
    visitor.check_accessibility()
    visitor.check_width()
    model.answers.append(Answer(text=REPLY, hold=True))
    page.get_by_label("Your message").fill("Can I return it?")
    page.keyboard.press("Enter")
    expect(page.locator(".agent .prose").last).to_have_text("Within")
    page.reload()
    expect(page.locator(".msg.user")).to_have_text("Can I return it?")
    expect(page.locator(".agent .prose").last).to_have_text("Within")
    model.release()
    expect(page.locator(".agent .prose").last.locator("b")).to_have_text("30 days")
    expect(page.locator(".agent .prose").last.locator("li")).to_have_text("in its box")
    assert page.locator(".prose img, .prose a").count() == 0
    expect(page.get_by_role("button", name="Send")).to_be_visible()
    visitor.check_accessibility()
    page.reload()
    expect(page.locator(".agent .prose").last.locator("b")).to_have_text("30 days")
    assert page.locator(".msg").count() == 3
    page.get_by_label("Your message").press("Escape")
    expect(page.get_by_role("button", name="Chat", exact=True)).to_be_focused()
    leave(visitor, shop)


@ONE_DATABASE
def test_the_owner_approves_and_the_visitor_sees_it(
    client: Client, model: ModelServer, key: dict[str, Any], shop: Shop, chromium: Browser
) -> None:
    agent = {"skills": [OUT], "approval": "required"}
    data(client.put(f"/agents/{key['agent_id']}", agent))
    visitor = arrive(chromium, client)
    page = visitor.page
    open_chat(page, shop)
    page.get_by_label("Your message").fill(ASK_OUT)
    page.get_by_role("button", name="Send").click()
    expect(page.locator(".note")).to_contain_text("has to approve")
    visitor.check_accessibility()
    (approval,) = data(client.get("/approvals?status=pending"))
    data(client.post(f"/approvals/{approval['id']}", {"decision": "approve"}))
    expect(page.locator(".msg.agent").nth(1)).to_contain_text("You said")
    leave(visitor, shop)


@ONE_DATABASE
def test_a_file_a_failure_and_a_new_conversation(
    client: Client, model: ModelServer, key: dict[str, Any], shop: Shop, chromium: Browser
) -> None:
    visitor = arrive(chromium, client)
    page = visitor.page
    open_chat(page, shop)
    page.get_by_label("Files to attach").set_input_files(
        {"name": "note.txt", "mimeType": "text/plain", "buffer": b"The code is 42"}
    )
    expect(page.get_by_role("button", name="Remove note.txt")).to_be_visible()
    model.answers.append(Answer(status=400, text="secret-host is down"))
    page.get_by_label("Your message").fill("Read it")
    page.keyboard.press("Enter")
    expect(page.locator(".note.bad")).to_contain_text("cannot answer right now")
    assert "secret-host" not in page.content()
    assert "The code is 42" in str(model.requests[-1]["messages"])
    page.get_by_role("button", name="Try again").click()
    expect(page.locator(".msg.agent").last).to_contain_text("You said")
    page.get_by_role("button", name="New conversation").click()
    expect(page.locator(".msg")).to_have_count(1)
    leave(visitor, shop)


@ONE_DATABASE
def test_a_picture_that_a_tool_made_is_shown_and_saved(
    client: Client, model: ModelServer, key: dict[str, Any], shop: Shop, chromium: Browser
) -> None:
    tool = "barcode_create_matrix"
    data(client.put(f"/agents/{key['agent_id']}", {"skills": [tool]}))
    call = Answer(tool=tool, arguments={"content": "https://example.org", "kind": "qr"})
    model.answers += [call, Answer(text="Scan this code.")]
    visitor = arrive(chromium, client)
    page = visitor.page
    open_chat(page, shop)
    page.get_by_label("Your message").fill("Draw a code")
    page.keyboard.press("Enter")
    picture = page.get_by_role("img", name="Preview of code.png")
    expect(picture).to_be_visible()
    visitor.check_accessibility()
    page.reload()
    expect(picture).to_be_visible()
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save code.png").click()
    assert saved.value.suggested_filename == "code.png"
    assert saved.value.path().read_bytes().startswith(b"\x89PNG")
    leave(visitor, shop)


@ONE_DATABASE
def test_on_pages_of_other_sites_there_is_no_chat(
    client: Client, key: dict[str, Any], shop: Shop, chromium: Browser
) -> None:
    data(client.put(f"/publishable-keys/{key['id']}", {"origins": ["https://shop.example"]}))
    eventually(lambda: FrontEnd(client.server, key["key"], key["agent_id"], shop.url).request("GET").status_code == 403)
    visitor = arrive(chromium, client)
    with visitor.page.expect_console_message(lambda one: "Retinue chat" in one.text) as said:
        visitor.page.goto(shop.url)
    assert f"cannot be used on pages of {shop.url}" in said.value.text
    expect(visitor.page.locator("[data-retinue-chat]")).to_have_count(0)
    visitor.context.close()


@ONE_DATABASE
@pytest.mark.parametrize(("tag", "locale"), [(' data-lang="de-AT"', "en-GB"), ("", "de-AT")])
def test_words_and_errors_are_in_the_language_of_the_tag_else_of_the_visitor(
    client: Client, model: ModelServer, key: dict[str, Any], shop: Shop, chromium: Browser, tag: str, locale: str
) -> None:
    shop.script, shop.language = shop.script.replace(" async", f"{tag} async"), "fr"
    visitor = Visitor.arrive(chromium, client.server, locale=locale)
    page = visitor.page
    page.goto(shop.url)
    page.get_by_role("button", name="Chat", exact=True).click()
    expect(page.get_by_label("Ihre Nachricht")).to_be_focused()
    file = FilePayload(name="a.txt", mimeType="text/plain", buffer=b"a")
    page.get_by_label("Dateien zum Anhängen").set_input_files(file)
    expect(page.get_by_role("button", name="a.txt entfernen")).to_be_visible()
    model.answers.append(Answer(status=400))
    page.keyboard.type("Hallo")
    page.keyboard.press("Enter")
    expect(page.locator(".note.bad")).to_contain_text("Der Assistent kann gerade nicht antworten.")
    expect(page.locator("[data-retinue-chat]")).to_have_attribute("lang", "de")
    visitor.check_accessibility()
    leave(visitor, shop)


def test_every_word_of_the_widget_is_translated() -> None:
    used = {message for _, message, _, _ in extract("javascript", BytesIO(script()), DEFAULT_KEYWORDS)}
    assert used
    for language in LANGUAGES.keys() - {SOURCE}:
        assert orjson.loads(messages_in(language)).keys() == used


def test_pages_of_all_sites_may_read_the_words(client: Client) -> None:
    for language, shown in (("en", "en"), ("de-AT", "de"), ("fi,fr-CA,de", "fr"), ("xx", "en"), ("", "en")):
        answer = fetch(client.server, f"/widget/messages?lang={language}")
        assert (answer.status_code, answer.headers["Access-Control-Allow-Origin"]) == (200, "*")
        assert answer.headers["Cache-Control"].startswith("public, max-age=")
        assert answer.headers["Content-Language"] == shown
        assert all(message in script().decode() for message in answer.json())
    assert fetch(client.server, "/widget/messages?lang=en").json() == {}


@ONE_DATABASE
def test_a_shared_page(client: Client, key: dict[str, Any], chromium: Browser) -> None:
    path = f"/c/{key['agent_id']}?key={key['key']}"
    visitor = arrive(chromium, client)
    page = visitor.open(path)
    expect(page.get_by_label("Your message")).to_be_focused()
    page.keyboard.type("Hello")
    page.keyboard.press("Enter")
    expect(page.locator(".msg.agent").last).to_have_text("You said: Hello")
    visitor.check_accessibility()
    visitor.check_width()
    visitor.leave()
    answer = fetch(client.server, path)
    assert "script-src" not in answer.headers["Content-Security-Policy"]
    assert "frame-ancestors 'self'" in answer.headers["Content-Security-Policy"]
    assert answer.headers["Referrer-Policy"] == "no-referrer"
    for other in (f"/c/{key['agent_id'] + 1}?key={key['key']}", f"/c/{key['agent_id']}", f"/c/{key['agent_id']}?key=x"):
        assert fetch(client.server, other).status_code == 404
    assert fetch(client.server, f"/c/{key['agent_id']}?key={client.key}").status_code == 404
    data(client.put(f"/publishable-keys/{key['id']}", {"page_enabled": False}))
    eventually(lambda: fetch(client.server, path).status_code == 404)


@ONE_DATABASE
@pytest.mark.needs_program("chromium")
@pytest.mark.parametrize(
    ("locale", "words"),
    [("en-GB", "Hello! I am Iris, and I answer your questions"), ("de-AT", "Hallo! Ich bin Iris und beantworte")],
)
def test_an_agent_without_a_greeting_introduces_itself(
    client: Client, chromium: Browser, locale: str, words: str
) -> None:
    agent = create_agent(client)
    key = create_key(client, agent)
    visitor = Visitor.arrive(chromium, client.server, locale=locale)
    page = visitor.open(f"/c/{agent}?key={key['key']}")
    expect(page.locator(".msg.agent")).to_contain_text(words)
    collection = data(client.post("/knowledge/collections", {"name": "Prices"}), 201)["id"]
    data(client.put(f"/agents/{agent}", {"knowledge": [collection]}))
    page.reload()
    expect(page.locator(".msg.agent")).to_contain_text("Dokumenten" if locale == "de-AT" else "from the documents")
    visitor.leave()


def test_the_share_form_shows_how_the_agent_begins(client: Client, reader: Reader) -> None:
    agent = create_agent(client)
    create_key(client, agent)
    path = f"/agents/{agent}/share"
    assert 'placeholder="Hello! I am Iris, and I answer your questions' in reader.get(path).text
    data(client.put(f"/agents/{agent}", {"greeting": "Welcome!"}))
    assert 'placeholder="Welcome!"' in reader.get(path).text


def test_the_script_is_small_and_cached(client: Client) -> None:
    answer = fetch(client.server, "/widget.js")
    assert answer.headers["Cache-Control"].startswith("public, max-age=")
    assert answer.headers["Cross-Origin-Resource-Policy"] == "cross-origin"
    assert len(answer.content) == len(script()) < 40_000
    known = {"If-None-Match": answer.headers["ETag"]}
    assert requests.get(f"{client.server.url}/widget.js", headers=known, timeout=60).status_code == 304
    for forbidden in ("innerHTML", "eval(", "insertAdjacentHTML", "document.write", "new Function"):
        assert forbidden not in answer.text


def test_the_owner_shares_changes_and_revokes(client: Client, reader: Reader, model: ModelServer) -> None:
    agent = create_agent(client)
    path = f"/agents/{agent}/share"
    assert f'href="{path}"' in reader.get(f"/agents/{agent}").text
    form = {"name": "My shop", "origins": "shop.example", "page_enabled": "on"}
    refused = reader.post(path, form)
    assert refused.status_code == 400
    assert "Entry 1: &#39;shop.example&#39; is not the origin of a page." in refused.text
    assert "origins.0" not in refused.text
    assert reader.post(path, {**form, "origins": "https://shop.example"}).status_code == 303
    (key,) = data(client.get(f"/publishable-keys?agent_id={agent}"))
    shown = reader.get(path).text
    assert f"/c/{agent}?key={key['key']}" in shown
    assert "&lt;script src=" in shown
    changes = {"title": "Mina", "suggestions": "One?\nTwo?", "color": "#112233", "theme": "dark", "position": "left"}
    limits = {"daily_messages": "9", "visitor_daily_messages": "3", "origins": "https://a.example\nhttps://b.example"}
    assert reader.post(f"{path}/{key['id']}/edit", {**changes, **limits}).status_code == 303
    changed = data(client.get(f"/publishable-keys/{key['id']}"))
    assert changed["appearance"] == changes | {"suggestions": ["One?", "Two?"], "subtitle": None, "greeting": None}
    assert (changed["daily_messages"], changed["page_enabled"], len(changed["origins"])) == (9, False, 2)
    visitor = FrontEnd(client.server, key["key"], agent, "https://a.example", "vis_" + "a" * 40)
    visitor.run()
    assert "Visitor · " in reader.get("/playground").text
    assert reader.post(f"{path}/{key['id']}/rotate").status_code == 303
    new, old = data(client.get(f"/publishable-keys?agent_id={agent}"))
    assert old["successor_id"] == new["id"]
    for one in (new, old):
        assert reader.post(f"{path}/{one['id']}/revoke").status_code == 303
    assert data(client.get("/publishable-keys")) == []


def test_the_looks_of_a_chat_are_refused_beside_their_field(client: Client, reader: Reader) -> None:
    agent = create_agent(client)
    path = f"/agents/{agent}/share/{create_key(client, agent)['id']}/edit"
    form = {"name": "My shop", "origins": "https://shop.example", "daily_messages": "9", "visitor_daily_messages": "3"}
    answer = reader.post(path, {**form, "title": "x", "suggestions": f"Short?\n{'long' * 30}"})
    assert answer.status_code == 400
    problem = (
        '<span class="problem" id="problem-appearance.suggestions">Entry 2: Must have at most 100 characters.</span>'
    )
    assert problem in answer.text


@ONE_DATABASE
def test_a_notice_names_fields_by_their_labels(client: Client, reader: Reader, chromium: Browser) -> None:
    agent = create_agent(client)
    visitor = Visitor.arrive(chromium, reader.server, reader.token)
    page = visitor.open(f"/agents/{agent}/share")
    page.get_by_label("Sites").fill("https://shop.example shop.example")
    page.locator("form:has([name=origins]) button.primary").click()
    notice = page.get_by_role("alert")
    expect(notice).to_contain_text("Sites: Entry 2: 'shop.example' is not the origin of a page.")
    visitor.check_accessibility()
    visitor.leave()


def test_sharing_is_for_the_owner(client: Client, stranger: Client, reader: Reader, passer_by: Reader) -> None:
    agent = create_agent(stranger)
    key = create_key(stranger, agent)["id"]
    mine = create_agent(client)
    for path in (f"/agents/{agent}/share", f"/agents/{mine}/share?key={key}"):
        assert reader.get(path).status_code == 404
    for action in ("edit", "rotate", "revoke"):
        assert reader.post(f"/agents/{mine}/share/{key}/{action}", {"name": "x"}).status_code == 404
    assert passer_by.get(f"/agents/{mine}/share").status_code == 303
