"""Deletes the files of a user: first the rows, then the content on disk."""

from retinue.core.database.interface import Tx
from retinue.core.database.owned import Owned, Removed
from retinue.files.tables import files


class _Files(Owned):
    async def remove(self, tx: Tx, owner: int) -> Removed:
        """Delete a batch of rows, and return the ids of their files."""
        rows = await tx.all(self.removal, owner=owner)
        return Removed(bool(rows), tuple(row.public_id for row in rows))


OWNED = (_Files(files.c.account_id, returning=files.c.public_id),)
