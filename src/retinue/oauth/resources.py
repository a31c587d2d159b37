"""The resources that tokens are for (RFC 8707): the API, or the MCP server."""

from collections.abc import Mapping

from retinue.core.http.operations import BASE
from retinue.oauth.errors import OAuthError

API = "api"
MCP = "mcp"
MCP_PATH = "/mcp"
"""Path of the MCP server."""

PATHS = {API: BASE, MCP: MCP_PATH}
"""The path of each resource, below the address of the server."""

_RESOURCES = {"": API, **{path: name for name, path in PATHS.items()}}


def read_resource(parameters: Mapping[str, str], address: str) -> str | None:
    """Return the resource that a request names, or None. `address` is that of the server.

    Raises `OAuthError` invalid_target for another one (RFC 8707, section 2).
    """
    if "resource" not in parameters:
        return None
    uri = parameters["resource"].partition("?")[0].rstrip("/")
    origin, path = uri[: len(address)], uri[len(address) :]
    if origin.lower() != address.lower() or path not in _RESOURCES:
        raise OAuthError("invalid_target", f"resource must be {address}{MCP_PATH} or {address}{BASE}.")
    return _RESOURCES[path]


def narrow_resource(granted: str | None, requested: str | None) -> str | None:
    """Return the resource for a token. Raises `OAuthError` invalid_target for another one than was granted."""
    if requested and granted and requested != granted:
        raise OAuthError("invalid_target", "The resource is not the one that the user granted.")
    return requested or granted
