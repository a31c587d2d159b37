"""Determines the addresses under which clients reach this server."""

import re
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from starlette.requests import Request

_HOST = re.compile(r"[A-Za-z0-9.-]{1,253}(:\d{1,5})?|\[[0-9a-fA-F:]{2,45}\](:\d{1,5})?")


def server_address(request: "Request", public_url: str | None) -> str:
    """Return `public_url` without its trailing slash, or the address that the client requested.

    An invalid `Host` header is ignored, so nothing in the address needs escaping.
    """
    if public_url:
        return public_url.rstrip("/")
    host = request.headers.get("host", "")
    return f"{request.url.scheme}://{host}" if _HOST.fullmatch(host) else "http://127.0.0.1:8000"


def reachable_host(host: str) -> str:
    """Return a host that connects to a server listening on `host`."""
    return {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 - nothing is bound here


def is_local_address(url: str) -> bool:
    """Return whether only the server's own machine can reach a URL."""
    return urlsplit(url).hostname in ("127.0.0.1", "::1", "localhost")


def local_address(host: str, port: int) -> str:
    """Return the URL of a server listening on `host` and `port`, as seen from its own machine."""
    reachable = reachable_host(host)
    return f"http://[{reachable}]:{port}" if ":" in reachable else f"http://{reachable}:{port}"
