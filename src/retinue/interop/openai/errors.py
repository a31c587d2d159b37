"""Errors in OpenAI's shape."""

from retinue.core.errors import RetinueError

_CODES = {401: "invalid_api_key", 403: "insufficient_permissions", 404: "not_found", 429: "rate_limit_exceeded"}
_TYPES = {403: "permission_error", 429: "rate_limit_error"}
_SERVER_ERRORS = 500


def error_body(error: RetinueError) -> dict[str, object]:
    """Return the body of an error response."""
    return {"error": error_object(error)}


def error_object(error: RetinueError) -> dict[str, object]:
    """Return an error as OpenAI's clients read it."""
    kind = "server_error" if error.status >= _SERVER_ERRORS else _TYPES.get(error.status, "invalid_request_error")
    return {
        "message": error.message or "Something went wrong on our side.",
        "type": kind,
        "param": None,
        "code": _CODES.get(error.status),
    }
