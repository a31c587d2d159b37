"""The errors a caller can see. Raise them anywhere; the gate turns each into the error envelope."""

from typing import Any, ClassVar


class RetinueError(Exception):
    """A refusal with a message that says how to mend it. The class fixes code and HTTP status."""

    code: ClassVar[str] = "internal_error"
    status: ClassVar[int] = 500

    def __init__(self, message: str, headers: dict[str, str] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.headers = headers or {}

    def envelope(self) -> dict[str, dict[str, Any]]:
        """The body of the response: exactly code, message and status."""
        return {"error": {"code": self.code, "message": self.message, "status": self.status}}


class ValidationFailed(RetinueError):
    """The request itself is wrong."""

    code, status = "validation_error", 400


class AuthRequired(RetinueError):
    """No credential, or one that is not valid."""

    code, status = "auth_required", 401

    def __init__(self, message: str) -> None:
        super().__init__(message, {"WWW-Authenticate": 'Bearer realm="Retinue"'})  # RFC 6750, section 3


class InsufficientScope(RetinueError):
    """The credential or the plan does not reach this far."""

    code, status = "insufficient_scope", 403


class NotFound(RetinueError):
    """No such path, or no such record among the caller's own."""

    code, status = "resource_not_found", 404


class MethodNotAllowed(RetinueError):
    """The path exists, the method does not."""

    code, status = "method_not_allowed", 405

    def __init__(self, message: str, allow: str) -> None:
        super().__init__(message, {"Allow": allow})


class RangeNotSatisfiable(RetinueError):
    """The range of bytes that was asked for lies past the end. `size` is that of the whole, in bytes."""

    code, status = "range_not_satisfiable", 416

    def __init__(self, message: str, size: int) -> None:
        super().__init__(message, {"Content-Range": f"bytes */{size}"})


class RateLimited(RetinueError):
    """Too many requests, or a quota that refills is used up. `retry_after` is in seconds."""

    code, status = "rate_limit_exceeded", 429

    def __init__(self, message: str, retry_after: int) -> None:
        super().__init__(message, {"Retry-After": str(retry_after)})


class InternalError(RetinueError):
    """A fault of the platform; the request id is what to quote."""


class Unavailable(RetinueError):
    """Something that the platform leans on is away: try again."""

    code, status = "service_unavailable", 503
