"""Errors in OpenAI's shape."""

from retinue.core.errors import RetinueError
from retinue.interop.stateless_chats import ModelNotFound
from retinue.models.base import ContextExceeded

_CODES = {401: "invalid_api_key", 403: "insufficient_permissions", 404: "not_found", 429: "rate_limit_exceeded"}
_CODES_OF_CLASSES = ((ModelNotFound, "model_not_found"), (ContextExceeded, "context_length_exceeded"))
"""The codes by which clients recognize these errors, and shorten a conversation or try another model."""

_TYPES = {403: "permission_error", 429: "rate_limit_error"}
_SERVER_ERRORS = 500


def error_body(error: RetinueError) -> dict[str, object]:
    """Return the body of an error response."""
    return {"error": error_object(error)}


def error_object(error: RetinueError) -> dict[str, object]:
    """Return an error as OpenAI's clients read it."""
    type_name = "server_error" if error.status >= _SERVER_ERRORS else _TYPES.get(error.status, "invalid_request_error")
    return {
        "message": error.message or "Something went wrong on our side.",
        "type": type_name,
        "param": None,
        "code": next((code for kind, code in _CODES_OF_CLASSES if isinstance(error, kind)), _CODES.get(error.status)),
    }
