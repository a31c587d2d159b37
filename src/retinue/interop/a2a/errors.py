"""The errors of A2A, and their form in both bindings (specification, sections 5.4, 9.5 and 11.6)."""

from typing import ClassVar

from retinue.core.errors import NotFound, RetinueError, ValidationFailed

PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS, INTERNAL_ERROR = -32700, -32600, -32601, -32602, -32603

_GRPC = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    405: "UNIMPLEMENTED",
    429: "RESOURCE_EXHAUSTED",
    503: "UNAVAILABLE",
}
_OURS = "Something went wrong on our side."


class A2aError(RetinueError):
    """An error that the protocol defines. `rpc_code` is its code in JSON-RPC, `grpc` its status in HTTP+JSON."""

    code, status = "validation_error", 400
    rpc_code: ClassVar[int]
    reason: ClassVar[str]
    grpc: ClassVar[str] = "FAILED_PRECONDITION"


class TaskNotFound(A2aError):
    """The agent has no such task that the caller may see."""

    code, status = "resource_not_found", 404
    rpc_code, reason, grpc = -32001, "TASK_NOT_FOUND", "NOT_FOUND"


class TaskNotCancelable(A2aError):
    """The task has ended."""

    rpc_code, reason = -32002, "TASK_NOT_CANCELABLE"


class UnsupportedOperation(A2aError):
    """The task or the context cannot do this in its present state."""

    rpc_code, reason = -32004, "UNSUPPORTED_OPERATION"


class VersionNotSupported(A2aError):
    """The binding does not have this version of the protocol."""

    rpc_code, reason = -32009, "VERSION_NOT_SUPPORTED"


class MethodNotFound(RetinueError):
    """JSON-RPC has no such method in this version."""

    code, status = "resource_not_found", 404


def error_body(error: RetinueError) -> dict[str, object]:
    """Return the body of an error response of HTTP+JSON, a `google.rpc.Status`."""
    grpc = error.grpc if isinstance(error, A2aError) else _GRPC.get(error.status, "INTERNAL")
    fields = {"code": error.status, "status": grpc, "message": error.message or _OURS}
    return {"error": {**fields, "details": _details(error)}}


def rpc_error(error: RetinueError) -> dict[str, object]:
    """Return the error object of JSON-RPC."""
    fields = {"code": _rpc_code(error), "message": error.message or _OURS}
    details = _details(error)
    return {**fields, "data": details} if details else fields


def _details(error: RetinueError) -> list[dict[str, object]]:
    if not isinstance(error, A2aError):
        return []
    kind = "type.googleapis.com/google.rpc.ErrorInfo"
    return [{"@type": kind, "reason": error.reason, "domain": "a2a-protocol.org"}]


def _rpc_code(error: RetinueError) -> int:
    if isinstance(error, A2aError):
        return error.rpc_code
    if isinstance(error, MethodNotFound):
        return METHOD_NOT_FOUND
    return INVALID_PARAMS if isinstance(error, ValidationFailed | NotFound) else INTERNAL_ERROR
