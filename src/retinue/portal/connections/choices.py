"""Connections to choose from in a form."""

from retinue.connections.service import Connections
from retinue.core.http.envelope import Page as Part
from retinue.portal.page import Page

_MOST = 100


async def http_connections(page: Page) -> list[str]:
    """Return the names of the user's connections of the kind `http`, newest first."""
    rows, _ = await page.service(Connections).page(Part(per_page=_MOST))
    return [row.name for row in rows if row.kind == "http"]
