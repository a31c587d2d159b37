"""Builds the web application: routes, error handling and the gate."""

from contextlib import AsyncExitStack

from fastapi import FastAPI, Request
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response
from starlette.routing import Match
from starlette.types import ASGIApp, Receive, Scope, Send

from retinue import __version__
from retinue.account_data.router import api as account_data
from retinue.agents.router import api as agents
from retinue.auth.account.router import api as account
from retinue.auth.audit.router import api as audit
from retinue.auth.keys.router import api as keys
from retinue.auth.sessions.router import api as sessions
from retinue.auth.sign_in.router import api as sign_in
from retinue.chat.router import api as chat
from retinue.connections.router import api as connections
from retinue.core.errors import MethodNotAllowed, NotFound, RetinueError, Unavailable
from retinue.core.http.operations import BASE, Api, Operation, OperationRoute
from retinue.core.http.route_trie import RouteTrie
from retinue.core.http.streaming import OpenStreams
from retinue.core.runtime.open_files import connections_for, open_files
from retinue.files.router import api as files
from retinue.fleets.router import api as fleets
from retinue.gate.addresses import client_info_reader
from retinue.gate.gate import Dialect, Gate, GateOptions
from retinue.gate.hosts import AllowedHosts
from retinue.interop.a2a import errors as a2a_errors
from retinue.interop.a2a.card import CARD_PATH
from retinue.interop.a2a.router import api as a2a
from retinue.interop.a2a.router import rpc_api as a2a_rpc
from retinue.interop.a2a.service import BASE as A2A_BASE
from retinue.interop.agui.router import BASE as AGUI_BASE
from retinue.interop.agui.router import api as agui
from retinue.interop.anthropic import errors as anthropic_errors
from retinue.interop.anthropic.router import BASE as ANTHROPIC_BASE
from retinue.interop.anthropic.router import api as anthropic
from retinue.interop.mcp.errors import mcp_error_body
from retinue.interop.mcp.router import BASE as MCP_BASE
from retinue.interop.mcp.router import api as mcp
from retinue.interop.openai import errors as openai_errors
from retinue.interop.openai.audio import api as openai_audio
from retinue.interop.openai.base import BASE as OPENAI_BASE
from retinue.interop.openai.embeddings import api as openai_embeddings
from retinue.interop.openai.files import api as openai_files
from retinue.interop.openai.router import api as openai
from retinue.knowledge.router import api as knowledge
from retinue.knowledge.sources.router import api as knowledge_sources
from retinue.marketplace.router import api as marketplace
from retinue.marketplace.router import installed_api as installed
from retinue.memory.router import api as memory
from retinue.models.local_router import api as local_models
from retinue.models.router import api as models
from retinue.oauth.metadata import MCP_METADATA, MCP_SCOPES
from retinue.oauth.resources import MCP
from retinue.oauth.router import api as oauth_apps
from retinue.oauth.router import grants_api as oauth_grants
from retinue.platform.platform import Platform
from retinue.platform.readiness import readiness
from retinue.platform.routes import oauth_routes, room_routes
from retinue.portal import static_files
from retinue.portal.reference_menu import reference_menu
from retinue.portal.routes import missing_page_route, portal_routes, with_not_found_page
from retinue.providers.router import api as providers
from retinue.reference import Reference
from retinue.request_log.router import api as request_log
from retinue.runs.approvals.router import api as approvals
from retinue.runs.router import api as runs
from retinue.schedules.router import api as schedules
from retinue.settings import Settings
from retinue.sharing.router import api as publishable_keys
from retinue.skills.router import api as skills
from retinue.tools.imports.router import api as tool_sources
from retinue.tools.router import api as tools
from retinue.usage.router import api as usage
from retinue.voice.calls.router import api as calls
from retinue.voice.rooms.router import api as rooms
from retinue.webhooks.router import api as webhooks

APIS: tuple[Api, ...] = (
    agents, fleets, schedules, runs, approvals, chat, models, local_models, providers, tool_sources, tools, knowledge,
    knowledge_sources, skills, memory, connections, files, usage, webhooks, calls, rooms, keys, publishable_keys,
    account, account_data, audit, request_log, sessions, sign_in, oauth_apps, oauth_grants, installed, marketplace,
)  # fmt: skip

INTEROP: tuple[Api, ...] = (openai, openai_embeddings, openai_files, openai_audio, anthropic, agui, a2a)
"""Other protocols for the same operations. Their documents are published by others."""

_DIALECTS = (
    Dialect(ANTHROPIC_BASE, anthropic_errors.error_body),
    Dialect(OPENAI_BASE, openai_errors.error_body),
    Dialect(MCP_BASE, mcp_error_body, MCP, MCP_METADATA, MCP_SCOPES),
    Dialect(AGUI_BASE, RetinueError.envelope, cross_origin=True),
    Dialect(A2A_BASE, a2a_errors.error_body, anonymous=CARD_PATH),
)
"""The first whose path is a prefix of the request's speaks to the client."""


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
    for api in (*APIS, *INTEROP, mcp, a2a_rpc):
        app.router.routes.extend(api.router.routes)
    _add_public(app, platform)
    gate = Gate(
        _Routes(app),
        platform.credentials,
        platform.limiter,
        platform.quotas,
        platform.request_writer,
        _gate_options(platform.settings),
        _DIALECTS,
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
        told = readiness(platform)
        return JSONResponse(told, Unavailable.status if "reason" in told else 200)

    async def root(request: Request) -> Response:
        return JSONResponse({"data": {"name": "Retinue", "version": __version__, "api": "v1"}})

    app.add_route("/healthz", healthz)
    app.add_route("/readyz", readyz)
    app.add_route(BASE, root)
    app.router.routes.extend(oauth_routes(platform))
    app.router.routes.extend(room_routes(platform))
    app.router.routes.extend(portal_routes(platform))
    look = {"fonts": static_files.address("fonts.css"), "favicon": static_files.address("favicon.svg")}
    menu, address = reference_menu(platform), platform.settings.public_url
    reference = Reference(APIS, platform.plans, platform.catalogue, menu, look, address)
    app.router.routes.extend(with_not_found_page(reference.routes(), platform))
    app.router.routes.append(missing_page_route(platform))
