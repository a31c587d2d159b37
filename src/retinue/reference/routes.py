"""Serve the API documentation without authentication.

Rendering modules are imported on first use to keep the start fast.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import cache, cached_property, lru_cache
from html import escape
from typing import TYPE_CHECKING

import orjson
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from retinue.auth.plans import Plans
from retinue.core.http.operations import BASE, Api
from retinue.core.http.server_address import server_address
from retinue.core.http.static_content import StaticContent
from retinue.core.runtime.executors import run_on_compute_thread
from retinue.reference.assets import HEADERS, asset_routes
from retinue.tools.catalogue.catalogue import Catalogue

if TYPE_CHECKING:
    from retinue.reference.page import ReferencePages
    from retinue.reference.tools import CataloguePages

_PLACEHOLDER = "https://address.invalid"
_HEADERS = {**HEADERS, "Vary": "Cookie"}
_LONGEST_SEARCH = 500
_MENU = b"<!-- menu -->"
"""The place of the menu in the pages."""
_CACHED_PAGES = 128

Menu = Callable[[Request], Awaitable[str]]
"""Returns the HTML of the menu around the pages, or an empty string."""


@cache
def document(apis: tuple[Api, ...]) -> bytes:
    """Return the serialized OpenAPI document. The first call takes half a second: run it in a thread."""
    from retinue.openapi import build

    return orjson.dumps(build(apis))


class Reference:
    """Serves the pages about `apis` and the tools of `catalogue`, with a `menu` around them.

    `look` has the addresses of the `fonts`, the `favicon` and the script that sets the `theme`.
    Examples use `public_url` as the server's address if the operator has set it.
    """

    def __init__(
        self,
        apis: Sequence[Api],
        plans: Plans,
        catalogue: Catalogue,
        menu: Menu,
        look: Mapping[str, str],
        public_url: str | None = None,
    ) -> None:
        self._apis = tuple(apis)
        self._catalogue = catalogue
        self._menu = menu
        self._look = look
        self._plans = plans
        self._public_url = public_url

    def routes(self) -> list[Route]:
        """Return the routes of the reference."""
        return [
            Route("/docs", self._show_index),
            Route("/docs/api", _to_index),
            Route("/docs/api/{name}", self._show_resource),
            Route("/docs/guides", _to_first_guide),
            Route("/docs/guides/{name}", self._show_guide),
            Route("/docs/tools", self._show_tools),
            Route("/docs/tools/{category}", self._show_category),
            Route("/docs/tools/{category}/{name}", self._show_tool),
            Route("/docs/search.json", self._show_search_index),
            *asset_routes(),
            Route(f"{BASE}/openapi.json", self._show_document),
        ]

    @cached_property
    def _document(self) -> StaticContent:
        return StaticContent.of(document(self._apis), "application/json")

    @cached_property
    def _search_index(self) -> StaticContent:
        return StaticContent.of(self._pages.search_index(), "application/json")

    @cached_property
    def _pages(self) -> "ReferencePages":
        """Renders the pages with a placeholder for the server's address. Rendering takes time: run it in a thread."""
        from retinue.reference.page import ReferencePages

        return ReferencePages(orjson.loads(document(self._apis)), self._plans, _PLACEHOLDER, self._look)

    @cached_property
    def _tools(self) -> "CataloguePages":
        """Renders the pages of the tool catalogue, with the same placeholder."""
        from retinue.reference.page import environment
        from retinue.reference.tools import CataloguePages

        return CataloguePages(self._catalogue, environment(), self._pages.common_variables)

    def _index_page(self) -> bytes:
        return self._pages.index()

    async def _show_document(self, request: Request) -> Response:
        content = await run_on_compute_thread(lambda: self._document)
        return content.respond(request, {"Cache-Control": "no-cache", "Access-Control-Allow-Origin": "*"})

    async def _show_search_index(self, request: Request) -> Response:
        content = await run_on_compute_thread(lambda: self._search_index)
        return content.respond(request, HEADERS)

    async def _show_index(self, request: Request) -> Response:
        return await self._show(request, self._index_page)

    async def _show_resource(self, request: Request) -> Response:
        return await self._show(request, lambda: self._pages.resource(request.path_params["name"]))

    async def _show_guide(self, request: Request) -> Response:
        return await self._show(request, lambda: self._pages.guide(request.path_params["name"]))

    async def _show_tools(self, request: Request) -> Response:
        search = request.query_params.get("search", "").strip()[:_LONGEST_SEARCH]
        return await self._show(request, lambda: self._tools.found(search) if search else self._tools.index())

    async def _show_category(self, request: Request) -> Response:
        return await self._show(request, lambda: self._tools.category(request.path_params["category"]))

    async def _show_tool(self, request: Request) -> Response:
        category, name = request.path_params["category"], request.path_params["name"]
        return await self._show(request, lambda: self._tools.tool(category, name, _PLACEHOLDER))

    async def _show(self, request: Request, page: Callable[[], bytes]) -> Response:
        """Return a page with the address that the client uses for this server, and the client's menu."""
        address = escape(server_address(request, self._public_url))
        menu = await self._menu(request)
        content = await run_on_compute_thread(lambda: _complete(page(), address, menu))
        return content.respond(request, _HEADERS)


@lru_cache(_CACHED_PAGES)
def _complete(page: bytes, address: str, menu: str) -> StaticContent:
    """Fill in a page. Most clients use the same address, and menus differ by role alone."""
    body = page.replace(_PLACEHOLDER.encode(), address.encode()).replace(_MENU, menu.encode())
    return StaticContent.of(body, "text/html; charset=utf-8")


async def _to_index(_: Request) -> Response:
    return RedirectResponse("/docs", 303)


async def _to_first_guide(_: Request) -> Response:
    from retinue.reference.guide import NAMES

    return RedirectResponse(f"/docs/guides/{NAMES[0]}", 303)
