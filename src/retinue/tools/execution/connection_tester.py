"""Test connections in a worker process like every tool, because it parses what the other side sends."""

from dataclasses import dataclass

from retinue.connections.keyring import OpenedConnection
from retinue.tools.authoring.tool import Tool
from retinue.tools.execution.pool import ToolPool

_MODULE = "retinue.tools.outbound.connection_trials"


@dataclass(frozen=True)
class ConnectionTester:
    """Tests connections."""

    pool: ToolPool

    async def test(self, connection: OpenedConnection) -> tuple[bool, str]:
        """Return whether the other side accepts the secret, and its answer. Raises `Unavailable` if no worker is
        free.
        """
        found = await self.pool.execute(_trial(connection.kind), {"connection": connection.as_argument()})
        return bool(found["ok"]), str(found["message"])


def _trial(kind: str) -> Tool:
    """Return the function that tests a kind, in the form that the pool calls. It is no tool of the catalogue."""
    return Tool(
        name=f"try_{kind}",
        description="",
        category="workspace",
        tier="free",
        credits=0,
        input_schema={"properties": {"connection": {"type": "string", "x-connection": kind}}},
        result_schema={},
        tags=[],
        use_when=[],
        examples=[],
        module=_MODULE,
        read_only=True,
        destructive=False,
        idempotent=True,
        open_world=True,
        timeout_s=30.0,
        memory_mb=512,
    )
