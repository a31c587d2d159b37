"""Remove expired codes and tokens."""

from datetime import datetime
from typing import Any

from retinue.core.database.interface import Tx
from retinue.core.work.retention import BATCH
from retinue.oauth import statements as sql


async def remove_tokens(tx: Tx, before: datetime, after: Any) -> Any:
    """Remove a batch of tokens that expired before an instant."""
    return await tx.run(sql.REMOVE_TOKENS, before=before) == BATCH or None


async def remove_codes(tx: Tx, before: datetime, after: Any) -> Any:
    """Remove a batch of codes that expired before an instant."""
    return await tx.run(sql.REMOVE_CODES, before=before) == BATCH or None
