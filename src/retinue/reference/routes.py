"""What is served without a credential to those who want to know how the API works."""

import asyncio
import hashlib
import re
from collections.abc import Sequence
from functools import cached_property
from html import escape
from importlib.resources import files

import orjson
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from retinue.auth.plans import Plans
from retinue.core.errors import NotFound
from retinue.core.operations import BASE, Api
from retinue.openapi import build
from retinue.reference.guide import NAMES
from retinue.reference.page import render, render_guide

_HOST = re.compile(r"[A-Za-z0-9.-]{1,253}(:\d{1,5})?|\[[0-9a-fA-F:]{2,45}\](:\d{1,5})?")
_PLACEHOLDER = "https://address.invalid"
_POLICY = "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-cache",
}
_STYLE = files("retinue.reference").joinpath("style.css").read_bytes()
_STYLE_TAG = hashlib.sha256(_STYLE).hexdigest()[:16]


class Reference:
    """The pages about `apis`. `public_url` is the address that examples name, where the operator has told one."""

    def __init__(self, apis: Sequence[Api], plans: Plans, public_url: str | None = None) -> None:
        self._apis = apis
        self._plans = plans
        self._public_url = escape(public_url.rstrip("/")) if public_url else None

    def routes(self) -> list[BaseRoute]:
        """The routes to add to the application's own."""
        return [
            Route("/", _to_reference),
            Route("/docs", self._show_page),
            Route("/docs/guides", _to_first_guide),
            Route("/docs/guides/{name}", self._show_guide),
            Route("/docs/style.css", _show_style),
            Route(f"{BASE}/openapi.json", self._show_document),
        ]

    @cached_property
    def _document(self) -> bytes:
        """The OpenAPI document as it is sent. The first time takes a moment: ask for it in a thread."""
        return orjson.dumps(build(self._apis))

    @cached_property
    def _page(self) -> bytes:
        """The page with a placeholder for the server's address; it takes a moment as well."""
        return render(orjson.loads(self._document), self._plans, _PLACEHOLDER, _STYLE_TAG).encode()

    @cached_property
    def _guides(self) -> dict[str, bytes]:
        """The page of each guide, with the same placeholder."""
        document = orjson.loads(self._document)
        return {name: render_guide(name, document, _PLACEHOLDER, _STYLE_TAG).encode() for name in NAMES}

    async def _show_document(self, request: Request) -> Response:
        body = await asyncio.to_thread(lambda: self._document)
        headers = {"Cache-Control": "no-cache", "Access-Control-Allow-Origin": "*"}
        return _tagged(request, body, "application/json", headers)

    async def _show_page(self, request: Request) -> Response:
        return self._html(request, await asyncio.to_thread(lambda: self._page))

    async def _show_guide(self, request: Request) -> Response:
        name = request.path_params["name"]
        if name not in NAMES:
            raise NotFound(f"There is no guide {name[:60]}. The guides are {', '.join(NAMES)}.")
        pages = await asyncio.to_thread(lambda: self._guides)
        return self._html(request, pages[name])

    def _html(self, request: Request, page: bytes) -> Response:
        """A page with the address at which the client knows this server."""
        address = self._public_url or _address(request)
        body = page.replace(_PLACEHOLDER.encode(), address.encode())
        return _tagged(request, body, "text/html; charset=utf-8", _HEADERS)


async def _to_reference(request: Request) -> Response:
    return RedirectResponse("/docs", 303)


async def _to_first_guide(request: Request) -> Response:
    return RedirectResponse(f"/docs/guides/{NAMES[0]}", 303)


async def _show_style(request: Request) -> Response:
    return _tagged(request, _STYLE, "text/css; charset=utf-8", _HEADERS)


def _tagged(request: Request, body: bytes, media_type: str, headers: dict[str, str]) -> Response:
    """The body, or 304 to a client that has it already (RFC 9110, 13.1.2)."""
    tag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
    headers = {**headers, "ETag": tag}
    known = request.headers.get("if-none-match", "")
    if known.strip() == "*" or tag in [part.strip().removeprefix("W/") for part in known.split(",")]:
        return Response(status_code=304, headers=headers)
    return Response(body, media_type=media_type, headers=headers)


def _address(request: Request) -> str:
    """Where the client reached this server, if its `Host` is one: nothing in it needs escaping then."""
    host = request.headers.get("host", "")
    return f"{request.url.scheme}://{host}" if _HOST.fullmatch(host) else "http://127.0.0.1:8000"
