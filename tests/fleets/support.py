"""Creates fleets with agents, and waits for their deployments."""

from typing import Any

from tests.support.client import Client, data
from tests.support.waiting import eventually

Json = dict[str, Any]


def make_fleet(client: Client, **fields: Any) -> str:
    """Create a fleet. Returns its path."""
    return f"/fleets/{data(client.post('/fleets', {'name': 'Watch', **fields}), 201)['id']}"


def fleet_id(path: str) -> int:
    """Return the id in a fleet's path."""
    return int(path.rpartition("/")[2])


def add_agent(client: Client, fleet: str, name: str, role: str = "generalist", **fields: Any) -> int:
    """Attach a new agent. Returns its id."""
    body = {"agent_name": name, "agent_role": role, "fleet_id": fleet_id(fleet), **fields}
    return int(data(client.post("/agents", body), 201)["id"])


def deploy(client: Client, fleet: str, **order: Any) -> str:
    """Deploy a fleet. Returns the deployment's path."""
    return f"{fleet}/deployments/{data(client.post(f'{fleet}/deploy', order))['deployment_id']}"


def ended(client: Client, deployment: str, within: float = 15.0) -> Json:
    """Wait until the deployment has ended, and return it."""
    found: Json = eventually(lambda: _over(client, deployment), within=within)
    return found


def _over(client: Client, deployment: str) -> Json | None:
    found: Json = data(client.get(deployment))
    return found if found["ended_at"] else None


def carried_out(client: Client, fleet: str, **order: Any) -> Json:
    """Deploy a fleet and wait until the deployment has ended."""
    return ended(client, deploy(client, fleet, **order))


def message(client: Client, part: Json) -> str:
    """Return the message that the agent received for a part."""
    return str(data(client.get(f"/runs/{part['run_id']}"))["message"])


def shape(deployment: Json) -> list[tuple[str, str]]:
    """Return the kind and the agent's name of every part, in order."""
    return [(part["kind"], part["agent_name"]) for part in deployment["parts"]]
