"""What a handler of a page works with: the request, the caller, and the ways to answer."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar
from urllib.parse import quote, unquote

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from retinue.auth.account.service import Account
from retinue.auth.caller import Caller
from retinue.auth.client_info import ClientInfo
from retinue.core.envelope import MAX_ID
from retinue.core.errors import NotFound
from retinue.core.server_address import server_address
from retinue.platform.platform import Platform
from retinue.portal.forms import Form, parse_form, read_form, read_json
from retinue.portal.paging import Paging, paging_of
from retinue.portal.templating import render

FLASH = "retinue_flash"
"""The cookie that carries one sentence to the next page."""

S = TypeVar("S")
_FLASH_S = 30
_ID = re.compile(r"[0-9]{1,19}")


@dataclass(frozen=True)
class Visit:
    """A request for a page by somebody who need not be signed in."""

    request: Request
    platform: Platform

    @property
    def address(self) -> str:
        """The server's address as the reader's programs have to name it."""
        return server_address(self.request, self.platform.settings.public_url)

    @property
    def secure(self) -> bool:
        """Whether the reader comes over HTTPS."""
        return self.address.startswith("https:") or self.request.url.scheme == "https"

    @property
    def client(self) -> ClientInfo:
        """Where the request comes from."""
        info: ClientInfo = self.request.app.state.client_info(self.request.scope)
        return info

    @property
    def by_htmx(self) -> bool:
        """Whether htmx asks for a part of a page."""
        return "hx-request" in self.request.headers

    @property
    def query(self) -> Form:
        """The query of the address."""
        return parse_form(self.request.url.query)

    async def form(self) -> Form:
        """The fields that were sent, or `ValidationFailed`."""
        return await read_form(self.request, self.platform.settings.body_timeout)

    async def json(self) -> dict[str, Any]:
        """The object that a script sent, or `ValidationFailed`."""
        return await read_json(self.request, self.platform.settings.body_timeout)

    def path_id(self, name: str = "id") -> int:
        """An id in the path, or `NotFound`."""
        text = self.request.path_params[name]
        if _ID.fullmatch(text) and 1 <= int(text) <= MAX_ID:
            return int(text)
        raise NotFound(f"There is nothing at {self.request.url.path[:200]}: the id is not a positive integer.")

    def fragment(self, template: str, status: int = 200, **values: Any) -> Response:
        """A part of a page."""
        return html(render(template, **values), status)

    def redirect(self, path: str, flash: str = "") -> Response:
        """Send the browser on; `flash` is shown once there. htmx loads the page as a whole."""
        response = html("") if self.by_htmx else RedirectResponse(path, 303)
        if self.by_htmx:
            response.headers["HX-Redirect"] = path
        if flash:
            value = quote(flash)
            response.set_cookie(FLASH, value, _FLASH_S, httponly=True, secure=self.secure, samesite="lax")
        return response

    async def render(self, template: str, status: int = 200, **values: Any) -> Response:
        """A whole page for somebody who is not signed in."""
        return self._whole(template, status, {"problem": None, "form": Form(), **values})

    def _whole(self, template: str, status: int, values: Mapping[str, Any]) -> Response:
        flash = unquote(self.request.cookies.get(FLASH, ""))
        response = html(render(template, flash=flash, address=self.address, **values), status)
        if flash:
            response.delete_cookie(FLASH, httponly=True, secure=self.secure, samesite="lax")
        return response


@dataclass(frozen=True)
class Page(Visit):
    """A request of somebody who is signed in."""

    caller: Caller
    _account: list[dict[str, Any]] = field(default_factory=list)

    def service(self, service: type[S]) -> S:
        """The service of this type for the reader."""
        return self.platform.services.of(service, self.caller)

    async def account(self) -> dict[str, Any]:
        """The reader's user, looked up once."""
        if not self._account:
            self._account.append(await self.service(Account).get())
        return self._account[0]

    def paging(self, rows: int = 25) -> Paging:
        """Which part of a list the query asks for."""
        return paging_of(self.query.text("page"), rows)

    async def render(self, template: str, status: int = 200, **values: Any) -> Response:
        """A whole page, in the frame."""
        here = self.request.url.path.split("/")[1]
        frame = {"here": here, "user": await self.account(), "plan": self.caller.plan_name}
        return self._whole(template, status, {**frame, "problem": None, "form": Form(), **values})


def html(text: str, status: int = 200) -> Response:
    """A response of HTML."""
    return Response(text, status, media_type="text/html; charset=utf-8")
