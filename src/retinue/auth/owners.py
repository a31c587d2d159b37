"""Look up accounts and build callers that act for their owners."""

import sqlalchemy as sa

from retinue.auth.caller import Caller
from retinue.auth.plans import Plans
from retinue.auth.tables import accounts, users
from retinue.core.database.interface import Database
from retinue.core.database.portable_sql import among
from retinue.core.database.schema import BigInt
from retinue.core.database.statements import Statement
from retinue.core.errors import NotFound

_OWNER = Statement(
    sa.select(users.c.id, users.c.plan, users.c.suspended_at, accounts.c.sandbox)
    .join(accounts, accounts.c.user_id == users.c.id)
    .where(accounts.c.id == sa.bindparam("account", type_=BigInt))
)
_ACCOUNT = Statement(
    sa.select(accounts.c.id).where(
        accounts.c.user_id == sa.bindparam("user", type_=BigInt),
        accounts.c.sandbox == sa.bindparam("sandbox", type_=sa.Boolean),
    )
)

KNOWN_ACCOUNTS = Statement(
    sa.select(accounts.c.id).where(among(accounts.c.id, "ids")).with_for_update(read=True, key_share=True)
)
"""Locks the accounts that still exist until the transaction ends, so that buffered data can be written for them."""


async def account_of(database: Database, user_id: int, *, sandbox: bool) -> int:
    """Return the id of a user's live or sandbox account. Raises `NotFound`."""
    account = await database.lookup(_ACCOUNT, user=user_id, sandbox=sandbox)
    if account is None:
        raise NotFound("The account no longer exists.")
    return int(account.id)


async def caller_for(database: Database, plans: Plans, account_id: int, scopes: frozenset[str]) -> Caller:
    """Return a caller with `scopes` and the current plan of the account's owner.

    Raises `NotFound` if the account is gone or its user is suspended.
    """
    owner = await database.lookup(_OWNER, account=account_id)
    if owner is None:
        raise NotFound("The account no longer exists.")
    if owner.suspended_at is not None:
        raise NotFound("The account's user is suspended.")
    return Caller(
        user_id=owner.id,
        account_id=account_id,
        sandbox=owner.sandbox,
        credential=f"account:{account_id}",
        plan_name=owner.plan,
        plan=plans[owner.plan],
        scopes=scopes,
    )
