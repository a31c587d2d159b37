"""`client.models`.

Made from the server's OpenAPI document by `make client`.
"""

from typing import Unpack

from retinue_client import types
from retinue_client._calls import Call
from retinue_client._listings import AsyncListing, Listing
from retinue_client._transport import AsyncTransport, Transport


class Models:
    """`client.models`."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(self, **query: Unpack[types.PageParams]) -> Listing[types.Model]:
        """List the names of models that chat accepts.

        Needs the scope `chat:read`.
        """
        return self._transport.listing(Call("GET", "/models", query={**query}), types.Model)


class AsyncModels:
    """`client.models`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(self, **query: Unpack[types.PageParams]) -> AsyncListing[types.Model]:
        """List the names of models that chat accepts.

        Needs the scope `chat:read`.
        """
        return self._transport.listing(Call("GET", "/models", query={**query}), types.Model)
