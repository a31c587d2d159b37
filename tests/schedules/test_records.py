"""Schedules through the API: accepted and refused fields, and what responses show."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.conftest import NewUser, User
from tests.schedules.support import YEARLY, history, moment, new_agent, schedule
from tests.support.client import Client, data, refuse
from tests.support.server import Server

DEFAULTS = {
    "at": None,
    "timezone": "UTC",
    "fleet_id": None,
    "task": None,
    "overlap": "skip",
    "missed": "once",
    "jitter_s": 0,
    "enabled": True,
    "disabled_reason": None,
    "last_run": None,
}


def test_a_schedule_is_created_shown_listed_and_deleted(client: Client) -> None:
    agent = new_agent(client)
    body = {"name": "Morning", "cron": " 0 9  * * 1-5", "timezone": "Europe/Berlin", "agent_id": agent, "message": "Hi"}
    made = data(client.post("/schedules", body), 201)
    shown = {key: made[key] for key in made if key not in {"id", "next_at", "created_at", "updated_at"}}
    assert shown == DEFAULTS | body | {"cron": "0 9 * * 1-5"}
    due = moment(made["next_at"])
    assert (due.tzinfo, due > datetime.now(UTC), due.hour in {7, 8}) == (UTC, True, True)
    path = f"/schedules/{made['id']}"
    assert data(client.get(path)) == made
    listed = client.get("/schedules?per_page=1").json()
    assert (listed["data"], listed["meta"]["total"]) == ([made], 1)
    assert data(client.delete(path)) == {"id": made["id"], "deleted": True}
    refuse(client.get(path), 404, "no schedule")
    assert client.get("/schedules").json()["meta"]["total"] == 0


def test_pasted_spellings_are_stored_in_one_form(client: Client) -> None:
    path = schedule(client, cron="@Daily", timezone="europe/berlin")
    record = data(client.get(path))
    assert (record["cron"], record["timezone"]) == ("0 0 * * *", "Europe/Berlin")
    record = data(client.put(path, {"cron": "0 12 ? * FRIL", "timezone": "utc"}))
    assert (record["cron"], record["timezone"]) == ("0 12 * * 5L", "UTC")


def test_a_single_date_is_read_in_its_zone(client: Client) -> None:
    path = schedule(client, at="2099-07-01T09:30", timezone="America/New_York")
    record = data(client.get(path))
    assert (record["at"], record["next_at"], record["cron"]) == ("2099-07-01T13:30:00Z", "2099-07-01T13:30:00Z", None)
    path = schedule(client, at="2099-07-01T09:30:00+02:00", timezone="America/New_York")
    assert data(client.get(path))["next_at"] == "2099-07-01T07:30:00Z"


WRONG: list[tuple[dict[str, Any], tuple[str, ...]]] = [
    ({"cron": "61 * * * *"}, ("cron has the minute '61'", "0 to 59")),
    ({"cron": "* * * *"}, ("cron must have five fields", "not 4")),
    ({"cron": "0 0 30 2 *"}, ("cron names the day '30'",)),
    ({"cron": "* * */20 * 1L"}, ("cron", "within the next 50 years")),
    ({"cron": None}, ("Send either cron or at.",)),
    ({"at": "2099-01-01T00:00Z"}, ("Send either cron or at.",)),
    ({"cron": None, "at": "2020-01-01T00:00Z"}, ("at: '2020-01-01T00:00Z' is in the past",)),
    ({"cron": None, "at": "tomorrow"}, ("at: 'tomorrow' is not a date",)),
    ({"timezone": "Mars/Base"}, ("timezone must be the name of an IANA time zone",)),
    ({"timezone": "../etc/passwd"}, ("timezone must be",)),
    ({"timezone": "localtime"}, ("timezone must be",)),
    ({"timezone": "Factory"}, ("timezone must be",)),
    ({"timezone": "right/Europe/Berlin"}, ("timezone must be",)),
    ({"agent_id": None}, ("Send either agent_id or fleet_id.",)),
    ({"fleet_id": 1}, ("Send either agent_id or fleet_id.",)),
    ({"message": None}, ("An agent needs a message",)),
    ({"task": "x"}, ("field task is only valid with fleet_id",)),
    ({"agent_id": 2**62}, ("agent_id: There is no agent",)),
    ({"cron": None, "agent_id": 2**62}, ("Send either cron or at.", "agent_id: There is no agent")),
    ({"agent_id": None, "message": None, "fleet_id": 2**62}, ("fleet_id: There is no fleet",)),
    ({"agent_id": None, "fleet_id": 1}, ("field message is only valid with agent_id",)),
    ({"overlap": "maybe"}, ("overlap must be one of",)),
    ({"missed": "all"}, ("missed must be one of",)),
    ({"jitter_s": 3601}, ("jitter_s must be at most 3600",)),
    ({"jitter_s": -1}, ("jitter_s must be at least 0",)),
    ({"name": ""}, ("name must not be empty",)),
    ({"extra": 1}, ("extra is not a known field",)),
]


@pytest.mark.parametrize(("changes", "words"), WRONG)
def test_conflicting_fields_are_refused(client: Client, changes: dict[str, Any], words: tuple[str, ...]) -> None:
    body = {"name": "s", "cron": YEARLY, "agent_id": new_agent(client), "message": "Hi"}
    refuse(client.post("/schedules", {**body, **changes}), 400, *words)
    assert client.get("/schedules").json()["meta"]["total"] == 0


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(max_size=30) | st.text(alphabet="0123456789*/-,LW# ", max_size=20), st.text(max_size=30))
def test_no_text_is_a_fault(sandbox: Client, cron: str, at: str) -> None:
    for body in ({"cron": cron}, {"at": at}):
        answer = sandbox.post("/schedules", {"name": "s", "agent_id": 1, "message": "Hi", **body})
        assert answer.status_code == 400, answer.text


def test_a_schedule_is_changed(client: Client) -> None:
    path = schedule(client, timezone="Asia/Tokyo")
    record = data(client.get(path))
    assert data(client.put(path, record)) == record | {"updated_at": data(client.get(path))["updated_at"]}
    moved = data(client.put(path, {"cron": None, "at": "2099-01-01T12:00"}))
    assert (moved["cron"], moved["next_at"]) == (None, "2099-01-01T03:00:00Z")
    assert data(client.put(path, {"timezone": "UTC"}))["at"] == "2099-01-01T03:00:00Z"
    fleet = data(client.post("/fleets", {"name": "f"}), 201)["id"]
    refuse(client.put(path, {"fleet_id": fleet}), 400, "Send either agent_id or fleet_id.")
    wanted = {"agent_id": None, "message": None, "fleet_id": fleet, "task": "Look."}
    assert data(client.put(path, wanted))["task"] == "Look."
    refuse(client.put(path, {"cron": "* * * * *"}), 400, "Send either cron or at.")
    refuse(client.put(path, {"name": None}), 400, "name must be a string")
    assert data(client.get(path))["next_at"] == "2099-01-01T03:00:00Z"


def test_pause_and_resume(client: Client) -> None:
    path = schedule(client, cron="* * * * *")
    paused = data(client.post(f"{path}/pause"))
    assert (paused["enabled"], paused["next_at"]) == (False, None)
    assert data(client.post(f"{path}/pause")) == paused
    resumed = data(client.post(f"{path}/resume"))
    assert resumed["enabled"]
    assert timedelta() < moment(resumed["next_at"]) - datetime.now(UTC) <= timedelta(minutes=1)
    assert data(client.put(path, {"enabled": False}))["next_at"] is None
    assert data(client.put(path, {"enabled": True}))["next_at"] is not None
    made = {"name": "s", "cron": YEARLY, "agent_id": new_agent(client), "message": "Hi", "enabled": False}
    assert data(client.post("/schedules", made), 201)["next_at"] is None


def test_others_agents_and_fleets_cannot_be_scheduled(client: Client, stranger: Client, sandbox: Client) -> None:
    body = {"name": "s", "cron": YEARLY, "message": "Hi"}
    for owner in (stranger, sandbox):
        refuse(client.post("/schedules", {**body, "agent_id": new_agent(owner)}), 400, "agent_id: There is no agent")
    mine = schedule(client)
    refuse(client.put(mine, {"agent_id": new_agent(stranger)}), 400, "agent_id: There is no agent")


def test_a_fleet_needs_its_own_scope(user: User, client: Client) -> None:
    fleet = data(client.post("/fleets", {"name": "f"}), 201)["id"]
    narrow = user.client(["agents:read", "agents:write"])
    refuse(narrow.post("/schedules", {"name": "s", "cron": YEARLY, "fleet_id": fleet}), 403, "fleets:write")
    path = schedule(client, fleet_id=fleet)
    refuse(narrow.post(f"{path}/run"), 403, "fleets:write")
    refuse(narrow.put(path, {"name": "other"}), 403, "fleets:write")


def test_the_plan_says_how_many(server: Server, new_user: NewUser) -> None:
    free = new_user(server, plan="free").client()
    agent = new_agent(free)
    paths = [schedule(free, agent_id=agent) for _ in range(5)]
    body = {"name": "s", "cron": YEARLY, "agent_id": agent, "message": "Hi"}
    refuse(free.post("/schedules", body), 400, "The plan free allows 5 schedules")
    data(free.delete(paths[0]))
    data(free.post("/schedules", body), 201)


def test_sandbox_schedules_stay_in_the_sandbox(client: Client, sandbox: Client) -> None:
    path = schedule(sandbox)
    refuse(client.get(path), 404)
    assert client.get("/schedules").json()["meta"]["total"] == 0
    entry = data(sandbox.post(f"{path}/run"), 202)
    refuse(client.get(f"/runs/{entry['run_id']}"), 404)
    assert data(sandbox.get(f"/runs/{entry['run_id']}"))["agent_id"] == data(sandbox.get(path))["agent_id"]


def test_the_history_has_pages(sandbox: Client) -> None:
    path = schedule(sandbox)
    ids = [data(sandbox.post(f"{path}/run"), 202)["id"] for _ in range(3)]
    page = sandbox.get(f"{path}/runs?per_page=2&page=2").json()
    assert ([entry["id"] for entry in page["data"]], page["meta"]["total"]) == (ids[:1], 3)
    assert data(sandbox.get(path))["last_run"]["id"] == ids[-1]
    assert [entry["id"] for entry in history(sandbox, path)] == ids
