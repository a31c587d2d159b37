"""The errors of this package.

RetinueError
    APIConnectionError          no response: the server could not be reached, or the connection broke
        APITimeoutError         no response in time
    APIError                    an error response with `status`, `code`, `message` and `request_id`
        ValidationError         400 validation_error
        AuthenticationError     401 auth_required
        PermissionDeniedError   403 insufficient_scope
        NotFoundError           404 resource_not_found
        MethodNotAllowedError   405 method_not_allowed
        RunCancelledError       409 cancelled
        RangeNotSatisfiableError  416 range_not_satisfiable
        RateLimitError          429 rate_limit_exceeded; `retry_after` in seconds
        InternalServerError     500 internal_error, and any other status of 500 or higher
        ServiceUnavailableError 503 service_unavailable
    WebhookVerificationError    a delivery with an invalid signature, or one that is too old
"""

from collections.abc import Mapping
from typing import ClassVar


class RetinueError(Exception):
    """Base class of all errors of this package."""


class APIConnectionError(RetinueError):
    """The server could not be reached, or the connection broke before the response was complete."""


class APITimeoutError(APIConnectionError):
    """The server did not respond in time."""


class WebhookVerificationError(RetinueError):
    """The signature of a delivery is invalid, or its timestamp is too far from the current time."""


class APIError(RetinueError):
    """An error response of the server. Include `request_id` when you report a server error.

    `run_id` is the run that failed, whose steps `client.runs.retrieve` returns; None for other errors. If
    `should_retry` is False, the server asks not to send the same request again.
    """

    codes: ClassVar[dict[str, type["APIError"]]] = {}

    def __init__(
        self,
        message: str,
        *,
        status: int,
        code: str = "",
        request_id: str | None = None,
        retry_after: float | None = None,
        run_id: int | None = None,
        should_retry: bool = True,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        self.code = code
        self.request_id = request_id
        self.retry_after = retry_after
        self.run_id = run_id
        self.should_retry = should_retry

    def __init_subclass__(cls, code: str) -> None:
        super().__init_subclass__()
        APIError.codes[code] = cls

    def __str__(self) -> str:
        request = f" (request {self.request_id})" if self.request_id else ""
        return f"{self.status} {self.code}: {self.message}{request}"

    def __reduce__(self) -> tuple[object, ...]:
        # Exceptions are pickled by their arguments alone, which leaves out the keywords.
        return _restore, (type(self), self.message, self.__dict__)


class ValidationError(APIError, code="validation_error"):
    """The request is invalid. The message names all invalid fields."""


class AuthenticationError(APIError, code="auth_required"):
    """The API key is missing or invalid."""


class PermissionDeniedError(APIError, code="insufficient_scope"):
    """The key lacks the scope, or the plan does not include the operation."""


class NotFoundError(APIError, code="resource_not_found"):
    """The record or the path does not exist."""


class MethodNotAllowedError(APIError, code="method_not_allowed"):
    """The path does not support this method."""


class RunCancelledError(APIError, code="cancelled"):
    """The run was cancelled while this client waited for it."""


class RangeNotSatisfiableError(APIError, code="range_not_satisfiable"):
    """The range of bytes starts beyond the end of the file."""


class RateLimitError(APIError, code="rate_limit_exceeded"):
    """Too many requests, or an exhausted quota. `retry_after` is the number of seconds to wait."""


class InternalServerError(APIError, code="internal_error"):
    """A server error."""


class ServiceUnavailableError(APIError, code="service_unavailable"):
    """A dependency of the server, such as the model, is unavailable. Try again later."""


def error_of(
    status: int,
    error: Mapping[str, object],
    request_id: str | None = None,
    retry_after: float | None = None,
    run_id: int | None = None,
    should_retry: bool = True,
) -> APIError:
    """Return the error for the status of a response and the object under `error` in its body."""
    code = str(error.get("code", ""))
    known = APIError.codes.get(code) or (InternalServerError if status >= 500 else APIError)
    message = str(error.get("message") or f"The server responded with status {status}.")
    return known(
        message,
        status=status,
        code=code,
        request_id=request_id,
        retry_after=retry_after,
        run_id=run_id,
        should_retry=should_retry,
    )


def _restore(kind: type[APIError], message: str, state: dict[str, object]) -> APIError:
    error = kind(message, status=0)
    error.__dict__.update(state)
    return error
