"""Request and response schemas of the caller's own user."""

from typing import Annotated

from pydantic import Field

from retinue.auth.sign_in.schemas import NewPassword, Password
from retinue.core.http.envelope import IGNORED, Body, Changes, Timestamp, View, absent

Code = Annotated[str, Field(min_length=1, max_length=32, description="Code from the authenticator app.")]


class AccountView(View):
    """The caller's own user."""

    id: int = Field(description="ID of the user.")
    email: str = Field(description="E-mail address of the user.")
    name: str = Field(description="Name of the user.")
    plan: str = Field(description="The plan.")
    operator: bool = Field(description="Whether the user is an operator of this server.")
    has_password: bool = Field(description="Whether the user can sign in with a password.")
    second_factor: bool = Field(description="Whether signing in also requires a code.")
    recovery_codes_left: int = Field(description="Number of unused recovery codes.")
    created_at: Timestamp = Field(description="Time at which the user was created.")


class AccountUpdate(Changes):
    """Fields to update. Omitted fields keep their values."""

    name: Annotated[str, Field(max_length=100)] | None = Field(default_factory=absent, description="Name of the user.")
    id: object = IGNORED
    email: object = IGNORED
    plan: object = IGNORED
    operator: object = IGNORED
    has_password: object = IGNORED
    second_factor: object = IGNORED
    recovery_codes_left: object = IGNORED
    created_at: object = IGNORED


class PasswordChange(Body):
    """Request body for setting a password."""

    current_password: Password | None = Field(None, description="Current password. Omit it if the user has none yet.")
    new_password: NewPassword
    revoke_access: bool = Field(
        False, description="Whether to also revoke your API keys and connected apps and disable your webhooks."
    )


class PasswordConfirmation(Body):
    """The current password, to confirm the caller's identity."""

    password: Password | None = Field(None, description="Current password. Omit it if the user has none yet.")


class CodeConfirmation(PasswordConfirmation):
    """The current password and a code."""

    code: Code


class CodeProof(Body):
    """A code from the authenticator app."""

    code: Code


class TotpSetup(View):
    """The secret to enter in an authenticator app. It is shown only once."""

    secret: str = Field(description="The secret, for manual entry.")
    uri: str = Field(description="The secret as an `otpauth` URI, to display as a QR code.")


class RecoveryCodes(View):
    """Recovery codes, which replace the second factor. Each works for one sign-in. They are shown only once."""

    recovery_codes: list[str] = Field(description="The recovery codes. Store them separately from the password.")
