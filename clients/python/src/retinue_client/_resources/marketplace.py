"""`client.marketplace`.

Made from the server's OpenAPI document by `make client`.
"""

from typing import Unpack

from retinue_client import types
from retinue_client._calls import Call, path_of
from retinue_client._listings import AsyncListing, Listing
from retinue_client._transport import AsyncTransport, Transport


class MarketplaceInstalled:
    """`client.marketplace.installed`."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def retrieve(self, id: int, /) -> types.Installation:
        """Get one installation.

        Needs the scope `marketplace:read`.
        """
        return self._transport.record(Call("GET", path_of("/marketplace/installed/{}", id)), types.Installation)

    def delete(self, id: int, /) -> types.InstallationDeleted:
        """Delete what an installation made, as far as it is still there.

        Needs the scope `marketplace:write`.
        """
        return self._transport.record(
            Call("DELETE", path_of("/marketplace/installed/{}", id)), types.InstallationDeleted
        )

    def list(self, **query: Unpack[types.PageParams]) -> Listing[types.Installation]:
        """List what you have installed, newest first.

        Needs the scope `marketplace:read`.
        """
        return self._transport.listing(Call("GET", "/marketplace/installed", query={**query}), types.Installation)


class AsyncMarketplaceInstalled:
    """`client.marketplace.installed`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def retrieve(self, id: int, /) -> types.Installation:
        """Get one installation.

        Needs the scope `marketplace:read`.
        """
        return await self._transport.record(Call("GET", path_of("/marketplace/installed/{}", id)), types.Installation)

    async def delete(self, id: int, /) -> types.InstallationDeleted:
        """Delete what an installation made, as far as it is still there.

        Needs the scope `marketplace:write`.
        """
        return await self._transport.record(
            Call("DELETE", path_of("/marketplace/installed/{}", id)), types.InstallationDeleted
        )

    def list(self, **query: Unpack[types.PageParams]) -> AsyncListing[types.Installation]:
        """List what you have installed, newest first.

        Needs the scope `marketplace:read`.
        """
        return self._transport.listing(Call("GET", "/marketplace/installed", query={**query}), types.Installation)


class Marketplace:
    """`client.marketplace`."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self.installed = MarketplaceInstalled(transport)

    def create(self, *, idempotency_key: str | None = None, **body: Unpack[types.ItemPublish]) -> types.ItemDetails:
        """Publish an item. Others see it when the operator has approved it.

        Needs the scope `marketplace:write`.
        """
        return self._transport.record(
            Call("POST", "/marketplace", takes_key=True, key=idempotency_key, body={**body}), types.ItemDetails
        )

    def retrieve(self, id: int, /) -> types.ItemDetails:
        """Get one item with its readme and its manifest.

        Needs the scope `marketplace:read`.
        """
        return self._transport.record(Call("GET", path_of("/marketplace/{}", id)), types.ItemDetails)

    def update(self, id: int, /, **body: Unpack[types.ItemChange]) -> types.ItemDetails:
        """Publish a new version of an item of yours. What others have installed stays as it is.

        Needs the scope `marketplace:write`.
        """
        return self._transport.record(Call("PUT", path_of("/marketplace/{}", id), body={**body}), types.ItemDetails)

    def install(
        self, id: int, /, *, idempotency_key: str | None = None, **body: Unpack[types.InstallRequest]
    ) -> types.Installation:
        """Install an item. It connects nowhere; what needs a credential takes a connection afterwards.

        Needs the scope `marketplace:write`.
        """
        return self._transport.record(
            Call("POST", path_of("/marketplace/{}/install", id), takes_key=True, key=idempotency_key, body={**body}),
            types.Installation,
        )

    def rate(self, id: int, /, *, idempotency_key: str | None = None, **body: Unpack[types.Rating]) -> types.Item:
        """Rate an item, from 1 to 5 stars.

        Needs the scope `marketplace:write`.
        """
        return self._transport.record(
            Call("POST", path_of("/marketplace/{}/rating", id), takes_key=True, key=idempotency_key, body={**body}),
            types.Item,
        )

    def moderate(
        self, id: int, /, *, idempotency_key: str | None = None, **body: Unpack[types.Moderation]
    ) -> types.Item:
        """Approve, reject or withdraw an item, as the operator. What was installed of it goes on.

        Needs the scope `marketplace:write`.
        """
        return self._transport.record(
            Call("POST", path_of("/marketplace/{}/moderate", id), takes_key=True, key=idempotency_key, body={**body}),
            types.Item,
        )

    def list(self, **query: Unpack[types.ListItemsParams]) -> Listing[types.Item]:
        """Browse the items. You also see those of your own that wait for the operator.

        Needs the scope `marketplace:read`.
        """
        return self._transport.listing(Call("GET", "/marketplace", query={**query}), types.Item)


class AsyncMarketplace:
    """`client.marketplace`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport
        self.installed = AsyncMarketplaceInstalled(transport)

    async def create(
        self, *, idempotency_key: str | None = None, **body: Unpack[types.ItemPublish]
    ) -> types.ItemDetails:
        """Publish an item. Others see it when the operator has approved it.

        Needs the scope `marketplace:write`.
        """
        return await self._transport.record(
            Call("POST", "/marketplace", takes_key=True, key=idempotency_key, body={**body}), types.ItemDetails
        )

    async def retrieve(self, id: int, /) -> types.ItemDetails:
        """Get one item with its readme and its manifest.

        Needs the scope `marketplace:read`.
        """
        return await self._transport.record(Call("GET", path_of("/marketplace/{}", id)), types.ItemDetails)

    async def update(self, id: int, /, **body: Unpack[types.ItemChange]) -> types.ItemDetails:
        """Publish a new version of an item of yours. What others have installed stays as it is.

        Needs the scope `marketplace:write`.
        """
        return await self._transport.record(
            Call("PUT", path_of("/marketplace/{}", id), body={**body}), types.ItemDetails
        )

    async def install(
        self, id: int, /, *, idempotency_key: str | None = None, **body: Unpack[types.InstallRequest]
    ) -> types.Installation:
        """Install an item. It connects nowhere; what needs a credential takes a connection afterwards.

        Needs the scope `marketplace:write`.
        """
        return await self._transport.record(
            Call("POST", path_of("/marketplace/{}/install", id), takes_key=True, key=idempotency_key, body={**body}),
            types.Installation,
        )

    async def rate(self, id: int, /, *, idempotency_key: str | None = None, **body: Unpack[types.Rating]) -> types.Item:
        """Rate an item, from 1 to 5 stars.

        Needs the scope `marketplace:write`.
        """
        return await self._transport.record(
            Call("POST", path_of("/marketplace/{}/rating", id), takes_key=True, key=idempotency_key, body={**body}),
            types.Item,
        )

    async def moderate(
        self, id: int, /, *, idempotency_key: str | None = None, **body: Unpack[types.Moderation]
    ) -> types.Item:
        """Approve, reject or withdraw an item, as the operator. What was installed of it goes on.

        Needs the scope `marketplace:write`.
        """
        return await self._transport.record(
            Call("POST", path_of("/marketplace/{}/moderate", id), takes_key=True, key=idempotency_key, body={**body}),
            types.Item,
        )

    def list(self, **query: Unpack[types.ListItemsParams]) -> AsyncListing[types.Item]:
        """Browse the items. You also see those of your own that wait for the operator.

        Needs the scope `marketplace:read`.
        """
        return self._transport.listing(Call("GET", "/marketplace", query={**query}), types.Item)
