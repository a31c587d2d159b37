"""The page for an address that has none. Programs get the JSON of the API instead."""

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.routing import Match, Route
from starlette.types import Scope

from retinue.core.errors import NotFound
from retinue.core.http.operations import BASE
from retinue.portal.page import Visit
from retinue.portal.pages import Pages

pages = Pages(public=True)


@pages.get("/{path:path}")
async def show_missing(page: Visit) -> Response:
    """Say that there is no such page."""
    raise NotFound(f"There is no page at {page.request.url.path[:200]}. Check the address, or start from the overview.")


class BrowserRoute(Route):
    """Matches the pages that a browser loads outside the API."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Match only requests for HTML."""
        if scope["type"] != "http" or scope["method"] not in ("GET", "HEAD") or scope["path"].startswith(BASE):
            return Match.NONE, {}
        wants_page = "text/html" in Headers(scope=scope).get("accept", "")
        return super().matches(scope) if wants_page else (Match.NONE, {})
