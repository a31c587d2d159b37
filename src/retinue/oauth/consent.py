"""The pages of the authorization endpoint: users sign in, see the requested scopes, and allow or deny them."""

import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import structlog
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from retinue.auth.caller import Caller
from retinue.auth.client_info import ClientInfo
from retinue.auth.credentials import Credentials
from retinue.auth.sessions.browser import is_cross_site, session_token, set_session_cookie
from retinue.auth.sign_in.service import SignIn
from retinue.core.errors import AuthRequired, RateLimited, RetinueError
from retinue.core.http.server_address import server_address
from retinue.language import translation
from retinue.language.error_words import error_words
from retinue.language.request_language import use_language_of
from retinue.language.translation import gettext as _
from retinue.oauth.authorization import PARAMETERS, Authorization, AuthorizationRequest, RedirectTarget
from retinue.oauth.clients import identifier_of
from retinue.oauth.errors import OAuthError, UntrustedClient
from retinue.oauth.forms import parameters_of, read_form
from retinue.oauth.limits import RequestLimit
from retinue.oauth.meanings import MEANINGS
from retinue.oauth.redirects import destination, with_parameters

if TYPE_CHECKING:
    from collections.abc import Callable

    from jinja2 import Template

_log = structlog.get_logger()
_STYLE = files("retinue.oauth").joinpath("pages/consent.css").read_bytes()


@cache
def _template() -> "Template":
    from jinja2 import Environment  # noqa: PLC0415 - a start can do without it

    text = files("retinue.oauth").joinpath("pages/consent.html").read_text()
    environment = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    translation.translate_templates(environment)
    return environment.from_string(text)


@dataclass(frozen=True)
class ConsentPage:
    """Renders the consent page, and handles the sign-in and decision forms."""

    authorization: Authorization
    credentials: Credentials
    sign_in: SignIn
    limit: RequestLimit
    client_info: "Callable[[Mapping[str, object]], ClientInfo]"
    public_url: str | None

    def routes(self) -> list[Route]:
        """Return the routes of the consent page."""
        return [
            Route("/oauth/authorize", self._show, methods=["GET"]),
            Route("/oauth/authorize", self._take, methods=["POST"]),
            Route("/oauth/consent.css", _style),
        ]

    async def _show(self, request: Request) -> Response:
        await use_language_of(request)
        try:
            return await self._page(request, parameters_of(request.url.query))
        except OAuthError as error:
            return _refusal(str(error), status=error.status)
        except UntrustedClient as error:
            return _refusal(str(error))

    async def _take(self, request: Request) -> Response:
        await use_language_of(request)
        try:
            self._check_site(request)
            form = await read_form(request)
            if "email" in form:
                return await self._sign_in(request, form)
            return await self._decide(request, form)
        except OAuthError as error:
            return _refusal(str(error), status=error.status)
        except UntrustedClient as error:
            return _refusal(str(error))

    def _check_site(self, request: Request) -> None:
        if is_cross_site(request, self.public_url):
            raise UntrustedClient("The form was sent from another site.")

    async def _page(self, request: Request, parameters: Mapping[str, str], problem: str = "") -> Response:
        """Render the sign-in or consent page. An invalid request of a user's app redirects with the error.

        A self-registered client gets no redirect before the user has decided: anyone can register one, and the address
        of this server would lend its trust to theirs (RFC 9700, section 4.11.2).
        """
        target = await self._target(request, parameters)
        try:
            authorization = self.authorization.check(target, parameters, self._address(request))
        except OAuthError as error:
            answer = {"error": error.code, "error_description": error.description}
            if target.app.user_id is None:
                return _refusal(error.description, target, self._answer_of(request, target, answer))
            return self._back(request, target, answer)
        return _render(authorization, parameters, await self._signed_in(request), problem)

    async def _sign_in(self, request: Request, form: Mapping[str, str]) -> Response:
        email, password, code = form["email"], form.get("password", ""), form.get("code")
        try:
            session = await self.sign_in.with_password(email, password, code, self.client_info(request.scope))
        except (AuthRequired, RateLimited) as error:
            return await self._page(request, form, error_words(error.message))
        query = {name: form[name] for name in PARAMETERS if name in form}
        response = RedirectResponse(with_parameters("/oauth/authorize", query), 303)
        secure = self._address(request).startswith("https:")
        set_session_cookie(response, session.token, secure=secure)
        return response

    async def _decide(self, request: Request, form: Mapping[str, str]) -> Response:
        caller = await self._signed_in(request)
        if caller is None or not hmac.compare_digest(form.get("csrf", "").encode(), _csrf(caller).encode()):
            return await self._page(request, form, _("Your session has ended. Sign in again."))
        await self.limit.count_decision(caller.caller.user_id)
        target = await self._target(request, form)
        if form.get("decision") != "allow":
            return self._back(
                request, target, {"error": "access_denied", "error_description": "The user denied the request."}
            )
        try:
            authorization = self.authorization.check(target, form, self._address(request))
            code = await self.authorization.allow(authorization, caller.caller)
        except OAuthError as error:
            return self._back(request, target, {"error": error.code, "error_description": error.description})
        return self._back(request, target, {"code": code})

    async def _target(self, request: Request, parameters: Mapping[str, str]) -> RedirectTarget:
        return await self.authorization.target(parameters, self.client_info(request.scope).address)

    def _address(self, request: Request) -> str:
        return server_address(request, self.public_url)

    async def _signed_in(self, request: Request) -> "_SignedIn | None":
        """Return the user of the browser's session, or None."""
        token = session_token(request)
        if not token:
            return None
        try:
            return _SignedIn(token, await self.credentials.authenticate(token))
        except RetinueError:
            return None

    def _back(self, request: Request, target: RedirectTarget, answer: dict[str, str]) -> Response:
        """Redirect to the client with the answer."""
        event, client_id = "oauth.refused" if "error" in answer else "oauth.allowed", identifier_of(target.app)
        _log.info(event, client_id=client_id, error=answer.get("error"), reason=answer.get("error_description"))
        headers = {"Cache-Control": "no-store", "Referrer-Policy": "no-referrer"}
        return RedirectResponse(self._answer_of(request, target, answer), 303, headers=headers)

    def _answer_of(self, request: Request, target: RedirectTarget, answer: dict[str, str]) -> str:
        """Return the redirect URI with the answer and the issuer (RFC 9207)."""
        state = {"state": target.state} if target.state else {}
        answer = {**answer, **state, "iss": self._address(request)}
        return with_parameters(target.redirect_uri, answer)


@dataclass(frozen=True)
class _SignedIn:
    token: str
    caller: Caller


def _csrf(signed_in: _SignedIn) -> str:
    """Return a token that only this session's pages contain. Other sites can cause the cookie to be sent but cannot
    read it.
    """
    return hmac.digest(signed_in.token.encode(), b"consent", hashlib.sha256).hex()


def _render(
    authorization: AuthorizationRequest, parameters: Mapping[str, str], signed_in: _SignedIn | None, problem: str
) -> Response:
    page = _template().render(
        title=_("Allow {app}?").format(app=authorization.target.app.name) if signed_in else _("Sign in"),
        problem=problem,
        app=authorization.target.app,
        signed_in=signed_in is not None,
        scopes=[(scope, _(MEANINGS[scope])) for scope in authorization.scopes],
        destination=destination(authorization.target.redirect_uri),
        verified=authorization.target.app.user_id is not None,
        publisher=urlsplit(authorization.target.app.metadata_url or "").netloc,
        parameters=[(name, parameters[name]) for name in PARAMETERS if name in parameters],
        csrf=_csrf(signed_in) if signed_in else "",
    )
    return _html(page)


def _refusal(problem: str, target: RedirectTarget | None = None, way_back: str = "", status: int = 400) -> Response:
    """Render an error, with a link to the client if it is known."""
    _log.info("oauth.refused", client_id=identifier_of(target.app) if target else None, reason=problem)
    page = _template().render(
        title=_("This request cannot be granted"),
        problem=problem,
        way_back=way_back,
        destination=destination(target.redirect_uri) if target else "",
    )
    return _html(page, status)


def _html(page: str, status: int = 200) -> Response:
    headers = {
        # Without form-action: Chromium applies it to every redirect after the form, also to those of the app.
        "Content-Security-Policy": "default-src 'none'; style-src 'self'; base-uri 'none'; frame-ancestors 'none'",
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
        "Cache-Control": "no-store",
    }
    return Response(page, status, media_type="text/html; charset=utf-8", headers=headers)


async def _style(request: Request) -> Response:
    return Response(_STYLE, media_type="text/css; charset=utf-8", headers={"Cache-Control": "max-age=3600"})
