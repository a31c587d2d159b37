"""Retention deletes old records in batches and updates their counters, but keeps what is still needed."""

from typing import Any

import pytest

from tests.conftest import DATABASES, StartServer
from tests.runs.test_approvals import ASK_OUT, cautious, decide, end
from tests.runs.test_runs import start
from tests.support.client import Client, data, refuse
from tests.support.server import Server
from tests.support.sql import execute, select
from tests.support.waiting import eventually
from tests.webhooks.conftest import SETTINGS, new_agent

OLD, RECENT = "2020-01-01T00:00:00.000000Z", "2099-01-01T00:00:00.000000Z"
MANY = 250
"""More than two batches."""


def hook(client: Client, **changes: Any) -> str:
    """Create an endpoint that listens to new agents. Returns its path."""
    wanted = {"url": "https://receiver.invalid/hook", "events": ["agent.created"], **changes}
    return f"/webhooks/{data(client.post('/webhooks', wanted), 201)['id']}"


def deliveries(client: Client, path: str) -> list[dict[str, Any]]:
    """Return the endpoint's deliveries. Fails unless all have ended."""
    found: list[dict[str, Any]] = data(client.get(f"{path}/deliveries"))
    assert "pending" not in {delivery["status"] for delivery in found}
    assert client.get(f"{path}/deliveries").json()["meta"]["total"] == len(found)
    return found


def many_events(account: int) -> list[str]:
    """Return statements that insert old events that were fanned out."""
    row = f"{account}, 'file.created', '{{}}', '{OLD}', '{OLD}'"
    return [
        f"INSERT INTO events (id, account_id, name, data, created_at, handed_out_at) VALUES ('evt_0{number:04}', {row})"
        for number in range(MANY)
    ]


def left(server: Server, table: str) -> int:
    """Return the number of old rows in a table."""
    return int(select(server, f"SELECT count(*) FROM {table} WHERE created_at < '2021-01-01'")[0][0])


def age(server: Server, *tables: str) -> None:
    """Make all rows of tables old while the server is stopped, and make retention due at its next start."""
    execute(
        server,
        *(f"UPDATE {table} SET created_at = '{OLD}'" for table in tables),
        "UPDATE expiries SET lease_until = 0",
    )


@pytest.mark.parametrize("database", DATABASES)
def test_only_old_records_are_removed(database: str, start_server: StartServer) -> None:
    server = start_server(database, **SETTINGS)
    client = Client(server, server.new_key(server.new_user(), test=True))
    path = hook(client)
    new_agent(client)
    eventually(lambda: data(client.get(f"{path}/deliveries")))
    data(client.put(path, {"enabled": False}))
    (old,) = eventually(lambda: deliveries(client, path))
    agent = cautious(client)
    over, waits = start(client, agent, ASK_OUT), start(client, agent, ASK_OUT)
    first, second = sorted(eventually(lambda: both(client)), key=lambda item: int(item["run_id"]))
    decide(client, first, "deny")
    end(client, over)
    key = {"headers": {"Idempotency-Key": "once"}}
    made = data(client.post("/agents", {"agent_name": "Once", "agent_role": "leader"}, **key), 201)["id"]
    (account,) = select(server, "SELECT account_id FROM agents LIMIT 1")[0]
    server.stop()
    execute(server, *many_events(account))
    age(server, "events", "webhook_deliveries", "approvals", "idempotent_requests")
    execute(server, f"UPDATE runs SET ended_at = '{OLD}' WHERE ended_at IS NOT NULL")
    server.start()
    data(client.put(path, {"enabled": True}))
    new_agent(client, "recent")
    tables = ("events", "webhook_deliveries", "idempotent_requests")
    eventually(lambda: not any(left(server, table) for table in tables), within=20)
    assert [item["id"] for item in data(client.get("/approvals"))] == [second["id"]]
    refuse(client.get(f"{path}/deliveries/{old['id']}"), 404)
    eventually(lambda: client.get(f"{path}/deliveries").json()["meta"]["total"] == 1)
    again = data(client.post("/agents", {"agent_name": "Once", "agent_role": "leader"}, **key), 201)["id"]
    assert again != made
    decide(client, second, "deny", reason="Not on a Sunday")
    assert "Not on a Sunday" in end(client, waits)["steps"][1]["content"]
    assert server.ask("check") == []


def both(client: Client) -> list[dict[str, Any]] | None:
    """Return the two approvals once both are pending, or None."""
    found: list[dict[str, Any]] = data(client.get("/approvals?status=pending"))
    return found if len(found) == 2 else None


def test_a_delivery_whose_event_is_gone_is_not_sent_again(start_server: StartServer) -> None:
    server = start_server(**SETTINGS)
    client = Client(server, server.new_key(server.new_user(), test=True))
    path = hook(client)
    new_agent(client)
    eventually(lambda: data(client.get(f"{path}/deliveries")))
    data(client.put(path, {"enabled": False}))
    (kept,) = eventually(lambda: deliveries(client, path))
    server.stop()
    age(server, "events")
    execute(server, f"UPDATE webhook_deliveries SET ended_at = NULL, status = 'pending', created_at = '{RECENT}'")
    server.start()
    eventually(lambda: left(server, "events") == 0)
    data(client.put(path, {"enabled": True}))
    (gone,) = eventually(lambda: deliveries(client, path))
    assert (gone["id"], gone["status"]) == (kept["id"], "cancelled")
    refuse(client.post(f"{path}/deliveries/{kept['id']}/replay"), 400, "has been deleted")
    assert server.ask("check") == []


@pytest.mark.parametrize("database", DATABASES)
def test_waiting_rows_do_not_keep_old_ones(database: str, start_server: StartServer) -> None:
    server = start_server(database, **SETTINGS)
    client = Client(server, server.new_key(server.new_user(), test=True))
    endpoint = hook(client).rpartition("/")[2]
    server.stop()
    columns = "public_id, endpoint_id, event_id, event, status, log, created_at, lease_until, ended_at"
    row = f"{endpoint}, 'evt_0', 'agent.created', '{{}}', '[]', '{OLD}', 9e9"
    waiting, over = row.format("pending") + ", NULL", row.format("failed") + f", '{OLD}'"
    rows = [f"('dlv_{number}', {waiting})" for number in range(MANY)] + [f"('dlv_over', {over})"]
    execute(
        server,
        f"INSERT INTO webhook_deliveries ({columns}) VALUES {', '.join(rows)}",
        f"UPDATE webhook_endpoints SET deliveries_count = {len(rows)}",
        "UPDATE expiries SET lease_until = 0",
    )
    server.start()
    eventually(lambda: left(server, "webhook_deliveries") == MANY, within=20)
    assert server.ask("check") == []
