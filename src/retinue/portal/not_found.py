"""The page for an address that has none. Programs get the JSON of the API instead."""

from dataclasses import dataclass

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.routing import Match, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from retinue.core.errors import NotFound
from retinue.core.http.operations import BASE
from retinue.language.translation import gettext as _
from retinue.portal.access import Access, PageEndpoint
from retinue.portal.page import Visit
from retinue.portal.pages import PageRoute, Pages

pages = Pages(public=True)


@pages.get("/{path:path}")
async def show_missing(page: Visit) -> Response:
    """Say that there is no such page."""
    text = _("There is no page at {path}. Check the address, or start from the overview.")
    raise NotFound(text.format(path=page.request.url.path[:200]))


class BrowserRoute(Route):
    """Matches the pages that a browser loads outside the API."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Match only requests for HTML."""
        if scope["type"] != "http" or scope["method"] not in ("GET", "HEAD") or scope["path"].startswith(BASE):
            return Match.NONE, {}
        return super().matches(scope) if _wants_page(scope) else (Match.NONE, {})


@dataclass(frozen=True)
class NotFoundPage:
    """An ASGI application that runs `app`, and shows browsers a page for its `NotFound`."""

    app: ASGIApp
    access: Access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        try:
            await self.app(scope, receive, send)
        except NotFound as error:
            if not _wants_page(scope):
                raise
            await PageEndpoint(_refusal(error), self.access)(scope, receive, send)


def _refusal(error: NotFound) -> PageRoute:
    async def refuse(page: Visit) -> Response:
        raise error

    return PageRoute("GET", "/{path:path}", refuse, public=True)


def _wants_page(scope: Scope) -> bool:
    return "text/html" in Headers(scope=scope).get("accept", "")
