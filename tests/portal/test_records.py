"""The page of what a person keeps by chat: tasks, checklists, notes, the calendar, contacts and expenses."""

import html
import json
import re

import pytest
from playwright.sync_api import expect

from tests.conftest import ONE_DATABASE
from tests.interop.test_openai import create_agent
from tests.portal.chromium import PHONE
from tests.portal.conftest import Arrive
from tests.portal.reader import Reader, redirect
from tests.support.client import Client, data
from tests.support.model_server import Answer, ModelServer
from tests.workspace.support import decline, finish

pytestmark = pytest.mark.either_database

TABS = ["Tasks", "Checklists", "Notes", "Calendar", "Contacts", "Expenses"]
_TITLE = re.compile(r'<div class="what"><b(?: class="done")?>(.*?)</b>')
_TAB = re.compile(r'<a href="/records\?kind=\w+"[^>]*>(\w+) ')


def fill(client: Client) -> None:
    """Keep some records of each kind."""
    finish(client, "task_create", title="Call the bank", due="2001-02-03", priority="urgent", notes="Ask for Kim")
    finish(client, "task_create", title="Renew passport", due="2099-12-01T18:00")
    finish(client, "task_create", title="Water the plants", tags=["home"])
    finish(client, "task_create", title="Buy stamps")
    finish(client, "task_update", task="Buy stamps", status="done")
    finish(client, "checklist_create", title="Shopping", steps=["Milk", "Eggs", "Bread"])
    finish(client, "checklist_tick", checklist="Shopping", texts=["Eggs"])
    finish(client, "note_create", title="Boiler", text="Serviced in May.\n" + "Pressure 1.4 bar. " * 30, tags=["house"])
    finish(client, "calendar_create_event", title="Dentist", start="2098-03-04T09:30", zone="Asia/Tokyo")
    finish(client, "calendar_update_event", event="Dentist", location="Harbour 5")
    finish(client, "calendar_create_event", title="Choir", start="2020-01-06T19:00", recurrence="FREQ=WEEKLY")
    finish(client, "calendar_create_event", title="Moved house", start="2019-05-01T08:00")
    finish(client, "contact_create", name="Carla", phone="+39 333 1234567", email="carla@example.com")
    finish(
        client, "expense_log", description="Lunch", amount="12.50", currency="EUR", date="2026-01-02", category="food"
    )
    finish(client, "expense_log", description="Book", amount="0.25", date="2026-01-03")
    finish(client, "expense_log", description="Fuel", amount="80", currency="USD", date="2026-01-01")


def shown(reader: Reader, kind: str, page: int = 1) -> list[str]:
    """The titles of the records in the list of a kind."""
    return _TITLE.findall(reader.get(f"/records?kind={kind}&page={page}").text)


def test_an_empty_page_has_example_messages_and_says_where_records_are_stored(reader: Reader) -> None:
    page = reader.get("/records").text
    assert "It is stored on this server, in the workspace of your account." in page
    assert "Put calling the bank on my to-do list." in page
    assert "I spent 12.50 euros on lunch." in page
    assert 'aria-label="Kinds of records"' not in page


def test_each_kind_that_has_records_has_a_tab_next_or_newest_first(reader: Reader, client: Client) -> None:
    finish(client, "note_create", title="Alone")
    assert _TAB.findall(reader.get("/records").text) == ["Notes"]
    assert shown(reader, "") == ["Alone"]
    fill(client)
    assert _TAB.findall(reader.get("/records").text) == TABS
    assert shown(reader, "task") == ["Call the bank", "Renew passport", "Water the plants", "Buy stamps"]
    assert shown(reader, "note") == ["Boiler", "Alone"]
    assert shown(reader, "event") == ["Choir", "Dentist", "Moved house"]
    assert shown(reader, "expense") == ["Book", "Lunch", "Fuel"]


def test_records_are_shown_with_their_fields(reader: Reader, client: Client) -> None:
    fill(client)
    tasks = reader.get("/records?kind=task").text
    assert re.search(r"Overdue</span> due 3 Feb 2001", tasks)
    assert tasks.count("Overdue") == 1
    assert "due 1 Dec 2099, 18:00" in tasks
    assert "1 of 3 done" in reader.get("/records?kind=checklist").text
    assert "Pressure 1.4 bar." in reader.get("/records?kind=note").text
    events = reader.get("/records?kind=event").text
    assert "Harbour 5" in events
    assert re.search(r"4 Mar 2098, 09:30\s*<small>Tokyo time", events)
    assert events.count(">Past<") == 1
    assert "+39 333 1234567" in reader.get("/records?kind=contact").text
    assert "<b>0.25 · 12.5 EUR · 80 USD</b>" in reader.get("/records?kind=expense").text


def test_a_record_is_deleted_as_by_its_tool(reader: Reader, client: Client) -> None:
    fill(client)
    kinds = {"task": "call-the-bank", "checklist": "shopping", "note": "boiler", "event": "dentist"}
    for kind, name in {**kinds, "contact": "carla", "expense": "lunch"}.items():
        assert f'action="/records/{kind}/{name}/delete" data-confirm="' in reader.get(f"/records?kind={kind}").text
        assert redirect(reader.post(f"/records/{kind}/{name}/delete")) == f"/records?kind={kind}"
        assert " is deleted." in reader.get(f"/records?kind={kind}").text
        assert reader.post(f"/records/{kind}/{name}/delete").status_code == 404
    assert "Lunch" not in shown(reader, "expense")
    decline(client, "task_delete", "There is no task", task="call-the-bank")
    assert reader.post("/records/table/x/delete").status_code == 404


def test_a_task_is_ticked_off_and_reopened(reader: Reader, client: Client) -> None:
    finish(client, "task_create", title="Bills & <b>more</b>")
    assert 'aria-label="Tick off Bills &amp; &lt;b&gt;more&lt;/b&gt;"' in reader.get("/records").text
    assert redirect(reader.post("/records/task/bills-b-more-b/tick", {"done": "yes"})) == "/records?kind=task"
    assert finish(client, "task_list", status="all")["tasks"][0]["status"] == "done"
    assert 'aria-label="Reopen Bills' in reader.get("/records").text
    redirect(reader.post("/records/task/bills-b-more-b/tick", {"done": "no"}))
    assert finish(client, "task_list")["tasks"][0]["status"] == "todo"
    assert reader.post("/records/task/nothing/tick", {"done": "yes"}).status_code == 404


def test_a_long_list_has_pages(reader: Reader, client: Client) -> None:
    finish(client, "task_create", title="The last one")
    for number in range(100):
        finish(client, "task_create", title=f"Task {number}", due="2099-01-01")
    assert len(shown(reader, "task")) == 100
    assert shown(reader, "task", 2) == ["The last one"]
    assert 'href="/records?kind=task&page=2"' in reader.get("/records?kind=task").text.replace("&amp;", "&")


def test_only_the_owner_sees_and_deletes_records(reader: Reader, passer_by: Reader, stranger: Client) -> None:
    fill(stranger)
    assert "Nothing is kept here yet" in reader.get("/records").text
    assert shown(reader, "task") == []
    assert reader.post("/records/note/boiler/delete").status_code == 404
    assert reader.post("/records/task/call-the-bank/tick", {"done": "yes"}).status_code == 404
    assert "Boiler" not in reader.get("/palette", params={"q": "boiler"}).text
    assert redirect(passer_by.get("/records")).startswith("/sign-in")
    assert redirect(passer_by.post("/records/note/boiler/delete")).startswith("/sign-in")
    assert finish(stranger, "note_read", note="boiler")["title"] == "Boiler"
    assert finish(stranger, "task_list")["tasks"][0]["status"] == "todo"


def test_the_menu_and_the_palette_lead_to_records(reader: Reader, client: Client) -> None:
    assert '<a href="/records">' in reader.get("/memory").text
    fill(client)
    found = reader.get("/palette", params={"q": "renew"}).text
    key = re.search(r'href="/records\?kind=task(#record-\d+)"', found)
    assert key, found
    assert f'id="{key[1][1:]}"' in reader.get("/records?kind=task").text
    assert 'href="/records"' in reader.get("/palette", params={"q": "shopping list"}).text


@ONE_DATABASE
@pytest.mark.needs_program("chromium")
def test_full_lists_are_accessible_and_fit_a_phone(reader: Reader, client: Client, arrive: Arrive) -> None:
    fill(client)
    finish(client, "note_create", title="x" * 200, text="y" * 200, tags=["z" * 50])
    visitor = arrive(reader, size=PHONE)
    visitor.page.set_viewport_size({"width": 360, "height": 740})
    for kind in ("task", "checklist", "note", "event", "contact", "expense"):
        page = visitor.open(f"/records?kind={kind}")
        visitor.check_width()
        page.emulate_media(color_scheme="light")
        visitor.check_accessibility()
        page.emulate_media(color_scheme="dark")
        visitor.check_colours()
    page.get_by_role("button", name="Delete Lunch").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    page.get_by_text("Lunch is deleted.").wait_for()


@ONE_DATABASE
@pytest.mark.needs_program("chromium")
def test_an_answer_leads_to_the_records_that_its_tools_kept(reader: Reader, arrive: Arrive, model: ModelServer) -> None:
    kept = Answer(tool="calendar_create_event", arguments={"title": "Dentist", "start": "2098-03-04T09:30"})
    model.answers += [kept, Answer(text="It is in your calendar."), Answer(text="Hello.")]
    visitor = arrive(reader)
    page = visitor.open("/playground")
    message = page.get_by_label("Message", exact=True)
    message.fill("Put the dentist into my calendar with calendar_create_event")
    page.keyboard.press("Enter")
    links = page.locator(".msg.agent .meta").get_by_role("link", name="My records")
    expect(links).to_have_attribute("href", "/records?kind=event")
    visitor.check_accessibility()
    message.fill("Hi")
    page.keyboard.press("Enter")
    page.get_by_text("Hello.", exact=True).wait_for()
    page.reload()
    page.get_by_text("Hello.", exact=True).wait_for()
    expect(links).to_have_count(1)
    links.click()
    page.get_by_text("Dentist").wait_for()


def test_a_failed_call_leads_nowhere(reader: Reader, client: Client, model: ModelServer) -> None:
    model.answers += [Answer(tool="note_read", arguments={"note": "nothing"}), Answer(text="There is none.")]
    begun = data(client.post("/chat", {"message": "Read it", "tools": ["note_read"]}))
    page = reader.get(f"/playground?conversation={begun['conversation_id']}").text
    assert "There is none." in page
    assert '<a href="/records?kind=note">' not in page


def test_the_pages_of_chats_tell_their_script_which_tools_lead_to_which_tab(reader: Reader, client: Client) -> None:
    agent = create_agent(client)
    for address in ("/playground", f"/agents/{agent}/edit"):
        (first, *others) = re.findall(r'class="messages"[^>]* data-records="([^"]*)"', reader.get(address).text)
        assert set(others) <= {first}
        kinds = json.loads(html.unescape(first))
        assert (kinds["calendar"], kinds["task"]) == ("event", "task")
        assert all(reader.get(f"/records?kind={kind}").status_code == 200 for kind in kinds.values())
