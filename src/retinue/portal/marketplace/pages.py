"""Pages to browse, install and rate items."""

from starlette.responses import Response

from retinue.core.errors import RetinueError
from retinue.core.http.envelope import Page as Part
from retinue.language.translation import gettext as _
from retinue.language.translation import gettext_noop
from retinue.marketplace.installing import Installations
from retinue.marketplace.manifests import read_manifest
from retinue.marketplace.schemas import InstallRequest, ItemQuery, Rating
from retinue.marketplace.service import Marketplace, details_of
from retinue.portal.connections.choices import http_connections
from retinue.portal.forms import Form, parse
from retinue.portal.marketplace.item_views import KINDS, SORTS, TYPES
from retinue.portal.navigation import MenuEntry
from retinue.portal.page import Page
from retinue.portal.pages import Pages

pages = Pages(MenuEntry("Build", "marketplace", gettext_noop("Marketplace"), "store", "install"))
_LONGEST_SEARCH = 200
_KNOWN = 100
"""Number of newest installations that are searched for an item."""


@pages.get("/marketplace")
async def list_items(page: Page) -> Response:
    """List items by search, type and order."""
    query, paging = page.query, page.paging(24)
    chosen = {
        "search": query.text("q")[:_LONGEST_SEARCH],
        "type": next((one for one in KINDS if one == query.text("type")), None),
        "sort": query.text("sort") if query.text("sort") in SORTS else "popular",
    }
    filters = parse(ItemQuery, {**chosen, "page": paging.part.page, "per_page": paging.part.per_page})
    items, total = await page.service(Marketplace).page(filters)
    values: dict[str, object] = {
        "items": items,
        "paging": paging.of(total),
        "chosen": chosen,
        "types": TYPES,
        "sorts": SORTS,
    }
    if page.by_htmx:
        return page.fragment("marketplace/_items.html", **values)
    return await page.render("marketplace/list.html", **values)


@pages.get("/marketplace/{id}")
async def show_item(page: Page) -> Response:
    """Show an item with its readme and the form to install it."""
    return await _show_item(page, Form())


@pages.post("/marketplace/{id}/install")
async def install_item(page: Page) -> Response:
    """Install an item."""
    form = await page.form()
    fields = {"name": form.optional("name"), "connection": form.optional("connection")}
    item = await page.service(Marketplace).row(page.path_id())
    try:
        how = parse(InstallRequest, fields)
        installation = await page.service(Installations).install(item, how)
    except RetinueError as error:
        return await _show_item(page, form, error)
    return page.redirect(f"/marketplace/installed/{installation.id}", _("{name} is installed.").format(name=item.name))


@pages.post("/marketplace/{id}/rate")
async def rate_item(page: Page) -> Response:
    """Rate an item, replacing an earlier rating."""
    item_id, form = page.path_id(), await page.form()
    stars = form.text("stars")
    try:
        rating = parse(Rating, {"stars": int(stars) if stars in set("12345") else stars})
        await page.service(Marketplace).rate(item_id, rating.stars)
    except RetinueError as error:
        return await _show_item(page, form, error)
    return page.redirect(f"/marketplace/{item_id}", _("Your rating is saved."))


async def _show_item(page: Page, form: Form, problem: RetinueError | None = None) -> Response:
    row = await page.service(Marketplace).row(page.path_id())
    installed, _ = await page.service(Installations).page(Part(per_page=_KNOWN))
    user = await page.account()
    values: dict[str, object] = {
        "item": details_of(row),
        "manifest": read_manifest(row.type, row.manifest).model_dump(),
        "types": TYPES,
        "installed": [one for one in installed if one.item_id == row.id],
        "connections": await http_connections(page) if row.type == "tool" else [],
        "own": row.user_id == user.id,
        "included": page.caller.plan.includes(row.tier),
    }
    return await page.render(
        "marketplace/item.html", problem.status if problem else 200, **values, form=form, problem=problem
    )
