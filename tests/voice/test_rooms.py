"""Conference rooms: their records, and people in them in a browser and on a telephone who hear one another."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import requests
from hypothesis import given
from hypothesis import strategies as st

from retinue.voice.environment import VoiceEnvironment
from retinue.voice.worker.mixer import FRAME, Input, mix
from tests.conftest import NewUser, StartServer, User
from tests.support.client import Client, data, refused
from tests.support.events import stored_events
from tests.support.model_server import Answer, ModelServer
from tests.support.rows import rows
from tests.support.server import Server
from tests.support.waiting import eventually
from tests.voice.browser import Browser
from tests.voice.conftest import SpeechProcess
from tests.voice.telephone import Telephone, free_port

SDP = {"Content-Type": "application/sdp"}
BROWSER_HZ, PHONE_HZ = 660, 1040


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
    refused(client.post(f"/voice/rooms/{made['id']}/join", {}), 400, "closed")


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
    refused(client.post("/voice/rooms", body), 400)


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
    refused(reader.post(f"/voice/rooms/{first}/join", {}), 403, "voice:write")
    page = requests.get(f"{server.url}/rooms/{first}", timeout=30)
    assert "default-src 'none'" in page.headers["Content-Security-Policy"]


@given(st.lists(st.one_of(st.none(), st.integers(-32_768, 32_767)), min_size=1, max_size=8))
def test_everybody_hears_all_the_others(levels: list[int | None]) -> None:
    frames = {key: None if level is None else np.full(FRAME, level, np.int16) for key, level in enumerate(levels)}
    for key, heard in mix(frames).items():
        others = sum(level for other, level in enumerate(levels) if other != key and level is not None)
        assert (heard == max(-32_768, min(32_767, others))).all()


@given(st.lists(st.integers(1, 3 * FRAME), max_size=40))
def test_sound_keeps_its_order_and_its_delay_is_bounded(sizes: list[int]) -> None:
    taken: list[int] = []
    given, sound = 0, Input()
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
def phone(speech: SpeechProcess) -> Iterator[Telephone]:
    """A telephone. `speech` has seen to the voice environment."""
    made = Telephone(VoiceEnvironment.beside(Path()).python, free_port())
    yield made
    made.close()


@pytest.fixture
def browser(tmp_path: Path) -> Iterator[Browser]:
    """A browser whose microphone plays a tone."""
    made = Browser(tmp_path / "browser", BROWSER_HZ)
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


@pytest.mark.slow
@pytest.mark.timeout(240)
@pytest.mark.needs_program("chromium")
def test_a_browser_and_a_telephone_hear_each_other_and_not_themselves(
    start_server: StartServer, new_user: NewUser, model: ModelServer, phone: Telephone, browser: Browser
) -> None:
    server = start_server(RETINUE_MODEL_URL=model.url, RETINUE_SIP=f"127.0.0.1:{free_port()}")
    client = new_user(server, plan="professional").client()
    eventually(lambda: requests.get(f"{server.url}/readyz", timeout=10).json()["voice"] == "ready", within=120.0)
    agent = data(client.post("/agents", {"agent_name": "Bell", "agent_role": "generalist"}), 201)["id"]
    room = new_room(client, max_participants=2, agent_id=agent)
    join = data(client.post(f"/voice/rooms/{room}/join", {"name": "Ada"}))
    browser.open(join["join_url"])
    browser.evaluate("document.getElementById('join').click()")
    eventually(lambda: "in the room" in browser.evaluate("document.getElementById('state').textContent"), within=30.0)
    model.answers.append(Answer(text="The capital of France is Paris."))
    assert phone.tell("dial", join["sip_address"]) == "established"
    assert data(client.get(f"/voice/rooms/{room}"))["participants"] == 2
    refused(client.post(f"/voice/rooms/{room}/join", {}), 400, "full (2 of 2)")
    answer = requests.post(
        join["whip_url"], data="v=0", headers={"Authorization": f"Bearer {join['token']}", **SDP}, timeout=30
    )
    assert (answer.status_code, "full" in answer.json()["error"]["message"]) == (400, True)

    phone.tell("tone", PHONE_HZ, 20)
    own, other = eventually(lambda: _loud_other(phone.tell("levels", [PHONE_HZ, BROWSER_HZ])), within=15.0, every=0.3)
    assert other > 30 * own
    pitches = f"[{BROWSER_HZ}, {PHONE_HZ}]"
    heard = eventually(lambda: _loud_decibels(browser.evaluate(LEVELS % pitches)), within=15.0, every=0.3)
    assert heard[1] > heard[0] + 20

    browser.evaluate("document.getElementById('mute').click()")
    phone.tell("say", "Bell, what is the capital of France?")
    eventually(
        lambda: "Bell: The capital of France is Paris." in data(client.get(f"/voice/rooms/{room}"))["transcript"],
        within=30.0,
    )
    browser.evaluate("document.getElementById('leave').click()")
    eventually(lambda: data(client.get(f"/voice/rooms/{room}"))["participants"] == 1, within=60.0)
    closed = data(client.delete(f"/voice/rooms/{room}"))
    assert (closed["status"], closed["participants"]) == ("closed", 0)
    eventually(lambda: phone.tell("state")["state"] == "closed", within=10.0)
    seconds = sum(row["seconds"] for row in rows(server, "SELECT seconds FROM room_participants"))
    (used,) = data(client.get("/usage/history?resource_type=voice"))
    assert (used["count"], used["seconds"]) == (2, seconds)
    assert seconds > 0


def _loud_other(levels: list[float]) -> tuple[float, float] | None:
    """What the telephone hears of itself and of the other, once the other is heard."""
    own, other = levels
    return (own, other) if other > 100 else None


def _loud_decibels(levels: list[float]) -> list[float] | None:
    """What the browser hears, once it hears something."""
    return levels if levels[1] > -60 else None
