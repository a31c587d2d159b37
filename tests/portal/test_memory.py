"""The pages of what agents remember."""

from tests.conftest import ONE_DATABASE
from tests.knowledge.test_agents import new_agent
from tests.portal.reader import Reader, redirect
from tests.support.client import Client, data

pytestmark = ONE_DATABASE


def test_facts_are_added_found_changed_and_deleted(reader: Reader, client: Client) -> None:
    assert "Nothing is remembered yet" in reader.get("/memory").text
    agent = new_agent(client, memory="user")
    path = redirect(reader.post("/memory", {"agent_id": agent["id"], "text": "Ann drives a Volvo.", "user": "ann"}))
    assert path == f"/memory?agent={agent['id']}"
    page = reader.get(path).text
    assert "Ann drives a Volvo." in page
    assert "About ann" in page
    (fact,) = data(client.get("/memory"))
    assert "Ann drives a Volvo." in reader.get("/memory?q=Which+car+does+Ann+have").text
    assert "Nothing is remembered yet" in reader.get("/memory?agent=987654").text
    assert "Save" in reader.get(f"/memory/{fact['id']}").text
    assert redirect(reader.post(f"/memory/{fact['id']}", {"text": "Ann drives a Saab."})) == path
    assert data(client.get("/memory"))[0]["text"] == "Ann drives a Saab."
    assert redirect(reader.post(f"/memory/{fact['id']}/delete")) == "/memory"
    assert reader.get(f"/memory/{fact['id']}").status_code == 404


def test_problems_are_shown_with_the_forms(reader: Reader, client: Client) -> None:
    agent = new_agent(client)
    refused = reader.post("/memory", {"agent_id": agent["id"], "text": "x" * 501})
    assert refused.status_code == 400
    assert "500 characters" in refused.text
    fact = data(client.post("/memory", {"agent_id": agent["id"], "text": "Ann drives a Volvo."}), 201)
    assert reader.post(f"/memory/{fact['id']}", {"text": ""}).status_code == 400
    assert reader.post("/memory", {"agent_id": "9" * 30, "text": "x"}).status_code == 400


def test_an_agent_gets_a_memory_by_its_form(reader: Reader, client: Client) -> None:
    fields = {"agent_name": "Clerk", "agent_role": "specialist", "voice_engine": "hibari", "memory": "user"}
    agent = redirect(reader.post("/agents", fields)).rpartition("/")[2]
    assert data(client.get(f"/agents/{agent}"))["memory"] == "user"
    assert '<option value="user" selected>' in reader.get(f"/agents/{agent}/edit").text
    redirect(reader.post(f"/agents/{agent}/edit", fields | {"memory": "none"}))
    assert data(client.get(f"/agents/{agent}"))["memory"] == "none"
