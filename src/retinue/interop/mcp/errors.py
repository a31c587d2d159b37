"""Errors before a message is read, in the form of JSON-RPC."""

from retinue.core.errors import InternalError, RetinueError
from retinue.interop.mcp.messages import INTERNAL_ERROR, INVALID_REQUEST, ProtocolError, error_body


def mcp_error_body(error: RetinueError) -> dict[str, object]:
    """Return the body of an error response."""
    code = INTERNAL_ERROR if error.status >= InternalError.status else INVALID_REQUEST
    return error_body(ProtocolError(code, error.message or "Something went wrong on our side."))
