"""`client.webhooks`.

Made from the server's OpenAPI document by `make client`.
"""

from typing import Unpack

from retinue_client import types
from retinue_client._calls import Call, path_of
from retinue_client._listings import AsyncListing, Listing
from retinue_client._transport import AsyncTransport, Transport


class WebhooksDeliveries:
    """`client.webhooks.deliveries`."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def retrieve(self, id: int, delivery_id: str, /) -> types.DeliveryDetails:
        """Get a delivery with every attempt.

        Needs the scope `*`.
        """
        return self._transport.record(
            Call("GET", path_of("/webhooks/{}/deliveries/{}", id, delivery_id)), types.DeliveryDetails
        )

    def replay(self, id: int, delivery_id: str, /, *, idempotency_key: str | None = None) -> types.Delivery:
        """Send the same event once more, as a new delivery with an id of its own.

        Needs the scope `*`.
        """
        return self._transport.record(
            Call(
                "POST",
                path_of("/webhooks/{}/deliveries/{}/replay", id, delivery_id),
                takes_key=True,
                key=idempotency_key,
            ),
            types.Delivery,
        )

    def list(self, id: int, /, **query: Unpack[types.PageParams]) -> Listing[types.Delivery]:
        """List the endpoint's deliveries, newest first.

        Needs the scope `*`.
        """
        return self._transport.listing(
            Call("GET", path_of("/webhooks/{}/deliveries", id), query={**query}), types.Delivery
        )


class AsyncWebhooksDeliveries:
    """`client.webhooks.deliveries`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def retrieve(self, id: int, delivery_id: str, /) -> types.DeliveryDetails:
        """Get a delivery with every attempt.

        Needs the scope `*`.
        """
        return await self._transport.record(
            Call("GET", path_of("/webhooks/{}/deliveries/{}", id, delivery_id)), types.DeliveryDetails
        )

    async def replay(self, id: int, delivery_id: str, /, *, idempotency_key: str | None = None) -> types.Delivery:
        """Send the same event once more, as a new delivery with an id of its own.

        Needs the scope `*`.
        """
        return await self._transport.record(
            Call(
                "POST",
                path_of("/webhooks/{}/deliveries/{}/replay", id, delivery_id),
                takes_key=True,
                key=idempotency_key,
            ),
            types.Delivery,
        )

    def list(self, id: int, /, **query: Unpack[types.PageParams]) -> AsyncListing[types.Delivery]:
        """List the endpoint's deliveries, newest first.

        Needs the scope `*`.
        """
        return self._transport.listing(
            Call("GET", path_of("/webhooks/{}/deliveries", id), query={**query}), types.Delivery
        )


class Webhooks:
    """`client.webhooks`."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self.deliveries = WebhooksDeliveries(transport)

    def create(self, **body: Unpack[types.WebhookCreate]) -> types.WebhookSecret:
        """Make an endpoint that events are sent to. Its secret is in this answer alone.

        Needs the scope `*`.
        """
        return self._transport.record(Call("POST", "/webhooks", body={**body}), types.WebhookSecret)

    def retrieve(self, id: int, /) -> types.Webhook:
        """Get one endpoint.

        Needs the scope `*`.
        """
        return self._transport.record(Call("GET", path_of("/webhooks/{}", id)), types.Webhook)

    def update(self, id: int, /, **body: Unpack[types.WebhookUpdate]) -> types.Webhook:
        """Change the fields that are sent. Disabling the endpoint cancels what waits for it.

        Needs the scope `*`.
        """
        return self._transport.record(Call("PUT", path_of("/webhooks/{}", id), body={**body}), types.Webhook)

    def delete(self, id: int, /) -> types.WebhookDeleted:
        """Delete the endpoint and its deliveries.

        Needs the scope `*`.
        """
        return self._transport.record(Call("DELETE", path_of("/webhooks/{}", id)), types.WebhookDeleted)

    def rotate(self, id: int, /) -> types.WebhookSecret:
        """Make a new secret, which is in this answer alone.

        The old one signs `X-Webhook-Signature` until you switch over, or for 24 hours; `webhook-signature`
        carries both.

        Needs the scope `*`.
        """
        return self._transport.record(Call("POST", path_of("/webhooks/{}/rotate", id)), types.WebhookSecret)

    def switch(self, id: int, /, *, idempotency_key: str | None = None) -> types.Webhook:
        """End a rotation: the new secret alone signs from now on.

        Needs the scope `*`.
        """
        return self._transport.record(
            Call("POST", path_of("/webhooks/{}/switch", id), takes_key=True, key=idempotency_key), types.Webhook
        )

    def test(self, id: int, /, *, idempotency_key: str | None = None) -> types.Delivery:
        """Send the event `webhook.test` to this endpoint alone.

        Needs the scope `*`.
        """
        return self._transport.record(
            Call("POST", path_of("/webhooks/{}/test", id), takes_key=True, key=idempotency_key), types.Delivery
        )

    def list(self, **query: Unpack[types.PageParams]) -> Listing[types.Webhook]:
        """List your endpoints, newest first.

        Needs the scope `*`.
        """
        return self._transport.listing(Call("GET", "/webhooks", query={**query}), types.Webhook)


class AsyncWebhooks:
    """`client.webhooks`."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport
        self.deliveries = AsyncWebhooksDeliveries(transport)

    async def create(self, **body: Unpack[types.WebhookCreate]) -> types.WebhookSecret:
        """Make an endpoint that events are sent to. Its secret is in this answer alone.

        Needs the scope `*`.
        """
        return await self._transport.record(Call("POST", "/webhooks", body={**body}), types.WebhookSecret)

    async def retrieve(self, id: int, /) -> types.Webhook:
        """Get one endpoint.

        Needs the scope `*`.
        """
        return await self._transport.record(Call("GET", path_of("/webhooks/{}", id)), types.Webhook)

    async def update(self, id: int, /, **body: Unpack[types.WebhookUpdate]) -> types.Webhook:
        """Change the fields that are sent. Disabling the endpoint cancels what waits for it.

        Needs the scope `*`.
        """
        return await self._transport.record(Call("PUT", path_of("/webhooks/{}", id), body={**body}), types.Webhook)

    async def delete(self, id: int, /) -> types.WebhookDeleted:
        """Delete the endpoint and its deliveries.

        Needs the scope `*`.
        """
        return await self._transport.record(Call("DELETE", path_of("/webhooks/{}", id)), types.WebhookDeleted)

    async def rotate(self, id: int, /) -> types.WebhookSecret:
        """Make a new secret, which is in this answer alone.

        The old one signs `X-Webhook-Signature` until you switch over, or for 24 hours; `webhook-signature`
        carries both.

        Needs the scope `*`.
        """
        return await self._transport.record(Call("POST", path_of("/webhooks/{}/rotate", id)), types.WebhookSecret)

    async def switch(self, id: int, /, *, idempotency_key: str | None = None) -> types.Webhook:
        """End a rotation: the new secret alone signs from now on.

        Needs the scope `*`.
        """
        return await self._transport.record(
            Call("POST", path_of("/webhooks/{}/switch", id), takes_key=True, key=idempotency_key), types.Webhook
        )

    async def test(self, id: int, /, *, idempotency_key: str | None = None) -> types.Delivery:
        """Send the event `webhook.test` to this endpoint alone.

        Needs the scope `*`.
        """
        return await self._transport.record(
            Call("POST", path_of("/webhooks/{}/test", id), takes_key=True, key=idempotency_key), types.Delivery
        )

    def list(self, **query: Unpack[types.PageParams]) -> AsyncListing[types.Webhook]:
        """List your endpoints, newest first.

        Needs the scope `*`.
        """
        return self._transport.listing(Call("GET", "/webhooks", query={**query}), types.Webhook)
