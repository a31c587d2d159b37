"""What users send and see of themselves."""

from typing import Annotated, Any, ClassVar

from pydantic import Field

from retinue.auth.sign_in.schemas import NewPassword, Password
from retinue.core.envelope import Body, Changes, Timestamp, View, absent

Code = Annotated[str, Field(min_length=1, max_length=32, description="A code of the second factor.")]
_READ_ONLY = (
    "id", "email", "plan", "operator", "has_password", "second_factor", "recovery_codes_left", "created_at",
)  # fmt: skip


class AccountView(View):
    """A user, as that user sees it."""

    id: int = Field(description="The user's id.")
    email: str = Field(description="The user's e-mail address.")
    name: str = Field(description="What the user is called.")
    plan: str = Field(description="The plan.")
    operator: bool = Field(description="Whether the user operates this server.")
    has_password: bool = Field(description="Whether the user can sign in with a password.")
    second_factor: bool = Field(description="Whether signing in takes a code as well.")
    recovery_codes_left: int = Field(description="Recovery codes that were not used yet.")
    created_at: Timestamp = Field(description="When the user was made.")


class AccountUpdate(Changes):
    """The fields to change."""

    read_only: ClassVar[frozenset[str]] = frozenset(_READ_ONLY)

    name: Annotated[str, Field(max_length=100)] | None = Field(
        default_factory=absent, description="What the user is called."
    )
    id: Any = Field(default_factory=absent, description="Ignored.")
    email: Any = Field(default_factory=absent, description="Ignored.")
    plan: Any = Field(default_factory=absent, description="Ignored.")
    operator: Any = Field(default_factory=absent, description="Ignored.")
    has_password: Any = Field(default_factory=absent, description="Ignored.")
    second_factor: Any = Field(default_factory=absent, description="Ignored.")
    recovery_codes_left: Any = Field(default_factory=absent, description="Ignored.")
    created_at: Any = Field(default_factory=absent, description="Ignored.")


class PasswordChange(Body):
    """A new password."""

    current_password: Password | None = Field(
        None, description="The present password; it may be left out where there is none yet."
    )
    new_password: NewPassword


class PasswordConfirmation(Body):
    """The present password, as proof that it is the user who asks."""

    password: Password | None = Field(
        None, description="The present password; it may be left out where there is none yet."
    )


class CodeConfirmation(PasswordConfirmation):
    """The present password and a code."""

    code: Code


class CodeProof(Body):
    """A code of the authenticator app."""

    code: Code


class TotpSetup(View):
    """What an authenticator app needs. It is shown this once."""

    secret: str = Field(description="The secret, for apps that it is typed into.")
    uri: str = Field(description="The same as an `otpauth` address, to be shown as a QR code.")


class RecoveryCodes(View):
    """Codes in place of the second factor, each for one sign-in. They are shown this once."""

    recovery_codes: list[str] = Field(description="The codes. Keep them apart from the password.")
