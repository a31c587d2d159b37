"""The operator's page on the server's health."""

import shutil
from typing import Any

from starlette.responses import Response

from retinue import __version__
from retinue.core.envelope import Page as Part
from retinue.marketplace.service import Marketplace
from retinue.overview import describe_load
from retinue.portal.live import live
from retinue.portal.operator.access import check_operator
from retinue.portal.page import Page
from retinue.portal.pages import Pages
from retinue.portal.templating import render
from retinue.readiness import readiness

pages = Pages()
_GIB = 1 << 30


@pages.get("/health")
async def show_health(page: Page) -> Response:
    """Show the state of the server's components."""
    await check_operator(page)
    platform = page.platform
    disk = shutil.disk_usage(platform.home.folder)
    _, users = await platform.users_admin.page(Part(per_page=1))
    _, waiting = await page.service(Marketplace).waiting(Part(per_page=1))
    values: dict[str, Any] = {
        "told": readiness(platform),
        "version": __version__,
        "database": {"sqlite": "SQLite", "postgresql": "PostgreSQL"}[platform.database.dialect],
        "folder": str(platform.home.folder),
        "free": round(disk.free / _GIB, 1),
        "full": round(100 * (disk.total - disk.free) / disk.total),
        "users": users,
        "waiting": waiting,
        "load": await describe_load(platform.database),
    }
    return await page.render("operator/health.html", **values)


@pages.get("/health/live")
async def follow_load(page: Page) -> Response:
    """Stream the queued and running work of all servers on the database."""
    await check_operator(page)

    async def show() -> tuple[str, bool]:
        await check_operator(page)
        return render("operator/_load.html", load=await describe_load(page.platform.database)), False

    return await live(page, ["events"], show)
