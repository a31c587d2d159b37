"""Rooms at a LiveKit server, for which a stand-in answers: the protocol and our records, without sound."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from livekit.protocol.models import ParticipantInfo
from pydantic import SecretStr, ValidationError

from retinue.settings import Settings
from tests.conftest import NewUser, StartServer
from tests.support.client import Client, data, refuse
from tests.support.rows import rows
from tests.support.waiting import eventually
from tests.voice.following import Following
from tests.voice.livekit_server import KEY, SECRET, LiveKit, running_livekit, sign


@pytest.fixture
def livekit() -> Iterator[LiveKit]:
    """A LiveKit server."""
    with running_livekit() as made:
        yield made


@pytest.fixture
def client(livekit: LiveKit, start_server: StartServer, new_user: NewUser) -> Client:
    """A client of a server whose rooms are at LiveKit."""
    names = {"URL": livekit.url, "API_KEY": KEY, "API_SECRET": SECRET, "CLIENT_URL": "https://meet.example.com/custom"}
    server = start_server(**{f"RETINUE_LIVEKIT_{name}": value for name, value in names.items()})
    livekit.hook = f"{server.url}/livekit/webhook"
    return new_user(server, plan="professional").client()


def people(client: Client, path: str) -> dict[str, dict[str, object]]:
    """Those who are in a room, by name."""
    listed = data(client.get(f"{path}/participants?per_page=100"))
    return {person["name"]: person for person in listed if person["left_at"] is None}


def test_rooms_at_livekit(client: Client, livekit: LiveKit) -> None:
    path, name = _open(client, livekit)
    live = Following(client, path)
    ada = livekit.enter(_way(client, livekit, path, "Ada")["token"])
    livekit.admit(name, "sip_+441632960000", "", ParticipantInfo.Kind.SIP)
    livekit.admit(name, "EG_1", "recorder", ParticipantInfo.Kind.EGRESS)
    assert {who: person["kind"] for who, person in people(client, path).items()} == {
        "Ada": "browser",
        "sip_+441632960000": "phone",
    }
    assert data(client.get(path))["participants"] == 2
    refuse(client.post(f"{path}/join", {}), 400, "full (2 of 2)")
    _mute(client, livekit, path, ada)
    _remove(client, livekit, path, name, "sip_+441632960000")
    _come_back(client, livekit, path, name)
    _forge(client, livekit, path, name, ada)
    _lose(client, livekit, path, name, ada)
    _close(client, livekit, path, name)
    kinds = ("joined", "muted", "unmuted", "left", "closed", "left")
    assert [live.next(kind)["type"] for kind in kinds] == list(kinds)
    live.check_end()
    seconds = [row["seconds"] for row in rows(client.server, "SELECT seconds FROM room_participants")]
    (used,) = data(client.get("/usage/history?resource_type=voice"))
    assert (used["count"], used["seconds"], min(seconds) > 0) == (len(seconds), sum(seconds), True)
    assert client.server.ask("check") == []


def _open(client: Client, livekit: LiveKit) -> tuple[str, str]:
    """Open a room; returns its path and its name at LiveKit. Those with an agent stay at this server."""
    agent = data(client.post("/agents", {"agent_name": "Bell", "agent_role": "generalist"}), 201)["id"]
    local = data(client.post("/voice/rooms", {"name": "a", "agent_id": agent}), 201)
    assert local["media"] == "local"
    assert data(client.post(f"/voice/rooms/{local['id']}/join", {}))["livekit_url"] is None
    made = data(client.post("/voice/rooms", {"name": "Stand-up", "max_participants": 2}), 201)
    assert (made["media"], made["join_url"]) == ("livekit", "https://meet.example.com/custom")
    assert livekit.rooms == {}
    return f"/voice/rooms/{made['id']}", f"retinue-room-{made['id']}"


def _way(client: Client, livekit: LiveKit, path: str, who: str) -> dict[str, Any]:
    """A way into the room, which makes it at LiveKit."""
    way: dict[str, Any] = data(client.post(f"{path}/join", {"name": who}))
    assert (way["whip_url"], way["sip_address"], way["livekit_url"]) == (None, None, livekit.url)
    assert parse_qs(urlsplit(way["join_url"]).query) == {"liveKitUrl": [livekit.url], "token": [way["token"]]}
    assert set(livekit.most.values()) == {2}
    return way


def _mute(client: Client, livekit: LiveKit, path: str, ada: ParticipantInfo) -> None:
    """Muting takes the right to publish away at LiveKit; where that fails, the record stays as it was."""
    one = f"{path}/participants/{people(client, path)['Ada']['id']}"
    livekit.down = True
    refuse(client.post(f"{one}/mute"), 503, "LiveKit")
    refuse(client.delete(one), 503, "LiveKit")
    livekit.down = False
    assert people(client, path)["Ada"]["muted"] is False
    assert data(client.post(f"{one}/mute"))["muted"] is True
    assert (ada.permission.can_publish, ada.permission.can_subscribe) == (False, True)
    assert data(client.post(f"{one}/unmute"))["muted"] is False
    assert ada.permission.can_publish


def _remove(client: Client, livekit: LiveKit, path: str, name: str, who: str) -> None:
    """Who is sent out has left at once, whether their webhook comes or not."""
    livekit.quiet = True
    one = f"{path}/participants/{people(client, path)[who]['id']}"
    gone = data(client.delete(one))
    assert (gone["left_at"] is None, gone["seconds"] > 0, who in livekit.rooms[name]) == (False, True, False)
    assert data(client.delete(one)) == gone
    livekit.quiet = False


def _come_back(client: Client, livekit: LiveKit, path: str, name: str) -> None:
    """The link of a browser that was removed lets nobody in again."""
    eve = livekit.enter(_way(client, livekit, path, "Eve")["token"])
    data(client.delete(f"{path}/participants/{people(client, path)['Eve']['id']}"))
    livekit.admit(name, eve.identity, "Eve", ParticipantInfo.Kind.STANDARD)
    assert "Eve" not in people(client, path)
    assert eve.identity not in livekit.rooms[name]


def _forge(client: Client, livekit: LiveKit, path: str, name: str, ada: ParticipantInfo) -> None:
    """Only what LiveKit signed counts, once."""
    left = f'{{"event": "participant_left", "room": {{"name": "{name}"}}, "participant": {{"sid": "{ada.sid}"}}}}'
    for token in (None, "nonsense", sign(left, "another secret, of somebody else entirely"), sign(left + " ")):
        assert livekit.send(left, token).status_code == 401
    for body in ("{", '{"event": 3}'):
        assert livekit.send(body, sign(body)).status_code == 401
    big = "x" * (300 << 10)
    assert livekit.send(big, sign(big)).status_code == 400
    livekit.tell("participant_joined", name, ada)
    livekit.tell("participant_joined", "room of another application", ada)
    livekit.tell("participant_joined", "retinue-room-999999", ada)
    assert list(people(client, path)) == ["Ada"]


def _lose(client: Client, livekit: LiveKit, path: str, name: str, ada: ParticipantInfo) -> None:
    """Where webhooks are lost, the next who joins has the room compared with LiveKit."""
    livekit.quiet = True
    livekit.drop(name, ada.identity)
    livekit.admit(name, "person-bob", "Bob", ParticipantInfo.Kind.STANDARD)
    assert list(people(client, path)) == ["Ada"]
    livekit.quiet = False
    _way(client, livekit, path, "Eve")
    assert list(people(client, path)) == ["Bob"]
    livekit.tell("participant_left", name, ada)
    livekit.tell("participant_joined", name, ada)
    assert list(people(client, path)) == ["Bob"]


def _close(client: Client, livekit: LiveKit, path: str, name: str) -> None:
    """A room that was closed while LiveKit was away is closed there as soon as it is back."""
    livekit.down = True
    refuse(client.post(f"{path}/join", {}), 503, "LiveKit")
    closed = data(client.delete(path))
    assert (closed["status"], closed["participants"]) == ("closed", 1)
    livekit.down = False
    eventually(lambda: name not in livekit.rooms and not people(client, path), within=60.0)
    other = data(client.post("/voice/rooms", {"name": "b", "max_participants": 2}), 201)["id"]
    livekit.enter(_way(client, livekit, f"/voice/rooms/{other}", "Ada")["token"])
    assert data(client.delete(f"/voice/rooms/{other}"))["participants"] == 0
    assert livekit.rooms == {}


def test_a_livekit_server_needs_its_key() -> None:
    with pytest.raises(ValidationError, match="RETINUE_LIVEKIT_API_KEY"):
        Settings(livekit_url="wss://livekit.example.com")
    with pytest.raises(ValidationError):
        Settings(livekit_url="livekit.example.com", livekit_api_key="a", livekit_api_secret=SecretStr("b"))
