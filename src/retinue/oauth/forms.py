"""Parse protocol forms: `application/x-www-form-urlencoded`, of limited size, without repeated parameters."""

import asyncio
from urllib.parse import parse_qsl

from starlette.requests import ClientDisconnect, Request

from retinue.oauth.errors import OAuthError

_MOST_BYTES = 64 << 10
_MOST_FIELDS = 50
_TIMEOUT_S = 30.0
_FORM = "application/x-www-form-urlencoded"


async def read_form(request: Request) -> dict[str, str]:
    """Return the parameters of the body. Raises `OAuthError` invalid_request."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != _FORM:
        raise OAuthError("invalid_request", f"Send the parameters as {_FORM}.")
    return parameters_of((await read_body(request)).decode("utf-8", "replace"))


async def read_body(request: Request) -> bytes:
    """Read a body of at most 64 KiB. Raises `OAuthError` invalid_request."""
    body = bytearray()
    try:
        async with asyncio.timeout(_TIMEOUT_S):
            async for chunk in request.stream():
                body += chunk
                if len(body) > _MOST_BYTES:
                    raise OAuthError("invalid_request", f"The body is larger than {_MOST_BYTES >> 10} KiB.")
    except (TimeoutError, ClientDisconnect) as error:
        raise OAuthError("invalid_request", "The body did not arrive in time.") from error
    return bytes(body)


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
