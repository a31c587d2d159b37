"""The pages of knowledge: adding by text and by file, searching, the progress of indexing, deleting."""

import json
import threading
from urllib.parse import quote

import pytest
from playwright.sync_api import FilePayload, expect

from tests.conftest import ONE_DATABASE, User
from tests.portal.chromium import DESKTOP, PHONE, Theme
from tests.portal.conftest import Arrive
from tests.portal.reader import Reader, reader_of, redirect
from tests.portal.test_xss import HARMFUL, MESSAGE
from tests.support.client import Client, data
from tests.support.rows import rows

pytestmark = pytest.mark.either_database

LONG = "\n\n".join(f"Paragraph {number} is about glaciers and their slow way." * 20 for number in range(300))
"""About 300 passages: indexing takes long enough to be seen."""

ORPHANS = """
SELECT count(*) AS orphans FROM workspace_records AS passage WHERE passage.kind = 'passage'
AND NOT EXISTS (SELECT 1 FROM workspace_records AS document WHERE document.id = passage.parent)
"""


def add(reader: Reader, title: str, text: str, source: str = "") -> str:
    """Add a text by the form; returns the path of the document's page."""
    return redirect(reader.post("/knowledge", {"title": title, "text": text, "source": source}))


def upload(reader: Reader, name: str, content: bytes) -> str:
    """Add a file as a form without a script does; returns the path of the document's page."""
    headers = {"Origin": reader.server.url}
    answer = reader._send("POST", "/knowledge/upload", headers=headers, files={"file": (name, content, "text/plain")})
    return redirect(answer)


def documents(client: Client) -> list[str]:
    """The ids of the documents, as agents see them."""
    listed = data(client.post("/tools/knowledge_list/execute", {"args": {}}))["result"]["documents"]
    return [one["id"] for one in listed]


def test_a_text_is_added_found_and_deleted(reader: Reader, client: Client) -> None:
    assert "Nothing is saved yet" in reader.get("/knowledge/workspace").text
    path = add(reader, "Almanac", "The moon orbits the earth in 27 days.", "a shelf")
    page = reader.get(path).text
    assert "The moon orbits the earth in 27 days." in page
    assert "a shelf" in page
    assert "Ready" in reader.get("/knowledge/workspace").text
    assert "The moon orbits" in reader.get("/knowledge/workspace?q=orbit+of+the+moon").text
    assert "No passage found" in reader.get("/knowledge/workspace?q=xylophone").text
    found = data(client.post("/tools/knowledge_search/execute", {"args": {"query": "moon"}}))["result"]["passages"]
    assert [one["document"] for one in found] == ["almanac"]
    assert redirect(reader.post(f"{path}/delete")) == "/knowledge/workspace"
    assert reader.get(path).status_code == 404
    assert reader.post(f"{path}/delete").status_code == 404
    assert documents(client) == []


def test_a_search_by_script_gets_the_passages_alone(reader: Reader) -> None:
    add(reader, "Almanac", "The moon orbits the earth.")
    answer = reader.get("/knowledge/workspace?q=moon", headers={"HX-Request": "true"})
    assert "The moon orbits the earth." in answer.text
    assert "<html" not in answer.text


def test_files_are_indexed_by_form_and_by_script(reader: Reader, client: Client) -> None:
    path = upload(reader, "handbook.md", "\ufeff# Holidays\n\nThirty days a year.".encode())
    assert "Thirty days a year." in reader.get(path).text
    sent = {"Content-Type": "text/csv", "Accept": "application/json"}
    assert reader.ask_with("POST", "/knowledge/upload?name=prices.csv", sent, "pear,2").status_code == 201
    assert documents(client) == ["prices-csv", "handbook-md"]
    assert data(client.get("/files")) == []


def test_an_unsupported_document_is_refused_beside_its_field(reader: Reader, client: Client) -> None:
    answer = reader.post("/knowledge", {"title": "", "text": "Words."})
    assert (answer.status_code, 'id="problem-title"' in answer.text, "Words." in answer.text) == (400, True, True)
    headers = {"Origin": reader.server.url}
    for name, content, reason in (
        ("photo.png", b"\x89PNG\xff", "is not a text in UTF-8"),
        ("long.txt", b"a " * 300_000, "more than 400,000 characters"),
        ("longer.txt", "ä".encode() * 900_000, "more than 400,000 characters"),
        ("empty.txt", b"", "needs text"),
    ):
        answer = reader._send("POST", "/knowledge/upload", headers=headers, files={"file": (name, content)})
        assert (answer.status_code, reason in answer.text) == (400, True), name
    refusal = reader.ask_with("POST", "/knowledge/upload?name=a.txt", {"Content-Type": "text/plain"}, " ")
    assert refusal.json()["error"]["code"] == "validation_error"


def test_titles_of_every_kind_have_a_page(reader: Reader) -> None:
    for title in ("live", "upload", "日本語", "<script>alert(1)</script>", "100 %"):
        page = reader.get(add(reader, title, "Some words.")).text
        assert "Some words." in page, title
        assert "<script>alert" not in page


def test_documents_of_others_are_not_there(reader: Reader, user: User, passer_by: Reader) -> None:
    other = reader_of(User(user.server, user.server.new_user()))
    path = add(other, "Secret", "The password is pear.")
    assert "Secret" not in reader.get("/knowledge/workspace?q=password").text
    assert reader.get(path).status_code == 404
    assert reader.post(f"{path}/delete").status_code == 404
    assert redirect(passer_by.get(path)) == f"/sign-in?next={quote(path)}"
    assert other.get(path).status_code == 200
    other.close()


def test_another_site_adds_nothing(reader: Reader, client: Client) -> None:
    form = {"title": "Almanac", "text": "Words."}
    assert reader.post("/knowledge", form, headers={"Origin": "https://evil.example"}).status_code == 403
    assert documents(client) == []


def test_indexing_is_shown_live_and_a_document_can_be_deleted_meanwhile(reader: Reader, client: Client) -> None:
    worker = threading.Thread(target=reader.post, args=("/knowledge", {"title": "Glaciers", "text": LONG}))
    with reader.get("/knowledge/live", stream=True, headers={"Accept": "text/event-stream"}) as stream:
        events = (json.loads(line[6:]) for line in stream.iter_lines(chunk_size=1) if line.startswith(b"data: "))
        assert "Nothing is saved yet" in next(events)
        worker.start()
        assert "Glaciers" in next(event for event in events if "<tr>" in event)
    assert reader.post("/knowledge/documents/glaciers/delete").status_code == 303
    worker.join()
    assert documents(client) == []
    assert rows(reader.server, ORPHANS) == [{"orphans": 0}]


@ONE_DATABASE
@pytest.mark.needs_program("chromium")
def test_in_a_browser(reader: Reader, arrive: Arrive) -> None:
    looks: list[tuple[Theme, tuple[int, int]]] = [("light", DESKTOP), ("dark", PHONE)]
    for theme, size in looks:
        visitor = arrive(reader, theme, size)
        page = visitor.open("/knowledge/workspace")
        page.get_by_label("Choose files").set_input_files(
            [FilePayload(name="<b>moon.txt", mimeType="text/plain", buffer=f"The moon. {MESSAGE}".encode())]
        )
        page.get_by_role("button", name="Upload").click()
        page.get_by_role("link", name="<b>moon.txt").wait_for()
        page.get_by_role("searchbox", name="Search the documents").fill("moon")
        expect(page.locator("#found")).to_contain_text("<script>alert(1)</script>")
        assert page.evaluate(HARMFUL) == 0
        visitor.check_accessibility()
        visitor.check_width()
        page.get_by_role("table").get_by_role("link", name="<b>moon.txt").click()
        page.get_by_role("heading", name="Passages").wait_for()
        assert page.evaluate(HARMFUL) == 0
        visitor.check_accessibility()
        visitor.check_width()
        page.get_by_role("button", name="Delete").click()
        page.get_by_role("dialog").get_by_role("button", name="Delete document").click()
        page.get_by_text("Nothing is saved yet").wait_for()
