"""The caller that stands for an account whose owner is not here to show a credential."""

import sqlalchemy as sa

from retinue.auth.caller import Caller
from retinue.auth.plans import Plans
from retinue.auth.tables import accounts, users
from retinue.core.database import Database
from retinue.core.errors import NotFound
from retinue.core.schema import BigInt
from retinue.core.statements import Statement

_OWNER = Statement(
    sa.select(users.c.id, users.c.plan, users.c.suspended_at, accounts.c.sandbox)
    .join(accounts, accounts.c.user_id == users.c.id)
    .where(accounts.c.id == sa.bindparam("account", type_=BigInt))
)


async def caller_for(database: Database, plans: Plans, account_id: int, scopes: frozenset[str]) -> Caller:
    """One with those scopes, and the plan of the account's owner as it is now."""
    owner = await database.lookup(_OWNER, account=account_id)
    if owner is None:
        raise NotFound("The account is gone.")
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
