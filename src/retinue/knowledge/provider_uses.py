"""Finds the collections that use a model of a provider."""

from retinue.core.database.interface import Tx
from retinue.knowledge import statements as sql


class CollectionUses:
    """Finds the collections that rerank by a provider's model, or whose vectors one makes."""

    async def of_provider(self, tx: Tx, account_id: int, name: str) -> dict[int, str]:
        """Return their names by id."""
        rows = await tx.all(sql.OF_PROVIDER, account=account_id, prefix=f"{name}/%")
        return {row.id: row.name for row in rows}
