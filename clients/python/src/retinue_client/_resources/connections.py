"""`client.connections`.

Made from the server's OpenAPI document by `make client`.
"""

from typing import Unpack

from retinue_client import types
from retinue_client._calls import Call, path_of
from retinue_client._listings import AsyncListing, Listing
from retinue_client._transport import AsyncTransport, Transport


class Connections:
    """`client.connections`."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def kinds(self, **query: Unpack[types.PageParams]) -> Listing[types.ConnectionKind]:
        """List the kinds of connections, with the schemas of their settings and their secrets.

        Needs the scope `*`.
        """
        return self._transport.listing(Call("GET", "/connections/kinds", query={**query}), types.ConnectionKind)

    def create(self, *, idempotency_key: str | None = None, **body: Unpack[types.ConnectionCreate]) -> types.Connection:
        """Make a connection: a credential that tools and sources use by its name, and that is never shown again.

        Needs the scope `*`.
        """
        return self._transport.record(
            Call("POST", "/connections", takes_key=True, key=idempotency_key, body={**body}), types.Connection
        )

    def retrieve(self, id: int, /) -> types.Connection:
        """Get one connection.

        Needs the scope `*`.
        """
        return self._transport.record(Call("GET", path_of("/connections/{}", id)), types.Connection)

    def update(self, id: int, /, **body: Unpack[types.ConnectionUpdate]) -> types.Connection:
        """Replace its settings, its secret, or both. Settings that name another server need the secret again.

        Needs the scope `*`.
        """
        return self._transport.record(Call("PUT", path_of("/connections/{}", id), body={**body}), types.Connection)

    def delete(self, id: int, /) -> types.ConnectionDeleted:
        """Delete a connection that no source uses.

        Needs the scope `*`.
        """
        return self._transport.record(Call("DELETE", path_of("/connections/{}", id)), types.ConnectionDeleted)

    def test(self, id: int, /, *, idempotency_key: str | None = None) -> types.Connection:
        """Try a connection out: log in, or ask the API with the secret. The outcome is in `last_test`.

        Needs the scope `*`.
        """
        return self._transport.record(
            Call("POST", path_of("/connections/{}/test", id), takes_key=True, key=idempotency_key), types.Connection
        )

    def list(self, **query: Unpack[types.PageParams]) -> Listing[types.Connection]:
        """List your connections, newest first.

        Needs the scope `*`.
        """
        return self._transport.listing(Call("GET", "/connections", query={**query}), types.Connection)


class AsyncConnections:
    """`client.connections`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def kinds(self, **query: Unpack[types.PageParams]) -> AsyncListing[types.ConnectionKind]:
        """List the kinds of connections, with the schemas of their settings and their secrets.

        Needs the scope `*`.
        """
        return self._transport.listing(Call("GET", "/connections/kinds", query={**query}), types.ConnectionKind)

    async def create(
        self, *, idempotency_key: str | None = None, **body: Unpack[types.ConnectionCreate]
    ) -> types.Connection:
        """Make a connection: a credential that tools and sources use by its name, and that is never shown again.

        Needs the scope `*`.
        """
        return await self._transport.record(
            Call("POST", "/connections", takes_key=True, key=idempotency_key, body={**body}), types.Connection
        )

    async def retrieve(self, id: int, /) -> types.Connection:
        """Get one connection.

        Needs the scope `*`.
        """
        return await self._transport.record(Call("GET", path_of("/connections/{}", id)), types.Connection)

    async def update(self, id: int, /, **body: Unpack[types.ConnectionUpdate]) -> types.Connection:
        """Replace its settings, its secret, or both. Settings that name another server need the secret again.

        Needs the scope `*`.
        """
        return await self._transport.record(
            Call("PUT", path_of("/connections/{}", id), body={**body}), types.Connection
        )

    async def delete(self, id: int, /) -> types.ConnectionDeleted:
        """Delete a connection that no source uses.

        Needs the scope `*`.
        """
        return await self._transport.record(Call("DELETE", path_of("/connections/{}", id)), types.ConnectionDeleted)

    async def test(self, id: int, /, *, idempotency_key: str | None = None) -> types.Connection:
        """Try a connection out: log in, or ask the API with the secret. The outcome is in `last_test`.

        Needs the scope `*`.
        """
        return await self._transport.record(
            Call("POST", path_of("/connections/{}/test", id), takes_key=True, key=idempotency_key), types.Connection
        )

    def list(self, **query: Unpack[types.PageParams]) -> AsyncListing[types.Connection]:
        """List your connections, newest first.

        Needs the scope `*`.
        """
        return self._transport.listing(Call("GET", "/connections", query={**query}), types.Connection)
