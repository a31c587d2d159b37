"""Users and keys, as the operator makes them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import sqlalchemy as sa

from retinue.auth.caller import SCOPES
from retinue.auth.keys import KeyParts, hash_secret, new_key
from retinue.auth.plans import Plans
from retinue.auth.tables import accounts, api_keys, users
from retinue.core import counters
from retinue.core.clock import now
from retinue.core.database import Database, Tx, UniqueConflict
from retinue.core.errors import NotFound, ValidationFailed
from retinue.core.statements import Row, Statement

_EMAIL = re.compile(r"[^@\s\x00-\x1f]{1,64}@[^@\s\x00-\x1f]{1,189}")
_COUNTERS = ("agents", "fleets", "conversations", "files", "stored_bytes", "workspace_records", "schedules")

_INSERT_USER = Statement(sa.insert(users).returning(users), ["email", "plan", "created_at"])
_INSERT_ACCOUNT = Statement(sa.insert(accounts).returning(accounts.c.id), ["user_id", "sandbox"])
_INSERT_KEY = Statement(
    sa.insert(api_keys).returning(api_keys.c.id),
    ["account_id", "prefix", "secret_hash", "name", "scopes", "created_at"],
)
_ANY_USER = Statement(sa.select(users.c.id).limit(1))
_USERS = Statement(sa.select(users).order_by(users.c.id))
_ACCOUNT = Statement(
    sa.select(accounts.c.id, users.c.plan)
    .join(users, users.c.id == accounts.c.user_id)
    .where(users.c.email == sa.bindparam("email"), accounts.c.sandbox == sa.bindparam("sandbox", type_=sa.Boolean))
)
_LIVE_KEYS = Statement(
    sa.select(sa.func.count().label("keys")).where(
        api_keys.c.account_id == sa.bindparam("account"), api_keys.c.revoked_at.is_(None)
    )
)
_KEYS = Statement(
    sa.select(
        api_keys.c.prefix,
        api_keys.c.name,
        api_keys.c.scopes,
        api_keys.c.created_at,
        api_keys.c.revoked_at,
        accounts.c.sandbox,
    )
    .join(accounts, accounts.c.id == api_keys.c.account_id)
    .join(users, users.c.id == accounts.c.user_id)
    .where(users.c.email == sa.bindparam("email"))
    .order_by(api_keys.c.id)
)
_REVOKE = Statement(
    sa.update(api_keys)
    .where(api_keys.c.prefix == sa.bindparam("key_prefix"), api_keys.c.revoked_at.is_(None))
    .values(revoked_at=sa.bindparam("revoked_at"))
)


@dataclass(frozen=True)
class Users:
    """The operator's view of users and keys: not bound to a caller, reached by the command line alone."""

    database: Database
    plans: Plans

    async def create(self, email: str, plan: str | None = None) -> Row:
        """Make a user with a live account and a sandbox. The default plan is enterprise for the first, else free."""
        address = _checked_email(email)
        if plan is not None and plan not in self.plans.by_name:
            raise ValidationFailed(f"There is no plan {plan!r}; use one of {', '.join(self.plans.by_name)}.")

        async def insert(tx: Tx) -> Row:
            first = await tx.one(_ANY_USER) is None
            chosen = plan or ("enterprise" if first else "free")
            (user,) = await tx.all(_INSERT_USER, email=address, plan=chosen, created_at=now())
            for sandbox in (False, True):
                await _open_account(tx, user.id, sandbox)
            return user

        try:
            return await self.database.transact(insert)
        except UniqueConflict as error:
            raise ValidationFailed(f"There is already a user {address}.") from error

    async def all(self) -> list[Row]:
        """Every user, oldest first."""
        return await self.database.query(_USERS)

    async def create_key(
        self, email: str, scopes: Sequence[str] = ("*",), test: bool = False, name: str = ""
    ) -> KeyParts:
        """Make a key; the answer is the only place where its secret is ever seen."""
        granted = _checked_scopes(scopes)
        key = new_key(sandbox=test)

        async def insert(tx: Tx) -> None:
            account = await tx.one(_ACCOUNT, email=email.lower(), sandbox=test)
            if account is None:
                raise NotFound(f"There is no user {email}. Create one with: retinue users create {email}")
            await self._check_number_of_keys(tx, account)
            await tx.run(
                _INSERT_KEY,
                account_id=account.id,
                prefix=key.prefix,
                secret_hash=hash_secret(key.secret),
                name=name[:100],
                scopes=granted,
                created_at=now(),
            )

        await self.database.transact(insert)
        return key

    async def _check_number_of_keys(self, tx: Tx, account: Row) -> None:
        held = await tx.one(_LIVE_KEYS, account=account.id)
        allowed = self.plans[account.plan].keys
        if held and held.keys >= allowed:
            raise ValidationFailed(
                f"The plan {account.plan} allows {allowed} keys and all are in use; revoke one first."
            )

    async def keys(self, email: str) -> list[Row]:
        """A user's keys without their secrets."""
        return await self.database.query(_KEYS, email=email.lower())

    async def revoke_key(self, prefix: str) -> None:
        """Make a key worthless, within a second everywhere."""

        async def revoke(tx: Tx) -> int:
            return await tx.run(_REVOKE, key_prefix=prefix, revoked_at=now())

        if not await self.database.transact(revoke):
            raise NotFound(f"There is no key in force with the prefix {prefix!r}.")


async def _open_account(tx: Tx, user_id: int, sandbox: bool) -> None:
    (account,) = await tx.all(_INSERT_ACCOUNT, user_id=user_id, sandbox=sandbox)
    for name in _COUNTERS:
        await counters.start(tx, account.id, name)


def _checked_email(email: str) -> str:
    address = email.strip().lower()
    if not _EMAIL.fullmatch(address):
        raise ValidationFailed(f"{email!r} is not an e-mail address.")
    return address


def _checked_scopes(scopes: Sequence[str]) -> list[str]:
    unknown = sorted(set(scopes) - SCOPES)
    if unknown or not scopes:
        raise ValidationFailed(
            f"Unknown scopes: {', '.join(unknown) or 'none given'}. Known: {', '.join(sorted(SCOPES))}."
        )
    return sorted(set(scopes))
