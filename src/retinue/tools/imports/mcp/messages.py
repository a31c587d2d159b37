"""Build messages of the Model Context Protocol: JSON-RPC 2.0, and the additions of revision 2026-07-28 to each
request.
"""

import base64
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from retinue import __version__

Json: TypeAlias = dict[str, object]
Reply: TypeAlias = Callable[[Json], Json]
"""Returns the answer to a request of the server. An error that it raises ends the call during which the server asks."""

HANDSHAKE_VERSIONS = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
"""Revisions whose sessions begin with `initialize`, newest first."""

STATELESS_VERSION = "2026-07-28"
"""The first revision without sessions: each request carries the content of the former `initialize`."""

METHOD_NOT_FOUND, UNSUPPORTED_VERSION = -32601, -32022
URL_REQUIRED = -32042
"""A person must open pages before the request is sent again (2025-11-25, "URL Elicitation Required Error")."""
CALLERS_FAULTS = (-32600, METHOD_NOT_FOUND, -32602, -32020)
"""Errors that the request caused: it is invalid, its method or parameters are, or its headers differ."""

_CLIENT = {"name": "Retinue", "version": __version__}
_CAPABILITIES: Json = {"elicitation": {"form": {}, "url": {}}}
"""What a server may ask a person (`questions`, `elicitation`)."""
_META = "io.modelcontextprotocol/"
_SENTINEL = "=?base64?"


def request(number: int, method: str, params: Mapping[str, object]) -> Json:
    """Return a request with the number that its answer repeats."""
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def notification(method: str, params: Json | None = None) -> Json:
    """Return a message without an answer."""
    return {"jsonrpc": "2.0", "method": method} | ({"params": params} if params else {})


def reply_to(request: Json) -> Json:
    """Return the answer to a server's request: `ping` is answered, a question declined, and nothing else supported.

    Questions during the call of a tool are answered by `elicitation`.
    """
    results: Mapping[str, Json] = {"ping": {}, "elicitation/create": {"action": "decline"}}
    method = request["method"]
    if isinstance(method, str) and (result := results.get(method)) is not None:
        return {"jsonrpc": "2.0", "id": request["id"], "result": result}
    return {
        "jsonrpc": "2.0",
        "id": request["id"],
        "error": {"code": METHOD_NOT_FOUND, "message": "This client offers no capabilities."},
    }


def greeting() -> Json:
    """Return the parameters of `initialize`."""
    return {"protocolVersion": HANDSHAKE_VERSIONS[0], "capabilities": _CAPABILITIES, "clientInfo": _CLIENT}


def self_contained(params: Mapping[str, object]) -> Json:
    """Return the parameters of a request in a revision without sessions."""
    meta = {"protocolVersion": STATELESS_VERSION, "clientInfo": _CLIENT, "clientCapabilities": _CAPABILITIES}
    return {**params, "_meta": {f"{_META}{name}": value for name, value in meta.items()}}


def routing_headers(method: str, params: Mapping[str, object], repeated: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Return the headers that repeat parts of a request (revision 2026-07-28, Streamable HTTP, "Request Metadata")."""
    headers = {"Mcp-Method": method}
    if method == "tools/call":
        headers["Mcp-Name"] = header_value(str(params["name"]))
    for name, path in repeated.items():
        if (value := _at(params.get("arguments"), path)) is not None:
            headers[f"Mcp-Param-{name}"] = header_value(value)
    return headers


def header_value(value: str | int) -> str:
    """Return a value in the form a header can hold: base 64 unless it is plain."""
    plain_text = str(value).lower() if isinstance(value, bool) else str(value)
    plain = plain_text.isascii() and plain_text.isprintable() and plain_text == plain_text.strip()
    if plain and not (plain_text.startswith(_SENTINEL) and plain_text.endswith("?=")):
        return plain_text
    return f"{_SENTINEL}{base64.b64encode(plain_text.encode()).decode()}?="


def _at(value: object, path: Sequence[str]) -> str | int | None:
    """Return the string, integer or boolean at a path of properties."""
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, (str, int)) else None
