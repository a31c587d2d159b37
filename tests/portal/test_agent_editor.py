"""The form of an agent in Chromium: choosing a model by keyboard, and a conversation with the agent beside the form."""

import pytest
from playwright.sync_api import expect

from tests.conftest import ONE_DATABASE
from tests.portal.conftest import Arrive
from tests.portal.reader import Reader
from tests.portal.test_agents import new_agent
from tests.support.client import Client, data
from tests.support.model_server import ModelServer

pytestmark = [pytest.mark.needs_program("chromium"), ONE_DATABASE]

MODELS = [{"id": f"m{number}", "input": ["text", "image"] if number == 7 else ["text"]} for number in range(12)]


@pytest.fixture
def agent(client: Client) -> str:
    """The path of an agent, in an account with more models than a list shows without a search."""
    provider = {"name": "mine", "kind": "openai", "base_url": "https://example.com/v1", "key": "sk-123"}
    data(client.post("/providers", {**provider, "models": MODELS}), 201)
    return f"/agents/{new_agent(client, instructions='Be kind.')}"


def test_a_model_is_chosen_by_keyboard(reader: Reader, arrive: Arrive, client: Client, agent: str) -> None:
    visitor = arrive(reader)
    page = visitor.open(f"{agent}/edit")
    button = page.get_by_role("button", name="Model Default (now default/stand-in)")
    button.focus()
    page.keyboard.press("ArrowDown")
    search = page.get_by_role("combobox", name="Search models")
    expect(search).to_be_focused()
    visitor.check_accessibility()
    search.fill("mine images")
    options = page.locator(".model-popup").get_by_role("option")
    expect(options).to_have_count(1)
    expect(options.and_(page.locator("[aria-selected=true]"))).to_contain_text("mine/m7")
    page.keyboard.press("Escape")
    expect(search).to_have_count(0)
    expect(button).to_be_focused()
    page.keyboard.press("Enter")
    page.get_by_role("combobox", name="Search models").fill("m1")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    chosen = page.get_by_role("button", name="Model mine/m10")
    expect(chosen).to_be_focused()
    page.get_by_role("button", name="Save", exact=True).click()
    page.wait_for_url(f"**{agent}")
    assert data(client.get(agent))["model"] == "mine/m10"


def test_the_list_of_models_opens_again_at_once(reader: Reader, arrive: Arrive, agent: str) -> None:
    page = arrive(reader).open(f"{agent}/edit")
    button = page.get_by_role("button", name="Model Default (now default/stand-in)")
    button.click()
    # Both keys in one task: the browser tells the page later that the first list has closed.
    button.evaluate(
        """(button) => {
            document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true }));
            button.click();
        }"""
    )
    expect(page.get_by_role("combobox", name="Search models")).to_be_focused()


def test_an_agent_is_tried_while_it_is_edited(
    reader: Reader, arrive: Arrive, client: Client, agent: str, model: ModelServer
) -> None:
    visitor = arrive(reader)
    page = visitor.open(f"{agent}/edit")
    message = page.get_by_label("Message to the agent")
    page.get_by_role("textbox", name="Instructions").fill("Be brief.")
    message.fill("Hello")
    page.keyboard.press("Enter")
    expect(page.get_by_role("link", name="Steps")).to_have_count(1)
    expect(page.locator(".msg.agent .prose")).to_have_text("You said: Hello")
    assert data(client.get(agent))["instructions"] == "Be brief."
    page.get_by_role("textbox", name="Name").fill("Bob")
    message.fill("And again")
    page.get_by_role("button", name="Save and send").click()
    expect(page.get_by_role("link", name="Steps")).to_have_count(2)
    assert data(client.get(agent))["agent_name"] == "Bob"
    assert len(data(client.get("/chat"))) == 1, "the conversation goes on"
    assert "Hello" in str(model.requests[-1]["messages"])
    page.get_by_text("Form of the reply").click()
    page.locator("textarea[name=output_schema]").fill("{")
    message.fill("Once more")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("Your changes are not saved.")
    expect(message).to_have_value("Once more")
    visitor.check_accessibility()
    page.get_by_role("button", name="Start over").click()
    expect(page.locator(".msg")).to_have_count(0)
