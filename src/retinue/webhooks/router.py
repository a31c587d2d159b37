"""Routes of webhook endpoints."""

from collections.abc import Mapping
from typing import Annotated

from fastapi import Depends, Path, Query, Request
from starlette.responses import Response

from retinue.auth.services import of_caller
from retinue.core.http.envelope import Data, Envelope, ListEnvelope, Listing, Page, PathId, json_response, listing, one
from retinue.core.http.operations import Api, path_id, record_of
from retinue.webhooks.deliveries import Deliveries
from retinue.webhooks.schemas import (
    DeliveryDetails,
    DeliveryFilter,
    DeliveryView,
    WebhookCreate,
    WebhookDeleted,
    WebhookSecretView,
    WebhookUpdate,
    WebhookView,
)
from retinue.webhooks.service import Webhooks

WebhookId = Annotated[PathId, Path(description="ID of the endpoint.")]
DeliveryId = Annotated[str, Path(description="ID of the delivery.")]
PageQuery = Annotated[Page, Query()]

_webhooks = of_caller(Webhooks)
_deliveries = of_caller(Deliveries)

WebhooksOfCaller = Annotated[Webhooks, Depends(_webhooks)]
DeliveriesOfCaller = Annotated[Deliveries, Depends(_deliveries)]

api = Api("webhooks", record=record_of(_webhooks))


async def _recover_test(request: Request, effect: Mapping[str, str]) -> Response:
    found = await (await _deliveries(request)).get(path_id(request), effect["delivery"])
    return json_response(Data[DeliveryView], found, 202)


@api.post("/webhooks", scope="*", status=201, response_model=Data[WebhookSecretView], hands_out_secret=True)
async def create_webhook(body: WebhookCreate, webhooks: WebhooksOfCaller) -> Envelope:
    """Create a webhook endpoint. The response is the only place where its secret appears."""
    return one(await webhooks.create(body))


@api.get("/webhooks", scope="*", response_model=Listing[WebhookView])
async def list_webhooks(page: PageQuery, webhooks: WebhooksOfCaller) -> ListEnvelope:
    """List your webhook endpoints, newest first."""
    return listing(await webhooks.page(page), page)


@api.get("/webhooks/{id}", scope="*", response_model=Data[WebhookView])
async def get_webhook(id: WebhookId, webhooks: WebhooksOfCaller) -> Envelope:
    """Retrieve a webhook endpoint."""
    return one(await webhooks.get(id))


@api.put("/webhooks/{id}", scope="*", response_model=Data[WebhookView])
async def update_webhook(id: WebhookId, body: WebhookUpdate, webhooks: WebhooksOfCaller) -> Envelope:
    """Update the fields that are sent. Disabling the endpoint cancels its pending deliveries."""
    return one(await webhooks.update(id, body))


@api.delete("/webhooks/{id}", scope="*", response_model=Data[WebhookDeleted])
async def delete_webhook(id: WebhookId, webhooks: WebhooksOfCaller) -> Envelope:
    """Delete a webhook endpoint and its deliveries."""
    await webhooks.delete(id)
    return one({"id": id, "deleted": True})


@api.post("/webhooks/{id}/rotate", scope="*", response_model=Data[WebhookSecretView], hands_out_secret=True)
async def rotate_webhook_secret(id: WebhookId, webhooks: WebhooksOfCaller) -> Envelope:
    """Rotate the secret of an endpoint. The response is the only place where the new secret appears.

    The old secret keeps signing `X-Webhook-Signature` until you switch, or for 24 hours. `webhook-signature` contains
    signatures by both secrets.
    """
    return one(await webhooks.rotate(id))


@api.post("/webhooks/{id}/switch", scope="*", response_model=Data[WebhookView])
async def switch_webhook_secret(id: WebhookId, webhooks: WebhooksOfCaller) -> Envelope:
    """Finish a rotation: only the new secret signs from now on."""
    return one(await webhooks.switch(id))


@api.post("/webhooks/{id}/test", scope="*", status=202, response_model=Data[DeliveryView], recover=_recover_test)
async def test_webhook(id: WebhookId, deliveries: DeliveriesOfCaller) -> Envelope:
    """Send the event `webhook.test` to this endpoint only."""
    return one(await deliveries.test(id))


@api.get("/webhooks/{id}/deliveries", scope="*", response_model=Listing[DeliveryView])
async def list_deliveries(
    id: WebhookId, wanted: Annotated[DeliveryFilter, Query()], deliveries: DeliveriesOfCaller
) -> ListEnvelope:
    """List the deliveries of an endpoint, newest first."""
    return listing(await deliveries.page(id, wanted), wanted)


@api.get("/webhooks/{id}/deliveries/{delivery_id}", scope="*", response_model=Data[DeliveryDetails])
async def get_delivery(id: WebhookId, delivery_id: DeliveryId, deliveries: DeliveriesOfCaller) -> Envelope:
    """Retrieve a delivery with all its attempts."""
    return one(await deliveries.get(id, delivery_id))


@api.post(
    "/webhooks/{id}/deliveries/{delivery_id}/replay",
    scope="*",
    status=202,
    response_model=Data[DeliveryView],
    recover=_recover_test,
)
async def replay_delivery(id: WebhookId, delivery_id: DeliveryId, deliveries: DeliveriesOfCaller) -> Envelope:
    """Send the same event again, as a new delivery with its own ID."""
    return one(await deliveries.replay(id, delivery_id))
