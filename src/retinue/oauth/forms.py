"""Parse protocol forms: `application/x-www-form-urlencoded`, of limited size, without repeated parameters."""

from urllib.parse import parse_qsl

from starlette.requests import Request

from retinue.core.http.request_body import MAX_PUBLIC_BODY, BadBody, media_type, read_body
from retinue.oauth.errors import OAuthError

_MOST_FIELDS = 50
_FORM = "application/x-www-form-urlencoded"


async def read_form(request: Request) -> dict[str, str]:
    """Return the parameters of the body. Raises `OAuthError` invalid_request."""
    if media_type(request) != _FORM:
        raise OAuthError("invalid_request", f"Send the parameters as {_FORM}.")
    return parameters_of((await read_protocol_body(request)).decode("utf-8", "replace"))


async def read_protocol_body(request: Request, at_most: int = MAX_PUBLIC_BODY) -> bytes:
    """Read a body. Raises `OAuthError` invalid_request."""
    try:
        return await read_body(request, at_most)
    except BadBody as error:
        raise OAuthError("invalid_request", str(error)) from error


def parameters_of(text: str) -> dict[str, str]:
    """Parse parameters. Drops empty ones; raises `OAuthError` for repeated ones (RFC 6749, section 3.1)."""
    try:
        pairs = parse_qsl(text, keep_blank_values=True, max_num_fields=_MOST_FIELDS)
    except ValueError as error:
        raise OAuthError("invalid_request", f"There are more than {_MOST_FIELDS} parameters.") from error
    if any("\0" in name + value for name, value in pairs):
        raise OAuthError("invalid_request", "Parameters must not contain the NUL character (U+0000).")
    if len(pairs) != len({name for name, _ in pairs}):
        raise OAuthError("invalid_request", "A parameter occurs more than once.")
    return {name: value for name, value in pairs if value}
