"""HTTP of a user's own record. A password or a second factor is changed by a session alone."""

from typing import Annotated, Any

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
from retinue.core.envelope import Data, one
from retinue.core.operations import Api

_SESSION = ("session",)
"""Keys are kept in programs and OAuth tokens in apps: neither may take the user over."""


_account = of_caller(Account)


OwnAccount = Annotated[Account, Depends(_account)]

api = Api("account")


@api.get("/account", "*", response_model=Data[AccountView])
async def get_account(account: OwnAccount) -> Any:
    """Get your own user."""
    return one(await account.get())


@api.put("/account", "*", response_model=Data[AccountView], credentials=("key", "session"))
async def update_account(body: AccountUpdate, account: OwnAccount) -> Any:
    """Change your name."""
    return one(await account.update(body))


@api.put("/account/password", "*", response_model=Data[AccountView], credentials=_SESSION)
async def change_password(body: PasswordChange, account: OwnAccount, client: Client) -> Any:
    """Set or change your password. Your other sessions end; API keys stay as they are."""
    await account.change_password(body.current_password, body.new_password, client)
    return one(await account.get())


@api.post("/account/totp", "*", 201, response_model=Data[TotpSetup], hands_out_secret=True, credentials=_SESSION)
async def start_totp(body: PasswordConfirmation, account: OwnAccount, client: Client) -> Any:
    """Make a secret for an authenticator app (RFC 6238). Confirm it with a code to put it in force."""
    return one(await account.start_totp(body.password, client))


@api.post("/account/totp/confirm", "*", response_model=Data[RecoveryCodes], hands_out_secret=True, credentials=_SESSION)
async def confirm_totp(body: CodeProof, account: OwnAccount) -> Any:
    """Put the second factor in force with its first code. The recovery codes are in this answer alone."""
    return one({"recovery_codes": await account.confirm_totp(body.code)})


@api.post(
    "/account/totp/recovery-codes",
    "*",
    response_model=Data[RecoveryCodes],
    hands_out_secret=True,
    credentials=_SESSION,
)
async def renew_recovery_codes(body: CodeConfirmation, account: OwnAccount, client: Client) -> Any:
    """Replace your recovery codes. The old ones stop working."""
    return one({"recovery_codes": await account.renew_recovery_codes(body.password, body.code, client)})


# Codes and passwords are proofs of the moment: an answer is not kept under an idempotency key.
@api.post("/account/totp/disable", "*", response_model=Data[AccountView], hands_out_secret=True, credentials=_SESSION)
async def disable_totp(body: CodeConfirmation, account: OwnAccount, client: Client) -> Any:
    """Remove the second factor. It takes the password and a code, or a recovery code."""
    await account.disable_totp(body.password, body.code, client)
    return one(await account.get())
