"""Builds the web application: routes, error handling and the gate."""

from contextlib import AsyncExitStack

from fastapi import FastAPI, Request
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response
from starlette.routing import Match
from starlette.types import ASGIApp, Receive, Scope, Send

from retinue import __version__
from retinue.core.errors import MethodNotAllowed, NotFound, Unavailable
from retinue.core.http.operations import BASE, Api, Operation, OperationRoute
from retinue.core.http.route_trie import RouteTrie
from retinue.core.http.streaming import OpenStreams
from retinue.core.runtime.open_files import connections_for, open_files
from retinue.gate.addresses import client_info_reader
from retinue.gate.gate import Gate, GateOptions
from retinue.gate.hosts import AllowedHosts
from retinue.platform.platform import Platform
from retinue.platform.readiness import readiness
from retinue.platform.resources import RESOURCES
from retinue.portal import static_files
from retinue.portal.reference_menu import reference_menu
from retinue.portal.routes import NAVIGATION, missing_page_route, portal_routes, with_not_found_page
from retinue.reference import Reference
from retinue.settings import Settings

APIS: tuple[Api, ...] = tuple(api for resource in RESOURCES for api in resource.apis)
PROTOCOLS: tuple[Api, ...] = tuple(api for resource in RESOURCES for api in resource.protocols)
"""Other protocols for the same operations. Their documents are published by others."""


def operations() -> list[Operation]:
    """Return the operations that need a credential."""
    return [operation for api in APIS for operation in api.operations if operation.scope]


def public_operations() -> list[Operation]:
    """Return the operations that need no credential, such as signing in."""
    return [operation for api in APIS for operation in api.operations if not operation.scope]


def build_app(platform: Platform) -> Gate:
    """Build the ASGI application."""
    app = FastAPI(title="Retinue", version=__version__, openapi_url=None, docs_url=None, redoc_url=None)
    app.router.redirect_slashes = False
    app.state.services = platform.services
    app.state.idempotency = platform.idempotency
    app.state.intake = platform.intake
    app.state.client_info = client_info_reader(platform.settings.trusted_proxies)
    for api in (*APIS, *PROTOCOLS):
        app.router.routes.extend(api.router.routes)
    _add_public(app, platform)
    gate = Gate(
        _Routes(app),
        platform.credentials,
        platform.limiter,
        platform.quotas,
        platform.request_writer,
        _gate_options(platform.settings),
        [dialect for resource in RESOURCES for dialect in resource.dialects],
    )
    app.state.streams = OpenStreams(gate.find_refused)
    return gate


def _gate_options(settings: Settings) -> GateOptions:
    return GateOptions(
        refuse=settings.rate_limits == "on",
        trusted_proxies=settings.trusted_proxies,
        per_account=connections_for(open_files()) // 4,
        public_url=settings.public_url,
        hosts=AllowedHosts(settings.allowed_hosts, settings.public_url, settings.host),
    )


def _wrong_method(scope: Scope, methods: list[str]) -> MethodNotAllowed:
    allowed = ", ".join(methods)
    return MethodNotAllowed(f"{scope['method']} is not supported at {scope['path'][:200]}; use {allowed}.", allowed)


class _Routes:
    """FastAPI's routes without its middleware: the gate turns errors into responses.

    Operations are looked up in a tree. FastAPI, which tries one pattern after another, routes only the other paths.
    """

    def __init__(self, app: FastAPI) -> None:
        self._app = app
        self._operations: RouteTrie[tuple[str, ASGIApp]] = RouteTrie()
        for route in app.routes:
            if isinstance(route, OperationRoute):
                for method in route.methods or ():
                    self._operations.add(method, route.path, (route.path, route.app))
        self._forms = AsyncExitStack()
        """FastAPI needs a stack on which to close uploaded forms. No operation takes a form, so it stays empty."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope["app"] = self._app
        scope["fastapi_middleware_astack"] = self._forms
        if "\x00" in scope["path"]:
            raise NotFound("Paths must not contain the NUL character.")
        try:
            if found := self._operations.find(scope["method"], scope["path"]):
                (scope["operation"], endpoint), scope["path_params"] = found
                await endpoint(scope, receive, send)
            elif methods := self._operations.methods(scope["path"]):
                raise _wrong_method(scope, methods)
            else:
                await self._app.router(scope, receive, send)
        except HTTPException as error:
            raise self._unrouted_paths(scope, error) from error

    def _unrouted_paths(self, scope: Scope, error: HTTPException) -> Exception:
        path = scope["path"][:200]
        if error.status_code == MethodNotAllowed.status:
            return _wrong_method(scope, sorted(self._methods(scope)))
        if error.status_code == NotFound.status:
            return NotFound(f"No resource exists at {path}. The API reference is at /docs.")
        return error

    def _methods(self, scope: Scope) -> set[str]:
        """Return the methods of all routes that match the request's path."""
        routes = (route for route in self._app.routes if route.matches(scope)[0] is not Match.NONE)
        return {method for route in routes for method in getattr(route, "methods", None) or ()} - {"HEAD"}


def _add_public(app: FastAPI, platform: Platform) -> None:
    """Add the routes that need no credential."""

    async def healthz(request: Request) -> Response:
        return JSONResponse({"status": "ok"})

    async def readyz(request: Request) -> Response:
        body = readiness(platform)
        return JSONResponse(body, Unavailable.status if "reason" in body else 200)

    async def root(request: Request) -> Response:
        return JSONResponse({"data": {"name": "Retinue", "version": __version__, "api": "v1"}})

    app.add_route("/healthz", healthz)
    app.add_route("/readyz", readyz)
    app.add_route(BASE, root)
    for resource in RESOURCES:
        app.router.routes.extend(with_not_found_page(resource.routes(platform), platform))
    app.router.routes.extend(portal_routes(platform))
    names = {"fonts": "fonts.css", "favicon": "favicon.svg", "theme": "theme.js"}
    look = {part: static_files.address(name) for part, name in names.items()}
    menu, address = reference_menu(platform, NAVIGATION), platform.settings.public_url
    reference = Reference(APIS, platform.plans, platform.catalogue, menu, look, address)
    app.router.routes.extend(with_not_found_page(reference.routes(), platform))
    app.router.routes.append(missing_page_route(platform))
