"""Pages of webhook endpoints."""

from starlette.responses import Response

from retinue.core.errors import RetinueError
from retinue.language.translation import gettext as _
from retinue.language.translation import gettext_noop
from retinue.portal.forms import Form, parse
from retinue.portal.live import live
from retinue.portal.navigation import MenuEntry
from retinue.portal.page import Page
from retinue.portal.pages import Pages
from retinue.portal.templating import render
from retinue.portal.webhooks.catalogue import event_groups, event_kinds
from retinue.portal.webhooks.forms import changes_of, creation_of, form_of
from retinue.portal.webhooks.receivers import receivers
from retinue.webhooks.deliveries import Deliveries
from retinue.webhooks.schemas import DeliveryFilter, WebhookUpdate, WebhookView
from retinue.webhooks.service import Webhooks

pages = Pages(MenuEntry("Developers", "webhooks", gettext_noop("Webhooks"), "webhook", "events deliveries"))


@pages.get("/webhooks")
async def list_webhooks(page: Page) -> Response:
    """List endpoints, newest first."""
    paging = page.paging()
    endpoints, total = await page.service(Webhooks).page(paging.part)
    deliveries = page.service(Deliveries)
    outcomes = {endpoint.id: await deliveries.outcomes(endpoint.id) for endpoint in endpoints}
    return await page.render("webhooks/list.html", endpoints=endpoints, outcomes=outcomes, paging=paging.of(total))


@pages.get("/webhooks/events")
async def show_events(page: Page) -> Response:
    """Show the catalogue of events."""
    return await page.render("webhooks/events.html", kinds=event_kinds(), groups=event_groups(), receivers=receivers())


@pages.get("/webhooks/new")
async def show_new(page: Page) -> Response:
    """Show the form for a new endpoint."""
    return await _show_form(page, Form.of({"which": "all"}))


@pages.post("/webhooks")
async def create_webhook(page: Page) -> Response:
    """Create an endpoint and show its secret once."""
    form = await page.form()
    try:
        endpoint = await page.service(Webhooks).create(creation_of(form))
    except RetinueError as error:
        return await _show_form(page, form, problem=error)
    return await page.render("webhooks/secret.html", endpoint=endpoint, rotated=False)


@pages.get("/webhooks/{id}")
async def show_webhook(page: Page) -> Response:
    """Show an endpoint with its deliveries."""
    return await page.render("webhooks/webhook.html", **await _view(page))


@pages.get("/webhooks/{id}/live")
async def follow_webhook(page: Page) -> Response:
    """Stream the deliveries as they change."""

    async def show() -> tuple[str, bool]:
        return render("webhooks/_deliveries.html", **await _view(page)), False

    return await live(page, ["events", "deliveries"], show)


@pages.get("/webhooks/{id}/edit")
async def show_edit(page: Page) -> Response:
    """Show the form for an endpoint."""
    endpoint = await page.service(Webhooks).get(page.path_id())
    return await _show_form(page, form_of(endpoint), endpoint)


@pages.post("/webhooks/{id}/edit")
async def edit_webhook(page: Page) -> Response:
    """Change an endpoint."""
    webhooks, form = page.service(Webhooks), await page.form()
    endpoint = await webhooks.get(page.path_id())
    try:
        await webhooks.update(endpoint.id, changes_of(form))
    except RetinueError as error:
        return await _show_form(page, form, endpoint, error)
    return page.redirect(f"/webhooks/{endpoint.id}", _("The changes are saved."))


@pages.post("/webhooks/{id}/enable")
async def enable_webhook(page: Page) -> Response:
    """Enable an endpoint."""
    return await _switch(page, enabled=True)


@pages.post("/webhooks/{id}/disable")
async def disable_webhook(page: Page) -> Response:
    """Disable an endpoint."""
    return await _switch(page, enabled=False)


@pages.post("/webhooks/{id}/rotate")
async def rotate_secret(page: Page) -> Response:
    """Create a new secret and show it once."""
    endpoint = await page.service(Webhooks).rotate(page.path_id())
    return await page.render("webhooks/secret.html", endpoint=endpoint, rotated=True)


@pages.post("/webhooks/{id}/switch")
async def switch_secret(page: Page) -> Response:
    """Sign only with the new secret from now on."""
    endpoint = await page.service(Webhooks).switch(page.path_id())
    return page.redirect(f"/webhooks/{endpoint.id}", _("Only the new secret signs from now on."))


@pages.post("/webhooks/{id}/delete")
async def delete_webhook(page: Page) -> Response:
    """Delete an endpoint with its deliveries."""
    await page.service(Webhooks).delete(page.path_id())
    return page.redirect("/webhooks", _("The endpoint is deleted."))


async def _switch(page: Page, *, enabled: bool) -> Response:
    changes = parse(WebhookUpdate, {"enabled": enabled})
    endpoint = await page.service(Webhooks).update(page.path_id(), changes)
    notice = _("Events are sent to it again.") if enabled else _("No events are sent to it.")
    return page.redirect(f"/webhooks/{endpoint.id}", notice)


async def _view(page: Page) -> dict[str, object]:
    endpoint_id, paging = page.path_id(), page.paging(15)
    endpoint = await page.service(Webhooks).get(endpoint_id)
    deliveries, total = await page.service(Deliveries).page(
        endpoint_id, DeliveryFilter(page=paging.part.page, per_page=paging.part.per_page)
    )
    return {"endpoint": endpoint, "deliveries": deliveries, "paging": paging.of(total)}


async def _show_form(
    page: Page, form: Form, endpoint: WebhookView | None = None, problem: RetinueError | None = None
) -> Response:
    values = {"form": form, "endpoint": endpoint, "groups": event_groups(), "problem": problem}
    return await page.render("webhooks/form.html", problem.status if problem else 200, **values)
