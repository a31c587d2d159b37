"""Metadata of the authorization server (RFC 8414) and of the protected resource (RFC 9728)."""

from collections.abc import Sequence

from retinue.auth.caller import SCOPES
from retinue.core.http.operations import BASE
from retinue.oauth.resources import MCP_PATH

_ADVERTISED = sorted(SCOPES - {"*"})
"""Clients often request every advertised scope, so `*`, which only a user's own app may have, is not among them."""
MCP_METADATA = f"/.well-known/oauth-protected-resource{MCP_PATH}"
"""Path of the metadata of the MCP server."""

MCP_SCOPES = ("agents:read", "agents:write", "tools:execute", "tools:read")
"""The scopes of what the MCP server offers."""

_AUTHENTICATION = ["client_secret_basic", "client_secret_post", "none"]


def authorization_server(issuer: str, registration: bool) -> dict[str, object]:
    """Return the document at `/.well-known/oauth-authorization-server`."""
    document = {
        "issuer": issuer,
        "authorization_endpoint": f"{issuer}/oauth/authorize",
        "token_endpoint": f"{issuer}/oauth/token",
        "revocation_endpoint": f"{issuer}/oauth/revoke",
        "introspection_endpoint": f"{issuer}/oauth/introspect",
        "scopes_supported": _ADVERTISED,
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": ["authorization_code", "refresh_token", "client_credentials"],
        "token_endpoint_auth_methods_supported": _AUTHENTICATION,
        "revocation_endpoint_auth_methods_supported": _AUTHENTICATION,
        "introspection_endpoint_auth_methods_supported": _AUTHENTICATION[:2],
        "code_challenge_methods_supported": ["S256"],
        "authorization_response_iss_parameter_supported": True,
    }
    opened = {"registration_endpoint": f"{issuer}/oauth/register", "client_id_metadata_document_supported": True}
    return {**document, **opened} if registration else document


def protected_resource(issuer: str) -> dict[str, object]:
    """Return the document at `/.well-known/oauth-protected-resource`."""
    return _resource(issuer, BASE, _ADVERTISED)


def mcp_resource(issuer: str) -> dict[str, object]:
    """Return the document at `MCP_METADATA`."""
    return {**_resource(issuer, MCP_PATH, MCP_SCOPES), "resource_name": "Retinue"}


def _resource(issuer: str, path: str, scopes: Sequence[str]) -> dict[str, object]:
    return {
        "resource": f"{issuer}{path}",
        "authorization_servers": [issuer],
        "scopes_supported": list(scopes),
        "bearer_methods_supported": ["header"],
    }
