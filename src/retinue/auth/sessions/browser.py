"""Browser sessions: the cookie that holds the token, and protection against cross-site requests."""

from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import Response

from retinue.auth.sessions.tokens import LIFETIME

COOKIE = "retinue_session"
"""Name of the cookie that holds the session token over HTTP."""

SECURE_COOKIE = f"__Host-{COOKIE}"
"""Its name over HTTPS. Browsers accept it only from this very host, over HTTPS (RFC 6265bis, section 4.1.3.2)."""


def session_token(request: Request) -> str:
    """Return the token from the request's cookie, or an empty string.

    The plain cookie also counts over HTTPS: earlier versions set it. Each visit to the overview renews the cookie.
    """
    token = request.cookies.get(SECURE_COOKIE) or request.cookies.get(COOKIE, "")
    return token if token.startswith("sess_") else ""


def set_session_cookie(response: Response, token: str, *, secure: bool) -> None:
    """Set the session cookie. It is hidden from scripts, and cross-site forms do not send it."""
    age = int(LIFETIME.total_seconds())
    response.set_cookie(SECURE_COOKIE if secure else COOKIE, token, age, httponly=True, secure=secure, samesite="lax")
    if secure:
        response.delete_cookie(COOKIE, httponly=True, secure=True, samesite="lax")


def drop_session_cookie(response: Response, *, secure: bool) -> None:
    """Delete the session cookie."""
    for name in (SECURE_COOKIE, COOKIE) if secure else (COOKIE,):
        response.delete_cookie(name, httponly=True, secure=secure, samesite="lax")


def is_cross_site(request: Request, public_url: str | None) -> bool:
    """Return True if a state-changing request may come from another site.

    Browsers send Fetch Metadata over HTTPS and to localhost, and `Origin` with every such request. A request with
    neither header does not come from a current browser.
    """
    if site := request.headers.get("sec-fetch-site"):
        return site not in ("same-origin", "none")
    origin = request.headers.get("origin", "").partition("://")[2]
    own = {request.url.netloc, urlsplit(public_url or "").netloc}
    return not origin or origin not in own
