"""Describes the endpoints that need no credential."""

from typing import Any

from retinue.core.operations import BASE

Json = dict[str, Any]

_HEADERS = {"X-Request-ID": {"$ref": "#/components/headers/X-Request-ID"}}


def _object(**properties: Json) -> Json:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _public(name: str, summary: str, about: str, answer: Json) -> Json:
    content = {"application/json": {"schema": answer}}
    return {
        "get": {
            "tags": ["service"],
            "operationId": name,
            "summary": summary,
            "description": f"{about}\n\nNeeds no credential.",
            "security": [],
            "responses": {
                "200": {"description": "Success", "headers": _HEADERS, "content": content},
                "500": {"$ref": "#/components/responses/internal_error"},
            },
        }
    }


_TEXT: Json = {"type": "string"}

PATHS: Json = {
    BASE: _public(
        "describe_service",
        "Describe service",
        "Name and version of the server, and the version of its API.",
        _object(data=_object(name={"const": "Retinue"}, version=_TEXT, api={"const": "v1"})),
    ),
    f"{BASE}/openapi.json": _public(
        "get_openapi",
        "Get OpenAPI document",
        "This API as an OpenAPI 3.1 document.",
        {"type": "object", "required": ["openapi", "info", "paths"]},
    ),
    "/healthz": _public(
        "check_health",
        "Check health",
        "Whether the process is alive.",
        _object(status={"const": "ok"}),
    ),
    "/readyz": _public(
        "check_readiness",
        "Check readiness",
        "Whether requests can be served, and how model and tools stand: a local model may still be loading, the "
        "libraries of tools are installed while the server runs, and running programs takes bubblewrap. While changes "
        "cannot be written, the answer is 503 with `status` set to `not ready` and a `reason`.",
        _object(
            status={"const": "ready"},
            model={"type": "object", "description": "State of the model."},
            tools={"type": "string", "description": "ready, installing, or why the tools' libraries are not there."},
            voice={"type": "string", "description": "off, ready, or what the media worker of calls waits for."},
            programs={"type": "string", "description": "ready, or why programs of callers cannot be run."},
            sandbox={
                "type": "string",
                "description": "confined, not tried yet, or what the kernel could not deny to the workers of tools.",
            },
        ),
    ),
}
