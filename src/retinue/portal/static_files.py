"""Serve style sheets, scripts, fonts and icons. They are read once, and browsers cache them until they change."""

import hashlib
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from starlette.requests import Request
from starlette.responses import Response

from retinue.core.errors import NotFound
from retinue.core.http.static_content import StaticContent
from retinue.core.runtime.executors import run_on_compute_thread
from retinue.language.translation import script_content

_TYPES = {
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
    "woff2": "font/woff2",
    "LICENSE": "text/plain; charset=utf-8",
}
_FOR_EVER = "public, max-age=31536000, immutable"


@cache
def contents() -> dict[str, bytes]:
    """Return all files by their path below `static`."""
    own = dict(_walk(files("retinue.portal").joinpath("static"), ""))
    return own | {"translation.js": script_content()}


def _walk(folder: Traversable, prefix: str) -> list[tuple[str, bytes]]:
    found: list[tuple[str, bytes]] = []
    for entry in folder.iterdir():
        path = f"{prefix}{entry.name}"
        found += _walk(entry, f"{path}/") if entry.is_dir() else [(path, entry.read_bytes())]
    return found


@cache
def version() -> str:
    """Return a hash of all files. It is part of their URLs, so that a browser never mixes old and new files."""
    digest = hashlib.sha256()
    for path, body in sorted(contents().items()):
        digest.update(f"{path} {len(body)} ".encode() + body)
    return digest.hexdigest()[:12]


def address(path: str) -> str:
    """Return the URL path of a file."""
    return f"/static/{version()}/{path}"


async def show_static(request: Request) -> Response:
    """Serve a file. A URL with an old version returns the current file, without caching."""
    path = request.path_params["path"]
    if path not in contents():
        raise NotFound(f"No file exists at {request.url.path[:200]}.")
    caching = _FOR_EVER if request.path_params["version"] == version() else "no-store"
    content = await run_on_compute_thread(_compress, path)
    return content.respond(request, {"Cache-Control": caching, "X-Content-Type-Options": "nosniff"})


@cache
def _compress(path: str) -> StaticContent:
    return StaticContent.of(contents()[path], _TYPES[path.rpartition(".")[2]])
