"""Creates schedules that are due soon, and reads their history."""

from datetime import UTC, datetime, timedelta
from typing import Any

from tests.support.client import Client, data, refuse
from tests.support.server import Server
from tests.support.sql import execute
from tests.support.waiting import eventually

Json = dict[str, Any]

YEARLY = "0 0 1 1 *"


def new_agent(client: Client, **fields: Any) -> int:
    """Create an agent. Returns its id."""
    return int(data(client.post("/agents", {"agent_name": "a", "agent_role": "generalist", **fields}), 201)["id"])


def come_due(client: Client, path: str) -> str:
    """Make a schedule due in a moment, with a retry if the request takes too long. Returns its path."""

    def put() -> bool:
        at = (datetime.now(UTC) + timedelta(seconds=0.3)).isoformat()
        answer = client.put(path, {"cron": None, "at": at})
        return answer.status_code == 200 or "in the past" not in refuse(answer, 400)

    eventually(put)
    return path


def hourly() -> str:
    """Return a cron expression that is due once an hour, half an hour from now."""
    return f"{(datetime.now(UTC) + timedelta(minutes=30)).minute} * * * *"


def schedule(client: Client, **fields: Any) -> str:
    """Create a schedule, yearly by default. Returns its path."""
    body = {"name": "s", **({} if "at" in fields else {"cron": YEARLY}), **fields}
    if "fleet_id" not in body:
        body = {"message": "[[words:2]]", "agent_id": body.get("agent_id") or new_agent(client), **body}
    return f"/schedules/{data(client.post('/schedules', body), 201)['id']}"


def number(path: str) -> int:
    """Return the id in a path."""
    return int(path.rpartition("/")[2])


def history(client: Client, path: str, entries: int = 1) -> list[Json]:
    """Wait for at least `entries` due times of a schedule. Returns all of them, oldest first."""

    def look() -> list[Json] | None:
        response = client.get(f"{path}/runs?per_page=100")
        found: list[Json] = data(response)
        assert response.json()["meta"]["total"] == len(found)
        return found[::-1] if len(found) >= entries else None

    return eventually(look, within=20)


def statuses(client: Client, path: str, entries: int = 1) -> list[str]:
    """Return the status of each due time, oldest first."""
    return [str(entry["status"]) for entry in history(client, path, entries)]


def make_due(server: Server, path: str, ago: timedelta = timedelta(), cron: str | None = None) -> datetime:
    """Move the next due time back to the start of the minute `ago`, while the server is stopped. Returns it."""
    due = (datetime.now(UTC) - ago).replace(second=0, microsecond=0)
    text = due.isoformat(timespec="microseconds").replace("+00:00", "Z")
    expression = f", cron = '{cron}'" if cron else ""
    execute(
        server,
        f"UPDATE schedules SET next_at = '{text}', lease_until = {due.timestamp()}{expression}"
        f" WHERE id = {number(path)}",
    )
    return due


def moment(text: str) -> datetime:
    """Parse a timestamp of a record."""
    return datetime.fromisoformat(text)
