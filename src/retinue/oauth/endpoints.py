"""HTTP endpoints for clients: token, revocation, introspection, registration and metadata."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

import structlog
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from retinue.auth.client_info import ClientInfo
from retinue.core.http.operations import METADATA
from retinue.core.http.server_address import server_address
from retinue.oauth.clients import Clients, identifier_of
from retinue.oauth.errors import OAuthError
from retinue.oauth.forms import read_form, read_protocol_body
from retinue.oauth.grants import TokenGrants
from retinue.oauth.limits import RequestLimit
from retinue.oauth.metadata import MCP_METADATA, authorization_server, mcp_resource, protected_resource
from retinue.oauth.registration import Registration

_log = structlog.get_logger()

_NO_STORE = {"Cache-Control": "no-store", "Pragma": "no-cache"}
_MOST_METADATA = 32 << 10
"""Maximum bytes of a registration: ten redirect URIs of 2,000 characters, and a few short fields."""

Endpoint = Callable[[Request], Awaitable[Response]]


@dataclass(frozen=True)
class ProtocolEndpoints:
    """Handles protocol requests of clients. Error bodies follow RFC 6749, section 5.2."""

    clients: Clients
    grants: TokenGrants
    registration: Registration
    limit: RequestLimit
    client_info: Callable[[Mapping[str, object]], ClientInfo]
    public_url: str | None

    def routes(self) -> list[Route]:
        """Return the routes of the protocol."""
        return [
            Route("/oauth/token", _respond_to_errors(self._token), methods=["POST"]),
            Route("/oauth/revoke", _respond_to_errors(self._revoke), methods=["POST"]),
            Route("/oauth/introspect", _respond_to_errors(self._introspect), methods=["POST"]),
            Route("/oauth/register", _respond_to_errors(self._register), methods=["POST"]),
            Route("/.well-known/oauth-authorization-server", self._server_metadata),
            Route("/.well-known/oauth-protected-resource", self._resource_metadata),
            Route(METADATA, self._resource_metadata),
            Route(MCP_METADATA, self._mcp_metadata),
        ]

    async def _token(self, request: Request) -> Response:
        form = await read_form(request)
        app = await self.clients.authenticate(request.headers.get("authorization"), form)
        user = await self.grants.user_of(app, form)
        await self.limit.count_tokens(app.id, user, self.client_info(request.scope).address)
        tokens = await self.grants.exchange(app, form, self._address(request))
        _log.info("oauth.tokens_issued", client_id=identifier_of(app), grant_type=form["grant_type"])
        return JSONResponse(tokens, headers=_NO_STORE)

    async def _revoke(self, request: Request) -> Response:
        form = await read_form(request)
        app = await self.clients.authenticate(request.headers.get("authorization"), form)
        await self.grants.revoke(app, _token_of(form))
        _log.info("oauth.revoked", client_id=identifier_of(app))
        return Response(headers=_NO_STORE)

    async def _introspect(self, request: Request) -> Response:
        form = await read_form(request)
        app = await self.clients.authenticate(request.headers.get("authorization"), form)
        if app.secret_hash is None:
            raise OAuthError("invalid_client", "Public clients cannot introspect tokens.", 401)
        return JSONResponse(
            await self.grants.introspect(app, _token_of(form), self._address(request)), headers=_NO_STORE
        )

    async def _register(self, request: Request) -> Response:
        address = self.client_info(request.scope).address
        body = await read_protocol_body(request, _MOST_METADATA)
        client = await self.registration.register(body, address)
        _log.info("oauth.client_registered", client_id=client["client_id"], client_name=client["client_name"])
        return JSONResponse(client, 201, headers=_NO_STORE)

    async def _server_metadata(self, request: Request) -> Response:
        return self._metadata(request, authorization_server(self._address(request), self.registration.is_open))

    async def _resource_metadata(self, request: Request) -> Response:
        return self._metadata(request, protected_resource(self._address(request)))

    async def _mcp_metadata(self, request: Request) -> Response:
        return self._metadata(request, mcp_resource(self._address(request)))

    def _address(self, request: Request) -> str:
        return server_address(request, self.public_url)

    def _metadata(self, request: Request, document: dict[str, object]) -> Response:
        """Return a document. Caches may keep the document, unless its addresses come from the request's Host header."""
        _log.info("oauth.metadata_read", path=request.url.path, address=self._address(request))
        cache = {"Cache-Control": "max-age=3600"} if self.public_url else {"Cache-Control": "no-store", "Vary": "Host"}
        return JSONResponse(document, headers={"Access-Control-Allow-Origin": "*", **cache})


def _token_of(form: dict[str, str]) -> str:
    if "token" not in form:
        raise OAuthError("invalid_request", "The parameter token is missing.")
    return form["token"]


def _respond_to_errors(endpoint: Endpoint) -> Endpoint:
    """Wrap an endpoint so that an `OAuthError` becomes a protocol error response."""

    async def answer(request: Request) -> Response:
        try:
            return await endpoint(request)
        except OAuthError as error:
            _log.info("oauth.refused", path=request.url.path, error=error.code, reason=error.description)
            body = {"error": error.code, "error_description": error.description}
            basic = {"WWW-Authenticate": 'Basic realm="Retinue"'} if error.status == 401 else {}
            wait = {"Retry-After": str(error.retry_after)} if error.retry_after else {}
            return JSONResponse(body, error.status, headers={**_NO_STORE, **basic, **wait})

    return answer
