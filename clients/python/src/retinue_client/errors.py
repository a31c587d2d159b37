"""The errors of this package.

RetinueError
    APIConnectionError          no answer: the server was not reached, or the connection broke
        APITimeoutError         no answer in time
    APIError                    the server refused; `status`, `code`, `message`, `request_id`
        ValidationError         400 validation_error
        AuthenticationError     401 auth_required
        PermissionDeniedError   403 insufficient_scope
        NotFoundError           404 resource_not_found
        MethodNotAllowedError   405 method_not_allowed
        RangeNotSatisfiableError  416 range_not_satisfiable
        RateLimitError          429 rate_limit_exceeded; `retry_after` in seconds
        InternalServerError     500 internal_error, and any other status from 500 up
        ServiceUnavailableError 503 service_unavailable
    WebhookVerificationError    a delivery that the server did not sign, or that is too old
"""

from collections.abc import Mapping
from typing import ClassVar


class RetinueError(Exception):
    """Every error of this package."""


class APIConnectionError(RetinueError):
    """The server was not reached, or the connection broke before the answer was complete."""


class APITimeoutError(APIConnectionError):
    """The server did not answer in time."""


class WebhookVerificationError(RetinueError):
    """The signature of a delivery does not fit, or its time is too far from now."""


class APIError(RetinueError):
    """The server refused a request. `request_id` is what to quote when you report a fault of the server."""

    codes: ClassVar[dict[str, type["APIError"]]] = {}

    def __init__(
        self,
        message: str,
        *,
        status: int,
        code: str = "",
        request_id: str | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        self.code = code
        self.request_id = request_id
        self.retry_after = retry_after

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
    """The request is wrong; the message names every field that is."""


class AuthenticationError(APIError, code="auth_required"):
    """No API key, or one that is not valid."""


class PermissionDeniedError(APIError, code="insufficient_scope"):
    """The key lacks the scope, or the plan does not include this."""


class NotFoundError(APIError, code="resource_not_found"):
    """No such record among yours, or no such path."""


class MethodNotAllowedError(APIError, code="method_not_allowed"):
    """The path exists, the method does not."""


class RangeNotSatisfiableError(APIError, code="range_not_satisfiable"):
    """The range of bytes lies past the end of the file."""


class RateLimitError(APIError, code="rate_limit_exceeded"):
    """Too many requests, or a quota is used up. `retry_after` says in seconds when to try again."""


class InternalServerError(APIError, code="internal_error"):
    """A fault of the server."""


class ServiceUnavailableError(APIError, code="service_unavailable"):
    """Something that the server needs is away, such as the model. Try again later."""


def error_of(
    status: int, error: Mapping[str, object], request_id: str | None = None, retry_after: float | None = None
) -> APIError:
    """The error for an answer's status and the object under `error` in its body."""
    code = str(error.get("code", ""))
    known = APIError.codes.get(code) or (InternalServerError if status >= 500 else APIError)
    message = str(error.get("message") or f"The server answered with status {status}.")
    return known(message, status=status, code=code, request_id=request_id, retry_after=retry_after)


def _restore(kind: type[APIError], message: str, state: dict[str, object]) -> APIError:
    error = kind(message, status=0)
    error.__dict__.update(state)
    return error
