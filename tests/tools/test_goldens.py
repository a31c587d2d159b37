"""Every example of every tool, through the API."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from retinue.core.errors import ValidationFailed
from retinue.tools.base import Tool
from retinue.tools.catalogue import Catalogue
from retinue.tools.proof import Prover
from tests.conftest import NewServer, User
from tests.support.client import Client, data


@dataclass(frozen=True)
class Api:
    """Executes tools as a client does."""

    client: Client

    async def lend(self, name: str, content: bytes) -> str:
        """Upload."""
        return str(data(self.client.request("POST", "/files", files={"file": (name, content)}), 201)["id"])

    async def connect(self, connection: Mapping[str, Any]) -> int:
        """Make it in the account."""
        return int(data(self.client.post("/connections", dict(connection)), 201)["id"])

    async def disconnect(self, connection_id: int) -> None:
        """Delete it from the account."""
        data(self.client.delete(f"/connections/{connection_id}"))

    async def execute(self, tool: str, args: Mapping[str, Any]) -> dict[str, Any]:
        """Execute."""
        response = self.client.post(f"/tools/{tool}/execute", {"args": args})
        if response.status_code == 400:
            raise ValidationFailed(response.json()["error"]["message"])
        result: dict[str, Any] = data(response)["result"]
        return result

    async def name_of(self, file_id: str) -> str:
        """Ask for its record."""
        return str(data(self.client.get(f"/files/{file_id}"))["name"])


@pytest.fixture(scope="module")
def api(new_server: NewServer) -> Iterator[Api]:
    server = new_server(RETINUE_ALLOWED_NETWORKS="127.0.0.0/8", RETINUE_RATE_LIMITS="off")
    server.start()
    user = User(server, server.new_user("enterprise"))
    client = user.client()
    fleet = data(client.post("/fleets", {"name": "Helpers"}), 201)["id"]
    agent = {"agent_name": "Helper", "agent_role": "generalist", "fleet_id": fleet}
    assert data(client.post("/agents", agent), 201)["id"] == fleet == 1
    yield Api(client)
    user.close()
    server.close()


BY_MODULE = [
    pytest.param(tool, id=tool.name, marks=pytest.mark.needs_program(*tool.needs))
    for tool in sorted(Catalogue.load(), key=lambda tool: tool.module)
]
"""Tools of one module, and of one category, together: a worker then imports their libraries once."""


@pytest.mark.parametrize("tool", BY_MODULE)
async def test_a_tool_does_what_its_examples_say(tool: Tool, api: Api) -> None:
    assert await Prover(api).faults(tool) == []
