"""Errors in Anthropic's shape."""

from typing import Any

from retinue.core.errors import RetinueError

_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    405: "invalid_request_error",
    429: "rate_limit_error",
    503: "overloaded_error",
}


def error_body(error: RetinueError) -> dict[str, Any]:
    """Return the body of an error response, or the data of an `error` event."""
    message = error.message or "Something went wrong on our side."
    return {"type": "error", "error": {"type": _TYPES.get(error.status, "api_error"), "message": message}}
