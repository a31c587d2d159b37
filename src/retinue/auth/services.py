"""Services by type: how a route or a page reaches the service that it calls.

A service is built for each request from the parts that live as long as the process, and knows its caller, so every
query that it makes is filtered by the caller's account. `retinue.platform.services` says how each is built.
"""

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from starlette.requests import Request

from retinue.auth.caller import Caller

S = TypeVar("S")


class Services:
    """A registry that builds a service for each caller and keeps one instance of every service without a caller."""

    def __init__(self) -> None:
        self._factories: dict[type, Callable[[Caller], Any]] = {}
        self._shared: dict[type, Any] = {}

    def provide(self, service: type[S], factory: Callable[[Caller], S]) -> None:
        """Have `factory` build the service for a caller."""
        self._factories[service] = factory

    def share(self, service: type[S], instance: S) -> None:
        """Keep the one instance of a service that has no caller."""
        self._shared[service] = instance

    def of(self, service: type[S], caller: Caller) -> S:
        """The service for a caller. Raises `KeyError` where nobody provides it."""
        built: S = self._factories[service](caller)
        return built

    def get_shared(self, service: type[S]) -> S:
        """The one instance of a service. Raises `KeyError` where nobody provides it."""
        instance: S = self._shared[service]
        return instance


def of_caller(service: type[S]) -> Callable[[Request], Awaitable[S]]:
    """A dependency of a route: the service for the caller of the request."""

    async def dependency(request: Request) -> S:
        services: Services = request.app.state.services
        return services.of(service, request.scope["caller"])

    return dependency


def shared_service(service: type[S]) -> Callable[[Request], Awaitable[S]]:
    """A dependency of a route: the one instance of a service that has no caller."""

    async def dependency(request: Request) -> S:
        services: Services = request.app.state.services
        return services.get_shared(service)

    return dependency
