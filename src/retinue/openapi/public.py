"""Describes the endpoints that need no credential."""

from retinue.core.http.operations import BASE
from retinue.openapi.schemas import Json

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
        "Retrieve the name and version of the server, and the version of its API.",
        _object(data=_object(name={"const": "Retinue"}, version=_TEXT, api={"const": "v1"})),
    ),
    f"{BASE}/openapi.json": _public(
        "get_openapi",
        "Get OpenAPI document",
        "Retrieve this API as an OpenAPI 3.1 document.",
        {"type": "object", "required": ["openapi", "info", "paths"]},
    ),
    "/healthz": _public(
        "check_health",
        "Check health",
        "Check whether the process is alive.",
        _object(status={"const": "ok"}),
    ),
    "/readyz": _public(
        "check_readiness",
        "Check readiness",
        "Check whether the server can handle requests, and the state of its model and tools: a local "
        "model may still be loading, the libraries of tools are installed while the server runs, and "
        "running programs requires bubblewrap. While changes cannot be written, the response is 503 "
        "with `status` set to `not ready` and a `reason`.",
        _object(
            status={"const": "ready"},
            model={"type": "object", "description": "State of the model."},
            tools={
                "type": "string",
                "description": "`ready`, `installing`, or the reason why the tools' libraries are missing.",
            },
            voice={
                "type": "string",
                "description": "`off`, `ready`, or the reason why the media worker of calls is not ready.",
            },
            programs={"type": "string", "description": "`ready`, or the reason why callers' programs cannot run."},
            sandbox={
                "type": "string",
                "description": (
                    "`confined`, `not tried yet`, or the restrictions that the kernel could not apply to tool workers."
                ),
            },
        ),
    ),
}
