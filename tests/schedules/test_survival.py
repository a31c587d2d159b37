"""Schedules under SIGKILL, with several nodes and after long downtimes: each due time is handled once."""

from collections import Counter
from contextlib import suppress
from datetime import timedelta
from typing import Any

import pytest

from retinue.core.work.leases import ATTEMPTS
from tests.conftest import DATABASES, StartServer
from tests.schedules.support import Json, come_due, history, hourly, make_due, moment, new_agent, number, schedule
from tests.support.client import Client, data
from tests.support.crashes import die_again_and_again
from tests.support.events import stored_events
from tests.support.rows import rows
from tests.support.server import Server
from tests.support.sql import execute
from tests.support.waiting import eventually

EVERY_MINUTE = "* * * * *"
MANY = 60
NO_SERVER = "UPDATE schedule_watch SET beat = 0"
"""As if no server had been running for a long time."""


def customer(server: Server) -> Client:
    """A sandbox client."""
    return Client(server, server.new_key(server.new_user(), test=True))


def runs(client: Client, path: str) -> list[Json]:
    """Return the runs of a schedule's agent."""
    found: list[Json] = data(client.get(f"/agents/{data(client.get(path))['agent_id']}/runs?per_page=100"))
    return found


def crash(server: Server, point: str) -> None:
    """Start a server that dies at a crash point, possibly before it has printed its address."""
    with suppress(AssertionError):
        server.start(RETINUE_CRASH_AT=point)
    server.has_died()


@pytest.mark.slow
@pytest.mark.parametrize("database", DATABASES)
@pytest.mark.parametrize("point", ["schedules.claimed", "schedules.firing:2", "schedules.fired:2"])
def test_a_due_time_counts_once_after_a_crash_at(point: str, database: str, start_server: StartServer) -> None:
    server = start_server(database)
    client = customer(server)
    paths = [schedule(client) for _ in range(3)]
    server.stop()
    due = [make_due(server, path, cron=hourly()) for path in paths]
    crash(server, point)
    server.start()
    for path, at in zip(paths, due, strict=True):
        (entry,) = history(client, path)
        assert (entry["status"], moment(entry["due_at"])) == ("fired", at)
        assert [run["id"] for run in runs(client, path)] == [entry["run_id"]]
    told = Counter(event["schedule_id"] for event in stored_events(server, "schedule.fired"))
    assert told == Counter(number(path) for path in paths)
    assert server.ask("check") == []


@pytest.mark.slow
def test_a_start_that_kills_its_process_is_given_up(start_server: StartServer) -> None:
    server = start_server(RETINUE_CRASH_AT="schedules.claimed")
    client = customer(server)
    path = come_due(client, schedule(client))
    die_again_and_again(server)
    (entry,) = history(client, path)
    assert (entry["status"], f"{ATTEMPTS} times" in entry["reason"]) == ("failed", True)
    record = data(client.get(path))
    assert (record["enabled"], record["next_at"], runs(client, path)) == (True, None, [])
    assert server.ask("check") == []


@pytest.mark.parametrize("database", DATABASES)
def test_missed_due_times_run_once_or_are_skipped(database: str, start_server: StartServer) -> None:
    server = start_server(database)
    client = customer(server)
    once, skip = (schedule(client, missed=missed) for missed in ("once", "skip"))
    server.stop()
    first = [make_due(server, path, timedelta(hours=5), cron=hourly()) for path in (once, skip)]
    execute(server, NO_SERVER)
    server.start()
    for path, due, status in zip((once, skip), first, ("fired", "skipped"), strict=True):
        (entry,) = history(client, path)
        assert (entry["status"], moment(entry["missed_since"])) == (status, due)
        assert moment(data(client.get(path))["next_at"]) - moment(entry["due_at"]) == timedelta(hours=1)
        assert timedelta() < moment(entry["created_at"]) - moment(entry["due_at"]) < timedelta(hours=1)
        assert len(runs(client, path)) == (status == "fired")
    assert data(client.get(f"{skip}/runs"))[0]["reason"] == "The due time passed while no server was running."
    assert server.ask("check") == []


def test_a_late_due_time_of_a_running_server_is_not_missed(start_server: StartServer) -> None:
    server = start_server()
    client = customer(server)
    path = schedule(client, overlap="parallel", missed="skip")
    server.stop()
    make_due(server, path, timedelta(hours=3), cron=hourly())
    execute(server, "UPDATE schedule_watch SET up_since = 0")
    server.start()
    entries = history(client, path, 4)
    assert [(entry["status"], entry["missed_since"]) for entry in entries] == [("fired", None)] * 4


def test_a_missed_single_date(start_server: StartServer) -> None:
    server = start_server()
    client = customer(server)
    once, skip = (schedule(client, missed=missed, at="2099-01-01T00:00Z") for missed in ("once", "skip"))
    server.stop()
    for path in (once, skip):
        make_due(server, path, timedelta(hours=5))
    execute(server, "UPDATE schedules SET at = next_at", NO_SERVER)
    server.start()
    assert [history(client, path)[0]["status"] for path in (once, skip)] == ["fired", "skipped"]
    assert [data(client.get(path))["next_at"] for path in (once, skip)] == [None, None]


@pytest.mark.slow
@pytest.mark.timeout(180)
def test_nodes_fire_each_due_time_once_though_others_die(new_server: StartServer, start_server: StartServer) -> None:
    first = start_server("postgresql")
    shared = {"RETINUE_DATABASE_URL": first.env["RETINUE_DATABASE_URL"]}
    client = customer(first)
    agent = new_agent(client)
    paths = [schedule(client, agent_id=agent) for _ in range(MANY)]
    first.stop()
    for path in paths:
        make_due(first, path, cron=EVERY_MINUTE)
    crash(new_server(**shared), "schedules.fired:5")
    second, third = start_server(**shared), start_server(**shared)
    eventually(lambda: _fire(second, MANY // 4), within=60)
    second.kill()
    fired = eventually(lambda: _fire(third, MANY), within=60)
    assert len({(row["schedule_id"], row["due_at"]) for row in fired}) == len(fired)
    made = rows(third, "SELECT id FROM runs")
    assert {row["run_id"] for row in fired} <= {row["id"] for row in made}
    assert third.ask("check") == []


def _fire(server: Server, least: int) -> list[dict[str, Any]] | None:
    """Return the fired due times once at least `least` schedules have one, or None."""
    found = rows(server, "SELECT schedule_id, due_at, run_id FROM schedule_runs WHERE status = 'fired'")
    return found if len({row["schedule_id"] for row in found}) >= least else None


@pytest.mark.slow
@pytest.mark.parametrize("database", DATABASES)
def test_one_account_with_many_schedules_does_not_delay_another(database: str, start_server: StartServer) -> None:
    server = start_server(database)
    heavy, lone = customer(server), customer(server)
    agent = new_agent(heavy)
    paths = [schedule(heavy, agent_id=agent) for _ in range(130)]
    path = schedule(lone)
    server.stop()
    for one in (*paths, path):
        make_due(server, one, cron=hourly())
    server.start()
    eventually(lambda: _fire(server, len(paths) + 1), within=60)
    order = [row["schedule_id"] for row in rows(server, "SELECT schedule_id FROM schedule_runs ORDER BY id")]
    assert order.index(number(path)) < 55
