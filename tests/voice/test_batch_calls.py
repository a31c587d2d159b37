"""A batch whose recipients answer, with telephones that speak SIP and no sound, and a kill in the middle."""

from typing import Any

import pytest

from tests.conftest import DATABASES, NewUser, StartServer
from tests.support.client import Client, data
from tests.support.events import stored_events
from tests.support.model_server import ModelServer
from tests.voice.ports import free_sip_port
from tests.voice.sip_peer import SipPeer
from tests.voice.telephone import call_of, reach, voice_is_ready
from tests.voice.test_batches import end, recipients

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]


def take(peer: SipPeer, client: Client, batch_id: int, place: int) -> int:
    """Answer the call of a batch. Returns the id of the call once it is in progress."""
    peer.reply(peer.await_call(), "200 OK", body=peer.sdp())
    peer.expect("ACK")
    recipient = recipients(client, batch_id)[place]
    assert recipient["status"] == "calling"
    call_id = int(recipient["call_id"])
    reach(client, call_id, "in_progress")
    return call_id


def finish(peer: SipPeer, client: Client, batch_id: int, place: int) -> dict[str, Any]:
    """Answer the call of a batch, and hang up. Returns the call once it has ended."""
    call_id = take(peer, client, batch_id, place)
    assert peer.request("BYE").status == 200
    reach(client, call_id, "completed")
    return call_of(client, call_id)


@pytest.mark.parametrize("database", DATABASES)
@pytest.mark.usefixtures("speech")
def test_a_batch_reports_answered_calls_and_repeats_none_after_a_kill(
    database: str, start_server: StartServer, new_user: NewUser, model: ModelServer
) -> None:
    port = free_sip_port()
    server = start_server(
        database,
        RETINUE_MODEL_URL=model.url,
        RETINUE_SIP=f"127.0.0.1:{port}",
        RETINUE_SIP_DESTINATIONS="sip:*@127.0.0.1:*",
        RETINUE_ALLOWED_NETWORKS="127.0.0.0/8",
    )
    client = new_user(server, plan="professional").client()
    voice_is_ready(server)
    with SipPeer(port) as ada, SipPeer(port) as bob, SipPeer(port) as cleo:
        people = [{"to": peer.uri, "variables": {"name": f"Person {peer.port}"}} for peer in (ada, bob, cleo)]
        order = {"name": "Reminders", "greeting": "Hello {{name}}.", "recipients": people, "per_minute": 60}
        batch = int(data(client.post("/voice/batches", order), 201)["id"])
        first = finish(ada, client, batch, 0)
        killed = take(bob, client, batch, 1)
        server.kill()
        server.start()
        last = finish(cleo, client, batch, 2)
        ended = end(client, batch)
        assert (ended["status"], ended["counts"]["completed"], ended["counts"]["failed"]) == ("completed", 2, 1)
        for peer in (ada, bob, cleo):
            while peer.has_messages(within=0):
                assert not peer.receive().first.startswith("INVITE")
    for call in (first, last):
        assert (call["batch_id"], call["error"], call["answered_at"] is not None) == (batch, None, True)
        assert call["duration_seconds"] >= 1
    assert first["variables"] == people[0]["variables"]
    lost = call_of(client, killed)
    assert (lost["status"], lost["error"]) == ("failed", "The server process that handled the call ended.")
    assert [(one["call_id"], one["status"], one["attempts"], one["to"]) for one in recipients(client, batch)] == [
        (call["id"], call["status"], 1, person["to"]) for call, person in zip((first, lost, last), people, strict=True)
    ]
    calls = [event["call_id"] for event in stored_events(server, "voice.call.ended")]
    assert sorted(calls) == [first["id"], killed, last["id"]]
    (event,) = stored_events(server, "voice.batch.ended")
    assert event["counts"] == {"completed": 2, "failed": 1}
