"""The pages of fleets over HTTP."""

import pytest

from tests.portal.reader import Reader, redirect, title
from tests.portal.test_agents import new_agent
from tests.support.client import Client, data
from tests.support.waiting import eventually

pytestmark = pytest.mark.either_database


def test_a_fleet_is_made_gets_members_and_is_deployed(reader: Reader, client: Client) -> None:
    assert "Put agents together" in reader.get("/fleets").text
    path = redirect(reader.post("/fleets", {"name": "Research", "max_agents": "2", "description": "Looks things up"}))
    first, second = new_agent(client, agent_name="Ada"), new_agent(client, agent_name="Bob")
    assert "Attach agents first" in reader.get(path).text
    for agent in (first, second):
        assert redirect(reader.post(f"{path}/members", {"agent_id": str(agent)})) == path
    full = reader.post(f"{path}/members", {"agent_id": str(new_agent(client))})
    assert full.status_code == 400
    assert 'role="alert"' in full.text
    deployment = redirect(reader.post(f"{path}/deploy", {"task": "Compare them", "strategy": "sequential"}))
    eventually(lambda: data(client.get(deployment))["status"] == "completed")
    page = reader.get(deployment).text
    assert "Ada" in page
    assert page.count('<p class="asked">Compare them</p>') == 1
    assert "Its text is the result above." in page
    other = redirect(reader.post("/fleets", {"name": "Other", "max_agents": "2"}))
    redirect(reader.post(f"{other}/members/{first}/remove"))
    assert data(client.get(path))["agent_count"] == 2, "a page that is out of date must not detach from another fleet"
    assert redirect(reader.post(f"{path}/members/{first}/remove")) == path
    assert data(client.get(path))["agent_count"] == 1
    assert redirect(reader.post(f"{path}/delete")) == "/fleets"
    assert data(client.get(f"/agents/{second}"))["fleet_id"] is None


def test_a_fleet_is_changed(reader: Reader, client: Client) -> None:
    path = redirect(reader.post("/fleets", {"name": "Research", "max_agents": "2"}))
    assert title(reader.get(f"{path}/edit")) == "Edit Research"
    changed = {"name": "Search", "max_agents": "7", "description": "", "auto_scale": "on"}
    assert redirect(reader.post(f"{path}/edit", changed)) == path
    fleet = data(client.get(path))
    assert (fleet["name"], fleet["max_agents"], fleet["auto_scale"]) == ("Search", 7, True)


def test_wrong_forms_say_why_and_keep_the_input(reader: Reader) -> None:
    answer = reader.post("/fleets", {"name": "Research", "max_agents": "1000", "description": "Mine"})
    assert answer.status_code == 400
    assert "Must be at most 100." in answer.text
    assert "Mine" in answer.text
    path = redirect(reader.post("/fleets", {"name": "Research", "max_agents": "2"}))
    answer = reader.post(f"{path}/deploy", {"task": "A task of mine"})
    assert answer.status_code == 400
    assert "no agents" in answer.text
    answer = reader.post(f"{path}/members", {"agent_id": ""})
    assert answer.status_code == 400
    assert "Choose an agent." in answer.text
