"""Shared by the tests of connections."""

from typing import Any

from tests.connections.echo import Echo
from tests.support.client import Client, data

Json = dict[str, Any]
SECRET = "sesame-7f3a9c-open"


def api(url: str = "https://example.com/v1", **fields: Any) -> Json:
    """Return the fields of a connection of the kind `http`."""
    settings = {"base_url": url, **fields.pop("settings", {})}
    return {"name": "work-api", "kind": "http", "settings": settings, "secret": {"value": SECRET}, **fields}


def connect(client: Client, wanted: Json) -> Json:
    """Create a connection. Returns its record."""
    record: Json = data(client.post("/connections", wanted), 201)
    return record


def execute(client: Client, tool: str, **args: Any) -> Json:
    """Execute a tool. Returns its result."""
    result: Json = data(client.post(f"/tools/{tool}/execute", {"args": args}))["result"]
    return result


def describe(echo: Echo) -> Json:
    """Return an OpenAPI document of the echo server with one operation."""
    operation = {"operationId": "look", "summary": "Look at what comes"}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Echo", "version": "1"},
        "servers": [{"url": echo.url("/v1")}],
        "paths": {"/look": {"get": operation}},
    }
