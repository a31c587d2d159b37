"""The whole way of somebody new in Chromium: link, password, first chat, agent, run, tool, fleet."""

import re
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, expect

from tests.auth.signing_in import PASSWORD
from tests.conftest import DATABASES, ONE_DATABASE, StartServer
from tests.portal.chromium import Visitor
from tests.portal.conftest import Arrive
from tests.portal.reader import Reader
from tests.support.client import Client
from tests.support.model_server import Answer, ModelServer
from tests.support.server import Server

pytestmark = pytest.mark.needs_program("chromium")
CALL = '[[tool:percent_solve_share {"part": 17, "whole": 4250}]]'


@pytest.fixture(params=DATABASES)
def fresh_server(request: pytest.FixtureRequest, start_server: StartServer, model: ModelServer) -> Server:
    """A server at its first start, with a model."""
    assert model.url
    return start_server(request.param)


@pytest.mark.either_database
def test_from_the_link_to_a_fleet_at_work(fresh_server: Server, chromium: Browser) -> None:
    visitor = Visitor.arrive(chromium, fresh_server)
    address = urlsplit(fresh_server.first_link.partition(" ")[0])
    visitor.open(f"{address.path}?{address.query}")
    sign_in_for_the_first_time(visitor)
    chat(visitor)
    make_an_agent(visitor)
    run_agent(visitor)
    try_a_tool(visitor)
    deploy_a_fleet(visitor)
    sign_out_and_in_again(visitor)
    visitor.leave()


def sign_in_for_the_first_time(visitor: Visitor) -> None:
    page = visitor.page
    page.get_by_label("New password").fill("short")
    page.get_by_role("button", name="Set the password").click()
    assert "/sign-in/link" in page.url
    page.get_by_label("New password").fill(PASSWORD)
    page.get_by_role("button", name="Set the password").click()
    page.wait_for_url("**/start")
    visitor.check_accessibility()
    page.get_by_role("link", name="Just chat").click()
    page.wait_for_url("**/playground")


def chat(visitor: Visitor) -> None:
    page = visitor.page
    page.get_by_role("button", name="What is 17% of 4,250?").click()
    expect(page.locator(".msg.agent").get_by_text("What is 17% of 4,250?")).to_be_visible()
    expect(page.get_by_role("link", name="Steps")).to_be_visible()
    expect(page.locator("#events")).to_contain_text("done")
    page.get_by_label("Message", exact=True).fill(CALL)
    page.keyboard.press("Enter")
    expect(page.locator(".calls summary", has_text="percent_solve_share")).to_be_visible()
    expect(page.get_by_role("link", name="Steps")).to_have_count(2)
    visitor.check_accessibility()
    page.reload()
    expect(page.locator(".msg.user")).to_have_count(2)
    expect(page.locator(".talks a[aria-current]")).to_have_count(1)
    page.get_by_role("button", name="Code", exact=True).click()
    program = page.locator("#program")
    expect(program).to_contain_text("/api/v1/chat")
    page.get_by_role("radio", name="Python").check(force=True)
    expect(program).to_contain_text("requests.post")
    visitor.check_accessibility()
    page.keyboard.press("Escape")


def make_an_agent(visitor: Visitor) -> None:
    page = visitor.page
    page.get_by_role("link", name="Agents", exact=True).click()
    page.get_by_role("link", name="New agent").first.click()
    page.get_by_role("textbox", name="Name").fill("Order desk")
    page.locator("summary", has_text="Task and approval").click()
    page.get_by_role("textbox", name="Task").fill("Look for late orders")
    page.get_by_role("searchbox", name="Search tools by their purpose").fill("percentage of a number")
    page.locator("[data-pick=percent_solve_share]").click()
    expect(page.get_by_role("button", name="Remove percent_solve_share")).to_be_visible()
    visitor.check_accessibility()
    page.get_by_role("button", name="Create agent").click()
    page.wait_for_url(re.compile(r"/agents/\d+$"))
    expect(page.get_by_role("heading", name="Order desk")).to_be_visible()
    page.get_by_role("button", name="Delete").first.click()
    expect(page.get_by_role("dialog")).to_contain_text("Delete Order desk?")
    visitor.check_accessibility()
    page.get_by_role("button", name="Cancel").click()


def run_agent(visitor: Visitor) -> None:
    page = visitor.page
    page.get_by_label("What to do").fill(CALL)
    page.get_by_role("button", name="Start run", exact=True).click()
    page.wait_for_url(re.compile(r"/runs/\d+$"))
    expect(page.get_by_text("Completed")).to_be_visible()
    page.get_by_text("Arguments and result").click()
    expect(page.locator(".timeline")).to_contain_text('"whole": 4250')
    visitor.check_accessibility()


def try_a_tool(visitor: Visitor) -> None:
    page = visitor.page
    page.keyboard.press("/")
    page.get_by_role("combobox", name="Pages, actions, records, guides and tools").fill("percent_solve_share")
    page.get_by_role("option", name="Find the part, the whole or the percentage").click()
    page.wait_for_url("**/tools/percent_solve_share")
    page.get_by_role("button", name="Run the tool").click()
    expect(page.get_by_role("heading", name="Result")).to_be_visible()
    expect(page.locator("#outcome")).to_contain_text("25.0")
    page.get_by_text("The same call with the API").click()
    visitor.check_accessibility()


def deploy_a_fleet(visitor: Visitor) -> None:
    page = visitor.page
    page.get_by_role("link", name="Fleets", exact=True).click()
    page.get_by_role("link", name="New fleet").first.click()
    page.get_by_role("textbox", name="Name").fill("Research")
    page.get_by_role("button", name="Create fleet").click()
    page.get_by_role("button", name="Attach").click()
    expect(page.get_by_role("button", name="Detach Order desk")).to_be_visible()
    page.get_by_role("textbox", name="Task").fill("Compare the late orders")
    page.get_by_role("button", name="Deploy", exact=True).click()
    page.wait_for_url("**/deployments/*")
    expect(page.locator("main .head")).to_contain_text("Completed")
    expect(page.get_by_role("heading", name="Result")).to_be_visible()
    visitor.check_accessibility()
    page.get_by_role("link", name="Overview", exact=True).click()
    expect(page.get_by_text("Get started")).to_have_count(0)
    visitor.check_accessibility()


def sign_out_and_in_again(visitor: Visitor) -> None:
    page = visitor.page
    page.get_by_role("button", name="Sign out").click()
    page.wait_for_url("**/sign-in")
    expect(page.get_by_role("status")).to_have_text("You are signed out.")
    page.get_by_label("E-mail").fill("owner@localhost")
    page.get_by_label("Password").fill("a wrong password")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("alert")).to_contain_text("is wrong")
    expect(page.get_by_label("E-mail")).to_have_value("owner@localhost")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url("**/overview")


def test_an_answer_can_be_stopped_and_a_failure_tried_again(
    reader: Reader, arrive: Arrive, model: ModelServer, client: Client
) -> None:
    visitor = arrive(reader)
    page = visitor.open("/playground")
    model.answers.append(Answer(text="A long answer of many words", hold=True))
    page.get_by_label("Message", exact=True).fill("Go on and on")
    page.get_by_role("button", name="Send").click()
    expect(page.locator(".msg.agent")).to_contain_text("A")
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_text("Stopped.")).to_be_visible()
    assert model.hung_up.wait(120)
    model.release()
    model.answers.append(Answer(status=400, text="The model does not feel like it"))
    page.get_by_label("Message", exact=True).fill("Fail once")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_be_visible()
    page.get_by_role("button", name="Try again").click()
    expect(page.locator(".msg.agent").last).to_contain_text("Fail once")
    assert client.get("/chat").json()["meta"]["total"] >= 1


def test_files_go_with_a_message(reader: Reader, arrive: Arrive, client: Client) -> None:
    page = arrive(reader).open("/playground")
    page.locator("input[type=file]").set_input_files(
        {"name": "<b>notes</b>.txt", "mimeType": "text/plain", "buffer": b"Milk, bread"}
    )
    expect(page.locator(".attached")).to_contain_text("<b>notes</b>.txt")
    expect(page.locator(".attached")).to_have_count(1)
    expect(page.locator(".attached [aria-busy]")).to_have_count(0)  # a message is not sent before its files
    page.get_by_label("Message", exact=True).fill("What is in the file?")
    with page.expect_request("**/playground/chat") as sent:
        page.get_by_role("button", name="Send").click()
    body = sent.value.post_data_json
    assert body
    assert [len(one) > 5 for one in body["attachments"]] == [True]
    expect(page.get_by_role("link", name="Steps")).to_be_visible()
    page.reload()
    expect(page.locator(".msg.user")).to_contain_text("b>.txt")
    assert len(client.get("/files").json()["data"]) == 1


def test_a_run_is_followed_while_it_goes_on(reader: Reader, arrive: Arrive, model: ModelServer, client: Client) -> None:
    agent = client.post("/agents", {"agent_name": "Ada", "agent_role": "generalist"}).json()["data"]["id"]
    model.answers.append(Answer(text="Half of it and then the rest", hold=True))
    run = client.post(f"/agents/{agent}/execute", {"message": "Go", "background": True}).json()["data"]["id"]
    page = arrive(reader).open(f"/runs/{run}")
    expect(page.get_by_role("heading", name="Working")).to_be_visible()
    expect(page.locator(".timeline")).to_contain_text("Half")
    page.context.set_offline(True)
    page.context.set_offline(False)
    model.release()
    expect(page.get_by_text("Completed")).to_be_visible()
    expect(page.locator(".timeline")).to_contain_text("and then the rest")


def test_a_run_is_stopped_from_its_page(reader: Reader, arrive: Arrive, model: ModelServer, client: Client) -> None:
    agent = client.post("/agents", {"agent_name": "Ada", "agent_role": "generalist"}).json()["data"]["id"]
    model.answers.append(Answer(text="It never ends", hold=True))
    run = client.post(f"/agents/{agent}/execute", {"message": "Go", "background": True}).json()["data"]["id"]
    page = arrive(reader).open(f"/agents/{agent}")
    expect(page.get_by_text("Running")).to_be_visible()
    page.get_by_role("link", name="Go", exact=True).click()
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_text("Cancelled")).to_be_visible()
    assert client.get(f"/runs/{run}").json()["data"]["status"] == "cancelled"


@ONE_DATABASE
def test_the_keyboard_suffices(reader: Reader, arrive: Arrive) -> None:
    page = arrive(reader).open("/overview")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to content")).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("/")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.type("tools")
    expect(page.locator("#palette .goals a").first).to_have_text(re.compile("Tools"))
    expect(page.locator("#palette [aria-selected=true]")).to_have_text("Tools")
    page.keyboard.press("Enter")
    page.wait_for_url("**/tools")
    page.keyboard.press("Control+k")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.type("boats")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.locator("h1").click()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Shortcuts")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("g")
    page.keyboard.press("a")
    page.wait_for_url("**/agents")


@ONE_DATABASE
def test_the_theme_is_chosen_and_stays(reader: Reader, arrive: Arrive) -> None:
    page = arrive(reader).open("/overview")
    light = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.get_by_role("button", name="Switch between light and dark").click()
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert light != dark
    page.reload()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == dark
