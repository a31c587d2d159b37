"""The official MCP client, with a credential of Retinue."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Literal

import httpx2
import mcp_types as types
import requests
from mcp import Client as Official
from mcp.client.streamable_http import streamable_http_client

from tests.support.client import Client
from tests.support.server import Server

Mode = Literal["legacy", "auto"]
MODES: tuple[Mode, ...] = ("legacy", "auto")
"""With a handshake (2025-11-25), and without one (2026-07-28)."""

NEWEST = "2026-07-28"


@asynccontextmanager
async def connect(
    server: Server, token: str | httpx2.Auth, mode: Mode = "auto", query: str = "", **options: Any
) -> AsyncIterator[Official]:
    """Connect the official client to the server at /mcp, with a token or with what gets one."""
    given: dict[str, Any] = {"headers": {"Authorization": f"Bearer {token}"}} if isinstance(token, str) else {}
    auth = None if isinstance(token, str) else token
    async with httpx2.AsyncClient(auth=auth, timeout=120, trust_env=False, **given) as http:
        transport = streamable_http_client(f"{server.url}/mcp{query}", http_client=http)
        async with Official(transport, mode=mode, **options) as client:
            yield client


def key_of(client: Client) -> str:
    """Return the key of a client."""
    assert client.key
    return client.key


def text_of(result: types.CallToolResult) -> str:
    """Return the text of a result."""
    (content,) = result.content
    assert isinstance(content, types.TextContent)
    return content.text


def post(server: Server, token: str | None, body: Any, **headers: str) -> requests.Response:
    """POST one message."""
    given = {"Authorization": f"Bearer {token}"} if token else {}
    accept = {"Accept": "application/json, text/event-stream"}
    with requests.Session() as session:
        session.trust_env = False
        return session.post(f"{server.url}/mcp", json=body, headers={**given, **accept, **headers}, timeout=120)


def ask(method: str, **params: Any) -> dict[str, Any]:
    """Return a request of a client that made a handshake."""
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}


def ask_alone(method: str, capabilities: dict[str, Any] | None = None, **params: Any) -> dict[str, Any]:
    """Return a request that stands alone, of a client with these capabilities."""
    prefix = "io.modelcontextprotocol/"
    meta = {f"{prefix}protocolVersion": NEWEST, f"{prefix}clientCapabilities": capabilities or {}}
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": meta}}


def headers_for(method: str, name: str | None = None) -> dict[str, str]:
    """Return the headers of a request that stands alone."""
    named = {} if name is None else {"Mcp-Name": name}
    return {"MCP-Protocol-Version": NEWEST, "Mcp-Method": method, **named}
