"""Text that means to be a program stays text: in every field, in what models and tools say, in names of files."""

import pytest
from playwright.sync_api import expect

from tests.conftest import ONE_DATABASE
from tests.portal.chromium import Visitor
from tests.portal.conftest import Arrive
from tests.portal.reader import Reader
from tests.support.client import Client, data
from tests.support.model_server import Answer, ModelServer
from tests.support.waiting import eventually

pytestmark = pytest.mark.needs_program("chromium")

ATTACKS = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    '"><svg onload=alert(1)>',
    "' onfocus=alert(1) autofocus='",
    "{{ 7 * 7 }}${7*7}",
    "</textarea></title><script>alert(1)</script>",
    "[x](javascript:alert(1)) ![x](data:text/html,<script>alert(1)</script>)",
    "<a href=\"javascript:alert(1)\">x</a> <iframe srcdoc='<script>alert(1)</script>'></iframe>",
]
HARMFUL = """() => document.querySelectorAll(
  "#main :is(script, iframe, img, [onload], [onerror], [onfocus]), a[href^=javascript], a[href^=data]"
).length"""
MESSAGE = " ".join(ATTACKS)


def check(visitor: Visitor, path: str, *shown: str) -> None:
    """Open a page that shows the texts, and find nothing that they made of themselves."""
    page = visitor.open(path)
    for text in shown:
        expect(page.locator("body")).to_contain_text(text)
    assert page.evaluate(HARMFUL) == 0, path


@ONE_DATABASE
def test_nothing_that_is_stored_is_executed(reader: Reader, arrive: Arrive, client: Client, model: ModelServer) -> None:
    visitor = arrive(reader)
    visitor.page.on("dialog", lambda dialog: visitor.problems.append(f"a dialog: {dialog.message}"))
    name = MESSAGE[:100]
    fleet = data(client.post("/fleets", {"name": name, "description": MESSAGE}), 201)["id"]
    agent = {"agent_name": name, "agent_role": "leader", "task": MESSAGE, "fleet_id": fleet}
    agent_id = data(client.post("/agents", agent), 201)["id"]
    data(client.request("PUT", "/account", json={"name": "<script>alert(1)</script>"}))
    model.answers.append(Answer(text=MESSAGE))
    run = data(client.post(f"/agents/{agent_id}/execute", {"message": MESSAGE}))["run_id"]
    model.answers.append(Answer(text=MESSAGE))
    conversation = data(client.post("/chat", {"message": MESSAGE}))["conversation_id"]
    deployment = data(client.post(f"/fleets/{fleet}/deploy", {"task": MESSAGE}))["deployment_id"]
    where = f"/fleets/{fleet}/deployments/{deployment}"
    eventually(lambda: data(client.get(where))["status"] == "completed")

    check(visitor, "/overview", "<script>alert(1)</script>")
    check(visitor, "/agents", name)
    check(visitor, f"/agents/{agent_id}", name, "</textarea></title>")
    check(visitor, f"/agents/{agent_id}/edit")
    visitor.page.locator("summary", has_text="Task and approval").click()
    expect(visitor.page.get_by_role("textbox", name="Task")).to_have_value(MESSAGE)
    check(visitor, f"/runs/{run}", "<img src=x onerror=alert(1)>")
    check(visitor, f"/playground?conversation={conversation}", "<img src=x onerror=alert(1)>")
    check(visitor, "/fleets", name)
    check(visitor, f"/fleets/{fleet}", name)
    check(visitor, where, "<img src=x onerror=alert(1)>")
    visitor.page.keyboard.press("/")
    visitor.page.keyboard.type("script")
    expect(visitor.page.locator("#palette .goals")).to_contain_text("<script>alert(1)</script>")
    assert visitor.page.evaluate(HARMFUL) == 0


@ONE_DATABASE
def test_nothing_that_a_model_streams_is_executed(reader: Reader, arrive: Arrive, model: ModelServer) -> None:
    visitor = arrive(reader)
    page = visitor.open("/playground")
    page.on("dialog", lambda dialog: visitor.problems.append(f"a dialog: {dialog.message}"))
    for number, attack in enumerate(ATTACKS, 1):
        model.answers.append(Answer(text=f"Look: {attack}"))
        page.get_by_label("Message", exact=True).fill(attack)
        page.keyboard.press("Enter")
        expect(page.get_by_role("link", name="Steps")).to_have_count(number)
        expect(page.locator(".msg.agent").last).to_contain_text("Look:")
        assert page.evaluate(HARMFUL) == 0, attack


@ONE_DATABASE
def test_the_result_of_a_tool_is_text(reader: Reader, arrive: Arrive) -> None:
    visitor = arrive(reader)
    page = visitor.open("/tools/json_format_text")
    page.on("dialog", lambda dialog: visitor.problems.append(f"a dialog: {dialog.message}"))
    field = page.locator("#main form [name]").first
    field.fill('{"<img src=x onerror=alert(1)>": "<script>alert(1)</script>"}')
    page.get_by_role("button", name="Run the tool").click()
    expect(page.locator("#outcome")).to_contain_text("<img src=x onerror=alert(1)>")
    assert page.evaluate(HARMFUL) == 0
