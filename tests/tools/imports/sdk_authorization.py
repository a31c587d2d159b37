"""An MCP server with an authorization server, both made with the protocol's own SDK, on a free port of this machine."""

import secrets
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import uvicorn
from mcp.server.auth.provider import (
    AccessToken,
    AuthorizationCode,
    AuthorizationParams,
    IdentityAssertionParams,
    RefreshToken,
    TokenError,
)
from mcp.server.auth.settings import AuthSettings
from mcp.server.mcpserver import MCPServer
from mcp.shared.auth import OAuthClientInformationFull, OAuthToken


def add(a: int, b: int) -> str:
    """Add two numbers."""
    return f"{a} + {b} = {a + b}"


@dataclass
class ClosedServer:
    """The server, and what its authorization server knows. It grants each request at once, as if a person did.

    `lasts_s` is the life of access tokens. `granted` are the parameters of each request, `refreshes` counts the refresh
    tokens that were used, and one that is used twice is refused.
    """

    port: int = 0
    lasts_s: int = 3600
    clients: dict[str, OAuthClientInformationFull] = field(default_factory=dict)
    codes: dict[str, AuthorizationCode] = field(default_factory=dict)
    access: dict[str, AccessToken] = field(default_factory=dict)
    refresh: dict[str, RefreshToken] = field(default_factory=dict)
    granted: list[AuthorizationParams] = field(default_factory=list)
    refreshes: int = 0

    @property
    def origin(self) -> str:
        """Its own address, which is also its issuer."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def url(self) -> str:
        """Where the MCP server is."""
        return f"{self.origin}/mcp"

    def expire(self) -> None:
        """Forget the access tokens, as if their time were over."""
        self.access.clear()

    def revoke(self) -> None:
        """Forget all tokens, as if the person had taken the access back."""
        self.access.clear()
        self.refresh.clear()

    def secrets(self) -> list[str]:
        """Everything that must not appear anywhere."""
        made = [one.client_secret for one in self.clients.values() if one.client_secret]
        return [*made, *self.access, *self.refresh, *self.codes]

    async def get_client(self, client_id: str) -> OAuthClientInformationFull | None:
        """See the SDK."""
        return self.clients.get(client_id)

    async def register_client(self, client_info: OAuthClientInformationFull) -> None:
        """See the SDK."""
        self.clients[client_info.client_id or ""] = client_info

    async def authorize(self, client: OAuthClientInformationFull, params: AuthorizationParams) -> str:
        """See the SDK."""
        self.granted.append(params)
        code = AuthorizationCode(
            code=secrets.token_urlsafe(24),
            scopes=params.scopes or [],
            expires_at=time.time() + 300,
            client_id=client.client_id or "",
            code_challenge=params.code_challenge,
            redirect_uri=params.redirect_uri,
            redirect_uri_provided_explicitly=params.redirect_uri_provided_explicitly,
            resource=params.resource,
        )
        self.codes[code.code] = code
        return (
            f"{params.redirect_uri}?{urlencode({'code': code.code, 'state': params.state or '', 'iss': self.origin})}"
        )

    async def load_authorization_code(
        self, client: OAuthClientInformationFull, authorization_code: str
    ) -> AuthorizationCode | None:
        """See the SDK."""
        return self.codes.get(authorization_code)

    async def exchange_authorization_code(
        self, client: OAuthClientInformationFull, authorization_code: AuthorizationCode
    ) -> OAuthToken:
        """See the SDK."""
        del self.codes[authorization_code.code]
        return self._issue(client, authorization_code.scopes, authorization_code.resource)

    async def load_refresh_token(self, client: OAuthClientInformationFull, refresh_token: str) -> RefreshToken | None:
        """See the SDK."""
        return self.refresh.get(refresh_token)

    async def exchange_refresh_token(
        self, client: OAuthClientInformationFull, refresh_token: RefreshToken, scopes: list[str]
    ) -> OAuthToken:
        """See the SDK."""
        if self.refresh.pop(refresh_token.token, None) is None:
            raise TokenError("invalid_grant")
        self.refreshes += 1
        return self._issue(client, scopes, refresh_token.resource)

    async def load_access_token(self, token: str) -> AccessToken | None:
        """See the SDK."""
        return self.access.get(token)

    async def revoke_token(self, token: AccessToken | RefreshToken) -> None:
        """See the SDK."""

    async def exchange_identity_assertion(
        self, client: OAuthClientInformationFull, params: IdentityAssertionParams
    ) -> OAuthToken:
        """See the SDK."""
        raise TokenError("unsupported_grant_type")

    def _issue(self, client: OAuthClientInformationFull, scopes: list[str], resource: str | None) -> OAuthToken:
        owner: dict[str, Any] = {"client_id": client.client_id or "", "scopes": scopes, "resource": resource}
        access, refresh = secrets.token_urlsafe(24), secrets.token_urlsafe(24)
        self.access[access] = AccessToken(token=access, **owner)
        self.refresh[refresh] = RefreshToken(token=refresh, **owner)
        return OAuthToken(
            access_token=access, expires_in=self.lasts_s, refresh_token=refresh, scope=" ".join(scopes) or None
        )


@contextmanager
def running_closed_server() -> Iterator[ClosedServer]:
    """Run one on a thread of its own."""
    shown = ClosedServer()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        shown.port = listener.getsockname()[1]
        auth = AuthSettings.model_validate(
            {
                "issuer_url": shown.origin,
                "resource_server_url": shown.url,
                "required_scopes": ["things"],
                "validate_token_resource": True,
                "client_registration_options": {"enabled": True, "valid_scopes": ["things"]},
            }
        )
        server: MCPServer[Any] = MCPServer("closed", log_level="ERROR", auth_server_provider=shown, auth=auth)
        server.add_tool(add)
        config = uvicorn.Config(server.streamable_http_app(), lifespan="on", log_config=None)
        running = uvicorn.Server(config)
        thread = threading.Thread(target=running.run, args=([listener],), daemon=True)
        thread.start()
        try:
            yield shown
        finally:
            running.should_exit = True
            thread.join(120)


def parameters(address: str) -> dict[str, str]:
    """Return the query of an address."""
    return {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
