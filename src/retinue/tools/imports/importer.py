"""Reading what tools are imported from: documents, and the lists of MCP servers."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import orjson

from retinue.connections.redaction import Redaction
from retinue.core.statements import Row
from retinue.tools.imports import documents, openapi
from retinue.tools.imports.base import AnyImported, decode
from retinue.tools.imports.client import OutsideClient
from retinue.tools.imports.credentials import Credential
from retinue.tools.imports.mcp.listing import Listings
from retinue.tools.imports.mcp.sessions import Sessions
from retinue.tools.imports.mcp.tools import tools_of
from retinue.tools.imports.mcp.wire import Endpoint


@dataclass(frozen=True)
class Wanted:
    """What is to be read: the `document` itself, or what is at an address.

    `source_id` is that of a source whose tools, as `earlier` rows have them, are read again.
    """

    name: str
    category: str
    credential: Credential | None
    address: str | None
    document: dict[str, Any] | str | None = None
    source_id: int | None = None
    earlier: Sequence[Row] = field(default_factory=list)

    def names(self) -> Mapping[str, str]:
        """The names of the earlier tools, by what they were in the source."""
        return {decode(row.definition.encode()).call.origin: row.name for row in self.earlier}


@dataclass(frozen=True)
class Parsed:
    """What a document comes to: where its API is, and its tools by name, as JSON."""

    base_url: str | None
    tools: dict[str, str]

    def without(self, redaction: Redaction) -> "Parsed":
        """The same without the secret that a server may have put into its descriptions."""
        return replace(self, tools={name: redaction.text(definition) for name, definition in self.tools.items()})


class Importer:
    """Reads what is to be imported. It parses one at a time: each takes memory and time in proportion to its size."""

    def __init__(self, client: OutsideClient, sessions: Sessions) -> None:
        self.client = client
        self.sessions = sessions
        self._listings = Listings(sessions)
        self._turn = asyncio.Semaphore(1)

    async def described(self, wanted: Wanted) -> Parsed:
        """The tools of an OpenAPI document, parsed on a thread."""
        async with self._turn:
            if wanted.address is not None:
                raw: bytes | dict[str, Any] = await self.client.fetch(wanted.address)
            else:
                raw = wanted.document if isinstance(wanted.document, dict) else str(wanted.document).encode()
            return await asyncio.to_thread(_described, raw, wanted)

    async def listed(self, wanted: Wanted) -> Parsed:
        """The tools of an MCP server, parsed on a thread."""
        address = str(wanted.address)
        listed = await self._listings.of(Endpoint(address, wanted.credential), wanted.source_id)
        async with self._turn:
            tools = await asyncio.to_thread(lambda: tools_of(listed, wanted.name, wanted.category, wanted.names()))
            return Parsed(address, _as_json(tools))


def _described(raw: bytes | dict[str, Any], wanted: Wanted) -> Parsed:
    document = raw if isinstance(raw, dict) else documents.read(raw)
    place = wanted.credential.place if wanted.credential else ("", "")
    source = openapi.Source(wanted.name, wanted.category, place, wanted.names())
    return Parsed(openapi.base_url(document, wanted.address), _as_json(openapi.tools_of(document, source)))


def _as_json(tools: Iterable[AnyImported]) -> dict[str, str]:
    return {tool.name: orjson.dumps(tool).decode() for tool in tools}
