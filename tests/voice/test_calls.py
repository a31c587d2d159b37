"""The API of calls on a server without SIP, and the simulated calls of the sandbox."""

from contextlib import suppress

import pytest
import requests

from tests.conftest import StartServer, User
from tests.support.client import Client, data, refuse
from tests.support.events import stored_events
from tests.support.rows import rows
from tests.support.server import Server
from tests.support.waiting import eventually

NUMBER = "+441632960123"
ORDERS: dict[str, dict[str, str] | None] = {
    "hangup": None,
    "hold": None,
    "resume": None,
    "dtmf": {"digits": "1"},
    "transfer": {"to": NUMBER},
}


def end(client: Client, call_id: int) -> dict[str, object]:
    """The call, once it is over."""

    def look() -> dict[str, object] | None:
        call: dict[str, object] = data(client.get(f"/voice/calls/{call_id}"))
        return call if call["ended_at"] else None

    return eventually(look)


@pytest.mark.parametrize("to", [NUMBER, "sip:alice@example.com", "sips:alice@example.com:5081"])
def test_a_server_without_sip_says_how_to_switch_it_on(client: Client, to: str) -> None:
    refuse(client.post("/voice/calls", {"to": to}), 503, "RETINUE_SIP")


@pytest.mark.parametrize(
    "to",
    [
        "alice",
        "01632960123",
        "+0123",
        "+1234567890123456",
        "sip:alice",
        "sip:alice@",
        "sip:alice@host:0",
        "sip:alice@host:65536",
        "sip:alice@host;maddr=127.0.0.1",
        "sip:alice@host?Replaces=1",
        "sip:alice@host\r\nTo: x",
        "sip:alice:secret@host",
        "tel:+441632960123",
    ],
)
def test_a_destination_that_is_neither_number_nor_address_is_refused(client: Client, sandbox: Client, to: str) -> None:
    for each in (client, sandbox):
        refuse(each.post("/voice/calls", {"to": to}), 400, "to:", "E.164", "SIP URI")


@pytest.mark.parametrize("to", ["+44", "+1911", "+44163296"])
def test_a_number_without_all_its_digits_is_not_dialled(client: Client, sandbox: Client, to: str) -> None:
    for each in (client, sandbox):
        refuse(each.post("/voice/calls", {"to": to}), 400, "to:", f"{to} is too short for a phone number")


def test_a_body_is_checked(client: Client) -> None:
    refuse(client.post("/voice/calls", {}), 400, "to")
    refuse(client.post("/voice/calls", {"to": NUMBER, "voice_engine": "loud"}), 400, "voice_engine")
    refuse(client.post("/voice/calls", {"to": NUMBER, "agent_id": 999_999}), 400, "agent_id: There is no agent 999999")


def test_the_sandbox_simulates_a_call_and_bills_nothing(server: Server, sandbox: Client) -> None:
    agent = data(
        sandbox.post("/agents", {"agent_name": "Bell", "agent_role": "generalist", "voice_engine": "kokoro"}), 201
    )
    started = data(sandbox.post("/voice/calls", {"to": NUMBER, "agent_id": agent["id"]}), 201)
    shown = {name: started[name] for name in ("status", "duration_seconds", "transcript", "participants", "to")}
    assert shown == {"status": "queued", "duration_seconds": 0, "transcript": "", "participants": 1, "to": NUMBER}
    call = end(sandbox, started["id"])
    assert (call["status"], call["room_name"], call["voice_engine"]) == ("completed", f"call-{call['id']}", "kokoro")
    assert call["transcript"] == "agent: Hello, this is Bell."
    (turn,) = data(sandbox.get(f"/voice/calls/{call['id']}/turns"))
    assert (turn["number"], turn["speaker"], turn["text"]) == (1, "agent", "Hello, this is Bell.")
    events = [
        next(event for event in stored_events(server, name) if event["call_id"] == call["id"])
        for name in ("voice.call.started", "voice.call.ended")
    ]
    assert [event["status"] for event in events] == ["queued", "completed"]
    assert events[1]["duration_seconds"] == call["duration_seconds"]
    account = rows(server, f"SELECT account_id FROM calls WHERE id = {call['id']}")[0]["account_id"]
    assert not rows(server, f"SELECT * FROM ledger WHERE resource = 'voice' AND account_id = {account}")


@pytest.mark.parametrize(
    ("to", "detection", "ending"),
    [
        ("+15005550011", None, ("busy", "busy", None, "")),
        ("+15005550012", "hangup", ("no_answer", "no_answer", None, "")),
        ("+15005550013", None, ("failed", "failed", None, "")),
        ("+15005550014", None, ("completed", "other_side_hung_up", None, "agent: Hi.")),
        ("+15005550014", "enable", ("completed", "other_side_hung_up", "machine", "agent: Hi.")),
        ("+15005550014", "hangup", ("completed", "machine", "machine", "")),
        ("+15005550014", "detect_message_end", ("completed", "machine", "machine", "agent: Call us.")),
        (NUMBER, "hangup", ("completed", "other_side_hung_up", "human", "agent: Hi.")),
        (
            "+15005550015",
            None,
            (
                "completed",
                "silence",
                None,
                "agent: Hi.\nagent: Are you still there?\nagent: I cannot hear you. Goodbye.",
            ),
        ),
    ],
)
def test_the_number_decides_how_a_simulated_call_ends(
    sandbox: Client, to: str, detection: str | None, ending: tuple[str, str, str | None, str]
) -> None:
    bell = {"agent_name": "Bell", "agent_role": "generalist", "voice": {"voicemail_message": "Call us."}}
    agent = data(sandbox.post("/agents", bell), 201)["id"]
    order = {"to": to, "agent_id": agent, "greeting": "Hi.", "machine_detection": detection}
    call = end(sandbox, data(sandbox.post("/voice/calls", order), 201)["id"])
    assert tuple(call[name] for name in ("status", "ended_reason", "answered_by", "transcript")) == ending
    answered = call["status"] == "completed"
    assert (call["error"] is None, call["answered_at"] is not None) == (answered, answered)


def test_calls_are_listed_newest_first_and_hanging_up_twice_changes_nothing(sandbox: Client) -> None:
    ids = [data(sandbox.post("/voice/calls", {"to": NUMBER, "greeting": "Hi."}), 201)["id"] for _ in range(3)]
    for call_id in ids:
        end(sandbox, call_id)
    listed = sandbox.get("/voice/calls?per_page=2").json()
    assert [call["id"] for call in listed["data"]] == ids[:0:-1]
    assert listed["meta"]["total"] == 3
    assert data(sandbox.post(f"/voice/calls/{ids[0]}/hangup")) == data(sandbox.get(f"/voice/calls/{ids[0]}"))


def test_calls_are_filtered(sandbox: Client) -> None:
    agent = data(sandbox.post("/agents", {"agent_name": "Bell", "agent_role": "generalist"}), 201)["id"]
    orders = [{"to": NUMBER, "agent_id": agent}, {"to": "sip:alice@example.com"}]
    first, second = (data(sandbox.post("/voice/calls", order), 201)["id"] for order in orders)
    for call_id in (first, second):
        end(sandbox, call_id)
    moment = data(sandbox.get(f"/voice/calls/{second}"))["created_at"]
    for query, ids in {
        "status=completed": [second, first],
        "status=busy": [],
        "direction=outbound": [second, first],
        "direction=inbound": [],
        f"agent_id={agent}": [first],
        "to=%2B441632960123": [first],
        f"to={NUMBER}": [first],
        "to=sip:alice@example.com": [second],
        f"caller={NUMBER}": [],
        f"since={moment}": [second],
        f"until={moment}": [first],
        f"until={moment}&to=sip:alice@example.com": [],
    }.items():
        body = sandbox.get(f"/voice/calls?{query}").json()
        assert ([call["id"] for call in body["data"]], body["meta"]["total"]) == (ids, len(ids)), query
    page = sandbox.get("/voice/calls?status=completed&per_page=1&page=2").json()
    assert ([call["id"] for call in page["data"]], page["meta"]["total_pages"]) == ([first], 2)
    refuse(sandbox.get("/voice/calls?status=over"), 400, "status", "completed")
    refuse(sandbox.get("/voice/calls?direction=out"), 400, "direction", "outbound")


def test_a_call_is_started_once_under_an_idempotency_key(sandbox: Client) -> None:
    headers = {"Idempotency-Key": "call-once"}
    first, second = (sandbox.post("/voice/calls", {"to": NUMBER}, headers=headers) for _ in range(2))
    assert data(first, 201)["id"] == data(second, 201)["id"]
    assert sandbox.get("/voice/calls").json()["meta"]["total"] == 1


def test_others_and_those_without_the_scope_see_and_end_nothing(
    user: User, stranger: Client, nobody: Client, sandbox: Client
) -> None:
    call_id = data(sandbox.post("/voice/calls", {"to": NUMBER}), 201)["id"]
    reader = user.client(["voice:read"], test=True)
    refuse(reader.post("/voice/calls", {"to": NUMBER}), 403, "voice:write")
    for order, body in ORDERS.items():
        refuse(reader.post(f"/voice/calls/{call_id}/{order}", body), 403, "voice:write")
    assert data(reader.get(f"/voice/calls/{call_id}"))["id"] == call_id
    for other, status in ((stranger, 404), (user.client(), 404), (nobody, 401), (user.client(["voice:write"]), 403)):
        refuse(other.get(f"/voice/calls/{call_id}"), status)
        refuse(other.get(f"/voice/calls/{call_id}/turns"), status)
    for other, status in ((stranger, 404), (nobody, 401)):
        for order, body in ORDERS.items():
            refuse(other.post(f"/voice/calls/{call_id}/{order}", body), status)
    refuse(stranger.get("/voice/calls/0"), 404)


def test_a_call_whose_process_dies_before_it_begins_has_failed(start_server: StartServer) -> None:
    server = start_server()
    client = Client(server, server.new_key(server.new_user(), test=True))
    server.restart(RETINUE_CRASH_AT="calls.begun")
    with suppress(requests.ConnectionError):  # The response may leave before the process dies.
        client.post("/voice/calls", {"to": NUMBER})
    server.has_died()
    server.start()
    (call,) = eventually(lambda: [one for one in data(client.get("/voice/calls")) if one["ended_at"]])
    assert (call["status"], call["duration_seconds"]) == ("failed", 0)
    assert [event["status"] for event in stored_events(server, "voice.call.ended")] == ["failed"]
    assert server.cli("check") == "All is well.\n"
    client.close()
