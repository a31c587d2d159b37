"""Manage users and keys as the operator."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

import sqlalchemy as sa

from retinue.auth import second_factor
from retinue.auth.audit.entries import Action, Actor, audit, operator_on
from retinue.auth.keys import statements as keys_sql
from retinue.auth.keys.creation import KeySpec, check_number_of_keys, checked_scopes, insert_key, lock_account
from retinue.auth.keys.key_format import KeyParts, new_key
from retinue.auth.keys.networks import parse_networks
from retinue.auth.keys.rotation import LONGEST_OVERLAP, replace_key
from retinue.auth.operators import is_last_operator
from retinue.auth.plans import Plans
from retinue.auth.revocation import Revoke, revoke_everything
from retinue.auth.sign_in.links import BY_OPERATOR, Purpose, add_link
from retinue.auth.tables import KeyRow, UserRow, accounts, users
from retinue.core.database import counters
from retinue.core.database.interface import Database, Tx, UniqueConflict
from retinue.core.database.portable_sql import like_pattern
from retinue.core.database.schema import BigInt, Instant
from retinue.core.database.statements import Statement
from retinue.core.errors import NotFound, ValidationFailed
from retinue.core.http.envelope import Page, read_page
from retinue.core.runtime.clock import now

_EMAIL_CHARACTER = r"[^@\s\x00-\x1f()<>\[\],;:\"\\]"
_EMAIL = re.compile(rf"{_EMAIL_CHARACTER}{{1,64}}@{_EMAIL_CHARACTER}{{1,189}}")
_COUNTERS = ("agents", "fleets", "conversations", "files", "stored_bytes", "workspace_records", "schedules", "calls")

_INSERT_USER: Statement[UserRow] = Statement(
    sa.insert(users).returning(users), ["email", "plan", "created_at", "operator", "password_hash"]
)
_INSERT_ACCOUNT = Statement(sa.insert(accounts).returning(accounts.c.id), ["user_id", "sandbox"])
_ANY_USER = Statement(sa.select(users.c.id).limit(1))
_THERE = users.c.deleted_at.is_(None)
_USERS: Statement[UserRow] = Statement(sa.select(users).where(_THERE).order_by(users.c.id))
_FITS = sa.and_(_THERE, users.c.email.like(sa.bindparam("pattern", type_=sa.String), escape="\\"))
_PAGE: Statement[UserRow] = Statement(
    sa.select(users)
    .where(_FITS)
    .order_by(users.c.id.desc())
    .limit(sa.bindparam("per_page", type_=sa.Integer))
    .offset(sa.bindparam("offset", type_=BigInt))
)
_COUNT = Statement(sa.select(sa.func.count().label("held")).select_from(users).where(_FITS))
_GET: Statement[UserRow] = Statement(sa.select(users).where(users.c.id == sa.bindparam("user", type_=BigInt), _THERE))
_USER: Statement[UserRow] = Statement(
    sa.select(users).where(users.c.email == sa.bindparam("email", type_=sa.String), _THERE).with_for_update()
)
_SET_OPERATOR = Statement(
    sa.update(users)
    .where(users.c.id == sa.bindparam("user", type_=BigInt))
    .values(operator=sa.bindparam("is_operator", type_=sa.Boolean))
)
_SET_PLAN = Statement(
    sa.update(users)
    .where(users.c.id == sa.bindparam("user", type_=BigInt))
    .values(plan=sa.bindparam("new_plan", type_=sa.String))
)
_SUSPEND = Statement(
    sa.update(users)
    .where(users.c.email == sa.bindparam("address", type_=sa.String))
    .values(suspended_at=sa.bindparam("moment", type_=Instant))
)


@dataclass(frozen=True)
class Users:
    """The operator's view of users and keys. The command line and sign-up use it; it has no caller."""

    database: Database
    plans: Plans
    others: tuple[Revoke, ...] = ()
    """Functions that revoke credentials of higher-level packages."""

    async def create(
        self,
        email: str,
        plan: str | None = None,
        password_hash: str | None = None,
        credential: str = "operator",
        by: Actor | None = None,
    ) -> UserRow:
        """Create a user with a live and a sandbox account.

        The first user becomes the operator and defaults to plan enterprise; all others default to free. The audit log
        of the user records `credential` as the creator, and that of `by`, an operator, has an entry, too. Raises
        `ValidationFailed` if the address is invalid or in use.
        """
        address = checked_email(email)
        if plan is not None:
            self._check_plan(plan)
        actor = Actor.of_request(None, credential)

        async def insert(tx: Tx) -> UserRow:
            first = await tx.one(_ANY_USER) is None
            new: dict[str, object] = {"email": address, "plan": plan or ("enterprise" if first else "free")}
            (user,) = await tx.all(_INSERT_USER, **new, created_at=now(), operator=first, password_hash=password_hash)
            for sandbox in (False, True):
                await _open_account(tx, user.id, sandbox)
            detail = f"The user is on the plan {user.plan}."
            await audit(tx, replace(actor, user_id=user.id), "user.created", user.id, detail)
            if by:
                await audit(tx, by, "user.created", user.id, detail)
            return user

        try:
            return await self.database.transact(insert)
        except UniqueConflict as error:
            raise ValidationFailed(f"The user {address} already exists.") from error

    def _check_plan(self, plan: str) -> None:
        if plan not in self.plans.by_name:
            raise ValidationFailed(f"There is no plan {plan!r}. Valid plans: {', '.join(self.plans.by_name)}.")

    async def change_plan(self, email: str, plan: str) -> None:
        """Change a user's plan. It takes effect on every node within a second."""
        self._check_plan(plan)

        async def change(tx: Tx) -> None:
            user = await lock_user(tx, email)
            await tx.run(_SET_PLAN, user=user.id, new_plan=plan)
            detail = f"The plan was {user.plan} and is now {plan}."
            await audit(tx, operator_on(user.id), "user.plan_changed", user.id, detail)

        await self.database.transact(change)

    async def all(self) -> list[UserRow]:
        """Return all users, oldest first."""
        return await self.database.query(_USERS)

    async def page(self, page: Page, search: str = "") -> tuple[list[UserRow], int]:
        """Return one page of users whose address contains `search`, newest first, and the total number."""
        pattern = like_pattern(fold_email(search))
        return await read_page(self.database, _PAGE, page, pattern=pattern), await self.count(pattern)

    async def count(self, pattern: str = "%") -> int:
        """Return the number of users whose address matches a LIKE pattern."""
        (count,) = await self.database.query(_COUNT, pattern=pattern)
        return int(count.held)

    async def get(self, user_id: int) -> UserRow:
        """Return one user. Raises `NotFound`."""
        user = await self.database.lookup(_GET, user=user_id)
        if user is None:
            raise NotFound(f"There is no user {user_id}.")
        return user

    async def link(self, email: str, purpose: Purpose = "sign_in", drop_second_factor: bool = False) -> str:
        """Create a one-time link to sign in or reset the password. Only the return value contains its token."""

        async def add(tx: Tx) -> str:
            user = await lock_user(tx, email)
            if drop_second_factor:
                await second_factor.disable(tx, user.id)
                await audit(tx, operator_on(user.id), "totp.disabled", user.id)
            await audit(tx, operator_on(user.id), "sign_in.link_created", user.id)
            return await add_link(tx, user.id, purpose, BY_OPERATOR)

        return await self.database.transact(add)

    async def suspend(self, email: str, suspended: bool = True) -> None:
        """Suspend a user, or lift the suspension. It takes effect on every node within a second.

        Raises `ValidationFailed` for the last operator.
        """
        moment = now() if suspended else None
        action: Action = "user.suspended" if suspended else "user.restored"

        async def suspend(tx: Tx) -> None:
            user = await lock_user(tx, email)
            if suspended and await is_last_operator(tx, user):
                raise ValidationFailed(
                    f"{user.email} is the last operator of this server and cannot be suspended. "
                    "Make another user an operator first: retinue users promote EMAIL"
                )
            await tx.run(_SUSPEND, address=user.email, moment=moment)
            await audit(tx, operator_on(user.id), action, user.id)

        await self.database.transact(suspend)

    async def revoke(self, email: str) -> None:
        """Revoke all credentials of a user, for example after a theft. The password remains."""

        async def revoke(tx: Tx) -> None:
            user = await lock_user(tx, email)
            await revoke_everything(tx, user.id, self.others)
            await audit(tx, operator_on(user.id), "user.revoked", user.id)

        await self.database.transact(revoke)

    async def promote(self, email: str) -> None:
        """Make a user an additional operator of the server."""

        async def promote(tx: Tx) -> None:
            user = await lock_user(tx, email)
            await tx.run(_SET_OPERATOR, user=user.id, is_operator=True)
            await audit(tx, operator_on(user.id), "user.promoted", user.id)

        await self.database.transact(promote)

    async def demote(self, email: str) -> None:
        """Make an operator a user without special rights. Raises `ValidationFailed` for the last operator."""

        async def demote(tx: Tx) -> None:
            user = await lock_user(tx, email)
            if not user.operator:
                raise ValidationFailed(f"{user.email} is not an operator of this server.")
            if await is_last_operator(tx, user):
                raise ValidationFailed(
                    f"{user.email} is the last operator of this server and cannot be demoted. "
                    "Make another user an operator first: retinue users promote EMAIL"
                )
            await tx.run(_SET_OPERATOR, user=user.id, is_operator=False)
            await audit(tx, operator_on(user.id), "user.demoted", user.id)

        await self.database.transact(demote)

    async def create_key(
        self,
        email: str,
        scopes: Sequence[str] = ("*",),
        test: bool = False,
        name: str = "",
        networks: Sequence[str] = (),
        expires_in_days: int | None = None,
    ) -> KeyParts:
        """Create a key. Only the return value contains its secret."""
        expires_at = now() + timedelta(days=expires_in_days) if expires_in_days else None
        spec = KeySpec(checked_scopes(scopes), name[:100], _checked_networks(networks), expires_at)
        key = new_key(sandbox=test)

        async def insert(tx: Tx) -> None:
            user = await lock_user(tx, email)
            account = await lock_account(tx, user.id, test)
            await check_number_of_keys(tx, account, self.plans)
            await audit(tx, operator_on(user.id), "key.created", await insert_key(tx, account, key, spec))

        await self.database.transact(insert)
        return key

    async def rotate_key(self, prefix: str, overlap_days: int) -> KeyParts:
        """Replace a key. The old key stays valid for `overlap_days`, from 0 to 7."""
        overlap = timedelta(days=overlap_days)
        if not timedelta() <= overlap <= LONGEST_OVERLAP:
            raise ValidationFailed("The overlap must be 0 to 7 days.")

        async def rotate(tx: Tx) -> KeyParts:
            old = await tx.one(keys_sql.BY_PREFIX, prefix=prefix)
            if old is None:
                raise _no_key(prefix)
            key = new_key(old.sandbox)
            account = await lock_account(tx, old.user_id, old.sandbox)
            successor = await replace_key(tx, account, old, key, overlap)
            detail = f"Its successor is key {successor}."
            await audit(tx, operator_on(old.user_id), "key.rotated", old.id, detail)
            return key

        return await self.database.transact(rotate)

    async def keys(self, email: str) -> list[KeyRow]:
        """Return a user's keys without their secrets."""
        return await self.database.query(keys_sql.LIST_OF_EMAIL, email=fold_email(email))

    async def revoke_key(self, prefix: str) -> None:
        """Revoke a key. Every node refuses it within a second."""

        async def revoke(tx: Tx) -> None:
            key = await tx.one(keys_sql.BY_PREFIX, prefix=prefix)
            if key is None or not await tx.run(keys_sql.REVOKE_PREFIX, key_prefix=prefix, moment=now()):
                raise _no_key(prefix)
            await audit(tx, operator_on(key.user_id), "key.revoked", key.id)

        await self.database.transact(revoke)


def fold_email(email: str) -> str:
    """Normalize an e-mail address for storage: mail systems ignore letter case."""
    return email.strip().lower()


async def _open_account(tx: Tx, user_id: int, sandbox: bool) -> None:
    (account,) = await tx.all(_INSERT_ACCOUNT, user_id=user_id, sandbox=sandbox)
    for name in _COUNTERS:
        await counters.start(tx, account.id, name)


async def lock_user(tx: Tx, email: str) -> UserRow:
    """Lock and return the user with an e-mail address. Raises `NotFound`."""
    user = await tx.one(_USER, email=fold_email(email))
    if user is None:
        raise NotFound(f"There is no user {email}. Create one with: retinue users create {email}")
    return user


def _no_key(prefix: str) -> NotFound:
    return NotFound(f"There is no active key with the prefix {prefix!r}.")


def checked_email(email: str) -> str:
    """Return the folded address. Raises `ValidationFailed` if it is not an e-mail address."""
    address = fold_email(email)
    if not _EMAIL.fullmatch(address):
        raise ValidationFailed(f"{email!r} is not a valid e-mail address.")
    return address


def _checked_networks(networks: Sequence[str]) -> list[str] | None:
    try:
        return [str(network) for network in parse_networks(networks)] or None
    except ValueError as error:
        raise ValidationFailed(f"networks must be CIDRs such as 203.0.113.0/24: {error}.") from error
