"""Telephones in rooms whose media worker or server dies, and guests who were removed."""

import os
import signal
from typing import Any

import pytest
import requests

from tests.support.client import Client, data
from tests.support.rows import rows
from tests.support.server import Server
from tests.support.waiting import eventually
from tests.voice.telephone import Telephone, voice_is_ready, worker_pid

pytestmark = pytest.mark.timeout(180)

OFFER = "\r\n".join(
    [
        "v=0", "o=- 1 1 IN IP4 127.0.0.1", "s=-", "t=0 0", "a=group:BUNDLE 0",
        "m=audio 9 UDP/TLS/RTP/SAVPF 111", "c=IN IP4 0.0.0.0", "a=rtcp-mux", "a=mid:0", "a=sendrecv",
        "a=ice-ufrag:abcd", "a=ice-pwd:abcdefghijklmnopqrstuvwx", "a=setup:actpass",
        f"a=fingerprint:sha-256 {':'.join(['0A'] * 32)}", "a=rtpmap:111 opus/48000/2", "",
    ]
)  # fmt: skip
"""The offer of a browser."""


def dial_in(client: Client, phone: Telephone, path: str) -> None:
    """The telephone calls a room and is in it."""
    phone.tell("expect", "answer")
    assert phone.tell("dial", data(client.post(f"{path}/join", {}))["sip_address"]) == "established"
    eventually(lambda: data(client.get(path))["participants"] == 1, within=30.0)


def who_left(client: Client, path: str) -> dict[str, Any]:
    """The one who was in the room, once nobody is."""
    eventually(lambda: data(client.get(path))["participants"] == 0, within=60.0)
    person: dict[str, Any] = data(client.get(f"{path}/participants"))[0]
    assert person["left_at"] is not None
    return person


def test_a_worker_that_dies_puts_people_out_and_they_join_again(
    sip_server: Server, caller: Client, phone: Telephone
) -> None:
    path = f"/voice/rooms/{data(caller.post('/voice/rooms', {'name': 'Stand-up'}), 201)['id']}"
    dial_in(caller, phone, path)
    os.kill(worker_pid(sip_server), signal.SIGKILL)
    first = who_left(caller, path)
    voice_is_ready(sip_server)
    dial_in(caller, phone, path)
    phone.tell("hangup")
    assert who_left(caller, path)["id"] > first["id"]


def test_a_server_that_dies_bills_people_in_rooms_once(sip_server: Server, caller: Client, phone: Telephone) -> None:
    path = f"/voice/rooms/{data(caller.post('/voice/rooms', {'name': 'Stand-up'}), 201)['id']}"
    dial_in(caller, phone, path)
    joined = _seen_at(sip_server)
    eventually(lambda: _seen_at(sip_server) > joined)
    sip_server.kill()
    sip_server.start()
    person = who_left(caller, path)
    (stay,) = rows(sip_server, f"SELECT seconds FROM room_participants WHERE id = {person['id']}")
    assert 0 < stay["seconds"] < 60
    (used,) = data(caller.get("/usage/history?resource_type=voice"))
    assert (used["count"], used["seconds"]) == (1, stay["seconds"])
    voice_is_ready(sip_server)


def _seen_at(server: Server) -> float:
    """When the server last noted that the people who came last are still in their room."""
    (seen,) = rows(server, "SELECT max(seen_at) AS at FROM room_participants")
    return float(seen["at"])


def offer(way: dict[str, Any]) -> requests.Response:
    """Join with a link, as a browser does."""
    headers = {"Authorization": f"Bearer {way['token']}", "Content-Type": "application/sdp"}
    return requests.post(way["whip_url"], data=OFFER, headers=headers, timeout=60)


def test_a_guest_who_was_removed_needs_a_new_link(caller: Client) -> None:
    path = f"/voice/rooms/{data(caller.post('/voice/rooms', {'name': 'Stand-up'}), 201)['id']}"
    link, other = (data(caller.post(f"{path}/join", {"name": name})) for name in ("Ada", "Bob"))
    answer = offer(link)
    assert answer.status_code == 201, answer.text
    participant = f"{path}/participants/{answer.headers['Location'].rpartition('/')[2]}"
    eventually(lambda: data(caller.delete(participant))["left_at"] is not None, within=60.0)
    assert data(caller.get(path))["participants"] == 0
    state = {
        "url": link["whip_url"].replace("/whip", "/state"),
        "headers": {"Authorization": f"Bearer {link['token']}"},
    }
    for refused in (offer(link), requests.get(**state, timeout=30)):
        assert (refused.status_code, "removed from this room" in refused.text) == (401, True)
    assert data(caller.get(path))["participants"] == 0
    for welcome in (other, data(caller.post(f"{path}/join", {"name": "Ada"}))):
        assert offer(welcome).status_code == 201
    assert data(caller.get(path))["participants"] == 2
    data(caller.delete(path))
