"""Send messages to an MCP server over HTTP, or over the standard input and output of a program."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from retinue.tools.imports.mcp.http_transport import McpEndpoint, McpReply
from retinue.tools.imports.mcp.messages import Json, Reply, reply_to
from retinue.tools.imports.mcp.programs import SCHEME


class Transport(Protocol):
    """The interface of a transport."""

    async def exchange(
        self,
        server: McpEndpoint,
        message: Json,
        headers: Mapping[str, str],
        timeout_s: float,
        reply: Reply = reply_to,
    ) -> McpReply:
        """Send a request or a notification. Raises `Unavailable` if no usable answer arrives in time.

        `reply` answers what the server asks meanwhile. What it raises is raised here.
        """
        ...

    async def end(self, server: McpEndpoint, headers: Mapping[str, str], timeout_s: float) -> None:
        """Notify the server that a session is over; errors are ignored."""
        ...


@dataclass(frozen=True)
class Transports:
    """Selects the transport by the server's address."""

    http: Transport
    stdio: Transport

    async def exchange(
        self,
        server: McpEndpoint,
        message: Json,
        headers: Mapping[str, str],
        timeout_s: float,
        reply: Reply = reply_to,
    ) -> McpReply:
        """See `Transport`."""
        return await self._to(server).exchange(server, message, headers, timeout_s, reply)

    async def end(self, server: McpEndpoint, headers: Mapping[str, str], timeout_s: float) -> None:
        """See `Transport`."""
        await self._to(server).end(server, headers, timeout_s)

    def _to(self, server: McpEndpoint) -> Transport:
        return self.stdio if server.address.startswith(SCHEME) else self.http
