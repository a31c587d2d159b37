"""Serve the API documentation without authentication.

Rendering modules are imported on first use to keep the start fast.
"""

import hashlib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import cache, cached_property
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING

import orjson
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from retinue.auth.plans import Plans
from retinue.core.errors import NotFound
from retinue.core.http.operations import BASE, Api
from retinue.core.http.server_address import server_address
from retinue.core.runtime.executors import run_on_compute_thread
from retinue.tools.catalogue.catalogue import Catalogue

if TYPE_CHECKING:
    from retinue.reference.tools import CataloguePages

_PLACEHOLDER = "https://address.invalid"
_POLICY = (
    "default-src 'none'; style-src 'self'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'; "
    "script-src 'self'; connect-src 'self'; font-src 'self'; img-src 'self'"
)
"""Allows scripts only from this server: they try tools, insert a key into examples, and choose their language."""
_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-cache",
    "Vary": "Cookie",
}
_STYLE = files("retinue.reference").joinpath("style.css").read_bytes()
_STYLE_TAG = hashlib.sha256(_STYLE).hexdigest()[:16]
_SCRIPT = files("retinue.reference").joinpath("tools.js").read_bytes()
_SCRIPT_TAG = hashlib.sha256(_SCRIPT).hexdigest()[:16]
_EXAMPLES = files("retinue.reference").joinpath("examples.js").read_bytes()
_LANGUAGES = files("retinue.reference").joinpath("languages.js").read_bytes()
_LANGUAGES_TAG = hashlib.sha256(_LANGUAGES).hexdigest()[:16]
_TAGS = {
    "style_tag": _STYLE_TAG,
    "examples_tag": hashlib.sha256(_EXAMPLES).hexdigest()[:16],
    "languages_tag": _LANGUAGES_TAG,
}
_LONGEST_SEARCH = 500
_MENU = b"<!-- menu -->"
"""The place of the menu in the pages."""

Menu = Callable[[Request], Awaitable[str]]
"""Returns the HTML of the menu around the pages, or an empty string."""


@cache
def document(apis: tuple[Api, ...]) -> bytes:
    """Return the serialized OpenAPI document. The first call takes half a second: run it in a thread."""
    from retinue.openapi import build  # noqa: PLC0415 - see above

    return orjson.dumps(build(apis))


class Reference:
    """Serves the pages about `apis` and the tools of `catalogue`, with a `menu` around them.

    `look` has the addresses of the `fonts` and the `favicon`.
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
        self._tags = {**_TAGS, "look": look}
        self._plans = plans
        self._public_url = public_url

    def routes(self) -> list[Route]:
        """Return the routes of the reference."""
        return [
            Route("/docs", self._show_page),
            Route("/docs/guides", self._to_first_guide),
            Route("/docs/guides/{name}", self._show_guide),
            Route("/docs/tools", self._show_tools),
            Route("/docs/tools/{category}", self._show_category),
            Route("/docs/tools/{category}/{name}", self._show_tool),
            Route("/docs/style.css", _show_style),
            Route("/docs/tools.js", _show_script),
            Route("/docs/examples.js", _show_examples_script),
            Route("/docs/languages.js", _show_languages_script),
            Route(f"{BASE}/openapi.json", self._show_document),
        ]

    @property
    def _document(self) -> bytes:
        return document(self._apis)

    @cached_property
    def _page(self) -> bytes:
        """The reference with a placeholder for the server's address. Rendering takes time, so it runs in a thread."""
        from retinue.reference.page import render  # noqa: PLC0415

        return render(orjson.loads(self._document), self._plans, _PLACEHOLDER, self._tags).encode()

    @cached_property
    def _guides(self) -> dict[str, bytes]:
        """The page of each guide, with the same placeholder."""
        from retinue.reference.guide import NAMES  # noqa: PLC0415
        from retinue.reference.page import render_guide  # noqa: PLC0415

        document = orjson.loads(self._document)
        return {name: render_guide(name, document, _PLACEHOLDER, self._tags).encode() for name in NAMES}

    @cached_property
    def _tools(self) -> "CataloguePages":
        """Renders the pages of the tool catalogue, with the same placeholder."""
        from retinue.reference.page import environment  # noqa: PLC0415
        from retinue.reference.tools import CataloguePages  # noqa: PLC0415

        told = {"document": orjson.loads(self._document), "script_tag": _SCRIPT_TAG, **self._tags}
        return CataloguePages(self._catalogue, environment(), told)

    async def _show_document(self, request: Request) -> Response:
        body = await run_on_compute_thread(lambda: self._document)
        headers = {"Cache-Control": "no-cache", "Access-Control-Allow-Origin": "*"}
        return _respond_with_etag(request, body, "application/json", headers)

    async def _show_page(self, request: Request) -> Response:
        return await self._html(request, await run_on_compute_thread(lambda: self._page))

    async def _show_guide(self, request: Request) -> Response:
        name = request.path_params["name"]
        pages = await run_on_compute_thread(lambda: self._guides)
        if name not in pages:
            raise NotFound(f"There is no guide {name[:60]}. The guides are {', '.join(pages)}.")
        return await self._html(request, pages[name])

    async def _to_first_guide(self, request: Request) -> Response:
        pages = await run_on_compute_thread(lambda: self._guides)
        return RedirectResponse(f"/docs/guides/{next(iter(pages))}", 303)

    async def _show_tools(self, request: Request) -> Response:
        search = request.query_params.get("search", "").strip()[:_LONGEST_SEARCH]
        page = await run_on_compute_thread(lambda: self._tools.found(search) if search else self._tools.index())
        return await self._html(request, page)

    async def _show_category(self, request: Request) -> Response:
        page = await run_on_compute_thread(lambda: self._tools.category(request.path_params["category"]))
        return await self._html(request, page)

    async def _show_tool(self, request: Request) -> Response:
        category, name = request.path_params["category"], request.path_params["name"]
        page = await run_on_compute_thread(lambda: self._tools.tool(category, name, _PLACEHOLDER))
        return await self._html(request, page)

    async def _html(self, request: Request, page: bytes) -> Response:
        """Return a page with the address that the client uses for this server, and the client's menu."""
        address = escape(server_address(request, self._public_url))
        menu = await self._menu(request)
        body = page.replace(_PLACEHOLDER.encode(), address.encode()).replace(_MENU, menu.encode())
        return _respond_with_etag(request, body, "text/html; charset=utf-8", _HEADERS)


async def _show_style(request: Request) -> Response:
    return _respond_with_etag(request, _STYLE, "text/css; charset=utf-8", _HEADERS)


async def _show_script(request: Request) -> Response:
    return _respond_with_etag(request, _SCRIPT, "text/javascript; charset=utf-8", _HEADERS)


async def _show_examples_script(request: Request) -> Response:
    return _respond_with_etag(request, _EXAMPLES, "text/javascript; charset=utf-8", _HEADERS)


async def _show_languages_script(request: Request) -> Response:
    return _respond_with_etag(request, _LANGUAGES, "text/javascript; charset=utf-8", _HEADERS)


def _respond_with_etag(request: Request, body: bytes, media_type: str, headers: dict[str, str]) -> Response:
    """Return the body, or 304 if the client already has it (RFC 9110, 13.1.2)."""
    tag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
    headers = {**headers, "ETag": tag}
    known = request.headers.get("if-none-match", "")
    if known.strip() == "*" or tag in [part.strip().removeprefix("W/") for part in known.split(",")]:
        return Response(status_code=304, headers=headers)
    return Response(body, media_type=media_type, headers=headers)
