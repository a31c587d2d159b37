"""Find the sources of collections that use a connection."""

from collections.abc import Sequence

from retinue.core.database.interface import Tx
from retinue.knowledge.sources import statements as sql


class CollectionUses:
    """Finds the sources of collections that use a connection."""

    async def of_connection(self, tx: Tx, account_id: int, connection_id: int) -> Sequence[str]:
        """The sources that use a connection, each as in "the source s3://handbook/"."""
        rows = await tx.all(sql.OF_CONNECTION, account=account_id, connection=connection_id)
        return [f"the source {row.location}" for row in rows]
