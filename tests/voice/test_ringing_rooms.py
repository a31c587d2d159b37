"""Telephones in rooms whose media worker or server dies."""

import os
import signal
from typing import Any

import pytest

from tests.support.client import Client, data
from tests.support.rows import rows
from tests.support.server import Server
from tests.support.waiting import eventually
from tests.voice.telephone import Telephone, voice_is_ready, worker_pid

pytestmark = pytest.mark.timeout(180)


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
