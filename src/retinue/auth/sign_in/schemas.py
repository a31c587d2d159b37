"""What is sent to sign in, and what comes back."""

from typing import Annotated, Literal

from pydantic import Field

from retinue.auth.passwords import LONGEST, SHORTEST
from retinue.core.envelope import Body, Timestamp, View

Email = Annotated[str, Field(min_length=1, max_length=254, description="The user's e-mail address.")]
Password = Annotated[str, Field(min_length=1, max_length=LONGEST, description="The user's password.")]
NewPassword = Annotated[
    str, Field(min_length=SHORTEST, max_length=LONGEST, description=f"A password of at least {SHORTEST} characters.")
]
Code = Annotated[
    str,
    Field(max_length=32, description="A code of the second factor, or a recovery code, where the user has one."),
]


class Credentials(Body):
    """An e-mail address and a password."""

    email: Email
    password: Password
    code: Code | None = None


class LinkUse(Body):
    """A one-time link."""

    token: str = Field(min_length=1, max_length=100, description="The link, `link_…`.")
    password: NewPassword | None = Field(
        None, description="A new password; a link that resets the password needs one. It ends all other sessions."
    )
    code: Code | None = None


class SignUp(Body):
    """A new user."""

    email: Email
    password: NewPassword


class ResetRequest(Body):
    """Whose password is to be reset."""

    email: Email


class SessionTokenView(View):
    """A new session."""

    token: str = Field(description="The session token, `sess_…`. Send it as `Authorization: Bearer sess_…`.")
    expires_at: Timestamp = Field(description="When it ends unless it is used before.")


class Accepted(View):
    """The request was taken; whether there is such a user is not said."""

    accepted: Literal[True]
