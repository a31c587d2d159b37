"""Routes of the caller's own user. Only a session may change the password or the second factor."""

from typing import Annotated

from fastapi import Depends

from retinue.auth.account.schemas import (
    AccountUpdate,
    AccountView,
    CodeConfirmation,
    CodeProof,
    PasswordChange,
    PasswordConfirmation,
    RecoveryCodes,
    TotpSetup,
)
from retinue.auth.account.service import Account
from retinue.auth.services import of_caller
from retinue.auth.sign_in.router import Client
from retinue.core.http.envelope import Data, Envelope, one
from retinue.core.http.operations import Api

_SESSION = ("session",)
"""Programs hold keys and apps hold OAuth tokens. Neither may take over the user."""


_account = of_caller(Account)


OwnAccount = Annotated[Account, Depends(_account)]

api = Api("account")


@api.get("/account", "*", response_model=Data[AccountView])
async def get_account(account: OwnAccount) -> Envelope:
    """Retrieve your own user."""
    return one(await account.get())


@api.put("/account", "*", response_model=Data[AccountView], credentials=("key", "session"))
async def update_account(body: AccountUpdate, account: OwnAccount) -> Envelope:
    """Update your name."""
    return one(await account.update(body))


@api.put("/account/password", "*", response_model=Data[AccountView], credentials=_SESSION)
async def change_password(body: PasswordChange, account: OwnAccount, client: Client) -> Envelope:
    """Set or change your password. This ends your other sessions; by default, API keys keep working."""
    await account.change_password(body.current_password, body.new_password, client, body.revoke_access)
    return one(await account.get())


@api.post("/account/totp", "*", 201, response_model=Data[TotpSetup], hands_out_secret=True, credentials=_SESSION)
async def start_totp(body: PasswordConfirmation, account: OwnAccount, client: Client) -> Envelope:
    """Create a secret for an authenticator app (RFC 6238). Confirm it with a code to enable the second factor."""
    return one(await account.start_totp(body.password, client))


@api.post("/account/totp/confirm", "*", response_model=Data[RecoveryCodes], hands_out_secret=True, credentials=_SESSION)
async def confirm_totp(body: CodeProof, account: OwnAccount) -> Envelope:
    """Enable the second factor with its first code. The response is the only place where the recovery codes appear."""
    return one({"recovery_codes": await account.confirm_totp(body.code)})


@api.post(
    "/account/totp/recovery-codes",
    "*",
    response_model=Data[RecoveryCodes],
    hands_out_secret=True,
    credentials=_SESSION,
)
async def renew_recovery_codes(body: CodeConfirmation, account: OwnAccount, client: Client) -> Envelope:
    """Replace your recovery codes. The old ones stop working."""
    return one({"recovery_codes": await account.renew_recovery_codes(body.password, body.code, client)})


# Codes and passwords are proofs of the moment: an answer is not kept under an idempotency key.
@api.post("/account/totp/disable", "*", response_model=Data[AccountView], hands_out_secret=True, credentials=_SESSION)
async def disable_totp(body: CodeConfirmation, account: OwnAccount, client: Client) -> Envelope:
    """Remove the second factor. Requires the password and a code or a recovery code."""
    await account.disable_totp(body.password, body.code, client)
    return one(await account.get())
