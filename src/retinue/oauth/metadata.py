"""Metadata of the authorization server (RFC 8414) and of the protected resource (RFC 9728)."""

from typing import Any

from retinue.auth.caller import SCOPES
from retinue.core.http.operations import BASE

_ADVERTISED = sorted(SCOPES - {"*"})
"""Clients often request every advertised scope, so `*`, which only a user's own app may have, is not among them."""
_AUTHENTICATION = ["client_secret_basic", "client_secret_post", "none"]


def authorization_server(issuer: str, registration: bool) -> dict[str, Any]:
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
    return {**document, "registration_endpoint": f"{issuer}/oauth/register"} if registration else document


def protected_resource(issuer: str) -> dict[str, Any]:
    """Return the document at `/.well-known/oauth-protected-resource`."""
    return {
        "resource": f"{issuer}{BASE}",
        "authorization_servers": [issuer],
        "scopes_supported": _ADVERTISED,
        "bearer_methods_supported": ["header"],
    }
