"""The operator's page on the server's health."""

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from starlette.responses import Response

from retinue import __version__
from retinue.control.cluster_nodes import Node, find_nodes
from retinue.control.server_load import count_open_work
from retinue.core.runtime.clock import now
from retinue.core.work.leases import LEASE_S
from retinue.language.translation import gettext_noop
from retinue.marketplace.service import Marketplace
from retinue.platform.readiness import readiness
from retinue.platform.resources import LEASES
from retinue.portal.live import live
from retinue.portal.navigation import MenuEntry
from retinue.portal.operator.access import check_operator
from retinue.portal.page import Page
from retinue.portal.pages import Pages
from retinue.portal.templating import render

pages = Pages(MenuEntry("Operate", "health", gettext_noop("Health"), "activity", "status"))
_GIB = 1 << 30


@dataclass(frozen=True)
class _Server:
    """A server of the database. `started_at` is known of the one that answers; `silent` if its leases have ended."""

    node: Node
    silent: bool
    version: str = ""
    started_at: datetime | None = None


@pages.get("/health")
async def show_health(page: Page) -> Response:
    """Show the state of the server's components."""
    await check_operator(page)
    platform = page.platform
    disk = shutil.disk_usage(platform.home.folder)
    values: dict[str, object] = {
        **await _work(page),
        "told": readiness(platform),
        "version": __version__,
        "database": {"sqlite": "SQLite", "postgresql": "PostgreSQL"}[platform.database.dialect],
        "folder": str(platform.home.folder),
        "free": round(disk.free / _GIB, 1),
        "full": round(100 * (disk.total - disk.free) / disk.total),
        "users": await platform.users_admin.count(),
        "waiting": await page.service(Marketplace).count_waiting(),
    }
    return await page.render("operator/health.html", **values)


@pages.get("/health/live")
async def follow_load(page: Page) -> Response:
    """Stream the queued and running work of all servers on the database, and these servers."""
    await check_operator(page)

    async def show() -> tuple[str, bool]:
        await check_operator(page)
        return render("operator/_work.html", **await _work(page)), False

    return await live(page, ["events"], show)


async def _work(page: Page) -> dict[str, object]:
    database = page.platform.database
    return {"load": await count_open_work(database), "servers": _servers(page, await find_nodes(database, LEASES))}


def _servers(page: Page, nodes: Sequence[Node]) -> list[_Server]:
    """Return the server that answers, then the others. Version and start of the others are not in the database."""
    own, moment = page.platform.home.node, now()
    ours = next((node for node in nodes if node.name == own), Node(own, moment))
    others = [_Server(node, (moment - node.seen_at).total_seconds() > LEASE_S) for node in nodes if node is not ours]
    return [_Server(ours, False, __version__, page.platform.started_at), *others]
