"""Pages of a delivery and its attempts, and test events."""

import json

from starlette.responses import Response

from retinue.language.translation import gettext as _
from retinue.portal.live import live
from retinue.portal.page import Page
from retinue.portal.pages import Pages
from retinue.portal.templating import render
from retinue.webhooks.deliveries import Deliveries
from retinue.webhooks.schemas import DeliveryDetails
from retinue.webhooks.service import Webhooks

pages = Pages()
_DELIVERY = "/webhooks/{id}/deliveries/{delivery_id}"


@pages.post("/webhooks/{id}/test")
async def send_test(page: Page) -> Response:
    """Send the event `webhook.test` to this endpoint only."""
    endpoint_id = page.path_id()
    delivery = await page.service(Deliveries).test(endpoint_id)
    return page.redirect(f"/webhooks/{endpoint_id}/deliveries/{delivery.id}")


@pages.get(_DELIVERY)
async def show_delivery(page: Page) -> Response:
    """Show a delivery with all attempts."""
    return await page.render("webhooks/delivery.html", **await _view(page, await _delivery(page)))


@pages.get(_DELIVERY + "/live")
async def follow_delivery(page: Page) -> Response:
    """Stream the attempts until the delivery ends."""

    async def show() -> tuple[str, bool]:
        delivery = await _delivery(page)
        return render("webhooks/_attempts.html", **await _view(page, delivery)), delivery.ended_at is not None

    return await live(page, ["deliveries"], show)


@pages.post(_DELIVERY + "/replay")
async def replay_delivery(page: Page) -> Response:
    """Send the same event again."""
    endpoint_id = page.path_id()
    delivery_id = page.request.path_params["delivery_id"]
    delivery = await page.service(Deliveries).replay(endpoint_id, delivery_id)
    return page.redirect(f"/webhooks/{endpoint_id}/deliveries/{delivery.id}", _("The event is sent again."))


async def _delivery(page: Page) -> DeliveryDetails:
    return await page.service(Deliveries).get(page.path_id(), page.request.path_params["delivery_id"])


async def _view(page: Page, delivery: DeliveryDetails) -> dict[str, object]:
    endpoint = await page.service(Webhooks).get(page.path_id())
    payload = await page.service(Deliveries).payload(delivery)
    return {"endpoint": endpoint, "delivery": delivery, "payload": payload, "run": _run_of(payload)}


def _run_of(payload: str | None) -> int | None:
    """Return the run that an event is about, if it is about one."""
    run = json.loads(payload)["data"].get("run_id") if payload else None
    return run if isinstance(run, int) else None
