"""Remove expired codes and tokens, and grants that have none left."""

from datetime import datetime

from retinue.core.database.interface import Tx
from retinue.core.work.retention import BATCH
from retinue.oauth import statements as sql


async def remove_tokens(tx: Tx, before: datetime, after: object) -> object:
    """Remove a batch of tokens that expired before an instant."""
    return await tx.run(sql.REMOVE_TOKENS, before=before) == BATCH or None


async def remove_grants(tx: Tx, before: datetime, after: object) -> object:
    """Remove those of a batch of grants that were revoked, or whose tokens have all expired, before an instant."""
    rows = await tx.all(sql.GRANT_IDS, after=after or 0)
    ids = [row.id for row in rows]
    if ids:
        await tx.run(sql.REMOVE_DEAD_GRANTS, ids=ids, before=before)
    return ids[-1] if len(ids) == BATCH else None


async def remove_codes(tx: Tx, before: datetime, after: object) -> object:
    """Remove a batch of codes that expired before an instant."""
    return await tx.run(sql.REMOVE_CODES, before=before) == BATCH or None
