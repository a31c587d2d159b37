"""The pages of batches of calls and of the do-not-call list, on a server that may dial."""

import html
from collections.abc import Iterator
from typing import Any

import pytest
import requests

from tests.conftest import NewServer, User
from tests.portal.chromium import PHONE
from tests.portal.conftest import Arrive
from tests.portal.reader import Reader, reader_of, redirect
from tests.portal.test_look import check_in_both_themes
from tests.support.client import Client, data
from tests.support.server import Server
from tests.voice.ports import free_sip_port

CSV = "to,name\n+441632960001,Ada\n+441632960002,Bo <b>\n+441632960002,Cy\nnobody,Di\n"
FORM = {
    "name": "Reminders", "recipients": "", "opening": "own", "greeting": "Hello {{name}}.", "at_once": "2",
    "per_minute": "3", "hours": "on", "day_mon": "on", "start": "09:00", "end": "17:00", "timezone": "Europe/London",
    "start_at": "2100-01-04T00:00", "times": "1", "after_minutes": "15", "on_busy": "on",
}  # fmt: skip


@pytest.fixture(scope="module")
def dialling(new_server: NewServer) -> Iterator[Server]:
    """A server with SIP."""
    sip = {"RETINUE_SIP": f"127.0.0.1:{free_sip_port()}", "RETINUE_SIP_DESTINATIONS": "sip:*@127.0.0.1:*,+44*"}
    server = new_server("sqlite", RETINUE_ALLOWED_NETWORKS="127.0.0.1/32", **sip).start()
    yield server
    server.close()


@pytest.fixture
def owner(dialling: Server) -> Iterator[User]:
    """A user of that server."""
    user = User(dialling, dialling.new_user())
    yield user
    user.close()


@pytest.fixture
def visitor(owner: User) -> Iterator[Reader]:
    """That user, signed in."""
    reader = reader_of(owner)
    yield reader
    reader.close()


def send(reader: Reader, content: str, **fields: str) -> requests.Response:
    """Send the form with a file."""
    files = {"file": ("people.csv" if content else "", content.encode(), "text/csv")}
    headers = {"Origin": reader.server.url}
    return reader._send("POST", "/calls/batches", headers=headers, files=files, data={**FORM, **fields})


def local_recipients(server: Server) -> str:
    """Return recipients at addresses that this server may dial without a trunk."""
    return CSV.replace("+44163296000", "sip:someone").replace(",", "@127.0.0.1:9,").replace("to@127.0.0.1:9,", "to,")


def test_a_draft_shows_its_plan_and_is_started_paused_cancelled_and_deleted(visitor: Reader, owner: User) -> None:
    assert "Call a list of people" in visitor.get("/calls/batches").text
    form = visitor.get("/calls/batches/new").text
    assert ('name="recipients"' in form, "data-own-zone" in form, "own_zone.js" in form) == (True, True, True)
    path = redirect(send(visitor, local_recipients(visitor.server)))
    page = html.unescape(visitor.get(path).text)
    for text in ("Start calling", "Call 2 people?", "Recipient 2 has the same number", "Must be a phone number"):
        assert text in page
    batch: Any = data(owner.client().get(f"/voice/batches/{path.rpartition('/')[2]}"))
    assert (batch["status"], batch["at_once"], batch["retries"]) == (
        "draft", 2, {"times": 1, "after_minutes": 15, "on": ["busy"]},
    )  # fmt: skip
    assert batch["window"] == {"days": ["mon"], "start": "09:00", "end": "17:00", "timezone": "Europe/London"}
    assert redirect(visitor.post(f"{path}/start")) == path
    page = visitor.get(path).text
    assert 'Waits for its hours: <time datetime="2100-01-04T09:00' in page
    assert 'Next call: <time datetime="2100-01-04T09:00' in visitor.get("/calls/batches").text
    assert ("Pause" in page, "Bo &lt;b&gt;" in page, "someone1@127.0.0.1" in page) == (True, True, True)
    assert "Refused" in visitor.get(f"{path}?status=refused").text
    assert redirect(visitor.post(f"{path}/pause")) == path
    assert "Resume" in visitor.get(path).text
    assert redirect(visitor.post(f"{path}/resume")) == path
    assert redirect(visitor.post(f"{path}/cancel")) == path
    assert "Delete" in visitor.get(path).text
    assert "Reminders" in visitor.get("/calls/batches").text
    assert redirect(visitor.post(f"{path}/delete")) == "/calls/batches"
    assert visitor.get(path).status_code == 404


def test_pasted_recipients_and_problems_beside_their_fields(visitor: Reader) -> None:
    assert redirect(send(visitor, "", recipients="to,name\r\nsip:a@127.0.0.1:9,Ada\r\n")).startswith("/calls/batches/")
    for fields, content, field, text in (
        ({}, "", "recipients", "Choose a CSV file"),
        ({}, "who\nx\n", "recipients", "no column with the numbers"),
        ({"name": ""}, CSV, "name", "Fill this in"),
        ({"country": "ZZ"}, CSV, "country", "ISO 3166"),
        ({"at_once": "99"}, local_recipients(visitor.server), "at_once", "concurrent calls"),
        ({"end": "08:00"}, CSV, "window", "Start must be before end"),
        ({"times": "9"}, CSV, "retries", "5"),
        ({"start_at": "soon"}, local_recipients(visitor.server), "start_at", "not a date"),
    ):
        answer = send(visitor, content, **fields)
        page = html.unescape(answer.text)
        assert (answer.status_code, f'id="problem-{field}"' in page, text in page) == (400, True, True), (field, page)
        assert 'value="Europe/London"' in page


def test_the_do_not_call_list(visitor: Reader, owner: User) -> None:
    assert "Nobody is on the list" in visitor.get("/calls/do-not-call").text
    assert (
        redirect(visitor.post("/calls/do-not-call", {"number": "+441632960007", "note": "<b>"})) == "/calls/do-not-call"
    )
    page = visitor.get("/calls/do-not-call").text
    assert ("+441632960007" in page, "&lt;b&gt;" in page) == (True, True)
    for field, fields in (("number", {"number": "0163"}), ("country", {"number": "01632 960008", "country": "ZZ"})):
        answer = visitor.post("/calls/do-not-call", fields)
        assert (answer.status_code, f'id="problem-{field}"' in answer.text) == (400, True)
    (entry,) = data(owner.client().get("/voice/do-not-call"))
    redirect(visitor.post(f"/calls/do-not-call/{entry['id']}/delete"))
    assert data(owner.client().get("/voice/do-not-call")) == []


def test_a_batch_of_another_account_is_not_shown(visitor: Reader, dialling: Server) -> None:
    other = User(dialling, dialling.new_user())
    body = {"name": "Theirs", "recipients": [{"to": "sip:a@127.0.0.1:9"}], "start": False}
    batch = data(other.client().post("/voice/batches", body), 201)["id"]
    for path in ("", "/live"):
        assert visitor.get(f"/calls/batches/{batch}{path}").status_code == 404
    for order in ("start", "pause", "resume", "cancel", "delete"):
        assert visitor.post(f"/calls/batches/{batch}/{order}").status_code == 404
    assert "Theirs" not in visitor.get("/calls/batches").text
    other.close()


@pytest.mark.needs_program("chromium")
def test_the_pages_are_accessible_and_fit_a_phone(visitor: Reader, owner: User, arrive: Arrive) -> None:
    client: Client = owner.client()
    draft = redirect(send(visitor, local_recipients(visitor.server)))
    started = redirect(
        send(visitor, local_recipients(visitor.server), name="Invitations to the summer party of the whole street")
    )
    redirect(visitor.post(f"{started}/start"))
    data(client.post("/voice/do-not-call", {"number": "+441632960007", "note": "Asked not to be called"}), 201)
    paths = ("/calls", "/calls/batches", "/calls/batches/new", draft, started, "/calls/do-not-call")
    wide, narrow = arrive(visitor), arrive(visitor, size=PHONE)
    for path in paths:
        check_in_both_themes(wide, path)
        narrow.open(path)
        narrow.check_width()
