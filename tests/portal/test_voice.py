"""Calls and rooms on a server with SIP: what was said, recordings, and joining a room in the browser."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta

import pytest
import requests
from playwright.sync_api import expect

from tests.conftest import NewServer, User
from tests.portal.chromium import PHONE, Theme
from tests.portal.conftest import Arrive
from tests.portal.reader import Reader, reader_of, redirect
from tests.portal.spoken import Ledger, Said, silent_wave
from tests.portal.test_xss import HARMFUL
from tests.support.client import Client, data
from tests.support.rows import rows
from tests.support.server import Server
from tests.support.waiting import eventually
from tests.voice.ports import free_sip_port

pytestmark = pytest.mark.timeout(240)

NASTY = "<img src=x onerror=alert(1)>"
STUN = "stun:127.0.0.1:9"
LISTED = 27


@dataclass(frozen=True)
class Spoken:
    """What the user of these tests has: ids."""

    agent: int
    long: int
    recorded: int
    inbound: int
    room: int


@dataclass(frozen=True)
class Place:
    """The server, somebody who has calls, and somebody who has none."""

    server: Server
    user: User
    stranger: User
    spoken: Spoken


@pytest.fixture(scope="module")
def place(new_server: NewServer) -> Iterator[Place]:
    """A server with SIP whose database was written to before its second start."""
    server = new_server(
        RETINUE_SIP=f"127.0.0.1:{free_sip_port()}",
        RETINUE_SIP_DESTINATIONS="sip:*@127.0.0.1:*",
        RETINUE_ICE_SERVERS=STUN,
    ).start()
    user, stranger = User(server, server.new_user()), User(server, server.new_user())
    client = user.client()
    agent = data(client.post("/agents", {"agent_name": NASTY, "agent_role": "generalist"}), 201)["id"]
    room = data(client.post("/voice/rooms", {"name": NASTY, "agent_id": agent}), 201)["id"]
    files = {"file": ("call.wav", silent_wave(2), "audio/wav")}
    recording = data(client.post("/files", files=files), 201)["id"]
    (found,) = rows(server, f"SELECT account_id FROM agents WHERE id = {agent}")
    server.stop()
    spoken = _write(Ledger(server, found["account_id"]), agent, room, recording)
    yield Place(server.start(), user, stranger, spoken)
    user.close()
    server.close()


def _write(ledger: Ledger, agent: int, room: int, recording: str) -> Spoken:
    for _ in range(LISTED - 3):
        ledger.add_call(ago=timedelta(hours=1), status="busy", answered_at=None, error="486 Busy Here")
    answer: Said = ("agent", NASTY, {"first_text_ms": 341, "first_audio_ms": 427})
    talk: list[Said] = [answer, ("caller", "Yes.", {"transcription_ms": 9})]
    ledger.add_lines(room, [f"{NASTY}: {NASTY}", "Ada: Good."], [(NASTY, "phone")])
    return Spoken(
        agent=agent,
        long=ledger.add_call(talk * 51),
        recorded=ledger.add_call(
            talk,
            record=1,
            recording_file_id=recording,
            agent_id=agent,
            machine_detection="enable",
            answered_by="machine",
            ended_reason="silence",
        ),
        inbound=ledger.add_call(direction="inbound", from_address=NASTY, to_address="agent-1"),
        room=room,
    )


@pytest.fixture
def reader(place: Place) -> Iterator[Reader]:
    """The one who has calls."""
    made = reader_of(place.user)
    yield made
    made.close()


def rows_of(reader: Reader, query: str = "") -> list[str]:
    """The rows of the list."""
    page = reader.get(f"/calls{query}")
    assert page.status_code == 200, page.text
    return re.findall(r"<tr><td>.*?</tr>", page.text, re.DOTALL)


def test_calls_are_listed_filtered_and_paged(place: Place, reader: Reader) -> None:
    newest, *others = rows_of(reader)
    assert "Inbound: " in newest
    assert NASTY not in newest
    assert len(others) == 24
    assert len(rows_of(reader, "?page=2")) == LISTED - 25
    assert len(rows_of(reader, "?status=busy")) == LISTED - 3
    assert len(rows_of(reader, "?direction=inbound")) == 1
    assert len(rows_of(reader, f"?agent={place.spoken.agent}")) == 1
    assert len(rows_of(reader, "?status=completed&direction=outbound")) == 2
    assert "direction=outbound&amp;page=2" in reader.get("/calls?direction=outbound").text


def test_turns_are_shown_with_their_times_the_last_first_page(place: Place, reader: Reader) -> None:
    page = reader.get(f"/calls/{place.spoken.long}").text
    assert page.count('class="who"') == 2
    assert "102 of 102" in page
    for text in ("First words after 341 ms", "First audio after 427 ms", "Transcribed in 9 ms"):
        assert text in page
    assert reader.get(f"/calls/{place.spoken.long}?page=1").text.count('class="who"') == 100


def test_who_answered_is_shown(place: Place, reader: Reader) -> None:
    page = reader.get(f"/calls/{place.spoken.recorded}").text
    assert "<dd>An answering machine</dd>" in page
    assert "Detect who answers, and talk" in page
    assert "Answered by" not in reader.get(f"/calls/{place.spoken.long}").text


def test_the_list_and_the_page_of_a_call_say_why_it_ended(place: Place, reader: Reader) -> None:
    assert "Nobody spoke any more." in reader.get(f"/calls/{place.spoken.recorded}").text
    assert "Nobody spoke any more." in "".join(rows_of(reader, f"?agent={place.spoken.agent}"))
    assert "Nobody spoke any more." not in reader.get(f"/calls/{place.spoken.long}").text


def test_a_recording_is_sent_in_parts(place: Place, reader: Reader) -> None:
    path = f"/calls/{place.spoken.recorded}"
    assert f'src="{path}/recording"' in reader.get(path).text
    whole = reader.get(f"{path}/recording")
    assert (whole.content, whole.headers["Content-Type"]) == (silent_wave(2), "audio/wav")
    part = reader.get(f"{path}/recording", headers={"Range": "bytes=0-3"})
    assert (part.status_code, part.content, part.headers["Content-Range"][:10]) == (206, b"RIFF", "bytes 0-3/")
    assert reader.get(f"/calls/{place.spoken.long}/recording").status_code == 404


def test_calls_of_others_are_not_there(place: Place) -> None:
    other = reader_of(place.stranger)
    assert rows_of(other) == []
    for end in ("", "/live", "/recording"):
        assert other.get(f"/calls/{place.spoken.recorded}{end}").status_code == 404
    assert other.post(f"/calls/{place.spoken.recorded}/hangup").status_code == 404
    other.close()


def test_a_destination_that_is_not_allowed_is_said_beside_its_field(place: Place, reader: Reader) -> None:
    assert "<code>sip:*@127.0.0.1:*</code>" in reader.get("/calls/new").text
    answer = reader.post("/calls", {"to": "sip:bob@example.com", "opening": "name"})
    assert (answer.status_code, 'id="problem-to"' in answer.text) == (400, True)
    assert "RETINUE_SIP_DESTINATIONS" in answer.text
    room = reader.get(f"/voice-rooms/{place.spoken.room}").text
    assert re.search(r"sip:room-\d+-\d{8}@127\.0\.0\.1", room)


def test_people_are_muted_and_sent_out(place: Place, reader: Reader) -> None:
    path = f"/voice-rooms/{place.spoken.room}"
    (person,) = rows(place.server, f"SELECT id FROM room_participants WHERE room_id = {place.spoken.room}")
    stranger = reader_of(place.stranger)
    for order, shown in (("mute", "muted, "), ("unmute", '<span class="sr">since'), ("mute", "muted, ")):
        assert stranger.post(f"{path}/people/{person['id']}/{order}").status_code == 404
        assert redirect(reader.post(f"{path}/people/{person['id']}/{order}")) == path
        assert f"<small>{shown}" in reader.get(path).text
    stranger.close()
    assert reader.post(f"{path}/people/{person['id']}/praise").status_code == 404
    assert redirect(reader.post(f"{path}/people/{person['id']}/remove")) == path
    (left,) = rows(place.server, f"SELECT removed FROM room_participants WHERE id = {person['id']}")
    assert left["removed"]


@pytest.mark.needs_program("chromium")
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_spoken_text_stays_text(place: Place, reader: Reader, arrive: Arrive, theme: Theme) -> None:
    visitor = arrive(reader, theme)
    spoken = place.spoken
    paths = ["/calls", *(f"/calls/{one}" for one in (spoken.recorded, spoken.inbound))]
    for path in [*paths, "/voice-rooms", f"/voice-rooms/{spoken.room}"]:
        page = visitor.open(path)
        expect(page.locator("main")).to_contain_text(NASTY)
        assert page.evaluate(HARMFUL) == 0, path
        visitor.check_accessibility()
    transcript = reader.get(f"/voice-rooms/{spoken.room}/transcript")
    assert transcript.text == f"{NASTY}: {NASTY}\nAda: Good.\n"
    assert transcript.headers["Content-Type"].startswith("text/plain")
    assert transcript.headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.needs_program("chromium")
def test_the_pages_fit_a_phone_and_the_recording_plays(place: Place, reader: Reader, arrive: Arrive) -> None:
    visitor = arrive(reader, size=PHONE)
    spoken = place.spoken
    for path in ("/calls", f"/calls/{spoken.long}", f"/voice-rooms/{spoken.room}", f"/calls/{spoken.recorded}"):
        page = visitor.open(path)
        visitor.check_width()
    eventually(lambda: page.evaluate("document.querySelector('audio').duration === 2"), within=30.0)


@pytest.mark.needs_program("chromium")
def test_the_reader_joins_a_room_in_the_browser(place: Place, reader: Reader, arrive: Arrive) -> None:
    eventually(lambda: requests.get(f"{place.server.url}/readyz", timeout=120).json()["voice"] == "ready", within=120.0)
    path = redirect(reader.post("/voice-rooms", {"name": "Stand-up", "max_participants": "2"}))
    visitor = arrive(reader)
    visitor.context.set_default_timeout(60_000)
    visitor.context.add_init_script(
        "const Peer = RTCPeerConnection; window.RTCPeerConnection = class extends Peer {"
        " constructor(options) { super(options); window.peer = this; } };"
    )
    page = visitor.open(path)
    page.get_by_role("button", name="Join in the browser").click()
    page.wait_for_url("**/rooms/*")
    page.get_by_role("button", name="Join", exact=True).click()
    page.get_by_text("You are in the room.").wait_for()
    page.get_by_role("listitem").filter(has_text="you").wait_for()
    servers = page.evaluate("peer.getConfiguration().iceServers.flatMap((one) => one.urls)")
    client = Client(place.server, reader.token)
    way = data(client.post(f"/voice/rooms/{path.rpartition('/')[2]}/join", {}))
    assert servers == [server["urls"] for server in way["ice_servers"]] == [STUN]
    eventually(lambda: page.evaluate("document.getElementById('level').value > 0"), within=30.0)
    visitor.check_accessibility()
    mute = page.get_by_role("button", name="Mute")
    mute.press("Enter")
    assert mute.get_attribute("aria-pressed") == "true"
    eventually(lambda: page.evaluate("document.getElementById('level').value === 0"), within=30.0)
    eventually(lambda: "1 of 2" in reader.get(path).text, within=30.0)
    redirect(reader.post(f"{path}/close"))
    page.get_by_text("The room is closed.").wait_for()
    assert page.get_by_role("button").count() == 0
    eventually(lambda: "Everybody has left." in reader.get(path).text, within=60.0)
