"""`client.keys`.

Made from the server's OpenAPI document by `make client`.
"""

from typing import Unpack

from retinue_client import types
from retinue_client._calls import Call, path_of
from retinue_client._listings import AsyncListing, Listing
from retinue_client._transport import AsyncTransport, Transport


class Keys:
    """`client.keys`."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(self, **body: Unpack[types.KeyCreate]) -> types.KeySecret:
        """Make an API key. It is in this answer alone. A test key makes only test keys.

        Needs the scope `*`, of an API key or a session.
        """
        return self._transport.record(Call("POST", "/keys", body={**body}), types.KeySecret)

    def retrieve(self, id: int, /) -> types.Key:
        """Get one key, without its secret.

        Needs the scope `*`, of an API key or a session.
        """
        return self._transport.record(Call("GET", path_of("/keys/{}", id)), types.Key)

    def update(self, id: int, /, **body: Unpack[types.KeyUpdate]) -> types.Key:
        """Change the name, the budgets or the networks of a key.

        Null clears a budget, or lets the key work from anywhere. A change holds everywhere within a second.

        Needs the scope `*`, of an API key or a session.
        """
        return self._transport.record(Call("PUT", path_of("/keys/{}", id), body={**body}), types.Key)

    def delete(self, id: int, /) -> types.KeyDeleted:
        """Revoke a key. It stops working everywhere within a second.

        Needs the scope `*`, of an API key or a session.
        """
        return self._transport.record(Call("DELETE", path_of("/keys/{}", id)), types.KeyDeleted)

    def rotate(self, id: int, /, **body: Unpack[types.KeyRotate]) -> types.KeySecret:
        """Make a successor with the same rights, which is in this answer alone.

        The old key goes on working for the days in `overlap_days`; without any it stops within a second.

        Needs the scope `*`, of an API key or a session.
        """
        return self._transport.record(Call("POST", path_of("/keys/{}/rotate", id), body={**body}), types.KeySecret)

    def list(self, **query: Unpack[types.PageParams]) -> Listing[types.Key]:
        """List your keys, live and test, newest first. A test key lists test keys alone.

        Needs the scope `*`, of an API key or a session.
        """
        return self._transport.listing(Call("GET", "/keys", query={**query}), types.Key)


class AsyncKeys:
    """`client.keys`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(self, **body: Unpack[types.KeyCreate]) -> types.KeySecret:
        """Make an API key. It is in this answer alone. A test key makes only test keys.

        Needs the scope `*`, of an API key or a session.
        """
        return await self._transport.record(Call("POST", "/keys", body={**body}), types.KeySecret)

    async def retrieve(self, id: int, /) -> types.Key:
        """Get one key, without its secret.

        Needs the scope `*`, of an API key or a session.
        """
        return await self._transport.record(Call("GET", path_of("/keys/{}", id)), types.Key)

    async def update(self, id: int, /, **body: Unpack[types.KeyUpdate]) -> types.Key:
        """Change the name, the budgets or the networks of a key.

        Null clears a budget, or lets the key work from anywhere. A change holds everywhere within a second.

        Needs the scope `*`, of an API key or a session.
        """
        return await self._transport.record(Call("PUT", path_of("/keys/{}", id), body={**body}), types.Key)

    async def delete(self, id: int, /) -> types.KeyDeleted:
        """Revoke a key. It stops working everywhere within a second.

        Needs the scope `*`, of an API key or a session.
        """
        return await self._transport.record(Call("DELETE", path_of("/keys/{}", id)), types.KeyDeleted)

    async def rotate(self, id: int, /, **body: Unpack[types.KeyRotate]) -> types.KeySecret:
        """Make a successor with the same rights, which is in this answer alone.

        The old key goes on working for the days in `overlap_days`; without any it stops within a second.

        Needs the scope `*`, of an API key or a session.
        """
        return await self._transport.record(
            Call("POST", path_of("/keys/{}/rotate", id), body={**body}), types.KeySecret
        )

    def list(self, **query: Unpack[types.PageParams]) -> AsyncListing[types.Key]:
        """List your keys, live and test, newest first. A test key lists test keys alone.

        Needs the scope `*`, of an API key or a session.
        """
        return self._transport.listing(Call("GET", "/keys", query={**query}), types.Key)
