"""`client.tools`.

Made from the server's OpenAPI document by `make client`.
"""

from typing import Unpack

from retinue_client import _by_hand, types
from retinue_client._calls import Call, path_of
from retinue_client._listings import AsyncListing, Listing
from retinue_client._transport import AsyncTransport, Transport


class ToolsSources:
    """`client.tools.sources`."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(self, *, idempotency_key: str | None = None, **body: Unpack[types.SourceCreate]) -> types.Source:
        """Import an API by its description, or an MCP server: each operation, or each tool, becomes a tool of
        yours.

        Needs the scope `*`.
        """
        return self._transport.record(
            Call("POST", "/tools/sources", takes_key=True, key=idempotency_key, body={**body}), types.Source
        )

    def retrieve(self, id: int, /) -> types.Source:
        """Get one source.

        Needs the scope `*`.
        """
        return self._transport.record(Call("GET", path_of("/tools/sources/{}", id)), types.Source)

    def delete(self, id: int, /) -> types.SourceDeleted:
        """Delete a source and its tools.

        Needs the scope `*`.
        """
        return self._transport.record(Call("DELETE", path_of("/tools/sources/{}", id)), types.SourceDeleted)

    def refresh(
        self, id: int, /, *, idempotency_key: str | None = None, **body: Unpack[types.SourceRefresh]
    ) -> types.SourceRefreshed:
        """Read a source again, whose document or server has changed. Tools that are still there keep their names.

        Needs the scope `*`.
        """
        return self._transport.record(
            Call("POST", path_of("/tools/sources/{}/refresh", id), takes_key=True, key=idempotency_key, body={**body}),
            types.SourceRefreshed,
        )

    def list(self, **query: Unpack[types.PageParams]) -> Listing[types.Source]:
        """List what you have imported, newest first.

        Needs the scope `*`.
        """
        return self._transport.listing(Call("GET", "/tools/sources", query={**query}), types.Source)


class AsyncToolsSources:
    """`client.tools.sources`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(self, *, idempotency_key: str | None = None, **body: Unpack[types.SourceCreate]) -> types.Source:
        """Import an API by its description, or an MCP server: each operation, or each tool, becomes a tool of
        yours.

        Needs the scope `*`.
        """
        return await self._transport.record(
            Call("POST", "/tools/sources", takes_key=True, key=idempotency_key, body={**body}), types.Source
        )

    async def retrieve(self, id: int, /) -> types.Source:
        """Get one source.

        Needs the scope `*`.
        """
        return await self._transport.record(Call("GET", path_of("/tools/sources/{}", id)), types.Source)

    async def delete(self, id: int, /) -> types.SourceDeleted:
        """Delete a source and its tools.

        Needs the scope `*`.
        """
        return await self._transport.record(Call("DELETE", path_of("/tools/sources/{}", id)), types.SourceDeleted)

    async def refresh(
        self, id: int, /, *, idempotency_key: str | None = None, **body: Unpack[types.SourceRefresh]
    ) -> types.SourceRefreshed:
        """Read a source again, whose document or server has changed. Tools that are still there keep their names.

        Needs the scope `*`.
        """
        return await self._transport.record(
            Call("POST", path_of("/tools/sources/{}/refresh", id), takes_key=True, key=idempotency_key, body={**body}),
            types.SourceRefreshed,
        )

    def list(self, **query: Unpack[types.PageParams]) -> AsyncListing[types.Source]:
        """List what you have imported, newest first.

        Needs the scope `*`.
        """
        return self._transport.listing(Call("GET", "/tools/sources", query={**query}), types.Source)


class Tools(_by_hand.Tools):
    """`client.tools`."""

    def __init__(self, transport: Transport) -> None:
        super().__init__(transport)
        self.sources = ToolsSources(transport)

    def categories(self, **query: Unpack[types.PageParams]) -> Listing[types.Category]:
        """List the categories and how many tools each holds.

        Needs the scope `tools:read`.
        """
        return self._transport.listing(Call("GET", "/tools/categories", query={**query}), types.Category)

    def retrieve(self, name: str, /) -> types.Tool:
        """Get one tool with the schema of its arguments.

        Needs the scope `tools:read`.
        """
        return self._transport.record(Call("GET", path_of("/tools/{}", name)), types.Tool)

    def execute(
        self, name: str, /, *, idempotency_key: str | None = None, **body: Unpack[types.ToolRun]
    ) -> types.ToolResult:
        """Execute a tool.

        Needs the scope `tools:execute`.
        """
        return self._transport.record(
            Call("POST", path_of("/tools/{}/execute", name), takes_key=True, key=idempotency_key, body={**body}),
            types.ToolResult,
        )

    def list(self, **query: Unpack[types.ListToolsParams]) -> Listing[types.Tool]:
        """List or search the catalogue and the tools that you imported: by relevance with a search, else by name.

        Needs the scope `tools:read`.
        """
        return self._transport.listing(Call("GET", "/tools", query={**query}), types.Tool)


class AsyncTools(_by_hand.AsyncTools):
    """`client.tools`."""

    def __init__(self, transport: AsyncTransport) -> None:
        super().__init__(transport)
        self.sources = AsyncToolsSources(transport)

    def categories(self, **query: Unpack[types.PageParams]) -> AsyncListing[types.Category]:
        """List the categories and how many tools each holds.

        Needs the scope `tools:read`.
        """
        return self._transport.listing(Call("GET", "/tools/categories", query={**query}), types.Category)

    async def retrieve(self, name: str, /) -> types.Tool:
        """Get one tool with the schema of its arguments.

        Needs the scope `tools:read`.
        """
        return await self._transport.record(Call("GET", path_of("/tools/{}", name)), types.Tool)

    async def execute(
        self, name: str, /, *, idempotency_key: str | None = None, **body: Unpack[types.ToolRun]
    ) -> types.ToolResult:
        """Execute a tool.

        Needs the scope `tools:execute`.
        """
        return await self._transport.record(
            Call("POST", path_of("/tools/{}/execute", name), takes_key=True, key=idempotency_key, body={**body}),
            types.ToolResult,
        )

    def list(self, **query: Unpack[types.ListToolsParams]) -> AsyncListing[types.Tool]:
        """List or search the catalogue and the tools that you imported: by relevance with a search, else by name.

        Needs the scope `tools:read`.
        """
        return self._transport.listing(Call("GET", "/tools", query={**query}), types.Tool)
