"""Credentials of HTTP's Basic scheme."""

import base64
import binascii
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool


class BasicCredentials(TypedDict):
    """A header and what it says."""

    header: Annotated[str, About("Authorization: Basic …")]
    token: Annotated[str, About("What stands behind Basic")]
    user: str
    password: str


@tool(
    tags="basic auth authorization header user password base64 http credentials encode decode",
    use_when=(
        "Authorization header for user Aladdin and password open sesame",
        "Which user is in Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==?",
    ),
    examples=(
        Example(
            {"user": "Aladdin", "password": "open sesame"},
            {"header": "Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="},
            source="RFC 7617, section 2",
        ),
        Example(
            {"header": "Basic dGVzdDoxMjPCow=="}, {"user": "test", "password": "123£"}, source="RFC 7617, section 2.1"
        ),
        Refusal({"header": "Basic ???"}, "no Basic credentials"),
        Refusal({"user": "a:b", "password": "c"}, "colon"),
    ),
)
def basic_auth_convert(
    user: Annotated[str | None, About("User name", "Aladdin", max_length=1000)] = None,
    password: Annotated[str | None, About("Password", "open sesame", max_length=1000)] = None,
    header: Annotated[
        str | None, About("Header to read, in place of both", "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==", max_length=4000)
    ] = None,
) -> BasicCredentials:
    """Build the Authorization header of HTTP Basic (RFC 7617) from user and password, or read one."""
    if header is not None:
        user, password = _read(header)
    if user is None or password is None:
        raise ToolError("Give user and password, or a header.")
    if ":" in user:
        raise ToolError("A user name must not hold a colon.")
    token = base64.b64encode(f"{user}:{password}".encode()).decode()
    return {"header": f"Authorization: Basic {token}", "token": token, "user": user, "password": password}


def _read(header: str) -> tuple[str, str]:
    token = header.rsplit(maxsplit=1)[-1] if header.strip() else ""
    try:
        user, colon, password = base64.b64decode(token, validate=True).decode().partition(":")
    except (binascii.Error, ValueError) as error:
        raise ToolError("There are no Basic credentials in it.") from error
    if not colon:
        raise ToolError("There are no Basic credentials in it: a colon is missing.")
    return user, password
