"""Errors in Anthropic's shape."""

from typing import ClassVar

from retinue.core.errors import RetinueError, ValidationFailed
from retinue.models.base import ContextExceeded

_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    405: "invalid_request_error",
    429: "rate_limit_error",
    503: "overloaded_error",
}


class NoThreads(ValidationFailed):
    """The request asks the server to keep the conversation. Official clients then send it whole (`details`)."""

    details: ClassVar[dict[str, object]] = {"error_code": "thread_unsupported_request", "unsupported": ["thread"]}

    def __init__(self) -> None:
        super().__init__("thread: this server keeps no conversations here. Leave it out, and send all messages.")


def error_body(error: RetinueError) -> dict[str, object]:
    """Return the body of an error response, or the data of an `error` event."""
    message = error.message or "Something went wrong on our side."
    if isinstance(error, ContextExceeded):
        message = f"prompt is too long: {message}"  # as Anthropic words it, which clients look for
    details = {"details": error.details} if isinstance(error, NoThreads) else {}
    return {"type": "error", "error": {"type": _TYPES.get(error.status, "api_error"), "message": message, **details}}
