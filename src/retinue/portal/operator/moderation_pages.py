"""The operator's pages to moderate marketplace items."""

from starlette.responses import Response

from retinue.core.errors import ValidationFailed
from retinue.language.translation import gettext as _
from retinue.language.translation import gettext_noop
from retinue.marketplace.schemas import Moderation
from retinue.marketplace.service import Marketplace, details_of
from retinue.portal.forms import parse
from retinue.portal.marketplace.item_views import TYPES
from retinue.portal.navigation import MenuEntry
from retinue.portal.operator.access import check_operator
from retinue.portal.page import Page
from retinue.portal.pages import Pages

pages = Pages(MenuEntry("Operate", "moderation", gettext_noop("Moderation"), "shield-check"))
_NOTICES = {
    "published": gettext_noop("It is published."),
    "rejected": gettext_noop("It is rejected."),
    "withdrawn": gettext_noop("It is withdrawn."),
}


@pages.get("/moderation")
async def list_waiting(page: Page) -> Response:
    """List items and newer versions that await moderation, oldest first."""
    await check_operator(page)
    paging = page.paging()
    items, total = await page.service(Marketplace).waiting(paging.part)
    values: dict[str, object] = {"items": items, "paging": paging.of(total), "types": TYPES}
    return await page.render("operator/moderation.html", **values)


@pages.get("/moderation/{id}")
async def show_item(page: Page) -> Response:
    """Show the full content of an item and of its pending version."""
    await check_operator(page)
    return await _show_item(page)


@pages.post("/moderation/{id}/decide")
async def decide(page: Page) -> Response:
    """Publish, reject or withdraw an item."""
    await check_operator(page)
    item_id, form = page.path_id(), await page.form()
    marketplace = page.service(Marketplace)
    await marketplace.get(item_id)
    decision = parse(Moderation, {"status": form.text("status"), "revision": form.optional("revision")})
    try:
        await marketplace.moderate(item_id, decision)
    except ValidationFailed as error:
        return await _show_item(page, error)
    waiting = await marketplace.count_waiting()
    return page.redirect("/moderation" if waiting else f"/moderation/{item_id}", _(_NOTICES[decision.status]))


async def _show_item(page: Page, problem: ValidationFailed | None = None) -> Response:
    row = await page.service(Marketplace).row(page.path_id())
    values: dict[str, object] = {"item": details_of(row), "draft": row.draft, "author_id": row.user_id, "types": TYPES}
    return await page.render("operator/item.html", problem.status if problem else 200, **values, problem=problem)
