"""A registry of services by type. Routes and pages get their services from it.

A service is built for each request from components that live as long as the process. It holds the caller, so its
queries filter by the caller's account. The `resource.py` of each package registers its services.
"""

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from starlette.requests import Request

from retinue.auth.caller import Caller

S = TypeVar("S")


class Services:
    """Builds a service for each caller, and holds one shared instance of each service without a caller."""

    def __init__(self) -> None:
        self._factories: dict[type, Callable[[Caller], Any]] = {}
        self._shared: dict[type, Any] = {}

    def provide(self, service: type[S], factory: Callable[[Caller], S]) -> None:
        """Register `factory` to build the service for a caller."""
        self._factories[service] = factory

    def share(self, service: type[S], instance: S) -> None:
        """Register the shared instance of a service that has no caller."""
        self._shared[service] = instance

    def of(self, service: type[S], caller: Caller) -> S:
        """Build the service for a caller. Raises `KeyError` if it is not registered."""
        built: S = self._factories[service](caller)
        return built

    def get_shared(self, service: type[S]) -> S:
        """Return the shared instance of a service. Raises `KeyError` if it is not registered."""
        instance: S = self._shared[service]
        return instance


def of_caller(service: type[S]) -> Callable[[Request], Awaitable[S]]:
    """Route dependency: the service for the caller of the request."""

    async def dependency(request: Request) -> S:
        services: Services = request.app.state.services
        return services.of(service, request.scope["caller"])

    return dependency


def shared_service(service: type[S]) -> Callable[[Request], Awaitable[S]]:
    """Route dependency: the shared instance of a service that has no caller."""

    async def dependency(request: Request) -> S:
        services: Services = request.app.state.services
        return services.get_shared(service)

    return dependency
