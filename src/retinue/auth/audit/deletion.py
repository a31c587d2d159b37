"""Deletes the audit entries of a user. Entries that concern the whole server stay, without the user's name."""

import sqlalchemy as sa

from retinue.auth.audit.entries import SYSTEM_ACTIONS
from retinue.auth.audit.tables import audit_entries
from retinue.core.database.interface import Tx
from retinue.core.database.owned import BATCH, DELETED_USER, Owned, Removed
from retinue.core.database.schema import BigInt
from retinue.core.database.statements import Statement

_SYSTEM = (
    sa.select(audit_entries.c.id)
    .where(
        audit_entries.c.user_id == sa.bindparam("owner", type_=BigInt),
        sa.or_(*(audit_entries.c.action == one for one in SYSTEM_ACTIONS)),
    )
    .limit(BATCH)
)
_ANONYMISE = Statement(
    sa.update(audit_entries)
    .where(audit_entries.c.id.in_(_SYSTEM))
    .values(user_id=None, credential=DELETED_USER, address=None, request_id=None)
)


class _Entries(Owned):
    async def remove(self, tx: Tx, owner: int) -> Removed:
        """Anonymise a batch of entries that concern the server; once there are none, delete a batch of the others."""
        if await tx.run(_ANONYMISE, owner=owner):
            return Removed(any=True)
        return await super().remove(tx, owner)


OWNED = (_Entries(audit_entries.c.user_id),)
