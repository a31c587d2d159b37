"""Conference rooms: their records, and people in them in a browser and on a telephone who hear one another."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import requests
from hypothesis import given
from hypothesis import strategies as st

from retinue.voice.worker.mixer import FRAME, MixerInput, mix
from tests.conftest import User
from tests.support.client import Client, data, refuse
from tests.support.events import stored_events
from tests.support.model_server import Answer, ModelServer
from tests.support.rows import rows
from tests.support.server import Server
from tests.support.waiting import eventually
from tests.voice.browser import Browser, Tab
from tests.voice.following import Following
from tests.voice.telephone import Telephone

SDP = {"Content-Type": "application/sdp"}
ADA_HZ, BOB_HZ, PHONE_HZ = TONES = (660, 880, 1040)
STATE = "document.getElementById('state').textContent"


def new_room(client: Client, **fields: object) -> int:
    """Open a room; returns its id."""
    return int(data(client.post("/voice/rooms", {"name": "Stand-up", **fields}), 201)["id"])


def test_a_room_is_opened_shown_listed_and_closed(server: Server, client: Client) -> None:
    made = data(client.post("/voice/rooms", {"name": "Stand-up"}), 201)
    kept = ("name", "status", "max_participants", "participants", "voice_engine", "agent_id", "transcript", "ended_at")
    assert [made[name] for name in kept] == ["Stand-up", "active", 10, 0, "hibari", None, "", None]
    assert made["join_url"] == f"{server.url}/rooms/{made['id']}"
    assert data(client.get(f"/voice/rooms/{made['id']}")) == made
    (event,) = [event for event in stored_events(server, "voice.room.created") if event["room_id"] == made["id"]]
    assert (event["name"], event["max_participants"], event["status"]) == ("Stand-up", 10, "active")
    other = new_room(client)
    listed = client.get("/voice/rooms?per_page=1").json()
    assert ([room["id"] for room in listed["data"]], listed["meta"]["total"]) == ([other], 2)
    closed = data(client.delete(f"/voice/rooms/{made['id']}"))
    assert (closed["status"], closed["ended_at"] is None) == ("closed", False)
    assert [room["id"] for room in data(client.get("/voice/rooms"))] == [other]
    assert data(client.get(f"/voice/rooms/{made['id']}")) == closed
    assert data(client.delete(f"/voice/rooms/{made['id']}")) == closed
    refuse(client.post(f"/voice/rooms/{made['id']}/join", {}), 400, "closed")


def test_a_closed_room_is_followed_to_its_end(client: Client) -> None:
    room = new_room(client)
    following = Following(client, f"/voice/rooms/{room}")
    data(client.delete(f"/voice/rooms/{room}"))
    assert following.next("closed").keys() == {"type", "at"}
    following.check_end()
    assert data(client.get(f"/voice/rooms/{room}/participants")) == []


def test_who_is_not_in_the_room_is_neither_muted_nor_sent_out(client: Client) -> None:
    room, path = new_room(client), "/voice/rooms/{}/participants/1"
    for method, last in (("POST", "/mute"), ("POST", "/unmute"), ("DELETE", "")):
        refuse(client.request(method, path.format(room) + last), 404, "no participant 1 in room")
        refuse(client.request(method, path.format(999_999) + last), 404, "no room 999999")


def test_a_room_takes_the_engine_of_its_agent(client: Client) -> None:
    body = {"agent_name": "Bell", "agent_role": "leader", "voice_engine": "kokoro"}
    agent = data(client.post("/agents", body), 201)["id"]
    room = data(client.post("/voice/rooms", {"name": "a", "agent_id": agent}), 201)
    assert (room["agent_id"], room["voice_engine"]) == (agent, "kokoro")
    named = {"name": "a", "agent_id": agent, "voice_engine": "hibari"}
    assert data(client.post("/voice/rooms", named), 201)["voice_engine"] == "hibari"


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"name": ""},
        {"name": "a", "max_participants": 0},
        {"name": "a", "max_participants": 101},
        {"name": "a", "agent_id": 999_999},
    ],
)
def test_wrong_rooms_are_refused(client: Client, body: dict[str, object]) -> None:
    refuse(client.post("/voice/rooms", body), 400)


def test_a_room_is_opened_once_under_an_idempotency_key(client: Client) -> None:
    headers = {"Idempotency-Key": "room-once"}
    first, second = (client.post("/voice/rooms", {"name": "a"}, headers=headers) for _ in range(2))
    assert data(first, 201)["id"] == data(second, 201)["id"]


def test_tokens_open_one_room_for_a_while(server: Server, client: Client, user: User) -> None:
    first, second = new_room(client), new_room(client)
    join = data(client.post(f"/voice/rooms/{first}/join", {"name": "Ada"}))
    assert (join["whip_url"], join["sip_address"]) == (f"{server.url}/rooms/{first}/whip", None)
    assert join["join_url"] == f"{server.url}/rooms/{first}#{join['token']}"
    bearer = {"Authorization": f"Bearer {join['token']}", **SDP}
    wrong = {"Authorization": f"Bearer {join['token'][:-4]}AAAA", **SDP}
    for headers, room, status in ((SDP, first, 401), (wrong, first, 401), (bearer, second, 404)):
        answer = requests.post(f"{server.url}/rooms/{room}/whip", data="v=0", headers=headers, timeout=30)
        assert answer.status_code == status, answer.text
    as_json = {**bearer, "Content-Type": "application/json"}
    assert requests.post(join["whip_url"], data="{}", headers=as_json, timeout=30).status_code == 400
    reader = user.client(["voice:read"])
    refuse(reader.post(f"/voice/rooms/{first}/join", {}), 403, "voice:write")
    page = requests.get(f"{server.url}/rooms/{first}", timeout=30)
    assert "default-src 'none'" in page.headers["Content-Security-Policy"]


def test_an_invalid_room_id_is_not_found(server: Server) -> None:
    for name in ("9" * 5000, "9" * 19, "one", "%D9%A1"):
        for method, path in (("GET", ""), ("GET", "/state"), ("POST", "/whip")):
            answer = requests.request(method, f"{server.url}/rooms/{name}{path}", timeout=30)
            assert answer.status_code == 404, answer.text


@given(st.lists(st.one_of(st.none(), st.integers(-32_768, 32_767)), min_size=1, max_size=8))
def test_everybody_hears_all_the_others(levels: list[int | None]) -> None:
    frames = {key: None if level is None else np.full(FRAME, level, np.int16) for key, level in enumerate(levels)}
    for key, heard in mix(frames).items():
        others = sum(level for other, level in enumerate(levels) if other != key and level is not None)
        assert (heard == max(-32_768, min(32_767, others))).all()


@given(st.lists(st.integers(1, 3 * FRAME), max_size=40))
def test_sound_keeps_its_order_and_its_delay_is_bounded(sizes: list[int]) -> None:
    taken: list[int] = []
    given, sound = 0, MixerInput()
    for size in sizes:
        sound.push(np.arange(given, given + size, dtype=np.int64).astype(np.int16))
        given += size
        assert sound.samples <= 10 * FRAME + 3 * FRAME
        if (frame := sound.take()) is not None:
            assert len(frame) == FRAME
            taken += [int(value) for value in frame]
    steps = np.diff(np.array(taken, np.int16).astype(np.int64))
    assert all(step > 0 or step < -30_000 for step in steps)


@pytest.fixture
def browser(tmp_path: Path) -> Iterator[Browser]:
    """A browser whose microphone plays a tone."""
    made = Browser(tmp_path / "browser", ADA_HZ)
    yield made
    made.close()


LEVELS = """(async (pitches) => {
  const context = window.listening ||= new AudioContext();
  await context.resume();
  if (!window.analyser) {
    window.analyser = context.createAnalyser();
    window.analyser.fftSize = 16384;
    window.analyser.smoothingTimeConstant = 0;
    context.createMediaStreamSource(document.getElementById("sound").srcObject).connect(window.analyser);
  }
  const bins = new Float32Array(window.analyser.frequencyBinCount);
  window.analyser.getFloatFrequencyData(bins);
  const width = context.sampleRate / window.analyser.fftSize;
  const around = (pitch) => bins.slice(Math.round(pitch / width) - 3, Math.round(pitch / width) + 4);
  return pitches.map((pitch) => Math.max(-200, ...around(pitch)));
})(%s)"""


def join(client: Client, browser: Browser, path: str, name: str, hertz: float | None = None) -> Tab:
    """A tab of the browser in the room; with `hertz` its microphone is a tone of its own."""
    way = data(client.post(f"{path}/join", {"name": name}))
    tab = browser.open(way["join_url"])
    if hertz:
        tab.play(hertz)
    tab.evaluate("document.getElementById('join').click()")
    eventually(lambda: "in the room" in tab.evaluate(STATE), within=60.0)
    return tab


def tab_hears(tab: Tab, others: set[int], own: int) -> None:
    """Wait until a tab hears these tones, each at least 20 dB louder than the tone that is not to be heard."""

    def look() -> bool:
        *heard, itself = tab.evaluate(LEVELS % [*sorted(others), own])
        return bool(min(heard) > max(-60, itself + 20))

    eventually(look, within=100.0, every=0.3)


def phone_hears(phone: Telephone, others: set[int], silent: set[int]) -> None:
    """Wait until the telephone hears these tones, each ten times as loud as those that are not to be heard."""

    def look() -> bool:
        levels = dict(zip(TONES, phone.tell("levels", list(TONES)), strict=True))
        quiet = max(levels[pitch] for pitch in silent)
        return all(levels[pitch] > max(100, 10 * quiet) for pitch in others)

    eventually(look, within=100.0, every=0.3)


@pytest.mark.realtime
@pytest.mark.slow
@pytest.mark.timeout(360)
@pytest.mark.needs_program("chromium")
def test_two_tabs_and_a_telephone_hear_each_other_and_not_themselves(
    caller: Client, model: ModelServer, phone: Telephone, browser: Browser
) -> None:
    client = caller
    agent = data(client.post("/agents", {"agent_name": "Bell", "agent_role": "generalist"}), 201)["id"]
    room = new_room(client, max_participants=3, agent_id=agent)
    path = f"/voice/rooms/{room}"
    live = Following(client, path)
    way = data(client.post(f"{path}/join", {"name": "Eve"}))
    ada, bob = join(client, browser, path, "Ada"), join(client, browser, path, "Bob", BOB_HZ)
    assert phone.tell("dial", way["sip_address"]) == "established"
    assert [live.next("joined")["name"] for _ in range(3)] == ["Ada", "Bob", "phone"]
    _check_full(client, path, way)

    phone.tell("tone", PHONE_HZ, 120)
    tab_hears(ada, {BOB_HZ, PHONE_HZ}, ADA_HZ)
    tab_hears(bob, {ADA_HZ, PHONE_HZ}, BOB_HZ)
    phone_hears(phone, {ADA_HZ, BOB_HZ}, {PHONE_HZ})
    _mute_and_remove(client, path, phone)
    eventually(lambda: "left" in bob.evaluate(STATE), within=60.0)
    assert [live.next(kind)["name"] for kind in ("muted", "unmuted", "left")] == ["Ada", "Ada", "Bob"]

    # With one person the agent answers everything: on a busy machine sound is lost, and its name may be misheard.
    ada.evaluate("document.getElementById('leave').click()")
    assert live.next("left")["name"] == "Ada"
    _ask_the_agent(model, phone)
    assert live.next("said", speaker="phone")["text"]
    assert live.next("said", speaker="Bell")["text"] == "The capital of France is Paris."
    assert "Bell: The capital of France is Paris." in data(client.get(path))["transcript"]
    assert data(client.get(path))["participants"] == 1
    closed = data(client.delete(path))
    assert (closed["status"], closed["participants"]) == ("closed", 0)
    eventually(lambda: phone.tell("state")["state"] == "closed", within=30.0)
    live.check_end()
    _check_usage(client, room)


def _check_full(client: Client, path: str, way: dict[str, Any]) -> None:
    """Nobody else comes in."""
    assert data(client.get(path))["participants"] == 3
    refuse(client.post(f"{path}/join", {}), 400, "full (3 of 3)")
    headers = {"Authorization": f"Bearer {way['token']}", **SDP}
    answer = requests.post(way["whip_url"], data="v=0", headers=headers, timeout=30)
    assert (answer.status_code, "full" in answer.json()["error"]["message"]) == (400, True)


def _mute_and_remove(client: Client, path: str, phone: Telephone) -> None:
    """Ada is muted and unmuted, and Bob is sent out."""
    people = {person["name"]: person["id"] for person in data(client.get(f"{path}/participants"))}
    assert list(people) == ["phone", "Bob", "Ada"]
    ada, bob = (f"{path}/participants/{people[name]}" for name in ("Ada", "Bob"))
    for _ in range(2):
        assert data(client.post(f"{ada}/mute"))["muted"] is True
    phone_hears(phone, {BOB_HZ}, {ADA_HZ, PHONE_HZ})
    assert data(client.post(f"{ada}/unmute"))["muted"] is False
    phone_hears(phone, {ADA_HZ, BOB_HZ}, {PHONE_HZ})
    eventually(lambda: data(client.delete(bob))["left_at"] is not None, within=30.0)
    phone_hears(phone, {ADA_HZ}, {BOB_HZ, PHONE_HZ})
    refuse(client.post(f"{bob}/mute"), 400, "Bob has left the room")


def _ask_the_agent(model: ModelServer, phone: Telephone) -> None:
    """The telephone, which hears nothing else by then, hears the agent answer.

    Like a person, it asks again if no answer comes: a busy machine may lose the sound of the question.
    """
    phone.tell("tone", PHONE_HZ, 0)
    eventually(lambda: max(phone.tell("levels", list(TONES))) < 20, within=100.0, every=0.3)
    phone.tell("tone", PHONE_HZ, 0)

    def ask() -> bool:
        model.answers.clear()
        model.answers.append(Answer(text="The capital of France is Paris."))
        phone.tell("say", "Bell, what is the capital of France?")
        return bool(phone.tell("hear", 1.5))

    eventually(ask)


def _check_usage(client: Client, room: int) -> None:
    """Three people's time is billed, and the records agree with each other."""
    people = rows(client.server, f"SELECT seconds FROM room_participants WHERE room_id = {room}")
    seconds = sum(row["seconds"] for row in people)
    (used,) = data(client.get("/usage/history?resource_type=voice"))
    assert (used["count"], used["seconds"]) == (3, seconds)
    assert seconds > 0
    assert client.server.ask("check") == []
