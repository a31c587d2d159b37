"""`client.requests`.

Made from the server's OpenAPI document by `make client`.
"""

from typing import Unpack

from retinue_client import types
from retinue_client._calls import Call, path_of
from retinue_client._listings import AsyncListing, Listing
from retinue_client._transport import AsyncTransport, Transport


class Requests:
    """`client.requests`."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def retrieve(self, request_id: str, /, **query: Unpack[types.GetRequestParams]) -> types.Request:
        """Get a request by its `X-Request-ID`: the newest one, if several had the same.

        Needs the scope `*`, of an API key or a session.
        """
        return self._transport.record(Call("GET", path_of("/requests/{}", request_id), query={**query}), types.Request)

    def list(self, **query: Unpack[types.ListRequestsParams]) -> Listing[types.Request]:
        """List the API requests of your account, newest first, with what came of each.

        Bodies, headers and queries are not logged.

        Needs the scope `*`, of an API key or a session.
        """
        return self._transport.listing(Call("GET", "/requests", query={**query}), types.Request)


class AsyncRequests:
    """`client.requests`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def retrieve(self, request_id: str, /, **query: Unpack[types.GetRequestParams]) -> types.Request:
        """Get a request by its `X-Request-ID`: the newest one, if several had the same.

        Needs the scope `*`, of an API key or a session.
        """
        return await self._transport.record(
            Call("GET", path_of("/requests/{}", request_id), query={**query}), types.Request
        )

    def list(self, **query: Unpack[types.ListRequestsParams]) -> AsyncListing[types.Request]:
        """List the API requests of your account, newest first, with what came of each.

        Bodies, headers and queries are not logged.

        Needs the scope `*`, of an API key or a session.
        """
        return self._transport.listing(Call("GET", "/requests", query={**query}), types.Request)
