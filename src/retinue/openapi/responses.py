"""Describes the error responses of operations, and the headers of all responses."""

from retinue.core.errors import (
    AuthRequired,
    Cancelled,
    InsufficientScope,
    InternalError,
    MethodNotAllowed,
    NotFound,
    RangeNotSatisfiable,
    RateLimited,
    RetinueError,
    Unavailable,
    ValidationFailed,
)
from retinue.core.http.operations import Operation
from retinue.openapi.schemas import Json
from retinue.runs.failures import RUN_ID

_DESCRIPTIONS: dict[type[RetinueError], tuple[str, str]] = {
    ValidationFailed: (
        "The request is invalid, or a run has reached a limit of its budget. The message lists all problems.",
        "Missing required fields: agent_name; agent_role must be one of 'leader', 'specialist', 'generalist' or "
        "'reviewer'.",
    ),
    AuthRequired: (
        "The credential is missing or invalid.",
        "The request has no credential. Send an API key as 'Authorization: Bearer ak_live_…'.",
    ),
    InsufficientScope: (
        "The credential lacks the scope, or the plan does not include the tool.",
        "This credential lacks the scope agents:write. Use a key that has it.",
    ),
    NotFound: ("There is no such record in your account.", "There is no agent 7 in your account."),
    MethodNotAllowed: (
        "The path does not support this method. The header `Allow` lists the supported methods.",
        "PATCH is not supported at /api/v1/agents; use GET, POST.",
    ),
    Cancelled: (
        "The run was cancelled while the client waited for it. `x-should-retry: false` tells clients not to repeat it.",
        "The run was stopped before it was complete.",
    ),
    RangeNotSatisfiable: (
        "The range starts beyond the end of the file. `Content-Range` contains its size.",
        "The range starts beyond the end of the file, which has 1,024 bytes.",
    ),
    RateLimited: (
        "Too many requests. `Retry-After` contains the time to wait.",
        "Too many requests in the last minute. Try again in 12 s.",
    ),
    InternalError: (
        "A server error. Include the `X-Request-ID` when you report it.",
        "Something went wrong on our side. Quote the request id when you report it.",
    ),
    Unavailable: (
        "A dependency is unavailable: a model, the server behind a tool, or the database. Try again.",
        "The local model is loading. Try again in 10 seconds.",
    ),
}

KINDS = sorted(_DESCRIPTIONS, key=lambda kind: kind.status)
"""The errors that a caller can receive, by status."""

ERROR: Json = {
    "type": "object",
    "description": "The format of all errors.",
    "properties": {
        "error": {
            "type": "object",
            "properties": {
                "code": {
                    "type": "string",
                    "enum": [kind.code for kind in KINDS],
                    "description": "Machine-readable code. Each status has one code.",
                },
                "message": {
                    "type": "string",
                    "description": "Human-readable message that describes the problem and how to fix it.",
                },
                "status": {
                    "type": "integer",
                    "enum": [kind.status for kind in KINDS],
                    "description": "HTTP status.",
                },
            },
            "required": ["code", "message", "status"],
            "additionalProperties": False,
        }
    },
    "required": ["error"],
    "additionalProperties": False,
}


def _header(about: str, kind: str = "integer", **bounds: int) -> Json:
    return {"description": about, "required": True, "schema": {"type": kind, **bounds}}


HEADERS: Json = {
    "X-Request-ID": _header("ID of the request: the one that you sent, or a generated one.", "string", maxLength=128),
    "X-RateLimit-Limit": _header("Number of requests per minute that the plan allows.", minimum=1),
    "X-RateLimit-Remaining": _header("Number of requests left in the current minute.", minimum=0),
    "X-RateLimit-Reset": _header("Unix time in seconds at which the window has capacity again."),
    "Idempotency-Replayed": {
        "description": "`true` if this is a replay of the first response to the same `Idempotency-Key`.",
        "schema": {"const": "true"},
    },
    RUN_ID: {
        "description": "ID of the run that failed. `GET /runs/{id}` shows its steps.",
        "schema": {"type": "integer", "minimum": 1},
    },
    "x-should-retry": {
        "description": "`false` if the same request must not be sent again: its run may have taken effect.",
        "schema": {"const": "false"},
    },
    "Retry-After": _header("Number of seconds to wait.", minimum=1),
}

_ON_ALL = ("X-Request-ID", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset")


def header_references(*more: str) -> Json:
    """Return references to the headers of a response."""
    return {name: {"$ref": f"#/components/headers/{name}"} for name in (*_ON_ALL, *more)}


_OF_RUNS = (ValidationFailed, Cancelled, RateLimited, InternalError, Unavailable)
"""The errors with which runs end."""


def _headers_of(kind: type[RetinueError]) -> Json:
    of_runs = (RUN_ID, "x-should-retry") if kind in _OF_RUNS else ()
    if kind is RateLimited:
        return header_references("Retry-After", *of_runs)
    if kind.status < 500:
        return header_references(*of_runs)
    # An error before authentication has no rate-limit headers, since the caller is unknown.
    early = {name: {**HEADERS[name], "required": name == "X-Request-ID"} for name in _ON_ALL}
    return {**early, **{name: HEADERS[name] for name in of_runs}}


def _response(kind: type[RetinueError]) -> Json:
    about, message = _DESCRIPTIONS[kind]
    return {
        "description": about,
        "headers": _headers_of(kind),
        "content": {
            "application/json": {
                "schema": {"$ref": "#/components/schemas/Error"},
                "example": {"error": {"code": kind.code, "message": message, "status": kind.status}},
            }
        },
    }


ERRORS: Json = {kind.code: _response(kind) for kind in KINDS}


_REFUSED_IN_USE = (
    "delete_agent", "delete_batch", "delete_collection", "delete_connection", "delete_local_model", "delete_provider",
    "remove_demo",
)  # fmt: skip
"""Deletions that depend on the state of the record."""


_AWAIT_A_RUN = ("chat", "execute_agent", "load_demo")
"""Operations whose response waits for a run."""


def error_responses(entry: Json, operation: Operation) -> Json:
    """Return the error responses of an operation, by status."""
    kinds: list[type[RetinueError]] = [AuthRequired, InsufficientScope, RateLimited, InternalError, Unavailable]
    reads_query = any(parameter.get("in") == "query" for parameter in entry["parameters"])
    reads_body = operation.method in {"POST", "PUT", "PATCH"} or "requestBody" in entry
    if reads_query or reads_body or operation.name in _REFUSED_IN_USE:
        kinds.append(ValidationFailed)
    if operation.name in _AWAIT_A_RUN:
        kinds.append(Cancelled)
    if "206" in entry["responses"]:
        kinds.append(RangeNotSatisfiable)
    if "{" in operation.path or operation.name == "chat":
        kinds.append(NotFound)
    ordered = sorted(kinds, key=lambda kind: kind.status)
    return {str(kind.status): {"$ref": f"#/components/responses/{kind.code}"} for kind in ordered}
