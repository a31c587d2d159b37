"""`client.usage`.

Made from the server's OpenAPI document by `make client`.
"""

from typing import Unpack

from retinue_client import _by_hand, types
from retinue_client._calls import Call
from retinue_client._listings import AsyncListing, Listing
from retinue_client._transport import AsyncTransport, Transport


class Usage(_by_hand.Usage):
    """`client.usage`."""

    def __init__(self, transport: Transport) -> None:
        super().__init__(transport)

    def retrieve(self) -> types.Usage:
        """Get what the running billing period has used of each metric, and the plan's limits.

        Needs the scope `usage:read`.
        """
        return self._transport.record(Call("GET", "/usage"), types.Usage)

    def history(self, **query: Unpack[types.ListUsageParams]) -> Listing[types.History]:
        """List use by day and kind, newest first.

        Needs the scope `usage:read`.
        """
        return self._transport.listing(Call("GET", "/usage/history", query={**query}), types.History)


class AsyncUsage(_by_hand.AsyncUsage):
    """`client.usage`."""

    def __init__(self, transport: AsyncTransport) -> None:
        super().__init__(transport)

    async def retrieve(self) -> types.Usage:
        """Get what the running billing period has used of each metric, and the plan's limits.

        Needs the scope `usage:read`.
        """
        return await self._transport.record(Call("GET", "/usage"), types.Usage)

    def history(self, **query: Unpack[types.ListUsageParams]) -> AsyncListing[types.History]:
        """List use by day and kind, newest first.

        Needs the scope `usage:read`.
        """
        return self._transport.listing(Call("GET", "/usage/history", query={**query}), types.History)
