"""Lets pages of other sites ask with a publishable key (CORS), and checks that the key lists their origin."""

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from starlette.datastructures import Headers
from starlette.requests import Request

from retinue.auth.caller import SELF, Caller
from retinue.auth.keys.key_format import PUBLISHABLE
from retinue.core.errors import InsufficientScope
from retinue.core.http.server_address import server_address

Scope = MutableMapping[str, Any]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

_PREFLIGHT = (
    (b"access-control-allow-origin", b"*"),
    (b"access-control-allow-methods", b"GET, POST"),
    (b"access-control-allow-headers", b"authorization, content-type, x-visitor-token"),
    (b"access-control-max-age", b"7200"),
    (b"content-length", b"0"),
)
"""A preflight request carries no credential. The request after it does, and its origin is checked."""

_READABLE = b"retry-after, x-request-id"


def is_preflight(scope: Scope) -> bool:
    """Return whether a browser asks what a page of another site may send."""
    return scope["method"] == "OPTIONS" and "access-control-request-method" in Headers(scope=scope)


async def answer_preflight(send: Send) -> None:
    """Allow the methods and headers that the API takes."""
    await send({"type": "http.response.start", "status": 204, "headers": list(_PREFLIGHT)})
    await send({"type": "http.response.body", "body": b""})


def is_publishable(token: str) -> bool:
    """Return whether a token looks like a publishable key. It need not be valid."""
    return token.startswith(PUBLISHABLE)


def readable_headers(scope: Scope, token: str) -> list[tuple[bytes, bytes]]:
    """Return the headers that let a page read a response to its publishable key, a refusal included."""
    origin = Headers(scope=scope).get("origin")
    if origin is None or not is_publishable(token):
        return []
    return [
        (b"access-control-allow-origin", origin.encode("latin-1")),
        (b"access-control-expose-headers", _READABLE),
        (b"vary", b"Origin"),
    ]


def check_origin(caller: Caller, scope: Scope, public_url: str | None) -> None:
    """Raise `InsufficientScope` if a publishable key does not list the origin of the page that uses it.

    Browsers name the origin in every POST and in every request to another site. A GET without one comes from a page of
    this server.
    """
    if caller.origins is None:
        return
    request = Request(scope)
    own = server_address(request, public_url)
    origin = request.headers.get("origin") or (own if request.method == "GET" else "")
    allowed = {own if one == SELF else one for one in caller.origins}
    if origin not in allowed:
        raise InsufficientScope(
            f"This publishable key cannot be used on pages of {origin[:200] or 'an unknown origin'}. Add the origin "
            "to the key: in the portal, open the agent and choose Share."
        )
