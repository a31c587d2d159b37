"""Convert failures and refusals of MCP servers to the errors that callers get."""

from retinue.core.errors import RetinueError, Unavailable, ValidationFailed
from retinue.tools.imports.authorization.challenge import AuthorizationRequired, Challenge
from retinue.tools.imports.mcp.elicitation import Asked
from retinue.tools.imports.mcp.http_transport import McpReply
from retinue.tools.imports.mcp.messages import CALLERS_FAULTS, UNSUPPORTED_VERSION, URL_REQUIRED, Json
from retinue.tools.imports.schema_trimming import as_object, text

_MOST_CHARACTERS = 1000
"""Maximum characters of a server's message that are passed on."""


def result_of(reply: McpReply) -> Json:
    """Return the result in a reply.

    Raises `AuthorizationRequired`, another `ValidationFailed` for errors that the caller can fix, `Asked` if a person
    must open pages first, else `Unavailable`.
    """
    check_authorization(reply)
    message = reply.message or {}
    if isinstance(error := message.get("error"), dict):
        if error.get("code") == URL_REQUIRED and (pages := as_object(error.get("data")).get("elicitations")):
            raise Asked(pages if isinstance(pages, list) else [])
        raise _refusal(reply.status, error)
    result = message.get("result")
    if reply.status == 200 and isinstance(result, dict):
        return result
    raise _without_result(reply)


def check_authorization(reply: McpReply) -> None:
    """Raise `AuthorizationRequired` if the server demands a token, or one with another scope."""
    if reply.status in {401, 403}:
        challenge = Challenge.of(reply.status, reply.headers)
        if reply.status == 401 or challenge.needs_scope:
            raise AuthorizationRequired(challenge)


def rejected_version(reply: McpReply) -> list[str]:
    """Return the revisions that a server supports, if it rejected that of the request; else none."""
    error = (reply.message or {}).get("error")
    if not isinstance(error, dict) or error.get("code") != UNSUPPORTED_VERSION:
        return []
    details = error.get("data")
    supported = details.get("supported") if isinstance(details, dict) else None
    return [one for one in supported if isinstance(one, str)] if isinstance(supported, list) else []


def _refusal(status: int, error: dict[str, object]) -> RetinueError:
    reason = text(error.get("message"), _MOST_CHARACTERS) or "it gave no reason"
    if status == 403:
        return _unknown(status)
    if error.get("code") in CALLERS_FAULTS:
        return ValidationFailed(
            f"The MCP server rejected the request: {reason}. If its tools have changed, refresh the source."
        )
    return Unavailable(f"The MCP server failed: {reason}.")


def _without_result(reply: McpReply) -> RetinueError:
    """Return the error for an answer that is not JSON-RPC."""
    status = reply.status
    if status == 403:
        return _unknown(status)
    if 300 <= status < 400:
        # Without the query, which may contain the credential.
        place = text(reply.headers.get("Location"), 300).partition("?")[0] or "nowhere"
        return ValidationFailed(
            f"The MCP server redirects to {place}. Redirects are not followed: import the target address instead."
        )
    if 400 <= status < 500 and status != 429:
        return ValidationFailed(f"There is no MCP server at the source's address: it responded with {status}.")
    if status >= 400:
        return Unavailable(f"The MCP server is unavailable: it responded with {status}.")
    return Unavailable("The MCP server sent an invalid response.")


def _unknown(status: int) -> ValidationFailed:
    return ValidationFailed(f"The MCP server rejected the source's credential: it responded with {status}.")
