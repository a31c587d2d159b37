"""The pages of webhooks: endpoints, deliveries, and the catalogue of events."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from http.server import ThreadingHTTPServer

import pytest
from playwright.sync_api import expect

import retinue.platform.resources  # noqa: F401 - the events are known once their packages are imported
from retinue.core.http.envelope import Page as Part
from retinue.core.work.events import event_names
from retinue.portal.paging import Paging
from retinue.portal.templating import render
from retinue.portal.webhooks.catalogue import ABOUT, TYPES, event_kinds
from scripts.translations import extract_messages
from tests.conftest import DATABASES, NewServer, User
from tests.portal.conftest import Arrive
from tests.portal.reader import Reader
from tests.portal.test_keyboard import tab_to
from tests.support.client import Client, data
from tests.support.http_server import QuietHandler, running
from tests.support.server import Server
from tests.support.waiting import eventually

pytestmark = pytest.mark.either_database

NASTY = "<img src=x onerror=alert(1)>"


class Receiver(ThreadingHTTPServer):
    """An endpoint that fails until it is told to work."""

    works = False

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self.server_port}/events"


class _Handler(QuietHandler):
    server: Receiver

    def do_POST(self) -> None:
        """Answer as the receiver is told."""
        self.read_body()
        self.send_response(200 if self.server.works else 500)
        self.end_headers()
        self.wfile.write(NASTY.encode())


def test_descriptions_of_events_can_be_translated() -> None:
    rows = [row for kind in event_kinds() for row in kind.rows]
    assert {kind.about for kind in event_kinds()} == ABOUT
    assert {row.type for row in rows} == TYPES
    messages = extract_messages("portal")
    assert [row.about for row in rows if row.about not in messages] == []


@pytest.fixture(scope="module", params=DATABASES)
def server(request: pytest.FixtureRequest, new_server: NewServer) -> Iterator[Server]:
    """A server that may deliver to this machine, and gives up after its second attempt."""
    allowed = {"RETINUE_ALLOWED_NETWORKS": "127.0.0.0/8", "RETINUE_WEBHOOK_SCHEDULE": "0,0.1"}
    running = new_server(request.param, **allowed).start()
    yield running
    running.close()


def create(reader: Reader, url: str, **fields: str | list[str]) -> str:
    """Create an endpoint with the form; returns its path."""
    answer = reader.post("/webhooks", {"url": url, "which": "all", "description": "", **fields})
    assert answer.status_code == 200, answer.text
    assert re.search(r'id="new-secret"[^>]*>whsec_\S+<', answer.text)
    found = re.search(r'class="button primary" href="(/webhooks/\d+)"', answer.text)
    assert found
    return found[1]


def test_an_endpoint_is_made_changed_paused_and_deleted(reader: Reader) -> None:
    path = create(reader, "https://example.com/a", description=NASTY, which="some", events=["agent.error"])
    page = reader.get(path).text
    assert "agent.error" in page
    assert NASTY not in page + reader.get("/webhooks").text
    assert reader.post(f"{path}/edit", {"url": "https://example.com/b", "which": "all"}).status_code == 303
    assert "https://example.com/b" in reader.get("/webhooks").text
    assert 'value="https://example.com/b"' in reader.get(f"{path}/edit").text
    reader.post(f"{path}/disable")
    assert "You have disabled it." in reader.get(path).text
    reader.post(f"{path}/enable")
    assert "Send a test" in reader.get(path).text
    assert "whsec_" in reader.post(f"{path}/rotate").text
    assert "Use only the new secret" in reader.get(path).text
    reader.post(f"{path}/switch")
    assert "Create a new secret" in reader.get(path).text
    assert reader.post(f"{path}/delete").status_code == 303
    assert reader.get(path).status_code == 404


def test_errors_are_shown_beside_their_field(reader: Reader) -> None:
    answer = reader.post("/webhooks", {"url": "ftp://example.com", "which": "all", "description": "kept"})
    assert answer.status_code == 400
    assert 'id="problem-url"' in answer.text
    assert 'value="kept"' in answer.text


def test_every_event_is_in_the_catalogue(reader: Reader) -> None:
    page = reader.get("/webhooks/events").text
    assert {name for name in event_names() if f'id="{name}"' in page} == event_names()
    assert page.count('aria-label="Sample payload of ') == len(event_names())
    assert "ID of the run. <code>GET /runs/{id}</code> returns its steps." in page
    assert "hmac.compare_digest" in page
    assert "timingSafeEqual" in page


def test_events_are_found_and_chosen_by_group(reader: Reader, arrive: Arrive, user: User) -> None:
    visitor = arrive(reader)
    page = visitor.open("/webhooks/new")
    page.get_by_label("Address").fill("https://example.com/a")
    expect(page.get_by_label("Filter events")).to_be_hidden()
    page.get_by_label("Only what I choose").check()
    page.get_by_label("Filter events").fill("schedule fail")
    expect(page.locator("[name=events]:visible")).to_have_count(1)
    page.get_by_label("Filter events").press("Enter")
    page.get_by_label("schedule.failed").check()
    page.get_by_label("Filter events").fill("no such event")
    expect(page.get_by_text("No event matches.")).to_be_visible()
    page.get_by_label("Filter events").fill("")
    every = page.get_by_label("All of this group: Schedules")
    assert every.evaluate("box => box.indeterminate")
    page.get_by_label("All of this group: Fleets").check()
    expect(page.get_by_text(f"3 of {len(event_names())} chosen")).to_be_visible()
    page.get_by_label("fleet.created").uncheck()
    visitor.check_accessibility()
    page.get_by_role("button", name="Create endpoint").click()
    page.get_by_role("link", name="I have copied it").wait_for()
    assert data(user.client().get("/webhooks"))[0]["events"] == ["fleet.deployed", "schedule.failed"]


def test_endpoints_of_others_are_not_there(server: Server, reader: Reader) -> None:
    stranger = Client(server, server.new_key(server.new_user()))
    endpoint = data(stranger.post("/webhooks", {"url": "https://example.com/other"}), 201)
    delivery = data(stranger.post(f"/webhooks/{endpoint['id']}/test"), 202)
    path = f"/webhooks/{endpoint['id']}"
    assert "example.com/other" not in reader.get("/webhooks").text
    for shown in (path, f"{path}/edit", f"{path}/deliveries/{delivery['id']}"):
        assert reader.get(shown).status_code == 404
    replay = f"deliveries/{delivery['id']}/replay"
    for verb in ("edit", "enable", "disable", "rotate", "switch", "delete", "test", replay):
        assert reader.post(f"{path}/{verb}", {"url": "https://example.com", "which": "all"}).status_code == 404, verb


def test_an_endpoint_is_made_and_tested_by_keyboard(reader: Reader, arrive: Arrive) -> None:
    with running(Receiver(("127.0.0.1", 0), _Handler)) as receiver:
        receiver.works = True
        page = arrive(reader).open("/webhooks/new")
        expect(page.get_by_role("textbox", name="Address")).to_be_focused()
        page.keyboard.type(receiver.url)
        page.keyboard.press("Enter")
        tab_to(page.get_by_role("link", name="I have copied it"))
        page.keyboard.press("Enter")
        page.wait_for_url(re.compile(r"/webhooks/\d+$"))
        delete = page.get_by_role("button", name="Delete", exact=True)
        tab_to(delete)
        page.keyboard.press("Enter")
        expect(page.locator("#confirm").get_by_role("button", name="Cancel")).to_be_focused()
        page.keyboard.press("Escape")
        expect(delete).to_be_focused()
        tab_to(page.get_by_role("button", name="Send a test"))
        page.keyboard.press("Enter")
        expect(page.locator("#payload")).to_contain_text("webhook.test")


def test_a_delivery_fails_is_seen_and_sent_again(reader: Reader, arrive: Arrive) -> None:
    with running(Receiver(("127.0.0.1", 0), _Handler)) as receiver:
        visitor = arrive(reader)
        page = visitor.open("/webhooks/new")
        page.get_by_label("Address").fill(receiver.url)
        page.get_by_role("button", name="Create endpoint").click()
        page.get_by_role("link", name="I have copied it").click()
        page.get_by_role("button", name="Send a test").click()
        page.locator(".pill", has_text="Failed").wait_for()
        assert page.locator(".pill", has_text="500").count() == 2
        assert page.locator(f"text={NASTY}").count() == 2
        assert '"event": "webhook.test"' in page.locator("#payload").inner_text()
        visitor.check_accessibility()
        assert "0 %<br><small>0 of 1</small>" in reader.get("/webhooks").text
        receiver.works = True
        page.get_by_role("button", name="Send again").click()
        page.locator(".pill", has_text="Delivered").wait_for()
        page.get_by_role("link", name=receiver.url).click()
        assert page.locator("tbody tr").count() == 2
        assert "50 %<br><small>1 of 2</small>" in reader.get("/webhooks").text
        visitor.check_accessibility()


def test_a_delivery_that_failed_says_when_it_is_tried_again() -> None:
    moment = datetime(2026, 11, 28, 12, tzinfo=UTC)
    first = {
        "id": "dlv_1",
        "status": "pending",
        "event": "run.completed",
        "created_at": moment,
        "next_attempt_at": moment,
    }
    endpoint = {"id": 1, "enabled": True, "failing_since": None, "disabled_reason": None}
    for attempts, pill in ((0, "Pending</span>"), (2, "Next try <time")):
        values = {"endpoint": endpoint, "deliveries": [{**first, "attempts": attempts}], "paging": Paging(Part(), 1)}
        assert pill in render("webhooks/_deliveries.html", **values)


def test_the_log_shows_a_new_delivery_at_once(server: Server, user: User, reader: Reader, arrive: Arrive) -> None:
    client = Client(server, server.new_key(user.email))
    with running(Receiver(("127.0.0.1", 0), _Handler)) as receiver:
        receiver.works = True
        page = arrive(reader).open(create(reader, receiver.url))
        page.get_by_text("Nothing has been sent yet").wait_for()
        data(client.post("/agents", {"agent_name": "Ada", "agent_role": "generalist"}), 201)
        page.get_by_text("agent.created").wait_for()
        eventually(lambda: page.locator("tbody .pill", has_text="Delivered").count() == 1)
