"""The first minute: what somebody new wants, and the ways that start there."""

import re

import pytest
from playwright.sync_api import expect

from tests.conftest import ONE_DATABASE, User
from tests.portal.conftest import Arrive
from tests.portal.reader import Reader, redirect
from tests.support.client import Client, data
from tests.support.model_server import Answer, ModelServer
from tests.support.server import Server
from tests.support.waiting import eventually

pytestmark = ONE_DATABASE
RULES = "# Boats\nGuests may row on Sundays.\n\n# Dogs\nDogs are not allowed in the boats."


def test_each_way_starts_on_the_first_page(reader: Reader) -> None:
    page = reader.get("/start").text
    for path in ("/start/documents", "/agents/new?example=shop", "/start/api", "/start/telephone", "/playground"):
        assert f'href="{path}"' in page
    assert "Kite &amp; Co." in reader.get("/agents/new?example=shop").text
    assert "Kite" not in reader.get("/agents/new").text


def test_a_colleague_reads_about_accounts(reader: Reader, server: Server) -> None:
    page = reader.get("/start").text
    assert "Your account is private" in page
    assert '<a href="/marketplace">marketplace</a>' in page
    owner = Reader(server).sign_in_by_link("owner@localhost")
    assert "Your account is private" not in owner.get("/start").text
    owner.close()


def test_a_text_becomes_an_agent_that_answers_from_it(reader: Reader, client: Client, stranger: Client) -> None:
    place = redirect(reader.post("/start/documents", {"text": RULES}))
    agent = data(client.get(f"/agents/{place.rpartition('/')[2]}"))
    assert (agent["agent_name"], len(agent["knowledge"])) == ("Boats assistant", 1)
    eventually(lambda: "Ask a question" in reader.get(place).text)
    page = reader.get(place).text
    for path in (
        f"/playground?agent={agent['id']}",
        f"/agents/{agent['id']}/share",
        f"/knowledge/collections/{agent['knowledge'][0]}",
    ):
        assert f'href="{path}"' in page


def test_a_file_becomes_one_as_well(reader: Reader, client: Client) -> None:
    files = {"file": ("Rules_of the boats 2026-27.md", RULES.encode(), "text/markdown")}
    headers = {"Origin": reader.server.url}
    answer = reader._send("POST", "/start/documents/upload", headers=headers, files=files)
    agent = data(client.get(f"/agents/{redirect(answer).rpartition('/')[2]}"))
    assert agent["agent_name"] == "Rules of the boats 2026-27 assistant"
    (collection,) = data(client.get("/knowledge/collections"))
    assert collection["name"] == "Rules of the boats 2026-27"


@pytest.mark.parametrize(
    ("url", "name"),
    [("https://example.com/guide/House%20rules.html?page=2", "House rules"), ("https://example.com/", "example.com")],
)
def test_a_web_page_names_the_agent(reader: Reader, client: Client, url: str, name: str) -> None:
    redirect(reader.post("/start/documents", {"url": url}))
    assert data(client.get("/agents"))[0]["agent_name"] == f"{name} assistant"


def test_agent_and_collection_are_renamed_where_they_are_made(reader: Reader, client: Client) -> None:
    place = redirect(reader.post("/start/documents", {"text": RULES}))
    page = reader.get(place).text
    assert 'value="Boats assistant"' in page
    assert 'value="Boats"' in page
    refused = reader.post(place, {"agent_name": "Ahoy", "name": ""})
    assert refused.status_code == 400
    assert 'id="problem-name"' in refused.text
    assert 'value="Ahoy"' in refused.text
    assert redirect(reader.post(place, {"agent_name": "Mina", "name": "Rules"})) == place
    agent = data(client.get(f"/agents/{place.rpartition('/')[2]}"))
    assert agent["agent_name"] == "Mina"
    assert data(client.get(f"/knowledge/collections/{agent['knowledge'][0]}"))["name"] == "Rules"


@pytest.mark.parametrize("form", [{"text": " "}, {"url": "ftp://example.com"}])
def test_an_unreadable_document_is_reported_beside_the_field(
    reader: Reader, client: Client, form: dict[str, str]
) -> None:
    answer = reader.post("/start/documents", form)
    assert answer.status_code == 400
    assert 'class="problem"' in answer.text
    assert data(client.get("/agents")) == []


def test_the_documents_of_others_are_not_shown(reader: Reader, stranger: Client) -> None:
    other = data(stranger.post("/agents", {"agent_name": "Ada", "agent_role": "generalist"}), 201)["id"]
    assert reader.get(f"/start/documents/{other}").status_code == 404
    provider = {"name": "mine", "kind": "openai", "base_url": "https://models.example.com/v1", "key": "sk-12345678"}
    other = data(stranger.post("/providers", provider), 201)["id"]
    assert reader.get(f"/start/model/{other}").status_code == 404


def test_a_key_is_made_and_its_requests_work(reader: Reader, user: User) -> None:
    page = reader.post("/start/api").text
    key = re.search(r"ak_live_\w+", page)
    assert key
    assert Client(user.server, key[0]).get("/agents").status_code == 200
    assert key[0] not in reader.get("/start/api").text


def test_a_pasted_key_connects_a_provider_and_a_new_one_replaces_it(reader: Reader, client: Client) -> None:
    page = reader.post("/start/provider", {"vendor": "openai", "key": ""})
    assert page.status_code == 400
    assert 'class="problem"' in page.text
    first = redirect(reader.post("/start/provider", {"vendor": "mistral", "key": "first-key-12345"}))
    again = redirect(reader.post("/start/provider", {"vendor": "mistral", "key": "second-key-12345"}))
    assert first == again
    (provider,) = data(client.get("/providers"))
    assert (provider["name"], first) == ("mistral", f"/start/model/{provider['id']}")


def test_a_model_is_chosen_only_if_there_is_one(reader: Reader, client: Client) -> None:
    provider = {
        "name": "mine",
        "kind": "openai",
        "base_url": "https://models.example.com/v1",
        "key": "sk-12345678",
        "models": [{"id": "large"}],
    }
    made = data(client.post("/providers", provider), 201)["id"]
    assert "mine/large" in reader.get(f"/start/model/{made}").text
    assert reader.post(f"/start/model/{made}", {"model": "mine/none"}).status_code == 400
    assert redirect(reader.post(f"/start/model/{made}", {"model": "mine/large"})) == "/playground"
    assert data(client.get("/models/default"))["model"] == "mine/large"


@pytest.mark.needs_program("chromium")
def test_the_demo_is_loaded_and_removed_with_one_button_each(
    reader: Reader, client: Client, arrive: Arrive, model: ModelServer
) -> None:
    visitor = arrive(reader)
    page = visitor.open("/start")
    model.answers.append(Answer("PDF, Word and Markdown files. [1]"))
    page.get_by_role("button", name="Load the demo").click()
    expect(page.get_by_text("PDF, Word and Markdown files.")).to_be_visible()
    page = visitor.open("/start")
    visitor.check_accessibility()
    for name in ("Conversation", "Agent", "Documents", "Schedule"):
        assert reader.get(page.locator("#demo").get_by_role("link", name=name).get_attribute("href") or "").ok
    page.get_by_role("button", name="Remove the demo").click()
    page.get_by_role("dialog").get_by_role("button", name="Remove the demo").click()
    expect(page.get_by_role("button", name="Load the demo")).to_be_visible()
    visitor.check_accessibility()
    assert data(client.get("/agents")) == data(client.get("/schedules")) == data(client.get("/chat")) == []
