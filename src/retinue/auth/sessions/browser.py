"""Sessions of browsers: the cookie that holds the token, and the defence against requests that other sites send."""

from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import Response

from retinue.auth.sessions.tokens import LIFETIME

COOKIE = "retinue_session"
"""The cookie of a browser's session. It holds a session token."""


def session_token(request: Request) -> str:
    """The token of the request's cookie; empty where there is none."""
    token = request.cookies.get(COOKIE, "")
    return token if token.startswith("sess_") else ""


def set_session_cookie(response: Response, token: str, *, secure: bool) -> None:
    """Hand the token to the browser: no script reads it, and other sites' forms do not send it."""
    age = int(LIFETIME.total_seconds())
    response.set_cookie(COOKIE, token, age, httponly=True, secure=secure, samesite="lax")


def drop_session_cookie(response: Response, *, secure: bool) -> None:
    """Have the browser forget the token."""
    response.delete_cookie(COOKIE, httponly=True, secure=secure, samesite="lax")


def is_cross_site(request: Request, public_url: str | None) -> bool:
    """Whether a request that changes something may come from another site's page.

    Browsers send Fetch Metadata over HTTPS and to localhost, and `Origin` with every such request everywhere. A
    request with neither comes from no current browser.
    """
    if site := request.headers.get("sec-fetch-site"):
        return site not in ("same-origin", "none")
    origin = urlsplit(request.headers.get("origin", "")).netloc
    own = {request.url.netloc, urlsplit(public_url or "").netloc}
    return not origin or origin not in own
