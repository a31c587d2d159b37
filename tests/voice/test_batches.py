"""Batches of calls and the do-not-call list, through the API, with the simulated calls of the sandbox."""

from typing import Any

import pytest

from tests.auth.test_scopes import sandbox_of
from tests.conftest import DATABASES, StartServer, User
from tests.support.client import Client, data, refuse
from tests.support.events import stored_events
from tests.support.rows import rows
from tests.support.server import Server
from tests.support.waiting import eventually

Json = dict[str, Any]
GREETING = "Hello {{name}}."


def number(last: int) -> str:
    """Return a telephone number that nobody has."""
    return f"+44163296{last:04}"


def people(count: int) -> list[Json]:
    """Return recipients with names."""
    return [{"to": number(place), "variables": {"name": f"Ada {place}"}} for place in range(1, count + 1)]


def create(client: Client, **fields: Any) -> Json:
    """Create a batch of three calls."""
    body = {"name": "Reminders", "greeting": GREETING, "recipients": people(3), "at_once": 2, **fields}
    batch: Json = data(client.post("/voice/batches", body), 201)
    return batch


def end(client: Client, batch_id: int) -> Json:
    """Return a batch once it has ended."""

    def look() -> Json | None:
        batch: Json = data(client.get(f"/voice/batches/{batch_id}"))
        return batch if batch["ended_at"] else None

    return eventually(look, within=60)


def recipients(client: Client, batch_id: int) -> list[Json]:
    """Return the recipients of a batch."""
    found: list[Json] = data(client.get(f"/voice/batches/{batch_id}/recipients?per_page=100"))
    return found


def upload(client: Client, text: str, encoding: str = "utf-8") -> str:
    """Upload a CSV file."""
    file = {"file": ("people.csv", text.encode(encoding), "text/csv")}
    return str(data(client.request("POST", "/files", files=file), 201)["id"])


def test_a_batch_calls_everybody_once_and_reports_it(server: Server, sandbox: Client) -> None:
    batch = create(sandbox)
    assert (batch["status"], batch["counts"]["total"]) == ("running", 3)
    batch = end(sandbox, batch["id"])
    assert (batch["status"], batch["counts"]["completed"], batch["problem"]) == ("completed", 3, None)
    listed = recipients(sandbox, batch["id"])
    assert [(one["to"], one["attempts"], one["status"]) for one in listed] == [
        (number(place), 1, "completed") for place in (1, 2, 3)
    ]
    calls = [data(sandbox.get(f"/voice/calls/{one['call_id']}")) for one in listed]
    assert [call["transcript"] for call in calls] == [f"agent: Hello Ada {place}." for place in (1, 2, 3)]
    assert {call["batch_id"] for call in calls} == {batch["id"]}
    assert calls[0]["variables"] == {"name": "Ada 1"}
    started, ended = (
        next(event for event in stored_events(server, f"voice.batch.{name}") if event["batch_id"] == batch["id"])
        for name in ("started", "ended")
    )
    called = next(event for event in stored_events(server, "voice.call.ended") if event["batch_id"] == batch["id"])
    assert (called["variables"]["name"][:3], called["caller"], called["answered_by"]) == ("Ada", None, None)
    assert called["ended_reason"] == "other_side_hung_up"
    assert (started["recipients"], ended["status"], ended["counts"]) == (3, "completed", {"completed": 3})


def test_the_plan_of_a_draft_says_when_and_why_not(sandbox: Client) -> None:
    data(sandbox.post("/voice/do-not-call", {"number": number(2)}), 201)
    twice, invalid = {"to": number(1), "variables": {"name": "Ada"}}, {"to": "01632 960"}
    nameless, unlisted = {"to": number(9)}, people(5)[3]
    batch = create(
        sandbox,
        recipients=[*people(3), twice, invalid, nameless, unlisted],
        start=False,
        per_minute=2,
        at_once=5,
        start_at="2100-01-04T00:00:00",
        window={"days": ["mon"], "start": "09:00", "end": "17:00", "timezone": "Europe/Berlin"},
    )
    assert (batch["status"], batch["counts"]["waiting"], batch["counts"]["refused"]) == ("draft", 3, 4)
    data(sandbox.post("/voice/do-not-call", {"number": unlisted["to"]}), 201)
    plan = data(sandbox.get(f"/voice/batches/{batch['id']}/plan"))
    assert [(one["number"], one["calls_at"]) for one in plan[:2]] == [
        (1, "2100-01-04T08:00:00Z"),
        (3, "2100-01-04T08:00:00Z"),
    ]
    assert {one["number"]: one["refused"] for one in plan[2:]} == {
        2: "The number is on your do-not-call list.",
        4: "Recipient 1 has the same number.",
        5: "Must be a phone number with a plus sign and a country code, such as +44 1632 960123, or a SIP URI, such as "
        "sip:alice@example.com. Send a number without a country code together with its country, such as GB.",
        6: "The greeting needs values that this recipient does not have: name.",
        7: "The number is on your do-not-call list.",
    }
    data(sandbox.post(f"/voice/batches/{batch['id']}/start"))
    refuse(sandbox.post(f"/voice/batches/{batch['id']}/start"), 400, "not a draft: it is running")
    paused = data(sandbox.post(f"/voice/batches/{batch['id']}/pause"))
    assert paused["status"] == "paused"
    refuse(sandbox.delete(f"/voice/batches/{batch['id']}"), 400, "paused", "Cancel")
    assert data(sandbox.post(f"/voice/batches/{batch['id']}/resume"))["status"] == "running"
    cancelled = data(sandbox.post(f"/voice/batches/{batch['id']}/cancel"))
    assert (cancelled["status"], cancelled["counts"]["cancelled"], bool(cancelled["ended_at"])) == (
        "cancelled",
        3,
        True,
    )
    assert data(sandbox.post(f"/voice/batches/{batch['id']}/cancel")) == cancelled
    assert data(sandbox.delete(f"/voice/batches/{batch['id']}"))["deleted"]
    refuse(sandbox.get(f"/voice/batches/{batch['id']}"), 404)


@pytest.mark.parametrize(
    ("detection", "retries", "repeated"),
    [
        ("hangup", {"times": 1}, ["busy", "no_answer", "machine"]),
        ("hangup", {"times": 1, "on": ["busy"]}, ["busy"]),
        ("enable", {"times": 1}, ["busy", "no_answer"]),
        ("enable", {"times": 1, "on": ["machine"]}, ["machine"]),
    ],
)
def test_recipients_whose_machine_is_hung_up_are_called_again(
    sandbox: Client, detection: str, retries: Json, repeated: list[str]
) -> None:
    batch = create(sandbox, start=False, machine_detection=detection, retries=retries)
    assert batch["retries"]["on"] == repeated
    assert batch["counts"]["machine"] == 0


@pytest.mark.parametrize(
    ("country", "zone"), [("gb", "Europe/London"), ("DE", "Europe/Berlin"), ("US", "UTC"), (None, "UTC")]
)
def test_the_hours_of_a_batch_are_those_of_its_country(sandbox: Client, country: str | None, zone: str) -> None:
    hours = {"start": "09:00", "end": "17:00"}
    batch = create(sandbox, start=False, country=country, window=hours, start_at="2100-01-04T00:00:00")
    assert batch["window"]["timezone"] == zone
    midnight = {"Europe/Berlin": "2100-01-03T23:00:00Z"}.get(zone, "2100-01-04T00:00:00Z")
    assert batch["start_at"] == midnight
    own = create(sandbox, start=False, country=country, window={**hours, "timezone": "Asia/Tokyo"})
    assert own["window"]["timezone"] == "Asia/Tokyo"


def test_a_batch_outside_its_hours_says_when_it_calls_next(sandbox: Client) -> None:
    window = {"days": ["mon"], "start": "09:00", "end": "17:00", "timezone": "Europe/Berlin"}
    batch = create(sandbox, start=False, window=window, start_at="2100-01-05T00:00:00")
    assert batch["next_call_at"] is None
    started = data(sandbox.post(f"/voice/batches/{batch['id']}/start"))
    assert (started["status"], started["next_call_at"]) == ("running", "2100-01-11T08:00:00Z")
    (listed,) = [one for one in data(sandbox.get("/voice/batches")) if one["id"] == batch["id"]]
    assert listed["next_call_at"] == "2100-01-11T08:00:00Z"
    assert data(sandbox.post(f"/voice/batches/{batch['id']}/pause"))["next_call_at"] is None


def test_the_numbers_of_the_sandbox_end_as_documented_in_a_batch(sandbox: Client) -> None:
    numbers = [{"to": f"+1500555001{place}", "variables": {"name": "Ada"}} for place in range(1, 6)]
    batch = end(sandbox, create(sandbox, recipients=numbers, machine_detection="hangup")["id"])
    statuses = [one["status"] for one in recipients(sandbox, batch["id"])]
    assert statuses == ["busy", "no_answer", "failed", "machine", "completed"]


def test_a_number_that_is_listed_later_is_not_called(sandbox: Client) -> None:
    batch = create(sandbox, start=False)
    data(sandbox.post("/voice/do-not-call", {"number": number(2), "note": "Asked us"}), 201)
    data(sandbox.post(f"/voice/batches/{batch['id']}/start"))
    assert end(sandbox, batch["id"])["counts"]["completed"] == 2
    second = recipients(sandbox, batch["id"])[1]
    assert (second["status"], second["attempts"], "do-not-call" in second["reason"]) == ("refused", 0, True)


def test_single_calls_to_listed_numbers_are_refused(sandbox: Client, client: Client) -> None:
    entry = data(sandbox.post("/voice/do-not-call", {"number": number(7)}), 201)
    assert data(sandbox.post("/voice/do-not-call", {"number": number(7)}), 201) == entry
    for to in (number(7), f"sip:{number(7)}@example.com", f"sip:{number(7)[1:]}@example.com:5080"):
        refuse(sandbox.post("/voice/calls", {"to": to}), 400, "do-not-call list")
    assert [one["number"] for one in data(sandbox.get("/voice/do-not-call"))] == [number(7)]
    assert data(client.get("/voice/do-not-call")) == []
    data(sandbox.delete(f"/voice/do-not-call/{entry['id']}"))
    refuse(sandbox.delete(f"/voice/do-not-call/{entry['id']}"), 404)
    data(sandbox.post("/voice/calls", {"to": number(7)}), 201)
    refuse(sandbox.post("/voice/do-not-call", {"number": "01632"}), 400, "number: must be", "+44 1632", "country")
    refuse(sandbox.post("/voice/do-not-call", {"number": "01632", "country": "GB"}), 400, "a phone number of GB")
    refuse(sandbox.post("/voice/do-not-call", {"number": "01632 960007", "country": "ZZ"}), 400, "country: ZZ")


def test_a_number_in_national_format_is_the_same_number(sandbox: Client) -> None:
    entry = data(sandbox.post("/voice/do-not-call", {"number": "030 / 123 45-67", "country": "de"}), 201)
    assert entry["number"] == "+49301234567"
    assert data(sandbox.post("/voice/do-not-call", {"number": "+49 (0) 30 1234567"}), 201) == entry
    for to in ("+49301234567", "+490301234567", "sip:49301234567@example.com"):
        refuse(sandbox.post("/voice/calls", {"to": to}), 400, "do-not-call list")
    listed = [{"to": to} for to in ("030 1234567", "(0555) 010-0199", "+49 555 0100199", "089 123456")]
    batch = create(sandbox, recipients=listed, greeting="Hello.", country="DE", start=False)
    assert [(one["to"], one["reason"]) for one in recipients(sandbox, batch["id"])] == [
        ("+49301234567", "The number is on your do-not-call list."),
        ("+495550100199", None),
        ("+495550100199", "Recipient 2 has the same number."),
        ("+4989123456", None),
    ]


def test_recipients_come_from_a_csv_file(sandbox: Client, stranger: Client) -> None:
    file = upload(
        sandbox, f"Phone;name;visit time\r\n{number(1)};Åsa;ten\r\n {number(2)} ;Bo;\r\nnobody;C;\r\n", "utf-8-sig"
    )
    batch = create(sandbox, recipients=None, file_id=file, start=False)
    listed = recipients(sandbox, batch["id"])
    assert [(one["to"], one["variables"], one["status"]) for one in listed] == [
        (number(1), {"name": "Åsa", "visit_time": "ten"}, "waiting"),
        (number(2), {"name": "Bo"}, "waiting"),
        ("nobody", {"name": "C"}, "refused"),
    ]
    body = {"name": "x", "start": False}
    refuse(sandbox_of(stranger).post("/voice/batches", {**body, "file_id": file}), 400, "you have no file")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "empty"),
        ("to,name\n", "no recipients"),
        ("who,name\n+441632960001,Ada\n", "no column with the numbers"),
        ("to,1st\n+441632960001,Ada\n", "'1st' cannot be a variable"),
        ("to,name\n+441632960001,Ada,more\n", "Row 1 has 3 fields"),
        ('to,name\n+441632960001,"Ada\n', "malformed"),
        ("to\n" + "+441632960001\n" * 5001, "5,001 recipients; a batch can have 5,000"),
        ("to\n12\n", "Nobody can be called. Recipient 1, '12': Must be a phone number"),
    ],
)
def test_a_csv_file_that_cannot_be_used_says_why(sandbox: Client, text: str, expected: str) -> None:
    file = upload(sandbox, text)
    refuse(sandbox.post("/voice/batches", {"name": "x", "file_id": file, "start": False}), 400, expected)


def test_a_body_is_checked(sandbox: Client, client: Client) -> None:
    one = people(1)

    def check(expected: str, **fields: Any) -> None:
        refuse(sandbox.post("/voice/batches", {"name": "x", "recipients": one, **fields}), 400, expected)

    check("recipients or file_id", recipients=None)
    check("recipients or file_id", file_id="file_1")
    check("agent_id: There is no agent 999999", agent_id=999_999)
    check("at_once: a credential can have 5 concurrent calls", at_once=6)
    check("start must be before end", window={"start": "17:00", "end": "09:00"})
    check("must be a time such as", window={"start": "9", "end": "10:00"})
    check("IANA time zone", window={"start": "09:00", "end": "10:00", "timezone": "Mars/Base"})
    check("start_at", start_at="soon")
    check("variables", recipients=[{"to": number(1), "variables": {"first name": "Ada"}}])
    refuse(client.post("/voice/batches", {"name": "x", "recipients": one}), 503, "RETINUE_SIP")


def test_others_and_those_without_the_scope_see_and_change_nothing(
    user: User, stranger: Client, nobody: Client, sandbox: Client
) -> None:
    batch = create(sandbox, start=False)["id"]
    reader = user.client(["voice:read"], test=True)
    orders = ("start", "pause", "resume", "cancel")
    for order in orders:
        refuse(reader.post(f"/voice/batches/{batch}/{order}"), 403, "voice:write")
        refuse(stranger.post(f"/voice/batches/{batch}/{order}"), 404)
        refuse(nobody.post(f"/voice/batches/{batch}/{order}"), 401)
    for path in ("", "/recipients", "/plan"):
        data(reader.get(f"/voice/batches/{batch}{path}"))
        refuse(stranger.get(f"/voice/batches/{batch}{path}"), 404)
    refuse(stranger.delete(f"/voice/batches/{batch}"), 404)
    assert data(sandbox.get(f"/voice/batches/{batch}"))["status"] == "draft"


@pytest.mark.parametrize("database", DATABASES)
@pytest.mark.parametrize("point", ["batches.decided:2", "batches.called:2", "calls.begun:2", "batches.settled:2"])
def test_nobody_is_called_twice_for_an_attempt_after_a_crash_at(
    point: str, database: str, start_server: StartServer
) -> None:
    server = start_server(database)
    client = Client(server, server.new_key(server.new_user(), test=True))
    batch = create(client, recipients=people(6), start=False)["id"]
    server.restart(RETINUE_CRASH_AT=point)
    client.request("POST", f"/voice/batches/{batch}/start")
    server.has_died()
    server.start(RETINUE_CRASH_AT="")
    ended = end(client, batch)
    assert ended["status"] == "completed"
    assert ended["counts"]["completed"] + ended["counts"]["failed"] == 6
    calls = rows(server, f"SELECT to_address, id, status FROM calls WHERE batch_id = {batch}")
    assert sorted(call["to_address"] for call in calls) == [number(place) for place in range(1, 7)]
    statuses = {call["id"]: call["status"] for call in calls}
    assert {one["call_id"]: one["status"] for one in recipients(client, batch)} == statuses
    assert len([event for event in stored_events(server, "voice.batch.ended") if event["batch_id"] == batch]) == 1
    assert server.cli("check") == "All is well.\n"
    client.close()
