"""The pages of what is installed."""

from typing import Any

from starlette.responses import Response

from retinue.core.errors import NotFound
from retinue.portal.marketplace.items import TYPES, example_of, made_by
from retinue.portal.page import Page
from retinue.portal.pages import Pages

pages = Pages()


@pages.get("/marketplace/installed")
async def list_installations(page: Page) -> Response:
    """What is installed, newest first."""
    paging = page.paging()
    found, total = await page.platform.installations(page.caller).page(paging.part)
    values: dict[str, Any] = {"installations": found, "paging": paging.of(total), "types": TYPES}
    return await page.render("marketplace/installed.html", **values)


@pages.get("/marketplace/installed/{id}")
async def show_installation(page: Page) -> Response:
    """What an installation made, and what it still needs."""
    found = await page.platform.installations(page.caller).get(page.path_id())
    connection = await _connection(page, found)
    values: dict[str, Any] = {
        "installation": found,
        "made": made_by(found),
        "example": example_of(found),
        "types": TYPES,
        "connection": connection,
        "lacks": found["needs"] != "none" and connection is None,
    }
    return await page.render("marketplace/installation.html", **values)


@pages.post("/marketplace/installed/{id}/uninstall")
async def uninstall(page: Page) -> Response:
    """Delete what an installation made."""
    await page.platform.installations(page.caller).uninstall(page.path_id())
    return page.redirect("/marketplace/installed", "It is uninstalled.")


async def _connection(page: Page, installation: dict[str, Any]) -> str | None:
    """The connection that the tools of an installation use; None where there is none."""
    if installation["type"] != "tool":
        return None
    try:
        source = await page.platform.sources(page.caller).get(installation["installed"][0]["id"])
    except NotFound:
        return None
    name: str | None = source.connection
    return name
