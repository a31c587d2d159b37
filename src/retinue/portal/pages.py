"""The pages of a group: which handler answers at which path."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from starlette.responses import Response

Handler = Callable[[Any], Awaitable[Response]]
Given = TypeVar("Given", bound=Handler)


@dataclass(frozen=True)
class Declared:
    """A handler and where it answers. A `public` one takes a `Visit`, all others a `Page`."""

    method: str
    path: str
    handler: Handler
    public: bool


class Pages:
    """Collects the handlers of one group."""

    def __init__(self, *, public: bool = False) -> None:
        self.declared: list[Declared] = []
        self._public = public

    def get(self, path: str) -> Callable[[Given], Given]:
        """Declare what shows something."""
        return self._declare("GET", path)

    def post(self, path: str) -> Callable[[Given], Given]:
        """Declare what changes something."""
        return self._declare("POST", path)

    def _declare(self, method: str, path: str) -> Callable[[Given], Given]:
        def add(handler: Given) -> Given:
            self.declared.append(Declared(method, path, handler, self._public))
            return handler

        return add
