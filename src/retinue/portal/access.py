"""Apply the session, origin, rate limit, error and header rules to every request for a page."""

from collections import Counter
from dataclasses import dataclass, field
from urllib.parse import quote

import structlog
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from retinue.auth.caller import Caller
from retinue.auth.sessions.browser import is_cross_site, session_token
from retinue.core.errors import AuthRequired, InsufficientScope, InternalError, RateLimited, RetinueError, disk_full
from retinue.core.runtime import log
from retinue.core.runtime.executors import acting_for
from retinue.language.error_words import error_words
from retinue.language.translation import gettext as _
from retinue.language.translation import set_language
from retinue.platform.platform import Platform
from retinue.portal.navigation import Navigation
from retinue.portal.page import Page, Visit, html
from retinue.portal.pages import PageRoute
from retinue.portal.paging import PageMissing
from retinue.portal.request_log import PortalRequest
from retinue.portal.templating import prepare, render

HEADERS = {
    "Content-Security-Policy": "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; "
    "frame-ancestors 'none'; form-action 'self'",
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
"""Headers of every page. Scripts and styles load only from this server, and inline ones are forbidden."""

_SAFE = ("GET", "HEAD")
_VIEWS_PER_MINUTE = 300
"""Maximum pages, page parts and protective changes of a user in a minute. Other changes count as calls of the API."""

_AT_ONCE = 100
"""Maximum concurrent requests of an account, including live parts."""

_log = structlog.get_logger()


@dataclass(frozen=True)
class Access:
    """Admits requests and counts those in progress."""

    platform: Platform
    navigation: Navigation
    under_way: Counter[int] = field(default_factory=Counter)

    async def admit(self, request: Request, *, protective: bool) -> Caller:
        """Authenticate the session and count the request. Raises `AuthRequired` or `RateLimited`."""
        is_view = request.method in _SAFE or protective
        caller = await self.platform.credentials.authenticate(session_token(request))
        refuse = self.platform.settings.rate_limits == "on"
        limiter = self.platform.limiter
        if is_view:
            decision = await limiter.hit_address(f"portal:{caller.user_id}", _VIEWS_PER_MINUTE)
        else:
            account = f"account:{caller.account_id}"
            decision = await limiter.hit(caller.credential, account, caller.plan.requests, refuse=refuse)
        if refuse and not decision.allowed:
            raise decision.refusal()
        if not is_view:
            await self.platform.quotas.check_calls(caller)
        acting_for.set(caller.account_id)
        return caller

    def check_site(self, request: Request) -> None:
        """Raise `InsufficientScope` for a change that another site's page requests."""
        if request.method not in _SAFE and is_cross_site(request, self.platform.settings.public_url):
            raise InsufficientScope(
                _("The request came from another site's page. Open the portal itself and do it there.")
            )


@dataclass(frozen=True)
class PageEndpoint:
    """An ASGI application that applies the access rules and calls a handler."""

    declared: PageRoute
    access: Access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        await prepare(self.access.platform.home)
        attempt = PortalRequest(Request(scope, receive), self.declared.path)
        set_language(attempt.request)
        entered = False
        try:
            try:
                self.access.check_site(attempt.request)
                if not self.declared.public:
                    attempt.caller = await self.access.admit(attempt.request, protective=self.declared.protective)
                    scope["caller"], scope["token"] = attempt.caller, session_token(attempt.request)
                    entered = self._enter(attempt.caller)
                response = await self._handle(attempt.request, attempt.caller)
            except RetinueError as error:
                response = await self._refuse(attempt, error)
            except Exception as error:  # noqa: BLE001 - the last resort: a person gets a page, not a traceback
                if (unexpected := disk_full(error)) is None:
                    _log.exception("request.failed", path=scope["path"])
                text = _("Something went wrong on our side.")
                response = await self._refuse(attempt, unexpected or InternalError(text))
            attempt.status = response.status_code
            self._count(attempt.request, attempt.caller, response)
            for name, value in HEADERS.items():
                response.headers.setdefault(name, value)
            await response(scope, receive, send)
        finally:
            if attempt.caller and entered:
                self._leave(attempt.caller)
            if entry := attempt.entry():
                self.access.platform.request_writer.add(entry)

    async def _handle(self, request: Request, caller: Caller | None) -> Response:
        platform = self.access.platform
        visit = Page(request, platform, caller, self.access.navigation) if caller else Visit(request, platform)
        try:
            return await self.declared.handler(visit)
        except PageMissing as missing:
            last = request.url.include_query_params(page=missing.last)
            return visit.redirect(f"{last.path}?{last.query}")

    def _enter(self, caller: Caller) -> bool:
        if self.access.under_way[caller.account_id] >= _AT_ONCE:
            text = _("{number} pages of yours are being loaded. Close some of them, and try again.")
            raise RateLimited(text.format(number=_AT_ONCE), 1)
        self.access.under_way[caller.account_id] += 1
        return True

    def _leave(self, caller: Caller) -> None:
        under_way = self.access.under_way
        under_way[caller.account_id] -= 1
        if not under_way[caller.account_id]:
            del under_way[caller.account_id]

    def _count(self, request: Request, caller: Caller | None, response: Response) -> None:
        """Count a change through the portal as a call of the API."""
        is_call = request.method not in _SAFE and not self.declared.protective
        is_counted = response.status_code != RateLimited.status and response.status_code < InternalError.status
        if caller and is_call and is_counted:
            refused = response.status_code >= 400
            self.access.platform.meter.count(caller.account_id, refused=refused)

    async def _refuse(self, attempt: PortalRequest, error: RetinueError) -> Response:
        """Return the error in a form that suits the client: a page, a page part, or JSON."""
        attempt.error, attempt.status = (error.code, error.message), error.status
        visit = Visit(attempt.request, self.access.platform)
        if isinstance(error, AuthRequired) and not self.declared.public and not visit.by_htmx:
            response = _to_sign_in(visit, error)
        elif visit.by_htmx:  # A part of a page never leads away: the page may have a form that is half filled in.
            response = visit.fragment("_problem.html", error.status, problem=error, logged_as=attempt.logged_as)
            response.headers["HX-Retarget"], response.headers["HX-Reswap"] = "#problems", "innerHTML"
        elif not visit.by_script:
            response = await self._error_page(attempt, error)
        else:
            error.message = error_words(error.message)
            raise error
        for name, value in error.headers.items():
            if name != "WWW-Authenticate":
                response.headers[name] = value
        return response

    async def _visitor(self, request: Request) -> Caller | None:
        """Return the caller of a public page if it is signed in, so that an error has the menu around it."""
        try:
            return await self.access.platform.credentials.authenticate(session_token(request))
        except RetinueError:
            return None

    async def _error_page(self, attempt: PortalRequest, error: RetinueError) -> Response:
        values = {"error": error, "request_id": log.request_id.get(), "logged_as": attempt.logged_as}
        if caller := attempt.caller or await self._visitor(attempt.request):
            page = Page(attempt.request, self.access.platform, caller, self.access.navigation)
            try:
                return await page.render("error.html", error.status, **values)
            except RetinueError:
                _log.warning("portal.error_without_frame")
        return html(render("error_alone.html", **values), error.status)


def _to_sign_in(visit: Visit, error: AuthRequired) -> Response:
    """Redirect to the sign-in page, which returns to this page. For scripts, raise the error."""
    if visit.by_script:
        raise error
    path = visit.request.url.path
    query = f"?{visit.request.url.query}" if visit.request.url.query else ""
    back = f"?next={quote(path + query)}" if visit.request.method in _SAFE and path != "/" else ""
    return visit.redirect(f"/sign-in{back}")
