"""Retention deletes old due times and updates their counters, but keeps waiting and running ones."""

import pytest

from tests.conftest import DATABASES, StartServer
from tests.schedules.support import come_due, history, schedule, statuses
from tests.support.client import Client, data
from tests.support.sql import execute
from tests.support.waiting import eventually

OLD = "2020-01-01T00:00:00.000000Z"


@pytest.mark.parametrize("database", DATABASES)
def test_the_history_is_kept_for_a_while(database: str, start_server: StartServer) -> None:
    server = start_server(database)
    client = Client(server, server.new_key(server.new_user(), test=True))
    short, long = schedule(client), schedule(client, message="[[sleep:50]]", overlap="queue")
    for path in (short, long):
        data(client.post(f"{path}/run"), 202)
    come_due(client, long)
    assert statuses(client, long, 2) == ["fired", "waiting"]
    eventually(lambda: history(client, short)[0]["outcome"] == "completed")
    server.stop()
    execute(server, f"UPDATE schedule_runs SET created_at = '{OLD}'", "UPDATE expiries SET lease_until = 0")
    server.start()
    eventually(lambda: data(client.get(f"{short}/runs")) == [])
    assert client.get(f"{short}/runs").json()["meta"]["total"] == 0
    assert data(client.get(short))["last_run"] is None
    assert statuses(client, long, 2) == ["fired", "waiting"]
    assert server.ask("check") == []
