"""Base classes for page handlers' requests: the caller, and helpers to respond."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeVar
from urllib.parse import quote, unquote

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from retinue.auth.account.schemas import AccountView
from retinue.auth.account.service import Account
from retinue.auth.caller import Caller
from retinue.auth.client_info import ClientInfo
from retinue.core.errors import NotFound, RetinueError
from retinue.core.http.server_address import server_address
from retinue.core.runtime.whole_numbers import parse_whole_number
from retinue.language.translation import LANGUAGE_COOKIE
from retinue.language.translation import gettext as _
from retinue.platform.platform import Platform
from retinue.portal.field_errors import place_in_form
from retinue.portal.forms import Form, parse_query, read_form, read_json
from retinue.portal.navigation import SHORTCUTS, Navigation
from retinue.portal.paging import Paging, paging_of
from retinue.portal.templating import render
from retinue.runs.approvals.service import Approvals

FLASH = "retinue_flash"
"""The cookie that carries a message to the next page."""

S = TypeVar("S")
_FLASH_S = 30
_LANGUAGE_S = 365 * 86_400


@dataclass(frozen=True)
class Visit:
    """A request for a page that needs no signed-in user."""

    request: Request
    platform: Platform

    @property
    def address(self) -> str:
        """The server's address as external programs must use it."""
        return server_address(self.request, self.platform.settings.public_url)

    @property
    def secure(self) -> bool:
        """True if the browser uses HTTPS."""
        return self.address.startswith("https:") or self.request.url.scheme == "https"

    @property
    def client(self) -> ClientInfo:
        """The client's address and user agent."""
        info: ClientInfo = self.request.app.state.client_info(self.request.scope)
        return info

    @property
    def by_htmx(self) -> bool:
        """True if htmx requests a part of a page."""
        return "hx-request" in self.request.headers

    @property
    def by_script(self) -> bool:
        """True if a script requests data: it gets JSON in place of a page."""
        return "text/html" not in self.request.headers.get("accept", "")

    @cached_property
    def query(self) -> Form:
        """The parsed query string."""
        return parse_query(self.request.url.query)

    async def form(self) -> Form:
        """Read the form. Raises `ValidationFailed`."""
        return await read_form(self.request)

    async def json(self) -> dict[str, object]:
        """Read a JSON object from a script. Raises `ValidationFailed`."""
        return await read_json(self.request)

    def path_id(self, name: str = "id") -> int:
        """Return an id from the path. Raises `NotFound`."""
        if number := parse_whole_number(self.request.path_params[name]):
            return number
        path = self.request.url.path[:200]
        raise NotFound(_("No page exists at {path}: the id is not a positive integer.").format(path=path))

    def fragment(self, template: str, status: int = 200, /, **values: object) -> Response:
        """Render a part of a page."""
        return html(render(template, **values), status)

    def redirect(self, path: str, flash: str = "") -> Response:
        """Redirect the browser. The next page shows `flash` once. For htmx, the whole page reloads."""
        response = html("") if self.by_htmx else RedirectResponse(path, 303)
        if self.by_htmx:
            response.headers["HX-Redirect"] = path
        if flash:
            value = quote(flash)
            response.set_cookie(FLASH, value, _FLASH_S, httponly=True, secure=self.secure, samesite="lax")
        return response

    def remember_language(self, response: Response, language: str) -> None:
        """Set the cookie with the language that a person chose, or delete it if `language` is empty."""
        if language:
            response.set_cookie(
                LANGUAGE_COOKIE, language, _LANGUAGE_S, httponly=True, secure=self.secure, samesite="lax"
            )
        else:
            response.delete_cookie(LANGUAGE_COOKIE, httponly=True, secure=self.secure, samesite="lax")

    async def render(self, template: str, status: int = 200, /, **values: object) -> Response:
        """Render a whole page for a user who is not signed in."""
        return self._whole(template, status, {"problem": None, "form": Form(), **values})

    def _whole(self, template: str, status: int, values: Mapping[str, object]) -> Response:
        flash = unquote(self.request.cookies.get(FLASH, ""))
        response = html(render(template, flash=flash, address=self.address, **values), status)
        if flash:
            response.delete_cookie(FLASH, httponly=True, secure=self.secure, samesite="lax")
        return response


@dataclass(frozen=True)
class Page(Visit):
    """A request of a signed-in user."""

    caller: Caller
    navigation: Navigation
    _account: list[AccountView] = field(default_factory=list)

    def service(self, service: type[S]) -> S:
        """Return the service of this type for the user."""
        return self.platform.services.of(service, self.caller)

    async def account(self) -> AccountView:
        """Return the user's record, looked up once for each request."""
        if not self._account:
            self._account.append(await self.service(Account).get())
        return self._account[0]

    def paging(self, rows: int = 25) -> Paging:
        """Return the part of a list that the query selects."""
        return paging_of(self.query.text("page"), rows)

    async def render(self, template: str, status: int = 200, /, **values: object) -> Response:
        """Render a whole page with the navigation frame."""
        here = self.request.url.path.split("/")[1]
        user = await self.account()
        frame: dict[str, object] = {"here": here, "user": user, "plan": self.caller.plan_name}
        frame["navigation"] = self.navigation.of(user)
        frame["shortcuts"] = SHORTCUTS
        frame["badges"] = {"approvals": await self.service(Approvals).pending()}
        context = {**frame, "problem": None, "form": Form(), **values}
        problem, form = context["problem"], context["form"]
        if isinstance(problem, RetinueError) and isinstance(form, Form):
            context["problem"] = place_in_form(problem, form)
        return self._whole(template, status, context)


def html(text: str, status: int = 200) -> Response:
    """Return an HTML response."""
    return Response(text, status, media_type="text/html; charset=utf-8")
