"""A reload of the address that a refused form was sent to leads back to the page with the form."""

import pytest

from retinue.portal.routes import GROUPS
from tests.conftest import ONE_DATABASE
from tests.portal.reader import Reader, redirect
from tests.portal.test_access import example
from tests.support.client import Client, data

pytestmark = pytest.mark.either_database

SHOWN = {declared.path for group in GROUPS for declared in group.declared if declared.method == "GET"}
CHANGES = {declared.path for group in GROUPS for declared in group.declared if declared.method == "POST"}


@ONE_DATABASE
def test_every_address_of_a_form_without_a_page_redirects_to_a_page(reader: Reader) -> None:
    without = CHANGES - SHOWN
    assert len(without) > 100
    pages = {example(path) for path in SHOWN}
    for path in without:
        refused = reader.post(example(path), headers={"Origin": "https://evil.example"})
        assert refused.status_code == 403, path
        assert redirect(reader.get(example(path))).partition("?")[0] in pages, path


@ONE_DATABASE
def test_a_reload_after_a_refused_deletion_shows_the_record(reader: Reader, client: Client) -> None:
    callee = data(client.post("/agents", {"agent_name": "Callee", "agent_role": "generalist"}), 201)["id"]
    caller = {"agent_name": "Caller", "agent_role": "generalist", "agents": [callee]}
    data(client.post("/agents", caller), 201)
    refused = reader.post(f"/agents/{callee}/delete")
    assert refused.status_code >= 400
    assert redirect(reader.get(f"/agents/{callee}/delete")) == f"/agents/{callee}"


@ONE_DATABASE
def test_a_reload_leads_to_the_conversation_and_the_key_of_the_form(reader: Reader) -> None:
    assert redirect(reader.get("/playground/conversations/a%26b/rename")) == "/playground?conversation=a%26b"
    assert redirect(reader.get("/agents/3/share/5/edit")) == "/agents/3/share?key=5"
    assert redirect(reader.get("/records/note/a%20b/delete")) == "/records?kind=note"
    assert redirect(reader.get("/knowledge/upload")) == "/knowledge/workspace"
