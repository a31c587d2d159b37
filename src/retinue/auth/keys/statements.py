"""SQL statements for API keys. Statements for callers filter by user, and by sandbox for test keys."""

import sqlalchemy as sa

from retinue.auth.tables import AccountPlan, KeyInForce, KeyOfUser, KeyRow, accounts, api_keys, users
from retinue.core.database.schema import BigInt, Instant
from retinue.core.database.statements import Statement

_MOMENT = sa.bindparam("moment", type_=Instant)
_ID = api_keys.c.id == sa.bindparam("key", type_=BigInt)
_IN_FORCE = (
    api_keys.c.revoked_at.is_(None),
    api_keys.c.expires_at.is_(None) | (api_keys.c.expires_at > _MOMENT),
)
_OF_ACCOUNT = api_keys.c.account_id == sa.bindparam("account", type_=BigInt)
_OWN_ACCOUNTS = (
    accounts.c.user_id == sa.bindparam("user", type_=BigInt),
    accounts.c.sandbox >= sa.bindparam("sandbox", type_=sa.Boolean),
)
"""A live credential reaches both accounts of its user, a test key only the sandbox: false sorts before true."""
_COLUMNS = [column for column in api_keys.c if column.name != "secret_hash"]
_OWN = sa.select(*_COLUMNS, accounts.c.sandbox).join(accounts, accounts.c.id == api_keys.c.account_id).where(
    *_OWN_ACCOUNTS, api_keys.c.revoked_at.is_(None)
)  # fmt: skip

AUTHENTICATE: Statement[KeyInForce] = Statement(
    sa.select(
        api_keys.c.id,
        api_keys.c.account_id,
        api_keys.c.scopes,
        api_keys.c.networks,
        api_keys.c.last_used_at,
        accounts.c.sandbox,
        accounts.c.user_id,
        users.c.plan,
    )
    .join(accounts, accounts.c.id == api_keys.c.account_id)
    .join(users, users.c.id == accounts.c.user_id)
    .where(
        api_keys.c.prefix == sa.bindparam("prefix"),
        api_keys.c.secret_hash == sa.bindparam("hash", type_=sa.LargeBinary),
        accounts.c.sandbox == sa.bindparam("sandbox", type_=sa.Boolean),
        users.c.suspended_at.is_(None),
        *_IN_FORCE,
    )
)
"""The database compares the hash, so a wrong secret and an unknown prefix take the same time."""


CHANGEABLE = ("name", "monthly_tokens", "monthly_credits", "monthly_cost_usd", "networks")

INSERT = Statement(
    sa.insert(api_keys).returning(api_keys.c.id),
    [
        "account_id",
        "prefix",
        "secret_hash",
        "name",
        "scopes",
        "networks",
        "created_at",
        "expires_at",
        "monthly_tokens",
        "monthly_credits",
        "monthly_cost_usd",
    ],
)
LOCK_ACCOUNT: Statement[AccountPlan] = Statement(
    sa.select(accounts.c.id, users.c.plan)
    .join(users, users.c.id == accounts.c.user_id)
    .where(*_OWN_ACCOUNTS[:1], accounts.c.sandbox == sa.bindparam("sandbox", type_=sa.Boolean))
    .with_for_update(of=accounts)
)
"""Serializes requests that create keys for one account, so that they cannot exceed the plan's limit together."""

COUNT_IN_FORCE = Statement(
    sa.select(sa.func.count().label("keys")).where(_OF_ACCOUNT, *_IN_FORCE, api_keys.c.successor_id.is_(None))
)
"""Counts keys towards the plan's limit. A key that a rotation has replaced does not count."""

LIST: Statement[KeyRow] = Statement(
    _OWN.order_by(api_keys.c.id.desc())
    .limit(sa.bindparam("per_page", type_=sa.Integer))
    .offset(sa.bindparam("offset", type_=BigInt))
)
COUNT = Statement(
    sa.select(sa.func.count().label("keys"))
    .select_from(api_keys)
    .join(accounts, accounts.c.id == api_keys.c.account_id)
    .where(*_OWN_ACCOUNTS, api_keys.c.revoked_at.is_(None))
)
GET: Statement[KeyRow] = Statement(_OWN.where(_ID))
LOCK: Statement[KeyRow] = Statement(_OWN.where(_ID).with_for_update(of=api_keys))
NOT_REVOKED = Statement(
    sa.select(api_keys.c.id).where(
        api_keys.c.id == sa.bindparam("credential", type_=BigInt), api_keys.c.revoked_at.is_(None)
    )
)
PREDECESSOR = Statement(
    sa.select(api_keys.c.expires_at).where(
        _OF_ACCOUNT, *_IN_FORCE, api_keys.c.successor_id == sa.bindparam("key", type_=BigInt)
    )
)
REPLACE = Statement(
    sa.update(api_keys)
    .where(_ID, *_IN_FORCE)
    .values(
        successor_id=sa.bindparam("successor", type_=BigInt),
        expires_at=sa.bindparam("until", type_=Instant),
    )
)
_OWN_IDS = sa.select(accounts.c.id).where(*_OWN_ACCOUNTS)
UPDATE = Statement(
    sa.update(api_keys)
    .where(_ID, api_keys.c.account_id.in_(_OWN_IDS), api_keys.c.revoked_at.is_(None))
    .values({name: sa.bindparam(f"new_{name}", type_=api_keys.c[name].type) for name in CHANGEABLE})
)
REVOKE = Statement(
    sa.update(api_keys)
    .where(_ID, api_keys.c.account_id.in_(_OWN_IDS), api_keys.c.revoked_at.is_(None))
    .values(revoked_at=_MOMENT)
)

LIST_OF_EMAIL: Statement[KeyRow] = Statement(
    sa.select(*_COLUMNS, accounts.c.sandbox)
    .join(accounts, accounts.c.id == api_keys.c.account_id)
    .join(users, users.c.id == accounts.c.user_id)
    .where(users.c.email == sa.bindparam("email"))
    .order_by(api_keys.c.id)
)
BY_PREFIX: Statement[KeyOfUser] = Statement(
    sa.select(*_COLUMNS, accounts.c.sandbox, accounts.c.user_id)
    .join(accounts, accounts.c.id == api_keys.c.account_id)
    .where(api_keys.c.prefix == sa.bindparam("prefix"), api_keys.c.revoked_at.is_(None))
)
REVOKE_PREFIX = Statement(
    sa.update(api_keys)
    .where(api_keys.c.prefix == sa.bindparam("key_prefix"), api_keys.c.revoked_at.is_(None))
    .values(revoked_at=_MOMENT)
)
LOCK_ACCOUNTS = Statement(sa.select(accounts.c.id).where(_OWN_ACCOUNTS[0]).order_by(accounts.c.id).with_for_update())
REVOKE_ALL = Statement(
    sa.update(api_keys).where(_OF_ACCOUNT, api_keys.c.revoked_at.is_(None)).values(revoked_at=_MOMENT)
)
