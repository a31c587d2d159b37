"""Serve the style sheet and the scripts of the reference."""

from collections.abc import Iterator
from functools import cache
from importlib.resources import files

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from retinue.core.http.static_content import StaticContent

POLICY = (
    "default-src 'none'; style-src 'self'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'; "
    "script-src 'self'; connect-src 'self'; font-src 'self'; img-src 'self'"
)
"""Allows scripts only from this server: they search, try tools, and change the key and language of examples."""
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-cache",
}
_NAMES = ("style.css", "anchors.js", "examples.js", "languages.js", "search.js", "tools.js")
_TYPES = {"css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8"}


def asset_address(name: str) -> str:
    """Return the URL path of a file, which changes whenever its content does."""
    return f"/docs/{name}?v={_content(name).digest[:16]}"


def asset_routes() -> Iterator[Route]:
    """Yield a route for each file."""
    for name in _NAMES:
        yield Route(f"/docs/{name}", _show_asset)


async def _show_asset(request: Request) -> Response:
    return _content(request.url.path.removeprefix("/docs/")).respond(request, HEADERS)


@cache
def _content(name: str) -> StaticContent:
    body = files("retinue.reference").joinpath(name).read_bytes()
    return StaticContent.of(body, _TYPES[name.rpartition(".")[2]])
