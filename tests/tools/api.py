"""The API of a running server, as the tests of tools call it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from retinue.core.errors import ValidationFailed
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
