"""Sign in with a password or a one-time link, and sign up."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import structlog

from retinue.auth import second_factor
from retinue.auth.audit.entries import Actor, audit
from retinue.auth.client_info import ClientInfo
from retinue.auth.passwords import Passwords
from retinue.auth.revocation import revoke_everything
from retinue.auth.service import Users, fold_email
from retinue.auth.sessions import statements as sessions
from retinue.auth.sessions.tokens import NewSession, hash_token, open_session
from retinue.auth.sign_in import statements as sql
from retinue.auth.sign_in.mail import ResetMail
from retinue.auth.tables import UserRow, UserSigningIn
from retinue.auth.throttle import PasswordAttempt, Throttle, check_wait
from retinue.core.database.interface import Database, Tx
from retinue.core.errors import AuthRequired, InsufficientScope, ValidationFailed
from retinue.core.runtime.clock import now
from retinue.core.runtime.vault import Vault

_log = structlog.get_logger()
_WRONG = "The e-mail address, the password or the code is wrong. Each code is accepted once."
_CODE_MISSING = "This user has a second factor. Send its code or a recovery code as code."
_LINK_WRONG = "The link is invalid, has already been used, or has expired. Request another one."


class CodeRequired(AuthRequired):
    """The password or link is valid, but the user has a second factor and sent no code."""


@dataclass(frozen=True)
class SignIn:
    """Opens sessions. All refused passwords get the same message after the same time."""

    database: Database
    vault: Vault
    passwords: Passwords
    throttle: Throttle
    users: Users
    sign_up_open: bool = False
    mail: ResetMail | None = None
    """Confirms the addresses of new users; None if the server cannot send mail."""

    async def with_password(self, email: str, password: str, code: str | None, client: ClientInfo) -> NewSession:
        """Sign in with a password. Raises `AuthRequired`, or `RateLimited` after too many wrong guesses."""
        address = fold_email(email)
        attempt = self.throttle.begin_password(address, client.address)
        try:
            return await self._with_password(address, password, code, client, attempt)
        except CodeRequired:
            raise
        except AuthRequired:
            detail = f"Failure {attempt.number:,} from this address." if attempt.number > 1 else None
            await self._note_failure(address, client, "password", detail)
            raise

    async def _note_failure(self, address: str, client: ClientInfo, credential: str, detail: str | None = None) -> None:
        """Write an audit entry even if no such user exists, so that both cases take the same time.

        Attempts during a wait get no entry. The next entry's number includes them.
        """
        user = await self.database.lookup(sql.BY_EMAIL, email=address, address=client.address)
        actor = Actor.of_request(user.id if user else None, credential)
        await self.database.transact(lambda tx: audit(tx, actor, "sign_in.failed", None, detail))

    async def _with_password(
        self, address: str, password: str, code: str | None, client: ClientInfo, attempt: PasswordAttempt
    ) -> NewSession:
        user = await self.database.lookup(sql.BY_EMAIL, email=address, address=client.address)
        known = bool(user and user.known)
        checked = user if user and not user.suspended_at and (known or not attempt.wait) else None
        stored = checked.password_hash if checked else None
        if not await self.passwords.verify(stored, password, address, client.address, known) or user is None:
            check_wait(attempt.wait)
            _log.info("sign_in.refused", address=client.address)
            raise AuthRequired(_WRONG)
        attempt.succeed()
        actor = Actor.of_request(user.id, "password")
        return await self._with_second_factor(user, code, client, lambda tx: self._open(tx, user, code, client, actor))

    async def _with_second_factor(
        self, user: UserSigningIn, code: str | None, client: ClientInfo, work: Callable[[Tx], Awaitable[NewSession]]
    ) -> NewSession:
        """Open a session with `work`, which checks the code if the user has a second factor."""
        if not user.totp_secret:
            return await self.database.transact(work)
        if not code:
            raise CodeRequired(_CODE_MISSING)
        attempt = self.throttle.begin_code(user.email, client.address)
        session = await self.database.transact(work)
        attempt.succeed()
        return session

    async def _open(
        self, tx: Tx, proven: UserSigningIn, code: str | None, client: ClientInfo, actor: Actor
    ) -> NewSession:
        """Open a session unless the user was suspended, or changed the password, after it was verified."""
        user = await tx.one(sql.LOCK_USER, user=proven.id)
        if user is None or user.suspended_at or user.password_hash != proven.password_hash:
            raise AuthRequired(_WRONG)
        await self._check_code(tx, user, code)
        return await _open_and_audit(tx, user.id, client, actor)

    async def _check_code(self, tx: Tx, user: UserRow, code: str | None) -> None:
        if user.totp_secret and not (code and await second_factor.accept_code(tx, self.vault, user, code)):
            raise AuthRequired(_WRONG)

    async def is_reset(self, token: str) -> bool:
        """Return True for a valid link that resets the password."""
        link = await self.database.lookup(sql.LINK, hash=hash_token(token), moment=now(), address="")
        return link is not None and link.purpose == "reset"

    async def with_link(
        self,
        token: str,
        password: str | None,
        code: str | None,
        client: ClientInfo,
        revoke_access: bool | None = None,
    ) -> NewSession:
        """Sign in with a link and consume it. A new password also ends all other sessions.

        `revoke_access` also revokes everything else that acts for the user, if a password is set. None means that the
        purpose of the link decides.
        """
        link = await self.database.lookup(sql.LINK, hash=hash_token(token), moment=now(), address=client.address)
        if link is None or link.suspended_at:
            raise AuthRequired(_LINK_WRONG)
        if link.purpose == "reset" and password is None:
            raise ValidationFailed("password is required: this link resets it.")
        hashed = await self.passwords.hash(password, link.email, client.address) if password else None
        revoke = link.purpose == "reset" if revoke_access is None else revoke_access
        actor = Actor.of_request(link.id, "link")

        async def use(tx: Tx) -> NewSession:
            user = await tx.one(sql.LOCK_USER, user=link.id)
            if user is None or not await tx.run(sql.USE_LINK, hash=hash_token(token), moment=now()):
                raise AuthRequired(_LINK_WRONG)
            await self._check_code(tx, user, code)
            if hashed:
                await set_password(tx, user.id, hashed, kept_session=0)
                await audit(tx, actor, "password.changed")
            if hashed and revoke:
                await revoke_everything(tx, user.id, self.users.others)
                await audit(tx, actor, "user.revoked", user.id)
            return await _open_and_audit(tx, user.id, client, actor)

        try:
            return await self._with_second_factor(link, code, client, use)
        except CodeRequired:
            raise
        except AuthRequired:
            await self._note_failure(link.email, client, "link")
            raise

    async def sign_up(self, email: str, password: str | None, client: ClientInfo) -> NewSession | None:
        """Create a user and sign in, or return None after queuing a mail that confirms the address.

        A password is only used without a mail: otherwise somebody could choose it for another person's address.
        Raises `InsufficientScope` if sign-up is closed.
        """
        if not self.sign_up_open:
            raise InsufficientScope("Sign-up is disabled on this server. Ask the operator for an account.")
        self.throttle.begin("sign-up", client.address)
        if self.mail:
            self.mail.confirm(email)
            return None
        if password is None:
            raise ValidationFailed("password is required.")
        hashed = await self.passwords.hash(password, fold_email(email), client.address, known=False)
        user = await self.users.create(email, password_hash=hashed, credential="password")
        actor = Actor.of_request(user.id, "password")
        return await self.database.transact(lambda tx: _open_and_audit(tx, user.id, client, actor))


async def _open_and_audit(tx: Tx, user_id: int, client: ClientInfo, actor: Actor) -> NewSession:
    """Open a session and write an audit entry."""
    session = await open_session(tx, user_id, client)
    await audit(tx, actor, "sign_in.succeeded", session.id)
    return session


async def set_password(tx: Tx, user_id: int, hashed: str, kept_session: int) -> None:
    """Change a password. Ends all links and all sessions except `kept_session`."""
    await tx.run(sql.SET_PASSWORD, user=user_id, password=hashed)
    await tx.run(sql.EXPIRE_LINKS, user=user_id, moment=now())
    await tx.run(sessions.REVOKE_OTHERS, user=user_id, kept=kept_session)
