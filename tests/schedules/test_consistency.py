"""The faults that `retinue check` finds in schedules."""

import pytest

from tests.conftest import DATABASES, StartServer
from tests.schedules.support import number, schedule
from tests.support.client import Client, data
from tests.support.sql import execute


@pytest.mark.parametrize("database", DATABASES)
def test_inconsistencies_are_found(database: str, start_server: StartServer) -> None:
    server = start_server(database)
    client = Client(server, server.new_key(server.new_user(), test=True))
    off, late, paused, told, counted = (schedule(client, jitter_s=5) for _ in range(5))
    entry, waits = (data(client.post(f"{path}/run"), 202)["id"] for path in (told, counted))
    data(client.post(f"{paused}/pause"))
    assert server.ask("check") == []
    server.stop()
    execute(
        server,
        f"UPDATE schedules SET next_at = '2098-03-01T00:00:00.000000Z' WHERE id = {number(off)}",
        f"UPDATE schedules SET lease_until = lease_until + 60 WHERE id = {number(late)}",
        f"UPDATE schedules SET next_at = '2098-01-01T00:00:00.000000Z' WHERE id = {number(paused)}",
        "DELETE FROM events WHERE name = 'schedule.fired'",
        f"UPDATE schedules SET runs_count = 7 WHERE id = {number(counted)}",
        f"UPDATE schedule_runs SET run_id = NULL WHERE id = {entry}",
        f"UPDATE schedule_runs SET status = 'waiting', run_id = NULL WHERE id = {waits}",
        "UPDATE counters SET value = 4 WHERE name = 'schedules' AND value = 5",
    )
    server.start()
    found = "\n".join(server.ask("check"))
    for words in (
        f"the schedule {number(off)} is not due at",
        f"the schedule {number(late)} is looked at",
        f"the schedule {number(paused)} is paused and has a next due time",
        f"was not reported exactly once: schedule_run_id {entry}",
        f"count of runs is wrong: id {number(counted)}, kept 7",
        f"does not refer to its waiting due time: id {number(counted)}",
        f"began nothing, or the reverse: id {entry}",
        "the counter of schedules is wrong",
    ):
        assert words in found
