"""Declare which handler serves which path."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from starlette.responses import Response

from retinue.portal.navigation import MenuEntry

Handler = Callable[[Any], Awaitable[Response]]
HandlerT = TypeVar("HandlerT", bound=Handler)


@dataclass(frozen=True)
class PageRoute:
    """A handler with its route. A `public` one takes a `Visit`, all others a `Page`.

    A `protective` one revokes or replaces a credential. Limits and quotas do not apply to it: the person who stole a
    key must not be able to prevent its revocation by using them up.

    `form` is the address of the page with the form, with the parameters of `path`. It is needed if the page is not the
    closest one above `path`.
    """

    method: str
    path: str
    handler: Handler
    public: bool
    protective: bool = False
    form: str = ""


class Pages:
    """Collects the handlers of one page group. `menu` is its entry of the menu, once the group is finished."""

    def __init__(self, menu: MenuEntry | None = None, *, public: bool = False) -> None:
        self.menu = menu
        self.declared: list[PageRoute] = []
        self._public = public

    def get(self, path: str) -> Callable[[HandlerT], HandlerT]:
        """Declare a handler that shows something."""
        return self._declare("GET", path)

    def post(self, path: str, *, protective: bool = False, form: str = "") -> Callable[[HandlerT], HandlerT]:
        """Declare a handler that changes something."""
        return self._declare("POST", path, protective, form)

    def _declare(
        self, method: str, path: str, protective: bool = False, form: str = ""
    ) -> Callable[[HandlerT], HandlerT]:
        def add(handler: HandlerT) -> HandlerT:
            self.declared.append(PageRoute(method, path, handler, self._public, protective, form))
            return handler

        return add
