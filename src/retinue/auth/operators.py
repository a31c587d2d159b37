"""The operators of the server. At least one of them can always sign in."""

import sqlalchemy as sa

from retinue.auth.tables import UserRow, users
from retinue.core.database.interface import Tx
from retinue.core.database.statements import Row, Statement

_ACTIVE: Statement[UserRow] = Statement(
    sa.select(users).where(users.c.operator, users.c.suspended_at.is_(None)).order_by(users.c.id).with_for_update()
)


async def is_last_operator(tx: Tx, user: Row) -> bool:
    """Return whether a user is an operator, and every other operator is suspended. Locks the operators."""
    return bool(user.operator) and all(one.id == user.id for one in await tx.all(_ACTIVE))
