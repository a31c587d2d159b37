"""Request and response schemas for signing in."""

from typing import Annotated, Literal

from pydantic import Field

from retinue.auth.passwords import LONGEST, SHORTEST
from retinue.core.http.envelope import Body, Timestamp, View

Email = Annotated[str, Field(min_length=1, max_length=254, description="E-mail address of the user.")]
Password = Annotated[str, Field(min_length=1, max_length=LONGEST, description="Password of the user.")]
NewPassword = Annotated[
    str, Field(min_length=SHORTEST, max_length=LONGEST, description=f"A password of at least {SHORTEST} characters.")
]
Code = Annotated[
    str,
    Field(
        max_length=32,
        description="Code from the authenticator app or a recovery code, if the user has a second factor.",
    ),
]


class Credentials(Body):
    """An e-mail address and a password."""

    email: Email
    password: Password
    code: Code | None = None


class LinkUse(Body):
    """A one-time link."""

    token: str = Field(min_length=1, max_length=100, description="The link's token, `link_…`.")
    password: NewPassword | None = Field(
        None,
        description="A new password. Required for links that reset the password. Setting it ends all other sessions.",
    )
    code: Code | None = None
    revoke_access: bool | None = Field(
        None,
        description="Whether setting the password also revokes your API keys and connected apps and disables your "
        "webhooks. By default, links that reset the password do, and others do not.",
    )


class SignUp(Body):
    """Request body for signing up."""

    email: Email
    password: NewPassword | None = Field(
        None, description="A password. Required if the server cannot send mail, otherwise ignored."
    )


class ResetRequest(Body):
    """The user whose password is to be reset."""

    email: Email


class SessionTokenView(View):
    """A new session and its token."""

    token: str = Field(description="Session token, `sess_…`. Send it as `Authorization: Bearer sess_…`.")
    expires_at: Timestamp = Field(description="Time at which the session ends if it is not used before.")


class Accepted(View):
    """The request was accepted. The response does not reveal whether the user exists."""

    accepted: Literal[True]
