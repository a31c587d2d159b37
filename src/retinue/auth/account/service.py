"""Read and change a user's own record, password and second factor."""

from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass

from retinue.auth import second_factor, totp
from retinue.auth.account import statements as sql
from retinue.auth.account.schemas import AccountUpdate, AccountView
from retinue.auth.audit.entries import Actor, audit
from retinue.auth.caller import Caller
from retinue.auth.client_info import ClientInfo
from retinue.auth.passwords import Passwords
from retinue.auth.revocation import Revoke, revoke_everything
from retinue.auth.sign_in import statements as sign_in
from retinue.auth.sign_in.service import set_password
from retinue.auth.tables import UserRow, UserSigningIn
from retinue.auth.throttle import Throttle, check_wait
from retinue.core.database.interface import Database, Tx
from retinue.core.database.statements import Row
from retinue.core.errors import InsufficientScope, NotFound, ValidationFailed
from retinue.core.runtime.clock import now
from retinue.core.runtime.vault import Vault

_WRONG_CODE = "code is wrong or has already been used. Wait for the next one."
_NO_SECOND_FACTOR = "Two-factor authentication is not set up. Start with POST /account/totp."


@dataclass(frozen=True)
class Account:
    """Reads and changes the caller's user. Security changes require the password, and the throttle limits guesses."""

    caller: Caller
    database: Database
    vault: Vault
    passwords: Passwords
    throttle: Throttle
    others: tuple[Revoke, ...]
    """Functions that revoke credentials of higher-level packages."""

    async def get(self) -> AccountView:
        """Return the user, with the number of unused recovery codes."""
        user = await self._row()
        codes = await self.database.lookup(sql.COUNT_RECOVERY_CODES, user=user.id)
        return AccountView.of_row(user, recovery_codes_left=codes.left if codes else 0)

    async def _row(self) -> Row:
        user = await self.database.lookup(sql.GET, user=self.caller.user_id)
        if user is None:
            raise _user_gone()
        return user

    async def update(self, changes: AccountUpdate) -> AccountView:
        """Change the name; null clears it. Raises `InsufficientScope` for a test key."""
        if self.caller.sandbox:
            raise InsufficientScope("A test key cannot change its user. Use a live key or a session.")
        changed = changes.sent_fields()
        if "name" in changed:
            name = changed["name"] or ""
            actor = Actor.of_caller(self.caller)

            async def change(tx: Tx) -> None:
                await tx.run(sql.SET_NAME, user=self.caller.user_id, new_name=name)
                await audit(tx, actor, "account.updated")

            await self.database.transact(change)
        return await self.get()

    async def first_steps(self) -> set[str]:
        """Return the names of the first steps in the portal that the user has done."""
        return set((await self._row()).first_steps.split())

    async def save_first_steps(self, names: Collection[str]) -> None:
        """Store the first steps in the portal that the user has done."""
        steps = " ".join(sorted(names))
        await self.database.transact(lambda tx: tx.run(sql.SET_FIRST_STEPS, user=self.caller.user_id, steps=steps))

    async def change_password(
        self, current: str | None, new: str, client: ClientInfo, revoke_access: bool = False
    ) -> None:
        """Change the password. Ends all other sessions and sign-in links; `revoke_access` also revokes everything else
        that acts for the user, such as API keys.
        """
        proven = await self._prove(current, client)
        hashed = await self.passwords.hash(new, proven.email, client.address)
        actor = Actor.of_caller(self.caller)

        async def change(tx: Tx, user: UserRow) -> None:
            await set_password(tx, user.id, hashed, kept_session=self.caller.credential_id)
            await audit(tx, actor, "password.changed")
            if revoke_access:
                await revoke_everything(tx, user.id, self.others, kept_session=self.caller.credential_id)
                await audit(tx, actor, "user.revoked", user.id)

        await self._as_proven(proven, change)

    async def start_totp(self, password: str | None, client: ClientInfo) -> dict[str, str]:
        """Create a TOTP secret. It takes effect when `confirm_totp` accepts a code for it."""
        proven = await self._prove(password, client)
        secret = totp.new_secret()
        sealed = self.vault.seal(secret, second_factor.secret_owner(proven.id))

        async def keep(tx: Tx, user: UserRow) -> None:
            if user.totp_secret:
                raise ValidationFailed("Two-factor authentication is already enabled. Disable it first.")
            await tx.run(sql.SET_PENDING, user=user.id, secret=sealed)

        await self._as_proven(proven, keep)
        return {"secret": secret, "uri": totp.provisioning_uri(secret, proven.email)}

    async def confirm_totp(self, code: str) -> list[str]:
        """Enable the pending TOTP secret if `code` matches it; return the recovery codes."""
        codes, actor = second_factor.new_recovery_codes(), Actor.of_caller(self.caller)

        async def confirm(tx: Tx) -> None:
            user = await self._lock(tx)
            if not user.totp_pending:
                raise ValidationFailed("No second factor is waiting for confirmation. Start with POST /account/totp.")
            secret = self.vault.open_sealed(user.totp_pending, second_factor.secret_owner(user.id))
            step = totp.matching_step(secret, code.replace(" ", ""), now())
            if step is None:
                raise ValidationFailed(_WRONG_CODE)
            await second_factor.enable(tx, user.id, user.totp_pending, step, codes)
            await audit(tx, actor, "totp.enabled")

        await self.database.transact(confirm)
        return codes

    async def renew_recovery_codes(self, password: str | None, code: str, client: ClientInfo) -> list[str]:
        """Replace all remaining recovery codes."""
        codes, actor = second_factor.new_recovery_codes(), Actor.of_caller(self.caller)

        async def replace(tx: Tx, user: UserRow) -> None:
            await second_factor.replace_recovery_codes(tx, user.id, codes)
            await audit(tx, actor, "totp.recovery_codes_renewed")

        await self._with_code(password, code, client, replace)
        return codes

    async def disable_totp(self, password: str | None, code: str, client: ClientInfo) -> None:
        """Remove the second factor."""
        actor = Actor.of_caller(self.caller)

        async def disable(tx: Tx, user: UserRow) -> None:
            await second_factor.disable(tx, user.id)
            await audit(tx, actor, "totp.disabled")

        await self._with_code(password, code, client, disable)

    async def _with_code(
        self, password: str | None, code: str, client: ClientInfo, work: Callable[[Tx, UserRow], Awaitable[None]]
    ) -> None:
        """Run `work` after checking the password and a code."""
        await self._as_proven_by_code(await self._prove(password, client), code, client, work)

    async def as_owner(
        self, password: str | None, code: str | None, client: ClientInfo, work: Callable[[Tx, UserRow], Awaitable[None]]
    ) -> None:
        """Run `work` after checking the password, and a code if the user has a second factor."""
        proven = await self._prove(password, client)
        if not proven.totp_secret:
            await self._as_proven(proven, work)
        elif code is None:
            raise ValidationFailed(
                "code is missing. Two-factor authentication is enabled: send a code or a recovery code."
            )
        else:
            await self._as_proven_by_code(proven, code, client, work)

    async def _as_proven_by_code(
        self, proven: UserSigningIn, code: str, client: ClientInfo, work: Callable[[Tx, UserRow], Awaitable[None]]
    ) -> None:
        attempt = self.throttle.begin_code(proven.email, client.address)

        async def check_and_work(tx: Tx, user: UserRow) -> None:
            if not user.totp_secret:
                raise ValidationFailed(_NO_SECOND_FACTOR)
            if not await second_factor.accept_code(tx, self.vault, user, code):
                raise ValidationFailed(_WRONG_CODE)
            await work(tx, user)

        await self._as_proven(proven, check_and_work)
        attempt.succeed()

    async def _prove(self, password: str | None, client: ClientInfo) -> UserSigningIn:
        """Check the password and return the user. A user without a password passes."""
        user = await self.database.lookup(sign_in.BY_ID, user=self.caller.user_id, address=client.address)
        if user is None:
            raise _user_gone()
        if user.password_hash and password is None:
            raise ValidationFailed("The current password is missing.")
        known = bool(user.known)
        attempt = self.throttle.begin_password(user.email, client.address)
        stored = user.password_hash if known or not attempt.wait else None
        if user.password_hash and not await self.passwords.verify(
            stored, password or "", user.email, client.address, known
        ):
            check_wait(attempt.wait)
            raise ValidationFailed("The current password is wrong.")
        attempt.succeed()
        return user

    async def _as_proven(self, proven: UserSigningIn, work: Callable[[Tx, UserRow], Awaitable[None]]) -> None:
        """Run `work` in a transaction. Raises `ValidationFailed` if the password has changed since the check."""

        async def change(tx: Tx) -> None:
            user = await self._lock(tx)
            if user.password_hash != proven.password_hash:
                raise ValidationFailed("The password has just been changed. Try again with the new one.")
            await work(tx, user)

        await self.database.transact(change)

    async def _lock(self, tx: Tx) -> UserRow:
        user = await tx.one(sign_in.LOCK_USER, user=self.caller.user_id)
        if user is None:
            raise _user_gone()
        return user


def _user_gone() -> NotFound:
    return NotFound("The user of this credential no longer exists.")
