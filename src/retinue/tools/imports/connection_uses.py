"""Find what depends on a connection in this package."""

from collections.abc import Sequence

from retinue.core.database.interface import Tx
from retinue.tools.imports import statements as sql


class SourceUses:
    """Finds the sources that use a connection."""

    async def of_connection(self, tx: Tx, account_id: int, connection_id: int) -> Sequence[str]:
        """Return the sources that use a connection, each as in "the source pets"."""
        rows = await tx.all(sql.OF_CONNECTION, account=account_id, connection=connection_id)
        return [f"the source {row.name}" for row in rows]
