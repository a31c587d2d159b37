"""How messages get to an MCP server: over HTTP, or over the standard input and output of a program."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from retinue.tools.imports.mcp.http_transport import Endpoint, Reply
from retinue.tools.imports.mcp.messages import Json
from retinue.tools.imports.mcp.programs import SCHEME


class Transport(Protocol):
    """One way."""

    async def exchange(self, server: Endpoint, message: Json, headers: Mapping[str, str], timeout_s: float) -> Reply:
        """Send a request or a notification. Raises `Unavailable` when nothing usable comes back in time."""
        ...

    async def end(self, server: Endpoint, headers: Mapping[str, str], timeout_s: float) -> None:
        """Tell the server that a session is over; whether it hears of it changes nothing."""
        ...


@dataclass(frozen=True)
class Transports:
    """Each server is reached in the way that its address tells."""

    http: Transport
    stdio: Transport

    async def exchange(self, server: Endpoint, message: Json, headers: Mapping[str, str], timeout_s: float) -> Reply:
        """See `Transport`."""
        return await self._to(server).exchange(server, message, headers, timeout_s)

    async def end(self, server: Endpoint, headers: Mapping[str, str], timeout_s: float) -> None:
        """See `Transport`."""
        await self._to(server).end(server, headers, timeout_s)

    def _to(self, server: Endpoint) -> Transport:
        return self.stdio if server.address.startswith(SCHEME) else self.http
