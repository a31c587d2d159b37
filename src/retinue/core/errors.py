"""The errors that API clients can receive.

They can be raised anywhere; the gate converts each into an error envelope.
"""

import errno
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import ClassVar

_MOST_USERS = 10
"""Maximum number of users of a record that a message names."""

NO_RETRY = {"x-should-retry": "false"}
"""The header that tells clients not to send a request again. Those of OpenAI, of Anthropic and ours obey it."""

_LONGEST_RETRY_S = 60
"""The official clients of OpenAI and Anthropic obey a `Retry-After` of at most this, and ignore a longer one."""

_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class RetinueError(Exception):
    """Base class of API errors. The message says how to fix the request; the class sets the code and HTTP status."""

    code: ClassVar[str] = "internal_error"
    status: ClassVar[int] = 500

    def __init__(self, message: str, headers: dict[str, str] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.headers = headers or {}

    def envelope(self) -> dict[str, dict[str, object]]:
        """Return the response body: code, message and status."""
        return {"error": {"code": self.code, "message": self.message, "status": self.status}}


class ValidationFailed(RetinueError):
    """The request is invalid."""

    code, status = "validation_error", 400


class InUse(ValidationFailed):
    """The record cannot be deleted, because others use it. `agents` are the names of the agents among them, by id."""

    def __init__(self, message: str, agents: Mapping[int, str]) -> None:
        super().__init__(message)
        self.agents = agents


class Problems:
    """Collects what several checks of a request refuse, to report all of it at once."""

    def __init__(self, messages: Iterable[str] = ()) -> None:
        self.messages = list(messages)

    def __enter__(self) -> None:
        """Begin a check, whose `ValidationFailed` is kept instead of raised."""

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> bool:
        if isinstance(error, ValidationFailed):
            self.messages.append(error.message)
        return isinstance(error, ValidationFailed)

    def raise_all(self) -> None:
        """Raise one `ValidationFailed` with all messages, if there are any."""
        if self.messages:
            raise ValidationFailed(" ".join(dict.fromkeys(self.messages)))


class AuthRequired(RetinueError):
    """The credential is missing or invalid."""

    code, status = "auth_required", 401

    def __init__(self, message: str) -> None:
        super().__init__(message, {"WWW-Authenticate": 'Bearer realm="Retinue"'})  # RFC 6750, section 3


class InsufficientScope(RetinueError):
    """The credential or the plan does not allow this operation."""

    code, status = "insufficient_scope", 403

    def __init__(self, message: str, scope: str | None = None) -> None:
        """`scope` is the one that the credential lacks."""
        super().__init__(message)
        self.scope = scope


class NotFound(RetinueError):
    """The path does not exist, or the caller owns no such record."""

    code, status = "resource_not_found", 404


class MethodNotAllowed(RetinueError):
    """The path exists, but does not support the method."""

    code, status = "method_not_allowed", 405

    def __init__(self, message: str, allow: str) -> None:
        super().__init__(message, {"Allow": allow})


class Cancelled(RetinueError):
    """The run that the client waits for was cancelled. Clients of OpenAI repeat a 409 unless told not to."""

    code, status = "cancelled", 409

    def __init__(self, message: str) -> None:
        super().__init__(message, dict(NO_RETRY))


class RangeNotSatisfiable(RetinueError):
    """The requested byte range is beyond the end. `size` is the full size in bytes."""

    code, status = "range_not_satisfiable", 416

    def __init__(self, message: str, size: int) -> None:
        super().__init__(message, {"Content-Range": f"bytes */{size}"})


class RateLimited(RetinueError):
    """Too many requests, or an exhausted quota that refills. `retry_after` is in seconds.

    For a long wait, the header `x-should-retry: false` keeps clients from retrying at once.
    """

    code, status = "rate_limit_exceeded", 429

    def __init__(self, message: str, retry_after: int) -> None:
        headers = {"Retry-After": str(retry_after)}
        if retry_after > _LONGEST_RETRY_S:
            headers |= NO_RETRY
        super().__init__(message, headers)


class InternalError(RetinueError):
    """A fault in the platform. Support needs the request id to find it."""


class Unavailable(RetinueError):
    """A dependency of the platform is unavailable; the client may retry."""

    code, status = "service_unavailable", 503


class LibrariesMissing(Unavailable):
    """The server still installs what a tool needs."""


def disk_full(error: BaseException) -> Unavailable | None:
    """Return the error for callers if an exception means that the disk has no room or no inodes left."""
    if isinstance(error, OSError) and error.errno in _NO_ROOM:
        return Unavailable(
            "The disk of the server is full. Try again once its operator has freed space; `df -h` and `df -i` show "
            "what is used up."
        )
    return None


def list_users(names: Mapping[int, str]) -> str:
    """Return the users of a record for the message of `InUse`: at most ten names, each with its id."""
    listed = ", ".join(f"{name} ({record_id})" for record_id, name in islice(names.items(), _MOST_USERS))
    return listed if len(names) <= _MOST_USERS else f"{listed}, …"
