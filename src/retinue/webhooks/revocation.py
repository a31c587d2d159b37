"""Disable all webhook endpoints of a user."""

import sqlalchemy as sa

from retinue.auth.tables import accounts
from retinue.core.database.interface import Tx
from retinue.core.database.schema import BigInt
from retinue.core.database.statements import Statement
from retinue.core.runtime.clock import now
from retinue.webhooks import statements as sql
from retinue.webhooks.tables import endpoints

_REASON = "All credentials of the user were revoked. Check the URL before you enable the endpoint again."
_ACCOUNTS = sa.select(accounts.c.id).where(accounts.c.user_id == sa.bindparam("user", type_=BigInt))
_DISABLE = Statement(
    sa.update(endpoints)
    .where(endpoints.c.account_id.in_(_ACCOUNTS), endpoints.c.enabled)
    .values(
        enabled=False,
        disabled_reason=sa.bindparam("reason", type_=sa.Text),
        updated_at=sa.bindparam("moment", type_=endpoints.c.updated_at.type),
    )
    .returning(endpoints.c.id)
)


async def disable_webhooks(tx: Tx, user_id: int) -> None:
    """Disable a user's endpoints and cancel their pending deliveries."""
    moment = now()
    for endpoint in await tx.all(_DISABLE, user=user_id, reason=_REASON, moment=moment):
        await tx.run(sql.CANCEL_WAITING, endpoint=endpoint.id, moment=moment)
