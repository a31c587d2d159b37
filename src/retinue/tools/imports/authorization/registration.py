"""Choose the client by which an authorization server knows this server.

In this order: the one that the caller registered, the metadata document of this server, the one that this server
registered before, and a new registration (MCP revision 2025-11-25, "Client Registration Approaches").
"""

from dataclasses import dataclass, field
from urllib.parse import urlsplit

import orjson
from multidict import CIMultiDict

from retinue.core.errors import Unavailable, ValidationFailed
from retinue.tools.imports.authorization.discovery import AuthorizationServer
from retinue.tools.imports.client import OutsideClient

CALLBACK = "/sources/callback"
"""The page of the portal that authorization servers redirect to."""

DOCUMENT = "/sources/oauth-client.json"
"""The address of the document that describes this server as a client."""

_METHODS = ("none", "client_secret_basic", "client_secret_post")
_NAME = "Retinue"
_LOOPBACK = ("127.0.0.1", "localhost", "::1")


@dataclass(frozen=True, slots=True)
class OAuthClient:
    """A client, and how it authenticates at the token endpoint. `registered` is True if this server registered it."""

    id: str
    secret: str | None = field(default=None, repr=False)
    auth_method: str = "none"
    registered: bool = False


def client_document(address: str) -> dict[str, object]:
    """Return the client ID metadata document of the server at `address`."""
    return {"client_id": f"{address}{DOCUMENT}", "client_uri": address, **_metadata(address, "none")}


def given_client(client_id: str, secret: str | None, server: AuthorizationServer) -> OAuthClient:
    """Return a client that the caller registered at the authorization server."""
    if not secret:
        return OAuthClient(client_id)
    post = "client_secret_basic" not in server.auth_methods and "client_secret_post" in server.auth_methods
    return OAuthClient(client_id, secret, "client_secret_post" if post else "client_secret_basic")


async def find_client(
    http: OutsideClient, server: AuthorizationServer, address: str, registered: OAuthClient | None
) -> OAuthClient:
    """Return the client to use where the caller named none. `registered` is one of an earlier authorization.

    Raises `ValidationFailed` if the authorization server knows only clients that are registered by hand.
    """
    if server.accepts_documents and address.startswith("https:"):
        return OAuthClient(f"{address}{DOCUMENT}")
    if registered:
        return registered
    if server.registration_endpoint is None:
        raise ValidationFailed(
            f"client_id: the authorization server {server.issuer} does not register clients by itself. Register one "
            f"there with the redirect URI {address}{CALLBACK}, and enter its client ID."
        )
    return await _register(http, server, server.registration_endpoint, address)


async def _register(http: OutsideClient, server: AuthorizationServer, endpoint: str, address: str) -> OAuthClient:
    """Register a client (RFC 7591)."""
    method = next((one for one in _METHODS if one in server.auth_methods), "none")
    metadata = _metadata(address, method) | ({"scope": server.scope} if server.scope else {})
    headers = CIMultiDict({"Content-Type": "application/json"})
    answer = await http.call("POST", endpoint, headers, orjson.dumps(metadata))
    try:
        client = orjson.loads(answer.body)
    except orjson.JSONDecodeError:
        client = None
    if answer.status not in (200, 201) or not isinstance(client, dict) or not isinstance(client.get("client_id"), str):
        reason = client.get("error_description") or client.get("error") if isinstance(client, dict) else None
        refusal = f"The authorization server {server.issuer} did not register this server as a client"
        raise (Unavailable if answer.status >= 500 else ValidationFailed)(
            f"{refusal}: {str(reason or f'it responded with {answer.status}')[:300]}."
        )
    secret = client.get("client_secret")
    method = client.get("token_endpoint_auth_method") or method
    if method not in _METHODS or (method != "none" and not isinstance(secret, str)):
        raise ValidationFailed(f"The authorization server {server.issuer} requires an unsupported way to authenticate.")
    return OAuthClient(client["client_id"], secret if method != "none" else None, method, registered=True)


def _metadata(address: str, auth_method: str) -> dict[str, object]:
    # Servers that follow OpenID Connect allow loopback addresses only to native clients, and https only to web clients.
    is_local = urlsplit(address).hostname in _LOOPBACK
    return {
        "client_name": _NAME,
        "application_type": "native" if is_local else "web",
        "redirect_uris": [f"{address}{CALLBACK}"],
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": auth_method,
    }
