"""Deletes conversations of OpenAI's API that nobody has used for long."""

from datetime import datetime

import sqlalchemy as sa

from retinue.core.database.interface import Tx
from retinue.core.database.portable_sql import among
from retinue.core.database.schema import BigInt
from retinue.core.database.statements import Statement
from retinue.core.work.retention import BATCH
from retinue.interop.openai.conversations.tables import conversations

_NEXT = Statement(
    sa.select(conversations.c.id, conversations.c.updated_at)
    .where(conversations.c.id > sa.bindparam("after", type_=BigInt))
    .order_by(conversations.c.id)
    .limit(BATCH)
)
_DELETE = Statement(sa.delete(conversations).where(among(conversations.c.id, "ids")))


async def remove_conversations(tx: Tx, before: datetime, after: object) -> object:
    """Delete the conversations of one batch whose last use was before `before`, with their items."""
    rows = await tx.all(_NEXT, after=after or 0)
    if old := [row.id for row in rows if row.updated_at < before]:
        await tx.run(_DELETE, ids=old)
    return rows[-1].id if len(rows) == BATCH else None
