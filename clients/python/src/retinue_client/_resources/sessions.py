"""`client.sessions`.

Made from the server's OpenAPI document by `make client`.
"""

from typing import Unpack

from retinue_client import types
from retinue_client._calls import Call, path_of
from retinue_client._listings import AsyncListing, Listing
from retinue_client._transport import AsyncTransport, Transport


class Sessions:
    """`client.sessions`."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def delete_others(self) -> types.SessionsRevoked:
        """End every session but the one of this request. They stop working everywhere within a second.

        Needs the scope `*`, of an API key or a session.
        """
        return self._transport.record(Call("DELETE", "/sessions"), types.SessionsRevoked)

    def retrieve(self, id: int, /) -> types.Session:
        """Get one session.

        Needs the scope `*`, of an API key or a session.
        """
        return self._transport.record(Call("GET", path_of("/sessions/{}", id)), types.Session)

    def delete(self, id: int, /) -> types.SessionDeleted:
        """End a session. It stops working everywhere within a second.

        Needs the scope `*`, of an API key or a session.
        """
        return self._transport.record(Call("DELETE", path_of("/sessions/{}", id)), types.SessionDeleted)

    def list(self, **query: Unpack[types.PageParams]) -> Listing[types.Session]:
        """List your sessions, newest first.

        Needs the scope `*`, of an API key or a session.
        """
        return self._transport.listing(Call("GET", "/sessions", query={**query}), types.Session)


class AsyncSessions:
    """`client.sessions`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def delete_others(self) -> types.SessionsRevoked:
        """End every session but the one of this request. They stop working everywhere within a second.

        Needs the scope `*`, of an API key or a session.
        """
        return await self._transport.record(Call("DELETE", "/sessions"), types.SessionsRevoked)

    async def retrieve(self, id: int, /) -> types.Session:
        """Get one session.

        Needs the scope `*`, of an API key or a session.
        """
        return await self._transport.record(Call("GET", path_of("/sessions/{}", id)), types.Session)

    async def delete(self, id: int, /) -> types.SessionDeleted:
        """End a session. It stops working everywhere within a second.

        Needs the scope `*`, of an API key or a session.
        """
        return await self._transport.record(Call("DELETE", path_of("/sessions/{}", id)), types.SessionDeleted)

    def list(self, **query: Unpack[types.PageParams]) -> AsyncListing[types.Session]:
        """List your sessions, newest first.

        Needs the scope `*`, of an API key or a session.
        """
        return self._transport.listing(Call("GET", "/sessions", query={**query}), types.Session)
