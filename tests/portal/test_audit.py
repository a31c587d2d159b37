"""The page of the audit log: entries, filters and pages."""

import re

import pytest

from retinue.portal.audit.pages import ACTIONS, PHRASES
from tests.conftest import ONE_DATABASE
from tests.portal.conftest import Arrive
from tests.portal.reader import Reader
from tests.portal.test_xss import HARMFUL
from tests.support.client import Client, data

pytestmark = pytest.mark.either_database

NASTY = "<img src=x onerror=alert(1)>"


def rows(reader: Reader, query: str = "") -> list[str]:
    """The rows of the table."""
    page = reader.get(f"/audit{query}")
    assert page.status_code == 200, page.text
    return re.findall(r"<tr><td>.*?</tr>", page.text, re.DOTALL)


def test_every_action_has_words() -> None:
    assert PHRASES.keys() == set(ACTIONS)


def test_changes_are_shown_with_their_cause(reader: Reader, client: Client) -> None:
    made = data(client.post("/keys", {"name": NASTY}), 201)["id"]
    newest, *others = rows(reader)
    assert "Key created" in newest
    assert f"/keys/{made}/edit" in newest
    assert ">test</a>" in newest
    assert "127.0.0.1" in newest
    assert any("Signed in" in row for row in others)


def test_filters_choose_and_pages_go_on(reader: Reader, client: Client) -> None:
    for number in range(31):
        key = data(client.post("/keys", {"name": f"number {number}"}), 201)["id"]
        data(client.delete(f"/keys/{key}"))
    assert len(rows(reader)) == 30
    assert all("Key revoked" in row for row in rows(reader, "?action=key.revoked"))
    assert len(rows(reader, "?action=key.revoked&page=2")) == 1
    assert 'href="/audit?action=key.revoked&amp;page=2"' in reader.get("/audit?action=key.revoked").text
    credential = re.search(r'href="/audit\?credential=(key%3A\d+)"', rows(reader)[0])
    assert credential
    assert all("test" in row for row in rows(reader, f"?credential={credential[1]}"))
    assert "No results" in reader.get("/audit?until=2001-01-01").text
    assert len(rows(reader, "?since=2001-01-01")) == 30
    assert len(rows(reader, "?action=no.such")) == 30


def test_errors_are_shown_beside_their_field(reader: Reader) -> None:
    answer = reader.get("/audit?since=yesterday&credential=my+key")
    assert answer.status_code == 400
    assert 'id="problem-since"' in answer.text
    assert 'id="problem-credential"' in answer.text
    assert 'value="my key"' in answer.text


def test_entries_of_others_are_not_there(reader: Reader, stranger: Client) -> None:
    key = data(stranger.post("/keys", {"name": "of a stranger"}), 201)["id"]
    assert not any(f">{key}</span>" in row for row in rows(reader, "?action=key.created"))


def test_the_entries_that_fit_are_exported(reader: Reader, client: Client, passer_by: Reader) -> None:
    data(client.post("/keys", {"name": "exported"}), 201)
    answer = reader.get("/audit/export?action=key.created")
    assert answer.status_code == 200
    assert answer.headers["Content-Type"].startswith("text/csv")
    head, *lines = answer.text.splitlines()
    assert "action" in head.split(",")
    assert lines
    assert all("key.created" in line for line in lines)
    assert 'href="/audit/export?action=key.created&amp;"' in reader.get("/audit?action=key.created").text
    assert reader.get("/audit/export?since=yesterday").status_code == 400
    assert passer_by.get("/audit/export").status_code == 303


@ONE_DATABASE
@pytest.mark.needs_program("chromium")
def test_in_a_browser(reader: Reader, client: Client, arrive: Arrive) -> None:
    data(client.post("/webhooks", {"url": "https://example.com/hook", "description": NASTY}), 201)
    visitor = arrive(reader)
    page = visitor.open("/audit")
    page.locator("select[name=action]").select_option("webhook.created")
    page.get_by_role("button", name="Filter").click()
    page.wait_for_url("**/audit?action=webhook.created*")
    assert page.locator("tbody tr").count() == 1
    assert page.evaluate(HARMFUL) == 0
    visitor.check_accessibility()


def test_changed_fields_have_the_labels_of_the_form(reader: Reader, client: Client) -> None:
    made = {"name": "mine", "kind": "openai", "base_url": "https://example.com/v1", "key": "sk-12345678"}
    provider = data(client.post("/providers", made), 201)["id"]
    data(client.put(f"/providers/{provider}", {"models": [{"id": "m1"}], "headers": {"X-Team": "a"}}))
    assert "<small>Changed: Headers; Models to offer</small>" in reader.get("/audit").text
    spanish = reader.get("/audit", headers={"Accept-Language": "es"}).text
    assert "<small>Cambiado: Cabeceras; Modelos que se ofrecen</small>" in spanish
    assert "Replaced" not in spanish
